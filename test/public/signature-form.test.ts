import sharp from 'sharp';
import * as getSignatureForm from '../../functions/public/get-signature-form.ts';
import * as submitSignatureForm from '../../functions/public/submit-signature-form.ts';
import { drawSignature } from '../../infra/demo/photos.ts';
import { PAGE_TEXTS } from '../../shared/base/i18n/texts/pages.ts';
import { documentKey, getObject } from '../../shared/files/objects.ts';
import type { AnswerRecord } from '../../shared/schemas/inspections/answer.ts';
import type { SignatureLink } from '../../shared/schemas/inspections/signature-link.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { beforeWriting } from '../answers/fixtures.ts';
import { advance } from '../inspections/fixtures.ts';
import { as } from '../support/call.ts';
import { useClock } from '../support/clock.ts';
import { field, section } from '../support/content.ts';
import { installFaults, withFault } from '../support/faults.ts';
import { actingKey, newMember, newPerson, onBehalfOf, type Person } from '../support/people.ts';
import { visit } from '../support/visit.ts';
import {
  drawnForm,
  HELD_CONTENT,
  newContactLink,
  newWitnessLink,
  QUESTION,
  sendPhoto,
  signatureFields,
  WITNESSED,
  WITNESSED_HELD,
  type WitnessLink,
} from './fixtures.ts';

installFaults();

const { signature: TEXTS } = PAGE_TEXTS.en;

let ana: Person;

beforeEach(async () => {
  ana = await newPerson('Ana');
});

const show = (token: string, query: Record<string, string> = {}) => visit(getSignatureForm, { token, query });
const submit = (token: string, form: Record<string, string>) => visit(submitSignatureForm, { token, form });
const formOf = async (token: string) => drawnForm((await show(token)).text);
const at = ({ inspection }: Pick<WitnessLink, 'inspection'>) => ({
  params: { inspection_id: inspection.id },
});

const save = (witnessed: WitnessLink, body: object) =>
  ana.answers.replace({ ...at(witnessed), body: { ...QUESTION, ...body } });

/** The answer to the signature field; undefined without one. */
const signatureIn = async (witnessed: WitnessLink): Promise<AnswerRecord | undefined> =>
  (await ana.answers.list(at(witnessed))).find(
    ({ field_id }: AnswerRecord) => field_id === WITNESSED.field_id,
  );

const linksOf = (witnessed: WitnessLink): Promise<SignatureLink[]> =>
  ana.answers.listSignatureLinks(at(witnessed));

const statusIn = async (witnessed: WitnessLink) => (await linksOf(witnessed)).map(({ status }) => status);

const documentsIn = () => ana.documents.list({});

describe('GET /w/{token}', () => {
  test('200 with what is signed: inspection, place, section with answers and notes, and no other section', async () => {
    const { inspection, token } = await newWitnessLink(ana);
    const { status, text } = await show(token);
    expect(status).toBe(200);
    for (const told of [
      `No. ${inspection.number} · Before the pour`,
      'Tower One › Floor 3',
      'Wanda Witness',
      'Section 1',
      'Is the rebar clean?',
      'Yes, brushed',
      'At noon',
    ])
      expect(text).toContain(told);
    expect(text).not.toContain('Section 4');
  });

  test('200 with the member who asks, and with the answers of one instance of a repeat section', async () => {
    const flats = [field(2), field(3, 'signature')];
    const content = { sections: [section(1, flats, { title: 'Flat', repeat: {} })] };
    const witnessed = await newWitnessLink(ana, {}, content);
    const app = as((await actingKey(ana)).key);
    const instance_path = `${WITNESSED.section_id}[1]`;
    const link = await app.answers.createSignatureLink({
      ...at(witnessed),
      body: { ...WITNESSED, instance_path, name: 'Wim' },
      headers: onBehalfOf(await newMember(ana, 'admin', 'Ada Asker')),
    });
    await save(witnessed, { instance_path, value: 'Damp' });
    const { text } = await show(link.url);
    for (const told of ['Ada Asker', 'Flat 2', 'Damp']) expect(text).toContain(told);
    expect(text).not.toContain('Yes, brushed');
    expect((await submit(link.url, await drawnForm(text))).status).toBe(200);
    expect((await signatureIn(witnessed))?.instance_path).toBe(instance_path);
  });

  test('404, alike, for links that have ended, and for a link to something else', async () => {
    const links = await Promise.all(Array.from({ length: 4 }, () => newWitnessLink(ana)));
    const [revoked, completed, archived, answered] = links as [
      WitnessLink,
      WitnessLink,
      WitnessLink,
      WitnessLink,
    ];
    const { id: signature_link_id } = revoked.link;
    await ana.answers.revokeSignatureLink({ params: { ...at(revoked).params, signature_link_id } });
    await advance(ana.key, completed.inspection);
    await ana.inspections.archive(at(archived));
    const forms = await formOf(answered.token);
    await save(answered, { ...WITNESSED, value: { typed: 'E. Engineer', signed_name: 'E. Engineer' } });
    expect((await submit(answered.token, forms)).status).toBe(404);
    expect(await signatureIn(answered)).toMatchObject({ version: 1, value: { typed: 'E. Engineer' } });
    const foreign = await newContactLink(ana);
    const unknown = await show('A'.repeat(22));
    // Whoever has had a link may know whom to ask for another one.
    const ended = await show(revoked.token);
    expect(ended.text).toContain('Ask <bdi>Ana</bdi> for another one.');
    for (const { token } of links) expect(await show(token)).toMatchObject({ status: 404, text: ended.text });
    expect(await show(foreign.token)).toMatchObject({ status: 404, text: unknown.text });
    expect([await statusIn(revoked), await statusIn(completed), await statusIn(answered)]).toEqual([
      ['revoked'],
      ['ended'],
      ['ended'],
    ]);
  });
});

