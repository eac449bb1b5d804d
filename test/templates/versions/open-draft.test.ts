import * as openDraft from '../../../functions/templates/versions/open-draft.ts';
import { as, statusCounts } from '../../support/call.ts';
import { uuid } from '../../support/content.ts';
import { newPerson, type Person } from '../../support/people.ts';
import { installRecorder, recording } from '../../support/recorder.ts';
import { draftedFamily, publish, publishedFamily } from '../fixtures.ts';

describe('POST /templates/families/{family_id}/draft', () => {
  let ana: Person;
  beforeAll(async () => {
    installRecorder();
    ana = await newPerson('Ana');
  });
  const open = (family_id: string, headers: Record<string, string> = {}, key = ana.key) =>
    as(key).try.versions.openDraft({ params: { family_id }, headers });

  test('201 with a copy of the current version', async () => {
    const { id, template_id } = await publishedFamily(ana.key);
    const current = await ana.versions.getTemplate({ params: { template_id } });
    const { status, body } = await open(id);
    expect(status).toBe(201);
    expect(openDraft.operation.response.parse(body)).toEqual(body);
    expect(body).toMatchObject({
      family_id: id,
      version_number: 2,
      status: 'draft',
      based_on_id: template_id,
      content: current.content,
      content_hash: current.content_hash,
      content_version: 1,
      change_note: null,
      published_at: null,
    });
    expect(body.id).not.toBe(template_id);
    expect(await ana.versions.getTemplate({ params: { template_id: body.id } })).toEqual(body);
  });

  test('200 with the existing draft, unchanged', async () => {
    const family = await draftedFamily(ana.key);
    const params = { template_id: family.draft_version_id! };
    const draft = await ana.versions.getTemplate({ params });
    expect(await open(family.id)).toMatchObject({ status: 200, body: draft });
    expect(await ana.versions.getTemplate({ params })).toEqual(draft);
  });

  test('201 for one of twenty parallel requests, 200 for the others, all with the same draft', async () => {
    const { id } = await publishedFamily(ana.key);
    const answers = await Promise.all(Array.from({ length: 20 }, () => open(id)));
    expect(statusCounts(answers)).toEqual({ 201: 1, 200: 19 });
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  });

  test('200 or 201 in parallel with a publish, and the reply is a draft', async () => {
    for (let turn = 0; turn < 5; turn += 1) {
      const { id, draft_version_id } = await draftedFamily(ana.key);
      const [opened] = await Promise.all([open(id), publish(ana.key, draft_version_id!)]);
      expect(opened.body.status).toBe('draft');
      expect(opened.body.id === draft_version_id).toBe(opened.status === 200);
    }
  });

  test('201 or 200 for a repeated idempotency key, as the first time', async () => {
    const { id } = await publishedFamily(ana.key);
    const first = await open(id, { 'Idempotency-Key': 'draft-1' });
    const second = await open(id, { 'Idempotency-Key': 'draft-2' });
    expect([first.status, second.status]).toEqual([201, 200]);
    const replayed = { 'idempotent-replayed': 'true' };
    expect(await open(id, { 'Idempotency-Key': 'draft-1' })).toMatchObject({
      status: 201,
      headers: replayed,
    });
    expect(await open(id, { 'Idempotency-Key': 'draft-2' })).toMatchObject({
      status: 200,
      headers: replayed,
      body: second.body,
    });
  });

  test('201 in four database calls', async () => {
    const { id } = await publishedFamily(ana.key);
    const { sent } = await recording(() => open(id));
    expect(sent.tableCalls - sent.stamps).toBeLessThanOrEqual(3);
  });

  test('404 for a family of another organization, and for one that does not exist', async () => {
    const { id } = await publishedFamily(ana.key);
    const bo = await newPerson('Bo');
    expect(await open(id, {}, bo.key)).toMatchObject({ status: 404, body: (await open(uuid(404))).body });
  });
});
