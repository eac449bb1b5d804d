import type { SourceRow } from '../../shared/schemas/integrations/source.ts';
import type { Content, ResponseSet } from '../../shared/schemas/templates/content.ts';
import type { Family } from '../../shared/schemas/templates/family.ts';
import type { Template } from '../../shared/schemas/templates/template.ts';
import { startedInspection } from '../inspections/fixtures.ts';
import { locs } from '../support/call.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { installFaults } from '../support/faults.ts';
import { newPerson, type Person } from '../support/people.ts';
import { draftedFamily, nextDraft } from '../templates/fixtures.ts';
import { newSource, sync, work } from './fixtures.ts';
import { useMemoryVendor } from './memory-vendor.ts';

installFaults();

let vendor = useMemoryVendor();
beforeEach(() => {
  vendor = useMemoryVendor();
});

const BAYS = uuid(50);
const FIELD = uuid(2);

/** A source of options on board `b`. */
const newList = (person: Person, more: object = {}) =>
  newSource(person, {
    name: 'Bays',
    target_ref: 'response_sets',
    mappings: { label: 'name', value: 'code', is_failed: 'failed' },
    ...more,
  });

const bay = (name: string, code: string, failed = false) => ({ name, code, failed });

/** A content with a choice field whose options are those of a source. */
const listed = (source_id: string, more: Partial<ResponseSet> = {}, ...others: object[]) => ({
  ...contentWith(field(2, 'single_select', { response_set_id: BAYS }), ...others),
  response_sets: [{ id: BAYS, name: 'Bays', options: [], source_id, ...more }],
});

const optionsOf = ({ content }: { content: Content }) =>
  content.response_sets[0]!.options.map(({ value, label, is_failed }) => [value, label, is_failed]);

const versionOf = (person: Person, template_id: string): Promise<Template> =>
  person.versions.getTemplate({ params: { template_id } });

const publish = (person: Person, { draft_version_id }: Pick<Family, 'draft_version_id'>) =>
  person.try.versions.publishTemplate({ params: { template_id: draft_version_id! } });

describe('POST /templates/{template_id}/publish', () => {
  test('200, and a response set has the active rows of its source, which an inspection keeps', async () => {
    const person = await newPerson('Options');
    vendor.put('b', { x: bay('Bay 10', 'B10', true), y: bay('Bay 2', 'B2'), z: bay('Bay 3', 'B3') });
    const source = await newList(person);
    await sync(person, source);
    const family = await draftedFamily(person.key, { content: listed(source.id) });
    const draft = await versionOf(person, family.draft_version_id!);
    expect([optionsOf(draft), draft.options_taken_at]).toEqual([[], null]);

    const { status, body: published } = await publish(person, family);
    expect(status).toBe(200);
    expect(optionsOf(published)).toEqual([
      ['B2', 'Bay 2', false],
      ['B3', 'Bay 3', false],
      ['B10', 'Bay 10', true],
    ]);
    expect(published).toMatchObject({
      options_taken_at: published.published_at,
      content_version: draft.content_version + 1,
    });
    expect(published.content_hash).not.toBe(draft.content_hash);
    const { warnings, ...stored } = published;
    expect(warnings).toEqual([]);
    expect(await versionOf(person, published.id)).toEqual({ ...stored, changed_source_ids: [] });
    const [version] = await person.versions.listTemplate({ params: { family_id: family.id } });
    expect(version).not.toHaveProperty('changed_source_ids');

    const inspection = await startedInspection(person, { template_family_id: family.id });
    vendor.put('b', { y: bay('Bay Two', 'B2') });
    vendor.take('b', 'z');
    await sync(person, source);
    expect((await versionOf(person, published.id)).changed_source_ids).toEqual([source.id]);
    const snapshot = await person.versions.getTemplateSnapshot({
      params: { template_id: published.id },
    });
    expect(snapshot).toMatchObject({ content: published.content, content_hash: published.content_hash });
    // Z has gone from the list, but not from the form.
    const answer = (value: string) =>
      person.try.answers.replace({
        params: { inspection_id: inspection.id },
        body: { section_id: uuid(1), field_id: FIELD, value },
      });
    expect((await answer('B3')).status).toBe(200);
    const refused = await answer('B4');
    expect([refused.status, locs(refused)]).toEqual([422, ['body.value']]);
    expect((await answer('B10')).body).toMatchObject({ is_failed: true });

    const next = await nextDraft(person.key, family.id);
    expect(optionsOf(next)).toEqual(optionsOf(published));
    expect(next.options_taken_at).toBeNull();
    const again = await publish(person, { draft_version_id: next.id });
    expect(optionsOf(again.body).map(([value]) => value)).toEqual(['B10', 'B2']);
    expect(await versionOf(person, next.id)).toMatchObject({ changed_source_ids: [] });
    // A sync without changes leaves the list as it is.
    await sync(person, source);
    expect(await versionOf(person, next.id)).toMatchObject({ changed_source_ids: [] });
  });

  test('422 for every list that cannot be taken, and publish-impact tells it before', async () => {
    const person = await newPerson('Faulty');
    vendor.put('b', { x: bay('One', 'same\u202e'), y: bay('Two', 'same\u202e') });
    const empty = await newList(person);
    const twice = await newList(person);
    const locations = await newSource(person);
    await sync(person, twice);
    const set = (n: number, source_id: string) => ({ id: uuid(n), name: `${n}`, options: [], source_id });
    const family = await draftedFamily(person.key, {
      content: {
        ...contentWith(field(2, 'single_select', { response_set_id: uuid(51) }), field(3)),
        response_sets: [set(50, empty.id), set(51, twice.id), set(52, locations.id), set(53, uuid(99))],
      },
    });
    const { status, body } = await publish(person, family);
    expect(status).toBe(422);
    const at = (position: number, msg: string) => ({
      loc: ['content', 'response_sets', String(position), 'source_id'],
      type: 'value_error',
      msg: `Value error, ${msg}`,
    });
    const problems = [
      at(0, 'the source has no active rows; sync it first'),
      at(1, 'several rows of the source have the value "same"'),
      at(2, 'there is no such source of response_sets'),
      at(3, 'there is no such source of response_sets'),
    ];
    expect(body.detail).toEqual(problems);
    const params = { template_id: family.draft_version_id! };
    expect((await person.versions.getPublishImpact({ params })).problems).toEqual(problems);
  });

  test('422 for more rows than a response set can have; 200 for as many as that', async () => {
    const person = await newPerson('Many');
    vendor.pageSize = 500;
    const rows = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`i${n}`, bay(`Bay ${n}`, `B${n}`)]));
    vendor.put('b', rows(1_001));
    const source = await newList(person);
    await sync(person, source);
    const family = await draftedFamily(person.key, { content: listed(source.id) });
    const { status, body } = await publish(person, family);
    expect([status, body.detail[0].msg]).toEqual([
      422,
      'Value error, the source has more than 1000 active rows, the maximum of options',
    ]);
    vendor.take('b', 'i7');
    await sync(person, source);
    expect((await publish(person, family)).body.content.response_sets[0].options).toHaveLength(1_000);
  });

  test('422 for a condition that names an option which the source does not have', async () => {
    const person = await newPerson('Conditions');
    vendor.put('b', { x: bay('Bay', 'B1') });
    const source = await newList(person);
    await sync(person, source);
    const shown = (value: string) =>
      field(3, 'text', { visible_if: { field_id: FIELD, op: 'eq', value }, required: true });
    const content = (value: string) => listed(source.id, {}, shown(value));
    const wrong = await draftedFamily(person.key, { content: content('B9') });
    expect(locs(await publish(person, wrong))).toEqual(['content.sections.0.fields.1.visible_if.value']);
    expect((await publish(person, await draftedFamily(person.key, { content: content('B1') }))).status).toBe(
      200,
    );
  });

  test('200 after the connection was deleted: the list stays as it was', async () => {
    const person = await newPerson('Staying');
    vendor.put('b', { x: bay('Bay', 'B1') });
    const source = await newList(person);
    await sync(person, source);
    const params = { connection_id: source.connection_id };
    await person.integrations.deleteConnection({ params });
    await work(person);
    const family = await draftedFamily(person.key, { content: listed(source.id) });
    expect((await publish(person, family)).status).toBe(200);
  });
});

