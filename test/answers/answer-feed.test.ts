import * as listFamilyAnswers from '../../functions/answers/list-family-answers.ts';
import { FEED_PAGE } from '../../shared/inspections/answers/feed.ts';
import type { AnswerFeedRow, FedAnswer } from '../../shared/schemas/inspections/answer-feed.ts';
import { AnswerRecord } from '../../shared/schemas/inspections/answer.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { present } from '../../shared/schemas/projection.ts';
import { newClient, newInspection, newLocation, startedInspection } from '../inspections/fixtures.ts';
import { call } from '../support/call.ts';
import { seeded } from '../support/chance.ts';
import { useClock } from '../support/clock.ts';
import { field, section, uuid } from '../support/content.ts';
import { drain } from '../support/drain.ts';
import { newMember, newPerson, type Person } from '../support/people.ts';
import { installRecorder, recording } from '../support/recorder.ts';
import { runs } from '../support/scale.ts';
import { publishedFamily } from '../templates/fixtures.ts';
import { NUMBER, recordsOf, saved, SECTION, TEXT } from './fixtures.ts';

installRecorder();

const WHETHER = uuid(4);
const HIDDEN = uuid(5);
const ROOM = uuid(20);
const SIZE = uuid(21);
const AREA = uuid(22);

/** Answers that others follow from: a hidden question, results within and outside a repeat section, and scores. */
const CONTENT = {
  scoring: { enabled: true },
  sections: [
    section(1, [
      field(2),
      field(3, 'number', { unit: '°C' }),
      field(4, 'yes_no'),
      field(5, 'pass_fail_na', { visible_if: { field_id: WHETHER, op: 'eq', value: true } }),
      field(6, 'calculated', { formula: `{${NUMBER}} * 2` }),
    ]),
    {
      id: ROOM,
      title: 'Rooms',
      repeat: { max: 5 },
      fields: [field(21, 'number'), field(22, 'calculated', { formula: `{${SIZE}} * 3` })],
    },
  ],
};

let person: Person;
let template_family_id: string;

const clock = useClock('2030-05-01T10:00:00.000Z');

beforeEach(async () => {
  person = await newPerson('Analyst');
  ({ id: template_family_id } = await publishedFamily(person.key, { content: CONTENT }));
});

type Query = { updated_since?: string; limit?: number; cursor?: string };

const pageOf = async (query: Query, who = person) => {
  const { status, body, headers } = await call(listFamilyAnswers, {
    as: who.key,
    query: { template_family_id, ...query },
  });
  expect({ status, body }).toMatchObject({ status: 200 });
  const cursor = /cursor=([^>&]+)/.exec(headers['link'] ?? '')?.[1];
  return { rows: body as AnswerFeedRow[], cursor };
};

/** All pages, one after another. @param between what happens after each */
const readAll = async (query: Query = {}, between?: () => Promise<unknown>): Promise<AnswerFeedRow[]> => {
  const rows: AnswerFeedRow[] = [];
  let cursor: string | undefined;
  do {
    const page = await pageOf({ ...query, ...(cursor && { cursor }) });
    rows.push(...page.rows);
    ({ cursor } = page);
    await between?.();
  } while (cursor);
  return rows;
};

/** Somebody who keeps a copy of all answers, as the reference says. */
class Copy {
  readonly answers = new Map<string, FedAnswer>();
  since: string | undefined;

  async follow(query: Query = {}, between?: () => Promise<unknown>): Promise<AnswerFeedRow[]> {
    const rows = await readAll({ ...query, ...(this.since && { updated_since: this.since }) }, between);
    for (const row of rows) {
      if (row.kind === 'answer') this.answers.set(row.id, row);
      else if (row.id !== null) this.answers.delete(row.id);
      else
        for (const { id, inspection_id } of this.answers.values())
          if (inspection_id === row.inspection_id) this.answers.delete(id);
    }
    this.since =
      [this.since ?? '', ...rows.map(({ recorded_at }) => recorded_at)].toSorted().at(-1) || undefined;
    return rows;
  }

