import sharp from 'sharp';
import * as createActionUpload from '../../functions/public/create-action-upload.ts';
import * as getActionForm from '../../functions/public/get-action-form.ts';
import * as getActionPhoto from '../../functions/public/get-action-photo.ts';
import * as stopMails from '../../functions/public/stop-mails.ts';
import * as submitActionForm from '../../functions/public/submit-action-form.ts';
import { handler as sendMail } from '../../functions/workers/send-mail.ts';
import { drawSignature } from '../../infra/demo/photos.ts';
import { PAGE_TEXTS } from '../../shared/base/i18n/texts/pages.ts';
import { aliasOf } from '../../shared/base/tenancy.ts';
import type { CorrectiveAction } from '../../shared/schemas/corrective-action.ts';
import { keys } from '../../shared/table/keys.ts';
import { getRow, queryRows } from '../../shared/table/rows.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { newDocument } from '../answers/fixtures.ts';
import {
  actionOf,
  historyOf,
  moveThrough,
  newAction,
  newFinding,
  patch,
} from '../corrective-actions/fixtures.ts';
import { newColleague, newLocation, startedInspection } from '../inspections/fixtures.ts';
import { as } from '../support/call.ts';
import { mailsTo, type ReceivedMail } from '../support/mails.ts';
import { mailTasks } from '../support/notices.ts';
import { deliver } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { visit } from '../support/visit.ts';
import {
  contactStamp,
  contactToken,
  foundInFlat,
  newContactLink,
  newStopLink,
  sendPhoto,
} from './fixtures.ts';

const { action: TEXTS, issue: ISSUE } = PAGE_TEXTS.en;

let ana: Person;
let domain: string;
let address: string;

beforeEach(async () => {
  ana = await newPerson('Ana');
  domain = `${ana.caller.org_id}.example`;
  address = `cara@${domain}`;
});

const contact = () => ({ name: 'Cara Cool', email: address, company: 'Cool Ltd' });
const of = ({ id }: { id: string }) => ({ params: { ca_id: id } });

/** Everything that waits for the mail worker is done. @returns the mails to the contact's company so far */
const mailed = async (): Promise<ReceivedMail[]> => {
  for (const task of await mailTasks(ana)) expect(await deliver(sendMail, task)).toBe(true);
  return mailsTo(`@${domain}`);
};

const tokenIn = ({ body }: ReceivedMail): string => /\/c\/([\w-]{22})/.exec(body.text!)![1]!;
const show = (token: string, query: Record<string, string> = {}) => visit(getActionForm, { token, query });
const submit = (token: string, form: Record<string, string>) => visit(submitActionForm, { token, form });
const linkOf = async (action: { id: string }) => (await actionOf(ana, action)).contact_link;

