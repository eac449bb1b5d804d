import * as commentOnCorrectiveAction from '../../functions/corrective-actions/comment-on-corrective-action.ts';
import * as deleteAttachment from '../../functions/corrective-actions/delete-corrective-action-attachment.ts';
import * as listActivity from '../../functions/corrective-actions/list-corrective-action-activity.ts';
import * as listAttachments from '../../functions/corrective-actions/list-corrective-action-attachments.ts';
import * as deleteDocument from '../../functions/documents/delete-document.ts';
import * as getDocument from '../../functions/documents/get-document.ts';
import * as archiveInspection from '../../functions/inspections/archive-inspection.ts';
import { newDocument } from '../documents/scenarios.ts';
import { call, made } from '../support/call.ts';
import { newPerson, type Person } from '../support/people.ts';
import { locs, tally, uuid } from '../templates/fixtures.ts';
import { actionOf, attach, historyOf, moved, newAction, patch } from './fixtures.ts';

type At = { id: string };

let ines: Person;

const of = ({ id }: At) => ({ params: { ca_id: id } });
const list = (action: At, query = {}) =>
  call(listAttachments, { as: ines.readOnlyKey, ...of(action), query });
const detach = ({ id }: At, attachment: At) =>
  call(deleteAttachment, { as: ines.key, params: { ca_id: id, attachment_id: attachment.id } });
const comment = (action: At, note: string) =>
  call(commentOnCorrectiveAction, { as: ines.key, ...of(action), body: { note } });
const uses = async ({ id }: At): Promise<number> =>
  (await made(getDocument, { as: ines.key, params: { document_id: id } })).used_by_count;
const archive = (id: string) => made(archiveInspection, { as: ines.key, params: { inspection_id: id } });

beforeEach(async () => {
  ines = await newPerson('Ines, inspector');
});

describe('POST /corrective-actions/{ca_id}/attachments', () => {
  test('201 with the document’s file, used by it, and told', async () => {
    const [action, document] = [await newAction(ines), await newDocument(ines)];
    const { status, body } = await attach(ines, action, document.id.toUpperCase(), { caption: 'Torque' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      created_at: expect.any(String),
      updated_at: expect.any(String),
      document_id: document.id,
      stage: 'after',
      caption: 'Torque',
      added_by: ines.caller.user_id,
      file_name: 'load chart.txt',
      mime_type: document.mime_type,
      size_bytes: document.size_bytes,
    });
    expect(await actionOf(ines, action)).toMatchObject({ evidence_count: 1, version: 2 });
    expect(await uses(document)).toBe(1);
    expect((await call(deleteDocument, { as: ines.key, params: { document_id: document.id } })).status).toBe(
      409,
    );
    expect((await historyOf(ines, action)).at(-1)).toMatchObject({
      kind: 'attachment_added',
      to: document.id,
      note: 'Torque',
    });
  });

  test('400 for a document that is not there or another organization’s', async () => {
    const action = await newAction(ines);
    const theirs = await newDocument(await newPerson('Otto, outsider'));
    for (const id of [uuid(98), theirs.id]) {
      expect(await attach(ines, action, id)).toMatchObject({
        status: 400,
        body: { detail: 'document_id does not exist' },
      });
    }
    expect(await actionOf(ines, action)).toEqual(action);
  });

  test('422 for a stage there is not', async () => {
    const answer = await attach(ines, await newAction(ines), uuid(98), { stage: 'during' });
    expect([answer.status, locs(answer)]).toEqual([422, ['body.stage']]);
  });

  test('409 for what is closed or archived', async () => {
    const document = await newDocument(ines);
    const [closed, archived] = [await newAction(ines), await newAction(ines)];
    await moved(ines, closed, 'cancelled');
    await archive(archived.inspection_id);
    expect((await attach(ines, closed, document.id)).body.detail).toBe(
      'corrective action is cancelled; reopen it before changing it',
    );
    for (const stage of ['before', 'after']) {
      expect((await attach(ines, archived, document.id, { stage })).body.detail).toBe(
        'inspection is archived and locked',
      );
    }
    expect(await uses(document)).toBe(0);
  });

  test('201 for each of several at once', async () => {
    const [action, document] = [await newAction(ines), await newDocument(ines)];
    const answers = await Promise.all(Array.from({ length: 4 }, () => attach(ines, action, document.id)));
    expect(tally(answers)).toEqual({ 201: 4 });
    expect((await actionOf(ines, action)).evidence_count).toBe(4);
    expect(await uses(document)).toBe(4);
  });
});