  /** The answers as GET shows those of each inspection. */
  shown(): AnswerRecord[] {
    const kept = [...this.answers.values()];
    const results = kept.filter((row) => row.field_type !== 'calculated' || row.value !== null);
    return results
      .map((row) => present(AnswerRecord, row) as AnswerRecord)
      .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  }
}

const standing = async (): Promise<AnswerRecord[]> => {
  const inspections = await person.inspections.list({ query: { template_family_id } });
  const all = await Promise.all(inspections.map((inspection: Inspection) => recordsOf(person, inspection)));
  return all.flat().toSorted((a, b) => (a.id < b.id ? -1 : 1));
};

const begun = (body: object = {}): Promise<Inspection> =>
  startedInspection(person, { template_family_id, ...body });

const save = (inspection: { id: string }, field_id: string, value: unknown) =>
  saved(person, inspection, { field_id, value });

const size = (inspection: { id: string }, room: number, value: unknown) =>
  saved(person, inspection, { section_id: ROOM, field_id: SIZE, instance_path: `${ROOM}[${room}]`, value });

const removeRoom = ({ id }: { id: string }, room: number) =>
  person.answers.deleteInstance({
    params: { inspection_id: id },
    query: { instance_path: `${ROOM}[${room}]` },
  });

test('200 with all answers page by page, each with all that it belongs to', async () => {
  const client = await newClient(person, 'Harbour');
  const location = await newLocation(person, client.id);
  const inspection = await begun({ client_account_id: client.id, location_id: location.id });
  await save(inspection, NUMBER, 7);
  await size(inspection, 0, 4);
  await save(await begun(), TEXT, 'Dry');
  await newInspection(person);
  const rows = await readAll({ limit: 2 });
  const copy = new Copy();
  expect(await copy.follow()).toEqual(rows);
  expect(copy.shown()).toEqual(await standing());
  expect(rows.find((row) => row.kind === 'answer' && row.field_id === NUMBER)).toMatchObject({
    inspection_id: inspection.id,
    inspection: {
      id: inspection.id,
      number: inspection.number,
      name: inspection.name,
      status: 'in_progress',
      template_id: inspection.template_id,
      completed_at: null,
    },
    client_account: { id: client.id, name: 'Harbour' },
    location: { id: location.id, name: 'Yard' },
    template_family: { id: template_family_id },
    asset: null,
    section_id: SECTION,
    field_type: 'number',
    value: 7,
    unit: '°C',
    label: '7 °C',
    labels: null,
  });
});

test('values as people read them: names, and the labels of options, which are a list as well', async () => {
  const options = [
    { value: 'a', label: 'Dust, dry' },
    { value: 'b', label: 'Crack' },
  ];
  const content = {
    sections: [
      section(1, [
        field(2, 'multi_select', { options }),
        field(3, 'member'),
        field(4, 'client_account'),
        field(5, 'location'),
      ]),
    ],
  };
  ({ id: template_family_id } = await publishedFamily(person.key, { content }));
  const inspection = await begun();
  await save(inspection, uuid(2), ['a', 'b']);
  await save(inspection, uuid(3), (await newMember(person, 'inspector', 'Ada')).user_id);
  await save(inspection, uuid(4), (await newClient(person, 'Harbour')).id);
  await save(inspection, uuid(5), (await newLocation(person)).id);
  const rows = (await readAll()) as FedAnswer[];
  expect(rows.map(({ value, label, labels }) => [value, label, labels])).toEqual([
    [['a', 'b'], 'Dust, dry, Crack', ['Dust, dry', 'Crack']],
    [expect.any(String), 'Ada', null],
    [expect.any(String), 'Harbour', null],
    [expect.any(String), 'Yard', null],
  ]);
});