describe('the mail to the contact of a corrective action', () => {
  test('tells what the page tells, and shows its photos', async () => {
    const { finding } = await foundInFlat(ana);
    await newAction(
      ana,
      { contact: contact(), description: 'Renew it', due_at: '2031-05-04T22:30:00Z' },
      finding,
    );
    const [mail] = await mailed();
    for (const told of [...TOLD, 'Renew it']) expect(mail!.body.text).toContain(told);
    expect(mail!.attachments).toMatchObject([{ contentDisposition: 'inline', contentType: 'image/jpeg' }]);
  });

  test('goes out when the contact is set, in the organization’s language, with a link that opens the page', async () => {
    await ana.organization.update({ body: { locale: 'de' } });
    const inspection = await startedInspection(ana, { location_id: (await newLocation(ana)).id });
    const finding = await newFinding(ana, {}, inspection);
    const action = await newAction(ana, { contact: contact() }, finding);
    expect(action.contact_link).toMatchObject({ sent_at: null, error: null, last_opened_at: null });
    const [mail, ...others] = await mailed();
    expect(others).toEqual([]);
    // The address has not confirmed, so the subject is the service's own.
    expect(mail!.subject).toBe('Ana: 1 Korrekturmaßnahme');
    expect(mail!.body.text).toContain('Tighten it');
    expect(mail!.body.text).toContain('Aufgabe öffnen');
    expect(mail!.body.text).toContain('Yard');
    const after = await actionOf(ana, action);
    expect(after).toMatchObject({ version: 1, updated_at: action.updated_at });
    expect(after.contact_link).toMatchObject({ sent_at: expect.any(String), error: null });
    const page = await show(tokenIn(mail!));
    expect([page.status, page.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(page.text).toContain('Tighten it');
    expect((await linkOf(action))!.last_opened_at).toEqual(expect.any(String));
  });

  test('is one for all tasks that are new, each with its own link; closed ones are left out', async () => {
    const finding = await newFinding(ana);
    const task = (title: string, email = address) => newAction(ana, { title, contact: { email } }, finding);
    const tasks = [await task('Fix 1'), await task('Fix 2', address.toUpperCase()), await task('Fix 3')];
    await task('Fix 4', `other@${domain}`);
    await patch(ana, tasks[2]!, { status: 'cancelled' });
    const mails = await mailed();
    expect(mails.map(({ subject }) => subject)).toEqual([
      'Ana: 2 corrective actions',
      'Ana: 1 corrective action',
    ]);
    const tokens = [...mails[0]!.body.text!.matchAll(/\/c\/([\w-]{22})$/gm)].map(([, token]) => token!);
    expect(mails[0]!.body.text).toContain(`/c/${tokens[0]}/tasks`);
    const pages = await Promise.all(tokens.map((token) => show(token)));
    expect(pages.map(({ text }) => /Fix \d/.exec(text)![0])).toEqual(['Fix 1', 'Fix 2']);
    for (const each of tasks.slice(0, 2)) expect((await linkOf(each))!.mail).toMatchObject({ state: 'sent' });
    expect((await linkOf(tasks[2]!))!.mail).toMatchObject({ state: 'failed' });
    expect(await mailed()).toHaveLength(2);
  });

  test('waits for others as long as other mails do', async () => {
    await newAction(ana, { contact: contact() });
    const [task] = await mailTasks(ana);
    expect(task!.delay_seconds).toBe(Number(process.env['MAIL_WINDOW_SECONDS']));
  });

  test('is sent again on request, and the former link ends at once', async () => {
    const action = await newAction(ana, { contact: contact() });
    const [first] = await mailed();
    const { status, body } = await ana.try.correctiveActions.sendContactLink(of(action));
    expect([status, body.version]).toEqual([202, 2]);
    expect(body.contact_link).toMatchObject({ sent_at: null, last_opened_at: null });
    expect((await show(tokenIn(first!))).status).toBe(404);
    const [, second] = await mailed();
    expect((await show(tokenIn(second!))).status).toBe(200);
    expect((await historyOf(ana, action)).at(-1)).toMatchObject({
      kind: 'contact_link_requested',
      to: address,
    });
  });

  test('is not sent for a change that leaves the address, and a new address gets a new link', async () => {
    const action = await newAction(ana, { contact: contact() });
    const [first] = await mailed();
    await patch(ana, action, { contact: { name: 'Cora', email: address.toUpperCase() } });
    expect(await mailed()).toHaveLength(1);
    expect((await show(tokenIn(first!))).status).toBe(200);
    await patch(ana, action, { contact: { email: `other@${domain}` } });
    expect((await show(tokenIn(first!))).status).toBe(404);
    expect(await mailed()).toHaveLength(2);
  });

  test('is sent again with the reason when the action goes back to work', async () => {
    const action = await newAction(ana, { contact: contact() });
    const [first] = await mailed();
    await moveThrough(ana, action, 'in_progress', 'pending_verification');
    expect(first!.body.text).not.toContain(TEXTS.returned);
    const declined = { ...of(action), body: { accepted: false, note: 'Still loose' } };
    await ana.correctiveActions.verify(declined);
    const [, second] = await mailed();
    expect(second!.body.text).toContain('Still loose');
    expect((await show(tokenIn(second!))).text).toContain('Still loose');
    await patch(ana, action, { status: 'cancelled' });
    await ana.correctiveActions.reopen({ ...of(action), body: { reason: 'It came back' } });
    expect((await mailed()).at(-1)!.body.text).toContain('It came back');
  });

  test('is not sent once the contact is removed or the action is done, and the action says so', async () => {
    const removed = await newAction(ana, { contact: contact() });
    await patch(ana, removed, { contact: null });
    const done = await newAction(ana, { contact: contact() });
    await moveThrough(ana, done, 'in_progress', 'pending_verification');
    expect(await mailed()).toEqual([]);
    expect(await linkOf(removed)).toBeNull();
    expect(await linkOf(done)).toMatchObject({ sent_at: null, error: expect.stringContaining('done') });
  });

  test('is not sent to an address that takes no mails, and the action says why', async () => {
    const { token } = await newStopLink(ana, address);
    await visit(stopMails, { token, form: { 'List-Unsubscribe': 'One-Click' } });
    const action = await newAction(ana, { contact: contact() });
    expect(await mailed()).toEqual([]);
    expect(await linkOf(action)).toMatchObject({ sent_at: null, error: 'the address takes no mails' });
  });

  test('has a token that stands nowhere else', async () => {
    const action = await newAction(ana, { contact: contact() });
    const [mail] = await mailed();
    const token = tokenIn(mail!);
    const told: unknown[] = [await actionOf(ana, action), await historyOf(ana, action)];
    told.push(await ana.events.list({}), await mailTasks(ana));
    const rows = queryRows(ana.caller, { partition: keys.below(ana.caller, 'ACTION', action.id) });
    for await (const row of rows) told.push(row);
    const text = JSON.stringify(told);
    expect(text).not.toContain(token);
    expect(JSON.stringify(told.slice(0, 3))).not.toContain('form_secret');
  });
});

/** What the contact of an action in the flat is told. */
const TOLD = [
  'Tower One › Floor 3 › Flat 41',
  'Is the window tight?',
  'Leak (Major)',
  'The seal is torn',
  'Water on the sill',
  'May 5, 2031 (Eastern European Time)',
  'Cara Cool, Cool Ltd',
];

describe('GET /c/{token}/photo', () => {
  const photo = (token: string, id: string) =>
    visit(getActionPhoto, { token, query: { id: aliasOf(ana.caller, id) } });

  test('200 with the photo drawn anew: it does not say where it was taken', async () => {
    const { finding, photoId } = await foundInFlat(ana);
    const { token } = await newContactLink(ana, {}, finding);
    const answer = await photo(token, photoId);
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'image/jpeg']);
    const { width, exif } = await sharp(answer.bytes).metadata();
    expect([width, exif]).toEqual([40, undefined]);
  });

  test('404 for another document, and for an action that is closed', async () => {
    const { finding, photoId } = await foundInFlat(ana);
    const { action, token } = await newContactLink(ana, {}, finding);
    expect((await photo(token, await newDocument(ana, 'image/jpeg'))).status).toBe(404);
    await patch(ana, action, { status: 'cancelled' });
    expect((await photo(token, photoId)).status).toBe(404);
  });
});

