import * as errors from '../../shared/base/errors.ts';
import { newDocument } from '../documents/scenarios.ts';
import { as, locs, statusCounts } from '../support/call.ts';
import { uuid } from '../support/content.ts';
import { newPerson, type Person } from '../support/people.ts';
import { actionOf, attach, historyOf, moveThrough, newAction, patch } from './fixtures.ts';

type At = { id: string };

let ines: Person;

const of = ({ id }: At) => ({ params: { ca_id: id } });
const list = (action: At, query = {}) =>
  as(ines.readOnlyKey).try.correctiveActions.listAttachments({ ...of(action), query });
const detach = ({ id }: At, attachment: At) =>
  ines.try.correctiveActions.deleteAttachment({ params: { ca_id: id, attachment_id: attachment.id } });
const comment = (action: At, note: string) =>
  ines.try.correctiveActions.commentOn({ ...of(action), body: { note } });
const uses = async ({ id }: At): Promise<number> =>
  (await ines.documents.get({ params: { document_id: id } })).used_by_count;
const archive = (id: string) => ines.inspections.archive({ params: { inspection_id: id } });

beforeEach(async () => {
  ines = await newPerson('Ines, inspector');
});

describe('POST /corrective-actions/{ca_id}/attachments', () => {
  test('201 with the file of the document, which is then used, and a history entry', async () => {
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
    expect((await ines.try.documents.delete({ params: { document_id: document.id } })).status).toBe(409);
    expect((await historyOf(ines, action)).at(-1)).toMatchObject({
      kind: 'attachment_added',
      to: document.id,
      note: 'Torque',
    });
  });

  test('400 for a document that does not exist or belongs to another organization', async () => {
    const action = await newAction(ines);
    const theirs = await newDocument(await newPerson('Otto, outsider'));
    for (const id of [uuid(98), theirs.id]) {
      expect(await attach(ines, action, id)).toMatchObject({
        status: 400,
        body: { detail: errors.referenceNotFound('document_id').detail },
      });
    }
    expect(await actionOf(ines, action)).toEqual(action);
  });

  test('422 for an unknown stage', async () => {
    const answer = await attach(ines, await newAction(ines), uuid(98), { stage: 'during' });
    expect([answer.status, locs(answer)]).toEqual([422, ['body.stage']]);
  });

  test('409 for a closed action, and in an archived inspection', async () => {
    const document = await newDocument(ines);
    const [closed, archived] = [await newAction(ines), await newAction(ines)];
    await moveThrough(ines, closed, 'cancelled');
    await archive(archived.inspection_id);
    expect((await attach(ines, closed, document.id)).body.detail).toBe(
      errors.correctiveActionStatus('cancelled', 'Reopen it before you change it').detail,
    );
    for (const stage of ['before', 'after']) {
      expect((await attach(ines, archived, document.id, { stage })).body.detail).toBe(
        errors.inspectionLocked('archived').detail,
      );
    }
    expect(await uses(document)).toBe(0);
  });

  test('201 for each of four parallel requests', async () => {
    const [action, document] = [await newAction(ines), await newDocument(ines)];
    const answers = await Promise.all(Array.from({ length: 4 }, () => attach(ines, action, document.id)));
    expect(statusCounts(answers)).toEqual({ 201: 4 });
    expect((await actionOf(ines, action)).evidence_count).toBe(4);
    expect(await uses(document)).toBe(4);
  });
});

describe('an action that requires evidence', () => {
  test('409 for its completion without an attachment of stage after, 200 with one', async () => {
    const [action, document] = [await newAction(ines, { evidence_required: true }), await newDocument(ines)];
    await moveThrough(ines, action, 'in_progress');
    await attach(ines, action, document.id, { stage: 'before' });
    const complete = () => patch(ines, action, { status: 'pending_verification' });
    expect(await complete()).toMatchObject({
      status: 409,
      body: { detail: errors.evidenceRequired('in_progress').detail },
    });
    await attach(ines, action, document.id);
    expect((await complete()).status).toBe(200);
  });

  test('409 for removing its last evidence, or for requiring missing evidence, while it awaits verification', async () => {
    const [action, document] = [await newAction(ines, { evidence_required: true }), await newDocument(ines)];
    const { body: evidence } = await attach(ines, action, document.id);
    await moveThrough(ines, action, 'in_progress', 'pending_verification');
    expect((await detach(action, evidence)).status).toBe(409);
    expect((await patch(ines, action, { evidence_required: false })).status).toBe(200);
    expect((await detach(action, evidence)).status).toBe(204);
    expect((await patch(ines, action, { evidence_required: true })).status).toBe(409);
  });

  test('200 or 409 for its completion while the evidence is removed, and it is never completed without evidence', async () => {
    const document = await newDocument(ines);
    for (let round = 0; round < 6; round += 1) {
      const action = await newAction(ines, { evidence_required: true });
      const { body: evidence } = await attach(ines, action, document.id);
      await moveThrough(ines, action, 'in_progress');
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
  test('204, and the document is unused, with a history entry', async () => {
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

  test('404 for an attachment of another action', async () => {
    const { body: attachment } = await attach(ines, await newAction(ines), (await newDocument(ines)).id);
    expect((await detach(await newAction(ines), attachment)).status).toBe(404);
  });

  test('204 for one of four parallel requests, 404 for the others', async () => {
    const [action, document] = [await newAction(ines), await newDocument(ines)];
    const { body: attachment } = await attach(ines, action, document.id);
    const answers = await Promise.all(Array.from({ length: 4 }, () => detach(action, attachment)));
    expect(statusCounts(answers)).toEqual({ 204: 1, 404: 3 });
    expect(await uses(document)).toBe(0);
  });
});

describe('POST /corrective-actions/{ca_id}/comments', () => {
  test('201 with the entry of the history, also for a closed action', async () => {
    const action = await newAction(ines);
    await moveThrough(ines, action, 'cancelled');
    const { status, body } = await comment(action, ' Not needed any more ');
    expect([status, body.kind, body.note]).toEqual([201, 'commented', 'Not needed any more']);
    expect((await historyOf(ines, action)).at(-1)).toEqual(body);
  });

  test('422 for a blank comment, 409 in an archived inspection', async () => {
    const action = await newAction(ines);
    expect((await comment(action, ' ')).status).toBe(422);
    await archive(action.inspection_id);
    expect((await comment(action, 'x')).body.detail).toBe(errors.inspectionLocked('archived').detail);
  });
});

describe('GET /corrective-actions/{ca_id}/activity', () => {
  test('200 page by page, oldest first', async () => {
    const action = await newAction(ines);
    for (let n = 0; n < 4; n += 1) await comment(action, `${n}`);
    const get = (query: object) =>
      as(ines.readOnlyKey).try.correctiveActions.listActivity({ ...of(action), query: { ...query } });
    const first = await get({ limit: 3 });
    const cursor = /cursor=([^>&]+)/.exec(first.headers['link']!)![1];
    const second = await get({ limit: 3, cursor });
    expect([...first.body, ...second.body]).toEqual(await historyOf(ines, action));
    expect(second.body.map(({ note }: { note: string }) => note)).toEqual(['2', '3']);
    expect((await get({ updated_since: '2999-01-01T00:00:00Z' })).body).toEqual([]);
  });
});