test('what changed since: what an answer changes in others, instances and inspections that are gone', async () => {
  const [first, second, third] = [await begun(), await begun(), await begun()];
  for (const inspection of [first, second]) {
    await save(inspection, NUMBER, 1);
    await size(inspection, 0, 2);
    await size(inspection, 1, 2);
  }
  await save(third, NUMBER, 1);
  await save(third, NUMBER, null);
  await drain(person.caller);
  const copy = new Copy();
  await copy.follow();
  // What was recorded at the last moment comes again, so something else is.
  clock.pass(60);
  await save(first, TEXT, 'Dry');
  await drain(person.caller);
  await copy.follow();
  clock.pass(60);
  await save(first, WHETHER, true);
  await save(first, HIDDEN, 'fail');
  await save(first, NUMBER, null);
  await size(first, 0, null);
  await removeRoom(first, 1);
  await person.inspections.delete({ params: { inspection_id: third.id } });
  await drain(person.caller);
  const rows = await copy.follow();
  expect(copy.shown()).toEqual(await standing());
  expect(new Set(rows.map(({ inspection_id }) => inspection_id))).toEqual(new Set([first.id, third.id]));
  const deleted = rows.filter(({ kind }) => kind === 'deleted');
  expect(deleted).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ inspection_id: first.id, field_id: SIZE, instance_path: `${ROOM}[1]` }),
      expect.objectContaining({ inspection_id: first.id, field_id: AREA, instance_path: `${ROOM}[1]` }),
      expect.objectContaining({ inspection_id: third.id, id: null, field_id: null }),
    ]),
  );
  clock.pass(60);
  await person.inspections.archive({ params: { inspection_id: second.id } });
  await drain(person.caller);
  await copy.follow();
  const archived = [...copy.answers.values()].filter(({ inspection_id }) => inspection_id === second.id);
  expect(new Set(archived.map(({ inspection }) => inspection.status))).toEqual(new Set(['archived']));
});

test('nothing is missed when the clock stands still or goes back, nor what changes between two pages', async () => {
  const inspection = await begun();
  await save(inspection, TEXT, 'a');
  await drain(person.caller);
  const copy = new Copy();
  await copy.follow();
  await save(inspection, TEXT, 'b');
  await drain(person.caller);
  await copy.follow();
  expect(copy.shown()).toEqual(await standing());
  clock.pass(-3_600);
  await save(inspection, TEXT, 'c');
  await drain(person.caller);
  await copy.follow();
  expect(copy.shown()).toEqual(await standing());
  const others = new Copy();
  let changes = 0;
  await others.follow({ limit: 1 }, async () => {
    if (changes === 3) return;
    changes += 1;
    await save(inspection, TEXT, `changed ${changes}`);
    await save(await begun(), TEXT, 'new');
    await drain(person.caller);
  });
  expect(others.shown()).toEqual(await standing());
});

test('all answers for a time before the changes that are kept, none of other organizations', async () => {
  const inspection = await begun();
  await save(inspection, TEXT, 'a');
  await drain(person.caller);
  clock.pass(500 * 86_400);
  await save(await begun(), TEXT, 'b');
  await drain(person.caller);
  const copy = new Copy();
  copy.since = inspection.created_at;
  await copy.follow();
  expect(copy.shown()).toEqual(await standing());
  expect(await pageOf({}, await newPerson('Stranger'))).toEqual({ rows: [], cursor: undefined });
});

test('a page costs the same however many inspections there are beside those that changed', async () => {
  const calls = async (updated_since: string) =>
    (await recording(() => pageOf({ updated_since }))).sent.tableCalls;
  const inspection = await begun();
  const measured = async () => {
    clock.pass(600);
    const since = new Date().toISOString();
    await save(inspection, TEXT, since);
    await drain(person.caller);
    return calls(since);
  };
  const few = await measured();
  for (let count = 0; count < 10; count += 1) await newInspection(person, { template_family_id });
  await drain(person.caller);
  // The search for the first event reads one row more each time their number doubles.
  expect(await measured()).toBeLessThanOrEqual(few + 3);
});

