import type { ApiError } from '../../shared/base/api-error.ts';
import * as errors from '../../shared/base/errors.ts';
import { keys } from '../../shared/table/keys.ts';
import { getRow } from '../../shared/table/rows.ts';
import {
  answering,
  DOOR,
  DOOR_STATE,
  findingsOf,
  inspectionOf,
  newDocument,
  RAIL,
  ROOM,
  ROOM_NAME,
  saved,
  SECTION,
  TEXT,
  usedBy,
} from '../answers/fixtures.ts';
import { advance, eventsOf, newColleague, newInspection } from '../inspections/fixtures.ts';
import { as, locs, statusCounts } from '../support/call.ts';
import { contentWith, field } from '../support/content.ts';
import { uuid } from '../support/content.ts';
import { mailTasks } from '../support/notices.ts';
import { newPerson, type Person } from '../support/people.ts';
import { installRecorder, recording } from '../support/recorder.ts';

installRecorder();

let person: Person;

const create = (
  { id }: { id: string },
  body: object,
  headers: Record<string, string> = {},
  by = person.key,
) => as(by).try.findings.create({ params: { inspection_id: id }, body, headers });

describe('POST /inspections/{inspection_id}/findings', () => {
  let inspection: { id: string };

  beforeAll(async () => {
    person = await newPerson('Finder');
    inspection = await answering(person);
  });

  test('201 with default values, a number, an entry in the list and an event', async () => {
    const { status, body } = await create(inspection, { label: ' Loose bolt ' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      inspection_id: inspection.id,
      number: expect.any(Number),
      label: 'Loose bolt',
      section_id: null,
      field_id: null,
      instance_path: '',
      location_id: null,
      asset_id: null,
      origin: 'manual',
      severity: 'minor',
      content: { description: '', recommendation: '', root_cause: '', media: [] },
      status: 'open',
      trigger_cleared: false,
      resolved_at: null,
      resolved_by: null,
      resolved_by_inspection_id: null,
      names_then: null,
      corrective_actions_count: 0,
      repeat: null,
      external_ref: null,
      tags: [],
      metadata: {},
      created_by: person.caller.user_id,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      version: 1,
    });
    const next = await create(inspection, { label: 'Another' });
    expect(next.body.number).toBe(body.number + 1);
    expect(await findingsOf(person, inspection)).toEqual([body, next.body]);
    expect((await inspectionOf(person, inspection)).findings_count).toBe(2);
    expect((await eventsOf(person, inspection.id)).filter((type) => type === 'finding.created')).toHaveLength(
      2,
    );
    const reference = await getRow(person.caller, keys.reference(person.caller, 'FINDING', body.id));
    expect(reference).toMatchObject({ inspection_id: inspection.id });
  });

  test('201 with a place in the content and documents, which are then used', async () => {
    const document_id = await newDocument(person, 'application/pdf');
    const media = [{ document_id }, { document_id, caption: 'Page 2' }];
    const { status, body } = await create(inspection, {
      label: 'Bolt',
      severity: 'critical',
      field_id: DOOR_STATE.toUpperCase(),
      instance_path: `${ROOM}[2]/${DOOR}[1]`.toUpperCase(),
      content: { description: 'Rust', media },
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      section_id: DOOR,
      field_id: DOOR_STATE,
      instance_path: `${ROOM}[2]/${DOOR}[1]`,
      content: {
        description: 'Rust',
        root_cause: '',
        media: [{ document_id, caption: '' }, { caption: 'Page 2' }],
      },
    });
    expect(await usedBy(person, document_id)).toBe(1);
    const inRoom = await create(inspection, { label: 'Bolt', section_id: ROOM, field_id: ROOM_NAME });
    expect(inRoom.body).toMatchObject({ instance_path: `${ROOM}[0]` });
    expect((await create(inspection, { label: 'Bolt', section_id: SECTION })).body.section_id).toBe(SECTION);
  });

  test('201 for a repeated idempotency key, with the first reply and no second finding', async () => {
    const other = await answering(person);
    const send = () => create(other, { label: 'Bolt' }, { 'Idempotency-Key': 'finding-1' });
    const first = await send();
    const second = await send();
    expect(second.body).toEqual(first.body);
    expect(await findingsOf(person, other)).toHaveLength(1);
  });

  test.each<[string, object, ApiError]>([
    [
      'an unknown section',
      { section_id: uuid(98) },
      errors.notInTemplate('section_id is not a section of this inspection'),
    ],
    [
      'an unknown field',
      { field_id: uuid(98) },
      errors.notInTemplate('field_id is not a field of this inspection'),
    ],
    [
      'another section than that of the field',
      { field_id: TEXT, section_id: ROOM },
      errors.notInTemplate('section_id is not the section of this field'),
    ],
    [
      'an instance above the maximum',
      { field_id: ROOM_NAME, instance_path: `${ROOM}[300]` },
      errors.notInTemplate(
        'instance_path: Input should be less than or equal to 299: "Rooms" has at most 300 instances',
      ),
    ],
    [
      'an unknown document',
      { content: { media: [{ document_id: uuid(98) }] } },
      errors.referenceNotFound('content.media'),
    ],
  ])('400 for %s', async (_, body, { detail }) => {
    const answer = await create(inspection, { label: 'Bolt', ...body });
    expect(answer).toMatchObject({ status: 400, body: { detail } });
  });

  test('400 for a document of another organization', async () => {
    const document_id = await newDocument(await newPerson('Stranger'));
    const answer = await create(inspection, { label: 'Bolt', content: { media: [{ document_id }] } });
    expect(answer.status).toBe(400);
    expect(
      (await findingsOf(person, inspection)).some(
        ({ content }) => content.media[0]?.document_id === document_id,
      ),
    ).toBe(false);
  });

  test.each<[string, object, string[]]>([
    ['no label', { label: ' ' }, ['body.label']],
    ['an unknown severity', { label: 'x', severity: 'fatal' }, ['body.severity']],
    ['an instance without a field', { label: 'x', instance_path: `${ROOM}[0]` }, ['body.instance_path']],
    ['an origin', { label: 'x', origin: 'auto' }, ['body.origin']],
  ])('422 for %s', async (_, body, expected) => {
    const answer = await create(inspection, body);
    expect([answer.status, locs(answer)]).toEqual([422, expected]);
  });

  test('403 for a read-only key, 404 for another organization', async () => {
    expect((await create(inspection, { label: 'x' }, {}, person.readOnlyKey)).status).toBe(403);
    expect((await create(inspection, { label: 'x' }, {}, (await newPerson('Stranger')).key)).status).toBe(
      404,
    );
  });

  test('201 until the inspection is archived, then 409', async () => {
    const family = {
      content: contentWith(field(2)),
    };
    const scheduled = await newInspection(person, { family: { ...family, requires_approval: true } });
    expect((await create(scheduled, { label: 'x' })).status).toBe(201);
    await advance(person.key, scheduled);
    expect((await advance(person.key, scheduled)).status).toBe('pending_approval');
    expect((await create(scheduled, { label: 'y' })).status).toBe(201);
    await person.try.inspections.archive({ params: { inspection_id: scheduled.id } });
    const refused = await create(scheduled, { label: 'z' });
    expect(refused).toMatchObject({
      status: 409,
      body: { detail: errors.inspectionLocked('archived').detail },
    });
    expect(await findingsOf(person, scheduled)).toHaveLength(2);
  });

  test('201 or 409 in parallel with the completion, and the count of findings is right', async () => {
    const other = await answering(person);
    const [, ...created] = await Promise.all([
      advance(person.key, other),
      ...Array.from({ length: 8 }, (_, n) => create(other, { label: `${n}` })),
    ]);
    const counts = statusCounts(created);
    expect(Object.keys(counts).every((status) => ['201', '409'].includes(status))).toBe(true);
    const found = await findingsOf(person, other);
    expect(found).toHaveLength(counts['201'] ?? 0);
    expect((await inspectionOf(person, other)).findings_count).toBe(found.length);
    expect(new Set(found.map(({ number }) => number)).size).toBe(found.length);
  });

  test('201, and the people that the family names are notified', async () => {
    const { user_id, key } = await newColleague(person, 'Desk');
    const emails = ['client@example.com'];
    const settings = { notifications: { on_finding: { user_ids: [user_id], emails } } };
    const watched = await newInspection(person, { family: { settings } });
    const { body: finding } = await create(watched, { label: 'Loose bolt' });
    const { items } = await as(key).notifications.listMy();
    expect(items).toMatchObject([
      {
        event: 'finding_created',
        title: `Finding ${finding.number} “Loose bolt” was added to inspection ${watched.number} “${watched.name}”.`,
        inspection_id: watched.id,
        finding_id: finding.id,
      },
    ]);
    const tasks = await mailTasks(person);
    expect(tasks.map(({ data }) => data)).toMatchObject([{ user_ids: [user_id], emails }]);
  });

  test('201 in five database calls, or six with a place', async () => {
    const count = async (body: object) => {
      const { sent } = await recording(() => create(inspection, { label: 'x', ...body }));
      return sent.tableCalls - sent.stamps + 1;
    };
    expect(await count({})).toBe(5);
    const media = [{ document_id: await newDocument(person) }];
    expect(await count({ field_id: TEXT, content: { media } })).toBeLessThanOrEqual(6);
  });
});

