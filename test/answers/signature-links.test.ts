import * as getSignatureForm from '../../functions/public/get-signature-form.ts';
import { handler as sendMail } from '../../functions/workers/send-mail.ts';
import type { SignatureLink } from '../../shared/schemas/inspections/signature-link.ts';
import { advance } from '../inspections/fixtures.ts';
import { newWitnessLink, QUESTION, WITNESSED, type WitnessLink } from '../public/fixtures.ts';
import { as } from '../support/call.ts';
import { mailsTo } from '../support/mails.ts';
import { mailTasks } from '../support/notices.ts';
import { deliver } from '../support/outbox.ts';
import { actingKey, newMember, newPerson, onBehalfOf, type Person } from '../support/people.ts';
import { visit } from '../support/visit.ts';

let ana: Person;

beforeEach(async () => {
  ana = await newPerson('Ana');
});

const at = ({ inspection }: Pick<WitnessLink, 'inspection'>) => ({
  params: { inspection_id: inspection.id },
});

const linksOf = (witnessed: WitnessLink): Promise<SignatureLink[]> =>
  ana.answers.listSignatureLinks(at(witnessed));

/** The status of another request for a link. */
const again = async (witnessed: WitnessLink, body: object = {}): Promise<number> => {
  const request = { ...at(witnessed), body: { ...WITNESSED, name: 'Wim', ...body } };
  return (await ana.try.answers.createSignatureLink(request)).status;
};

describe('POST /inspections/{inspection_id}/signature-links', () => {
  test('201 mails the link, unless it has ended, and the list says what became of the mail', async () => {
    const email = `wanda@${ana.caller.org_id}.example`;
    const [sent, ended] = [await newWitnessLink(ana, { email }), await newWitnessLink(ana, { email })];
    await ana.inspections.archive(at(ended));
    for (const task of await mailTasks(ana)) expect(await deliver(sendMail, task)).toBe(true);
    const mails = await mailsTo(email);
    expect(mails).toHaveLength(1);
    expect(mails[0]!.body.text).toContain('Tower One › Floor 3');
    const [, token] = /\/w\/([\w-]{22})/.exec(mails[0]!.body.text!)!;
    expect((await visit(getSignatureForm, { token: token! })).status).toBe(200);
    const links = await Promise.all([sent, ended].map(linksOf));
    expect(links.map(([link]) => [link!.url, link!.mail?.state])).toEqual([
      [null, 'sent'],
      [null, 'failed'],
    ]);
  });

  test('409 for an answered field and a locked inspection; 422 for a field of another type, or no name', async () => {
    const [answered, completed] = [await newWitnessLink(ana), await newWitnessLink(ana)];
    expect(await again(answered)).toBe(201);
    expect([await again(answered, QUESTION), await again(answered, { name: ' ' })]).toEqual([422, 422]);
    const value = { typed: 'E. Engineer', signed_name: 'E. Engineer' };
    await ana.answers.replace({ ...at(answered), body: { ...WITNESSED, value } });
    await advance(ana.key, completed.inspection);
    expect([await again(answered), await again(completed)]).toEqual([409, 409]);
  });

  test('409 while the inspection is being corrected', async () => {
    const witnessed = await newWitnessLink(ana);
    await advance(ana.key, witnessed.inspection);
    await ana.corrections.create({ ...at(witnessed), body: { reason: 'The wrong floor' } });
    expect(await again(witnessed)).toBe(409);
    expect((await visit(getSignatureForm, witnessed)).status).toBe(404);
  });
});

describe('DELETE /inspections/{inspection_id}/signature-links/{signature_link_id}', () => {
  test('204 ends the link, which GET /inspections/{inspection_id}/signature-links still lists', async () => {
    const witnessed = await newWitnessLink(ana);
    const params = { ...at(witnessed).params, signature_link_id: witnessed.link.id };
    await ana.answers.revokeSignatureLink({ params });
    await ana.answers.revokeSignatureLink({ params });
    expect((await visit(getSignatureForm, witnessed)).status).toBe(404);
    expect(await linksOf(witnessed)).toMatchObject([{ status: 'revoked', revoked_at: expect.any(String) }]);
  });

  test('403 for an inspector without a part in the inspection; 404 for a link of another one', async () => {
    const [witnessed, other] = [await newWitnessLink(ana), await newWitnessLink(ana)];
    const app = as((await actingKey(ana)).key);
    const headers = onBehalfOf(await newMember(ana, 'inspector'));
    const params = { ...at(witnessed).params, signature_link_id: witnessed.link.id };
    const body = { ...WITNESSED, name: 'Wim' };
    expect((await app.try.answers.revokeSignatureLink({ params, headers })).status).toBe(403);
    expect((await app.try.answers.createSignatureLink({ ...at(witnessed), body, headers })).status).toBe(403);
    const foreign = { ...at(other).params, signature_link_id: witnessed.link.id };
    expect((await ana.try.answers.revokeSignatureLink({ params: foreign })).status).toBe(404);
    expect((await linksOf(witnessed)).map(({ status }) => status)).toEqual(['active']);
  });
});