describe('GET /c/{token}', () => {
  test('200 with what is wrong, where, how badly, who asks, and when it is due there', async () => {
    const { finding, photoId } = await foundInFlat(ana);
    const { token } = await newContactLink(ana, { due_at: '2031-05-04T22:30:00Z' }, finding);
    const { text } = await show(token);
    for (const shown of TOLD) expect(text).toContain(shown);
    expect(text).toContain(`<img src="${token}/photo?id=${aliasOf(ana.caller, photoId)}"`);
  });

  test('200 with the action and nothing else of the organization', async () => {
    const finding = await newFinding(ana);
    await newFinding(ana, { label: 'SECRET label' }, { id: finding.inspection_id });
    const fields = { description: 'To 40 Nm', due_at: '2031-05-04T09:00:00Z', priority: 'high' };
    const { action, token } = await newContactLink(ana, { ...fields, assignee_id: ana.adminId }, finding);
    const { text } = await show(token);
    for (const shown of ['Tighten it', 'To 40 Nm', 'May 4, 2031', 'High priority', 'Open'])
      expect(text).toContain(shown);
    for (const hidden of ['SECRET', action.id, action.inspection_id, ana.adminId, address])
      expect(text).not.toContain(hidden);
  });

  test('200 in the language that was chosen, with what was entered', async () => {
    const { action, token } = await newContactLink(ana);
    const stamp = await contactStamp(ana, action);
    const form = { stamp, language: 'fr', description: 'Les vis', next: 'language' };
    const { text } = await submit(token, form);
    expect(text).toContain(PAGE_TEXTS.fr.action.done);
    expect(text).toContain('Les vis</textarea>');
  });

  test.each<[string, CorrectiveAction['status'][]]>([
    ['verified', ['in_progress', 'pending_verification']],
    ['cancelled', ['cancelled']],
  ])(
    '200 with nothing but the end of an action that is %s, and it takes nothing',
    async (status, through) => {
      const { action, token } = await newContactLink(ana);
      await moveThrough(ana, action, ...through);
      if (status === 'verified') await ana.correctiveActions.verify(of(action));
      const stamp = await contactStamp(ana, action);
      for (const answer of [
        await show(token),
        await submit(token, { stamp, description: 'Late', next: 'send' }),
      ]) {
        expect(answer.status).toBe(200);
        expect(answer.text).toContain(TEXTS.closed.title);
        expect(answer.text).not.toContain('Tighten it');
      }
      expect((await historyOf(ana, action)).map(({ note }) => note)).not.toContain('Late');
    },
  );

  test('200 with the end of an action whose inspection is archived', async () => {
    const { action, token } = await newContactLink(ana);
    const params = { inspection_id: action.inspection_id };
    await ana.inspections.archive({ params });
    expect((await show(token)).text).toContain(TEXTS.closed.title);
  });

  test('404 for a link of another action, and of a contact who was removed', async () => {
    const { action, token } = await newContactLink(ana);
    await patch(ana, action, { contact: null });
    expect((await show(token)).status).toBe(404);
    expect((await submit(token, { next: 'done' })).status).toBe(404);
  });
});