describe('evidence that an action requires', () => {
  test('409 to complete it without an attachment of stage after, 200 with one', async () => {
    const [action, document] = [await newAction(ines, { evidence_required: true }), await newDocument(ines)];
    await moved(ines, action, 'in_progress');
    await attach(ines, action, document.id, { stage: 'before' });
    const complete = () => patch(ines, action, { status: 'pending_verification' });
    expect(await complete()).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('is in_progress; it awaits verification only with an') },
    });
    await attach(ines, action, document.id);
    expect((await complete()).status).toBe(200);
  });

  test('409 to take the last of it away, or to require it, while it awaits verification', async () => {
    const [action, document] = [await newAction(ines, { evidence_required: true }), await newDocument(ines)];
    const { body: evidence } = await attach(ines, action, document.id);
    await moved(ines, action, 'in_progress', 'pending_verification');
    expect((await detach(action, evidence)).status).toBe(409);
    expect((await patch(ines, action, { evidence_required: false })).status).toBe(200);
    expect((await detach(action, evidence)).status).toBe(204);
    expect((await patch(ines, action, { evidence_required: true })).status).toBe(409);
  });

  test('never both gone and relied on, when taken away beside the completion', async () => {
    const document = await newDocument(ines);
    for (let round = 0; round < 6; round += 1) {
      const action = await newAction(ines, { evidence_required: true });
      const { body: evidence } = await attach(ines, action, document.id);
      await moved(ines, action, 'in_progress');
      await Promise.all([patch(ines, action, { status: 'pending_verification' }), detach(action, evidence)]);
      const { status, evidence_count } = await actionOf(ines, action);
      expect([
        ['pending_verification', 1],
        ['in_progress', 0],
      ]).toContainEqual([status, evidence_count]);
    }
  });
});

describe('GET /corrective-actions/{ca_id}/attachments', () => {
  test('200 in their order, each with a URL that downloads the file', async () => {
    const [action, document] = [await newAction(ines), await newDocument(ines)];
    const before = await attach(ines, action, document.id, { stage: 'before' });
    const after = await attach(ines, action, document.id);
    const { body } = await list(action);
    expect(body).toEqual([
      { ...before.body, download_url: expect.any(String) },
      { ...after.body, download_url: expect.any(String) },
    ]);
    expect(await (await fetch(body[0].download_url)).text()).toBe('10 t at 4 m');
    expect(body[0].download_url).toContain('X-Amz-Expires=900');
  });

  test('200 page by page', async () => {
    const [action, document] = [await newAction(ines), await newDocument(ines)];
    for (let n = 0; n < 3; n += 1) await attach(ines, action, document.id, { caption: `${n}` });
    const first = await list(action, { limit: 2 });
    const cursor = /cursor=([^>&]+)/.exec(first.headers['link']!)![1];
    const second = await list(action, { limit: 2, cursor });
    expect([...first.body, ...second.body].map(({ caption }) => caption)).toEqual(['0', '1', '2']);
    expect(second.headers['link']).toBeUndefined();
  });
});

describe('DELETE /corrective-actions/{ca_id}/attachments/{attachment_id}', () => {
  test('204 with the document’s use at its end, and told', async () => {
    const [action, document] = [await newAction(ines), await newDocument(ines)];
    const { body: attachment } = await attach(ines, action, document.id);
    expect((await detach(action, attachment)).status).toBe(204);
    expect((await list(action)).body).toEqual([]);
    expect((await actionOf(ines, action)).evidence_count).toBe(0);
    expect(await uses(document)).toBe(0);
    expect((await historyOf(ines, action)).at(-1)).toMatchObject({
      kind: 'attachment_removed',
      from: document.id,
    });
    expect((await detach(action, attachment)).status).toBe(404);
  });

  test('404 for another action’s', async () => {
    const { body: attachment } = await attach(ines, await newAction(ines), (await newDocument(ines)).id);
    expect((await detach(await newAction(ines), attachment)).status).toBe(404);
  });

  test('204 once for many at once', async () => {
    const [action, document] = [await newAction(ines), await newDocument(ines)];
    const { body: attachment } = await attach(ines, action, document.id);
    const answers = await Promise.all(Array.from({ length: 4 }, () => detach(action, attachment)));
    expect(tally(answers)).toEqual({ 204: 1, 404: 3 });
    expect(await uses(document)).toBe(0);
  });
});

describe('POST /corrective-actions/{ca_id}/comments', () => {
  test('201 with the entry that its activity has, also once it is closed', async () => {
    const action = await newAction(ines);
    await moved(ines, action, 'cancelled');
    const { status, body } = await comment(action, ' Not needed any more ');
    expect([status, body.kind, body.note]).toEqual([201, 'commented', 'Not needed any more']);
    expect((await historyOf(ines, action)).at(-1)).toEqual(body);
  });

  test('422 for nothing said, 409 once the inspection is archived', async () => {
    const action = await newAction(ines);
    expect((await comment(action, ' ')).status).toBe(422);
    await archive(action.inspection_id);
    expect((await comment(action, 'x')).body.detail).toBe('inspection is archived and locked');
  });
});

describe('GET /corrective-actions/{ca_id}/activity', () => {
  test('200 page by page, oldest first, without a gap', async () => {
    const action = await newAction(ines);
    for (let n = 0; n < 4; n += 1) await comment(action, `${n}`);
    const get = (query: object) =>
      call(listActivity, { as: ines.readOnlyKey, ...of(action), query: { ...query } });
    const first = await get({ limit: 3 });
    const cursor = /cursor=([^>&]+)/.exec(first.headers['link']!)![1];
    const second = await get({ limit: 3, cursor });
    expect([...first.body, ...second.body]).toEqual(await historyOf(ines, action));
    expect(second.body.map(({ note }: { note: string }) => note)).toEqual(['2', '3']);
    expect((await get({ updated_since: '2999-01-01T00:00:00Z' })).body).toEqual([]);
  });
});