describe('with small pages', () => {
  const usual = { ...FEED_PAGE };
  beforeEach(() => void Object.assign(FEED_PAGE, { inspections: 3, changes: 4, bytes: 4_000 }));
  afterEach(() => void Object.assign(FEED_PAGE, usual));

  /** The pages of all answers. */
  const pages = async () => {
    const all: AnswerFeedRow[][] = [];
    let cursor: string | undefined;
    do {
      const page = await pageOf({ ...(cursor && { cursor }) });
      all.push(page.rows);
      ({ cursor } = page);
    } while (cursor);
    return all;
  };

  test('a page has no more rows than fit', async () => {
    const inspection = await begun();
    await save(inspection, TEXT, 'x'.repeat(900));
    for (const room of [0, 1, 2]) await size(inspection, room, 1);
    const all = await pages();
    expect(all.length).toBeGreaterThan(1);
    for (const rows of all) expect(rows.length === 1 || JSON.stringify(rows).length < 4_100).toBe(true);
    FEED_PAGE.bytes = usual.bytes;
    expect(await pages()).toEqual([all.flat()]);
  });

  test('a page looks at no more inspections than it may, and the next one goes on behind them', async () => {
    FEED_PAGE.bytes = usual.bytes;
    const ids = [];
    for (let count = 0; count < 7; count += 1)
      ids.push((await newInspection(person, { template_family_id })).id);
    const seen = (await pages()).map((rows) => new Set(rows.map(({ inspection_id }) => inspection_id)));
    expect(seen.map(({ size: count }) => count)).toEqual([3, 3, 1]);
    expect(seen.flatMap((each) => [...each])).toEqual(ids);
  });

  test('changes come to their end, however many are found together', async () => {
    FEED_PAGE.bytes = usual.bytes;
    FEED_PAGE.inspections = usual.inspections;
    const copy = new Copy();
    copy.since = new Date().toISOString();
    const inspections = [await begun(), await begun(), await begun()];
    for (const inspection of inspections) await save(inspection, TEXT, 'Dry');
    await drain(person.caller);
    await copy.follow();
    expect(copy.shown()).toEqual(await standing());
  });

  test.each(Array.from({ length: runs(2) }, (_, history) => history))(
    'a copy has what the lists have, whatever happens and whatever the clock says: history %i',
    async (history) => {
      const random = seeded(history);
      const among = (count: number) => Math.floor(random() * count);
      const copy = new Copy();
      const open: Inspection[] = [await begun()];
      for (let step = 0; step < 30; step += 1) {
        clock.pass(among(2_400) - 800);
        const inspection = open[among(open.length)] ?? (await begun());
        const act = [
          () => begun().then((made) => open.push(made)),
          () => save(inspection, NUMBER, among(9)),
          () => save(inspection, NUMBER, null),
          () => save(inspection, WHETHER, random() < 0.5),
          () => save(inspection, HIDDEN, 'fail'),
          () => size(inspection, among(3), among(9)),
          () =>
            person.try.answers.deleteInstance({
              params: { inspection_id: inspection.id },
              query: { instance_path: `${ROOM}[${among(3)}]` },
            }),
          async () => {
            const { status } = await person.try.inspections.delete({
              params: { inspection_id: inspection.id },
            });
            if (status === 204) open.splice(open.indexOf(inspection), 1);
          },
        ][among(8)]!;
        await act();
        if (among(4) > 0) continue;
        await drain(person.caller);
        await copy.follow({ limit: 1 + among(60) });
        expect(copy.shown()).toEqual(await standing());
      }
      await drain(person.caller);
      await copy.follow();
      expect(copy.shown()).toEqual(await standing());
    },
  );
});