describe('POST /c/{token}', () => {
  test('200 with photos that are sent without a program, and the action is completed by the contact', async () => {
    const { action, token } = await newContactLink(ana, {
      evidence_required: true,
      assignee_id: ana.adminId,
    });
    const stamp = await contactStamp(ana, action);
    const missing = await submit(token, { stamp, description: 'Tightened', next: 'done' });
    expect([missing.status, missing.text]).toEqual([422, expect.stringContaining(TEXTS.problems.evidence)]);

    const upload = await submit(token, { stamp, description: 'Tightened to 40 Nm', next: 'photos' });
    const back = new URL(await sendPhoto(upload.text, await drawSignature(1)));
    expect(back.pathname).toBe(`/c/${token}`);
    const photos = back.searchParams.get('photos')!;
    for (const { text } of [
      await show(token, Object.fromEntries(back.searchParams)),
      await submit(token, { stamp, photos, next: 'finish' }),
    ]) {
      expect(text).toContain('Photos added: 1');
      expect(text).toContain('Tightened to 40 Nm</textarea>');
      expect(text).toContain(`value="${photos}"`);
    }

    const sent = { stamp, photos, description: 'Tightened to 40 Nm', next: 'done' };
    const answers = await Promise.all([submit(token, sent), submit(token, sent)]);
    for (const { status, text } of answers) {
      expect(status).toBe(200);
      expect(text).toContain(TEXTS.reported.title);
    }
    expect(await actionOf(ana, action)).toMatchObject({
      status: 'pending_verification',
      completed_at: expect.any(String),
      completed_by: null,
      completed_by_contact: true,
      completion_note: 'Tightened to 40 Nm',
      evidence_count: 1,
    });
    const attachments = await ana.correctiveActions.listAttachments(of(action));
    expect(attachments).toEqual([
      expect.objectContaining({ stage: 'after', added_by: null, mime_type: 'image/jpeg' }),
    ]);
    const told = (await historyOf(ana, action)).slice(1);
    expect(told.map(({ kind, actor_id, contact_name, to }) => [kind, actor_id, contact_name, to])).toEqual([
      ['attachment_added', null, 'Cara Cool', attachments[0].document_id],
      ['status_changed', null, 'Cara Cool', 'in_progress'],
      ['status_changed', null, 'Cara Cool', 'pending_verification'],
    ]);
    const row = await getRow(ana.caller, keys.one(ana.caller, 'DOCUMENT', attachments[0].document_id));
    expect(row).toMatchObject({ uploaded_by: null, uploaded_by_name: 'Cara Cool', used_by_count: 1 });
    expect(await checkOrganization(ana.caller, { repair: false })).toMatchObject({ found: 0, unsettled: 0 });
    const { items } = await ana.notifications.listMy({});
    expect(items.map(({ event }: { event: string }) => event)).toContain('corrective_action_completed');
    expect((await ana.try.correctiveActions.verify(of(action))).body.status).toBe('verified');
  });

  test('200 with as many photos as a form takes, in one change; 422 with one more', async () => {
    const { action, token } = await newContactLink(ana, { assignee_id: ana.adminId, external_ref: 'cmms-1' });
    const stamp = await contactStamp(ana, action);
    const bytes = await drawSignature(1);
    let photos = '';
    for (let count = 0; count < 10; count += 1) {
      const page = await submit(token, { stamp, photos, next: 'photos' });
      photos = new URL(await sendPhoto(page.text, bytes)).searchParams.get('photos')!;
    }
    const full = await submit(token, { stamp, photos, next: 'photos' });
    expect(full.text).toContain('You can add at most 10 photos.');
    const more = await submit(token, { stamp, photos: `${photos},10:`, next: 'done' });
    expect([more.status, more.text]).toEqual([422, expect.stringContaining('at most 10 photos')]);
    expect((await submit(token, { stamp, photos, next: 'done' })).text).toContain(TEXTS.reported.title);
    expect(await actionOf(ana, action)).toMatchObject({ evidence_count: 10, version: 2 });
  });

  test('200 for a note alone, once however often it is sent, and the action stays open', async () => {
    const { action, token } = await newContactLink(ana);
    const form = {
      stamp: await contactStamp(ana, action),
      description: 'Parts come on Monday',
      next: 'send',
    };
    for (const { text } of [await submit(token, form), await submit(token, form)])
      expect(text).toContain(TEXTS.sent.title);
    expect((await historyOf(ana, action)).slice(1)).toMatchObject([
      { kind: 'commented', note: 'Parts come on Monday', actor_id: null, contact_name: 'Cara Cool' },
    ]);
    expect((await actionOf(ana, action)).status).toBe('open');
  });

  test('200 for a question, of which the assignee hears', async () => {
    const colleague = await newColleague(ana, 'Colleague');
    const { action, token } = await newContactLink(ana, { assignee_id: colleague.user_id });
    const stamp = await contactStamp(ana, action);
    await submit(token, { stamp, description: 'Which key opens it?', next: 'send' });
    const { items } = await as(colleague.key).notifications.listMy({});
    expect(items[0]).toMatchObject({
      event: 'corrective_action_contact_wrote',
      note: 'Which key opens it?',
      corrective_action_id: action.id,
    });
  });

  test('422 for nothing at all, for a form of another link, and for a photo that is none', async () => {
    const { action, token } = await newContactLink(ana);
    const stamp = await contactStamp(ana, action);
    const other = await newContactLink(ana);
    const foreign = await contactStamp(ana, other.action);
    const old = await contactStamp(ana, action, 15 * 86_400_000);
    for (const [form, text] of [
      [{ stamp, description: ' ', next: 'send' }, TEXTS.problems.empty],
      [{ stamp: foreign, description: 'x', next: 'send' }, ISSUE.problems.again],
      [{ stamp: old, description: 'x', next: 'send' }, ISSUE.problems.again],
      [{ stamp, photos: '0:', next: 'send' }, 'Photo 1 could not be read'],
    ] as const) {
      const answer = await submit(token, form);
      expect([answer.status, answer.text]).toEqual([422, expect.stringContaining(text)]);
    }
    expect(await historyOf(ana, action)).toHaveLength(1);
  });

  test('404 for a link that has ended while the form was filled in', async () => {
    const { action, token } = await newContactLink(ana);
    const stamp = await contactStamp(ana, action);
    await ana.correctiveActions.sendContactLink(of(action));
    expect((await submit(token, { stamp, description: 'x', next: 'send' })).status).toBe(404);
    expect((await show(await contactToken(ana, action))).status).toBe(200);
  });
});

describe('POST /c/{token}/uploads', () => {
  test('422 for a form of another link; 404 for an action that is closed', async () => {
    const [{ action, token }, other] = [await newContactLink(ana), await newContactLink(ana)];
    const upload = async (stamp: string) => {
      const form = { stamp, slot: '0', size: '1000', type: 'image/jpeg' };
      return (await visit(createActionUpload, { token, form })).status;
    };
    const stamp = await contactStamp(ana, action);
    expect([await upload(stamp), await upload(await contactStamp(ana, other.action))]).toEqual([200, 422]);
    await patch(ana, action, { status: 'cancelled' });
    expect(await upload(stamp)).toBe(404);
  });
});