describe('GET /integrations/sources/{source_id}/rows', () => {
  test('200 with the rows of a list, those that have gone included unless they are left out', async () => {
    const person = await newPerson('Rows');
    vendor.put('b', { x: bay('Bay 1', 'B1'), y: bay('Bay 2', 'B2', true) });
    const source = await newList(person);
    await sync(person, source);
    vendor.take('b', 'x');
    await sync(person, source);
    const list = (query: Record<string, string | boolean> = {}): Promise<SourceRow[]> =>
      person.integrations.listSourceRows({ params: { source_id: source.id }, query });
    const row = { resource_id: null, updated_at: expect.any(String) };
    const option = { color: null, score: null };
    const [gone, left] = [
      {
        ...row,
        external_id: 'x',
        item_id: 'x',
        is_active: false,
        option: { ...option, value: 'B1', label: 'Bay 1', is_failed: false },
      },
      {
        ...row,
        external_id: 'y',
        item_id: 'y',
        is_active: true,
        option: { ...option, value: 'B2', label: 'Bay 2', is_failed: true },
      },
    ];
    const all = await list();
    expect(all).toHaveLength(2);
    expect(all).toEqual(expect.arrayContaining([gone, left]));
    expect([await list({ is_active: true }), await list({ is_active: false })]).toEqual([[left], [gone]]);
    const [{ updated_at } = { updated_at: '' }] = await list({ is_active: false });
    expect(await list({ updated_since: updated_at })).toEqual([gone]);
  });
});

describe('a draft whose list is still empty', () => {
  test('can be previewed, exported as a form and duplicated', async () => {
    const person = await newPerson('Draft');
    vendor.put('b', { x: bay('Bay', 'B1') });
    const source = await newList(person);
    const more = field(3, 'text', { visible_if: { field_id: FIELD, op: 'eq', value: 'B1' } });
    const family = await draftedFamily(person.key, { content: listed(source.id, {}, more) });
    const params = { family_id: family.id };
    expect((await person.try.reportLayouts.previewFamilyReportPayload({ params, body: {} })).status).toBe(
      200,
    );
    const draft = { template_id: family.draft_version_id! };
    expect((await person.try.versions.exportXlsform({ params: draft })).status).toBe(200);
    const copy = await person.families.duplicate({ params });
    const { content } = await versionOf(person, copy.draft_version_id);
    expect(content).toEqual((await versionOf(person, draft.template_id)).content);
    await sync(person, source);
    expect((await publish(person, copy)).status).toBe(200);
  });
});