describe('GET /inspections/{inspection_id}/findings', () => {
  let inspection: { id: string };
  const list = (query = {}, by = person.key) =>
    as(by).try.findings.list({ params: { inspection_id: inspection.id }, query });
  const labels = async (query: object) =>
    (await list(query)).body.map(({ label }: { label: string }) => label);

  beforeAll(async () => {
    person = await newPerson('Reader');
    inspection = await answering(person);
    for (const severity of ['minor', 'critical', 'minor', 'observation'])
      await create(inspection, { label: severity, severity });
    await saved(person, inspection, { field_id: RAIL, value: 'fail' });
  });

  test('200 with all findings in creation order, or with those that pass a filter', async () => {
    expect(await labels({})).toEqual(['minor', 'critical', 'minor', 'observation', 'Loose rail']);
    expect(await labels({ severity: ['critical', 'observation'] })).toEqual(['critical', 'observation']);
    expect(await labels({ origin: 'auto' })).toEqual(['Loose rail']);
    expect(await labels({ status: 'resolved' })).toEqual([]);
    expect(await labels({ updated_since: '2999-01-01T00:00:00Z' })).toEqual([]);
  });

  test('200 page by page', async () => {
    const first = await list({ limit: 2, origin: 'manual' });
    const [, cursor] = /cursor=([^>&]+)/.exec(first.headers['link']!)!;
    const second = await list({ limit: 2, origin: 'manual', cursor: cursor! });
    expect([...first.body, ...second.body]).toEqual(
      await findingsOf(person, inspection, { origin: 'manual' }),
    );
    expect(second.headers['link']).toBeUndefined();
    expect((await list({ limit: 2, cursor: cursor! })).status).toBe(422);
  });

  test('404 for an inspection of another organization', async () => {
    expect((await list({}, (await newPerson('Stranger')).key)).status).toBe(404);
  });
});