describe('POST /w/{token}', () => {
  test('200 saves the drawing as the answer, with the name of the witness, once', async () => {
    const witnessed = await newWitnessLink(ana);
    const { token } = witnessed;
    const [form, other] = [await formOf(token), await formOf(token)];
    const { status, text } = await submit(token, form);
    expect([status, text]).toEqual([200, expect.stringContaining(TEXTS.done.title)]);
    const answer = await signatureIn(witnessed);
    const { document_id } = answer!.value as { document_id: string };
    expect(answer).toMatchObject({
      value: { document_id, signed_name: 'Wanda Witness', signed_at: answer!.client_answered_at },
      answered_by: null,
      client_answered_at: expect.any(String),
    });
    const bytes = await getObject(ana.caller, documentKey(ana.caller, document_id));
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', width: 720 });
    expect(await documentsIn()).toMatchObject([{ id: document_id, used_by_count: 1 }]);
    expect([(await show(token)).status, (await submit(token, other)).status]).toEqual([404, 404]);
    // Its answer may have been lost on the way.
    expect((await submit(token, form)).text).toContain(TEXTS.done.title);
    expect([await signatureIn(witnessed), await statusIn(witnessed)]).toEqual([answer, ['signed']]);
    expect(await documentsIn()).toHaveLength(1);
    expect(await checkOrganization(ana.caller, { repair: false })).toMatchObject({ found: 0 });
  });

  test('200 with a picture that was uploaded without a program', async () => {
    const witnessed = await newWitnessLink(ana);
    const back = new URL(await sendPhoto((await show(witnessed.token)).text, await drawSignature(2)));
    const page = await show(witnessed.token, Object.fromEntries(back.searchParams));
    expect(page.text).toContain(TEXTS.added);
    const { status } = await submit(witnessed.token, { ...signatureFields(page.text), next: 'sign' });
    expect([status, (await signatureIn(witnessed))?.value]).toMatchObject([
      200,
      { signed_name: 'Wanda Witness' },
    ]);
  });

  test('422 with the new state when an answer of the section has changed since, even in the last moment', async () => {
    const witnessed = await newWitnessLink(ana);
    const { token } = witnessed;
    const seen = await formOf(token);
    await save(witnessed, { value: 'No, rusty' });
    const refused = await submit(token, seen);
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining(TEXTS.problems.changed)]);
    expect(refused.text).toContain('No, rusty');
    const form = await drawnForm(refused.text);
    const meanwhile = () => save(witnessed, { value: 'No, wet' });
    const late = await withFault(beforeWriting(meanwhile), () => submit(token, form));
    expect([late.status, late.text]).toEqual([422, expect.stringContaining('No, wet')]);
    expect([await signatureIn(witnessed), await documentsIn()]).toEqual([undefined, []]);
    expect((await submit(token, await drawnForm(late.text))).status).toBe(200);
  });

  test('200 while an answer of another section is saved', async () => {
    const witnessed = await newWitnessLink(ana);
    const other = { section_id: '0190f3c2-0000-7000-8000-000000000004' };
    const field_id = '0190f3c2-0000-7000-8000-000000000005';
    const form = await formOf(witnessed.token);
    const meanwhile = () => save(witnessed, { ...other, field_id, value: 'dry' });
    const { status } = await withFault(beforeWriting(meanwhile), () => submit(witnessed.token, form));
    expect([status, (await signatureIn(witnessed))?.version]).toEqual([200, 1]);
  });

  test('422 without a signature, for a file that is no picture, and where another section must be signed first', async () => {
    const { token } = await newWitnessLink(ana);
    const { drawing: _, ...empty } = await formOf(token);
    expect((await submit(token, empty)).text).toContain(TEXTS.problems.missing);
    expect((await submit(token, { ...empty, drawing: 'PHN2Zz4=' })).status).toBe(422);
    const held = await newWitnessLink(ana, WITNESSED_HELD, HELD_CONTENT);
    const refused = await submit(held.token, await formOf(held.token));
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('cannot be signed')]);
    expect([await statusIn(held), await documentsIn()]).toEqual([['active'], []]);
  });
});

describe('a link after 14 days', () => {
  const clock = useClock();

  test('404, and it is listed as expired', async () => {
    const witnessed = await newWitnessLink(ana);
    const form = await formOf(witnessed.token);
    clock.pass(14 * 86_400 - 60);
    expect((await show(witnessed.token)).status).toBe(200);
    clock.pass(61);
    expect((await submit(witnessed.token, form)).status).toBe(404);
    expect(await statusIn(witnessed)).toEqual(['expired']);
  });
});
