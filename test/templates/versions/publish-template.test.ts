import * as publishTemplate from '../../../functions/templates/versions/publish-template.ts';
import * as errors from '../../../shared/base/errors.ts';
import { familyRecords, initiableVersion } from '../../../shared/templates/family-records.ts';
import { as, locs, statusCounts } from '../../support/call.ts';
import { contentWith, field, section, uuid } from '../../support/content.ts';
import { waitingEvents } from '../../support/outbox.ts';
import { newPerson, type Person } from '../../support/people.ts';
import { installRecorder, recording } from '../../support/recorder.ts';
import { draftedFamily, publishedFamily } from '../fixtures.ts';

describe('POST /templates/{template_id}/publish', () => {
  let ana: Person;
  beforeAll(async () => {
    installRecorder();
    ana = await newPerson('Ana');
  });
  const publish = (template_id: string, key = ana.key, headers: Record<string, string> = {}) =>
    as(key).try.versions.publishTemplate({ params: { template_id }, headers });
  const get = (template_id: string) => ana.versions.getTemplate({ params: { template_id } });
  const familyOf = async (id: string) =>
    (await ana.families.list()).find((family: { id: string }) => family.id === id);
  const events = async (template_id: string) =>
    (await waitingEvents(ana.caller)).filter(
      ({ type, data }) => type === 'template.published' && data.id === template_id,
    );

  test('200, and the draft becomes the current version of the family', async () => {
    const { id, draft_version_id } = await draftedFamily(ana.key);
    const before = await get(draft_version_id!);
    const { status, body } = await publish(draft_version_id!);
    expect(status).toBe(200);
    expect(publishTemplate.operation.response.parse(body)).toEqual(body);
    expect(body).toEqual({
      ...before,
      status: 'published',
      published_at: expect.any(String),
      published_by: ana.caller.user_id,
      version: 2,
      updated_at: body.updated_at,
      warnings: [],
    });
    const { warnings: _none, ...published } = body;
    expect(await get(draft_version_id!)).toEqual(published);
    expect(await familyOf(id)).toMatchObject({
      status: 'published',
      current_version_id: draft_version_id,
      draft_version_id: null,
    });
    expect(await events(draft_version_id!)).toMatchObject([
      {
        type: 'template.published',
        actor_id: ana.caller.user_id,
        data: { id: draft_version_id, family_id: id, version_number: 1, status: 'published' },
      },
    ]);
  });

  test('200, and the row of the family has what a new inspection needs of the version', async () => {
    const { id, template_id } = await publishedFamily(ana.key);
    const row = await familyRecords.get(ana.caller, id);
    expect(initiableVersion(row)).toEqual({
      template_id,
      version_number: 1,
      content_hash: (await get(template_id)).content_hash,
      total: 2,
      required: 1,
    });
    expect(() => initiableVersion({ ...row, archived_at: row.updated_at })).toThrow(
      errors.familyStatus('archived', 'published').detail,
    );
    const drafted = await familyRecords.get(ana.caller, (await draftedFamily(ana.key)).id);
    expect(() => initiableVersion(drafted)).toThrow(errors.familyStatus('draft', 'published').detail);
  });

  test('200, and the version before is superseded', async () => {
    const { id, template_id } = await publishedFamily(ana.key);
    const former = await get(template_id);
    const draft = await ana.versions.openDraft({ params: { family_id: id } });
    expect((await publish(draft.id)).status).toBe(200);
    expect(await get(template_id)).toEqual({
      ...former,
      status: 'superseded',
      version: former.version + 1,
      updated_at: expect.any(String),
    });
    expect((await familyOf(id)).current_version_id).toBe(draft.id);
  });

  test('200 for one of fifty parallel requests, 409 for the others, and one event', async () => {
    const { id, template_id } = await publishedFamily(ana.key);
    const draft = await ana.versions.openDraft({ params: { family_id: id } });
    const answers = await Promise.all(Array.from({ length: 50 }, () => publish(draft.id)));
    expect(statusCounts(answers)).toEqual({ 200: 1, 409: 49 });
    expect(await events(draft.id)).toHaveLength(1);
    expect((await get(template_id)).version).toBe(3);
    expect((await get(draft.id)).version).toBe(2);
  });

  test('200 or 422 in parallel with a change of the content: only a checked content is published', async () => {
    const bad = { content: contentWith(field(2, 'single_select')) };
    for (let turn = 0; turn < 5; turn += 1) {
      const { draft_version_id } = await draftedFamily(ana.key);
      const params = { template_id: draft_version_id! };
      const [published, edited] = await Promise.all([
        publish(draft_version_id!),
        ana.try.versions.updateTemplateContent({ params, body: bad }),
      ]);
      const { status, content } = await get(draft_version_id!);
      expect([published.status, edited.status]).toEqual(status === 'published' ? [200, 409] : [422, 200]);
      expect(content.sections[0].fields[0].type).toBe(status === 'published' ? 'text' : 'single_select');
    }
  });

  test('200 in four database calls, also if there is a version before', async () => {
    const { id } = await publishedFamily(ana.key);
    const draft = await ana.versions.openDraft({ params: { family_id: id } });
    const { result, sent } = await recording(() => publish(draft.id));
    expect(result.status).toBe(200);
    expect(sent.tableCalls - sent.stamps).toBe(3);
  });

  test('404 for a version of another organization, and for one that does not exist', async () => {
    const { draft_version_id } = await draftedFamily(ana.key);
    const bo = await newPerson('Bo');
    expect(await publish(draft_version_id!, bo.key)).toMatchObject({
      status: 404,
      body: (await publish(uuid(404))).body,
    });
    expect((await get(draft_version_id!)).status).toBe('draft');
  });

  test('409 for a version that is published or superseded', async () => {
    const { id, template_id } = await publishedFamily(ana.key);
    expect(await publish(template_id)).toMatchObject({
      status: 409,
      body: { detail: errors.notADraft(1, 'published').detail },
    });
    const draft = await ana.versions.openDraft({ params: { family_id: id } });
    await publish(draft.id);
    expect(await publish(template_id)).toMatchObject({
      status: 409,
      body: { detail: errors.notADraft(1, 'superseded').detail },
    });
  });

  test('409 if If-Match names another version', async () => {
    const { draft_version_id } = await draftedFamily(ana.key);
    expect((await publish(draft_version_id!, ana.key, { 'If-Match': '"2"' })).status).toBe(409);
    expect((await publish(draft_version_id!, ana.key, { 'If-Match': '"1"' })).status).toBe(200);
  });

  test('422 with every problem and its place in the content, and the draft remains a draft', async () => {
    const content = {
      ...contentWith(
        field(2, 'single_select'),
        field(3, 'text', { visible_if: { field_id: uuid(99), op: 'not_empty' }, min: 1 }),
      ),
      scoring: { enabled: true },
    };
    const { id, draft_version_id } = await draftedFamily(ana.key, { content });
    const answer = await publish(draft_version_id!);
    expect([answer.status, locs(answer).toSorted()]).toEqual([
      422,
      [
        'content.scoring.enabled',
        'content.sections.0.fields.0.options',
        'content.sections.0.fields.1.min',
        'content.sections.0.fields.1.visible_if.field_id',
      ],
    ]);
    expect((await get(draft_version_id!)).status).toBe('draft');
    expect((await familyOf(id)).current_version_id).toBeNull();
    expect(await events(draft_version_id!)).toEqual([]);
  });

  test('200 with a warning for a section that is to be scored, but has no field that is', async () => {
    const scored = (n: number, type: string, more: object = {}) => section(n, [field(n + 1, type)], more);
    const content = {
      sections: [
        scored(10, 'text', { passing_score: 80 }),
        scored(20, 'text', { weight: 3 }),
        scored(30, 'text'),
        { ...section(40, [], { passing_score: 80 }), sections: [scored(50, 'pass_fail_na')] },
      ],
      scoring: { enabled: true, method: 'weighted' },
    };
    const { draft_version_id } = await draftedFamily(ana.key, { content });
    const warnings = [10, 20].map((n) => ({
      kind: 'section_without_score',
      section_id: uuid(n),
      title: expect.any(String),
    }));
    const params = { template_id: draft_version_id! };
    expect(await ana.versions.getPublishImpact({ params })).toMatchObject({ problems: [], warnings });
    expect((await publish(draft_version_id!)).body.warnings).toEqual(warnings);
  });

  test('422 for an empty content', async () => {
    const { draft_version_id } = await draftedFamily(ana.key, { content: {} });
    expect(locs(await publish(draft_version_id!))).toEqual(['content.sections']);
  });

  test('422 for a field that keeps its id but changes its type, so that former answers do not fit', async () => {
    const { id } = await publishedFamily(ana.key);
    const draft = await ana.versions.openDraft({ params: { family_id: id } });
    const edit = (...fields: object[]) =>
      ana.versions.updateTemplateContent({
        params: { template_id: draft.id },
        body: { content: contentWith(...fields) },
      });
    await edit(field(2, 'number'), field(3, 'long_text'));
    expect(locs(await publish(draft.id))).toEqual(['content.sections.0.fields.0.type']);
    await edit(field(4, 'number'), field(3, 'long_text'));
    expect((await publish(draft.id)).status).toBe(200);
  });
});
