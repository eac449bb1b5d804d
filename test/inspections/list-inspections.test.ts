import * as fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import * as inspections from '../../shared/inspections/lists.ts';
import type { Inspection, InspectionListFilters } from '../../shared/schemas/inspections/inspection.ts';
import { as, locs } from '../support/call.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { actingKey, newMember, newPerson, onBehalfOf, type Person } from '../support/people.ts';
import { runs } from '../support/scale.ts';
import { publishedFamily } from '../templates/fixtures.ts';
import {
  advance,
  answer,
  newClient,
  newColleague,
  newInspection,
  newLocation,
  NOTHING_REQUIRED,
  start,
} from './fixtures.ts';

const DAYS = ['2020-01-01T00:00:00.000Z', '2021-01-01T00:00:00.000Z', '2040-01-01T00:00:00.000Z'] as const;

/** The inspections that pass these filters: the simplest possible implementation. @param inside the locations in a location or region */
const filtered = (
  all: readonly Inspection[],
  filters: InspectionListFilters,
  inside: (id: string) => readonly (string | null)[],
): Inspection[] => {
  const f = filters;
  return all.filter(
    (one) =>
      (!f.status || f.status.includes(one.status)) &&
      (!f.client_account_id || f.client_account_id.includes(one.client_account_id ?? '')) &&
      (!f.location_id || f.location_id.includes(one.location_id ?? '')) &&
      (!f.within || inside(f.within).includes(one.location_id)) &&
      (!f.region_id || inside(f.region_id).includes(one.location_id)) &&
      (!f.template_family_id || f.template_family_id.includes(one.template_family_id ?? '')) &&
      (!f.assignee_id || one.participants.some(({ user_id }) => f.assignee_id!.includes(user_id))) &&
      (!f.source || f.source.includes(one.source)) &&
      (!f.scheduled_after || (one.scheduled_for ?? '') >= f.scheduled_after) &&
      (!f.scheduled_before || (one.scheduled_for !== null && one.scheduled_for < f.scheduled_before)) &&
      (!f.due_after || (one.due_at ?? '') >= f.due_after) &&
      (!f.due_before || (one.due_at !== null && one.due_at < f.due_before)) &&
      (!f.completed_after || (one.completed_at ?? '') >= f.completed_after) &&
      (!f.completed_before || (one.completed_at !== null && one.completed_at < f.completed_before)) &&
      (f.is_overdue === undefined || one.is_overdue === f.is_overdue) &&
      (f.overdue === undefined || one.is_overdue === f.overdue) &&
      (!f.external_ref || one.external_ref === f.external_ref) &&
      (f.archived === undefined || (one.status === 'archived') === f.archived) &&
      (!f.q || String(one.number) === f.q || one.name.toLowerCase().includes(f.q.toLowerCase())),
  );
};

/** A region, and one below it. */
const newRegions = async ({ regions }: Person): Promise<[string, string]> => {
  const { id } = await regions.create({ body: { name: 'North' } });
  return [id, (await regions.create({ body: { name: 'Port', parent_id: id } })).id];
};

describe('GET /inspections', () => {
  let person: Person;
  let all: Inspection[];
  let filters: fc.Arbitrary<InspectionListFilters>;
  let inside: (id: string) => readonly string[];
  const list = (query: object, key = person.key) =>
    as(key).try.inspections.list({ query: query as Record<string, string> });
  const ids = (listed: readonly { id: string }[]) => listed.map(({ id }) => id);

  beforeAll(async () => {
    person = await newPerson('Lister');
    const { user_id } = await newColleague(person, 'Ann');
    const clients = [await newClient(person), await newClient(person)].map(({ id }) => id);
    const locations = (await Promise.all(clients.map((id) => newLocation(person, id)))).map(({ id }) => id);
    const [yard, hall] = locations as [string, string];
    const [north, port] = await newRegions(person);
    const body = { name: 'Quay', client_account_id: clients[0]!, parent_id: yard, region_id: port };
    const { id: quay } = await person.locations.create({ body });
    await person.locations.update({ params: { location_id: hall }, body: { region_id: north } });
    const known = new Map([
      [yard, [yard, quay]],
      [hall, [hall]],
      [north, [quay, hall]],
      [port, [quay]],
    ]);
    inside = (id) => known.get(id) ?? [];
    const families = [
      await publishedFamily(person.key, NOTHING_REQUIRED),
      await publishedFamily(person.key, NOTHING_REQUIRED),
    ];
    for (let n = 0; n < 24; n += 1) {
      const inspection = await newInspection(person, {
        template_family_id: families[n % 2]!.id,
        ...(n % 3 > 0 && { client_account_id: clients[n % 3 === 1 ? 0 : 1] }),
        ...(n % 6 === 1 && { location_id: yard }),
        ...(n % 6 === 4 && { location_id: quay }),
        ...(n % 6 === 5 && { location_id: hall }),
        ...(n % 4 > 0 && { due_at: DAYS[n % 3] }),
        ...(n % 3 > 0 && { scheduled_for: DAYS[n % 2] }),
        ...(n % 5 < 2 && { participants: [{ user_id: n % 5 === 0 ? user_id : person.caller.user_id }] }),
        external_ref: n % 2 === 0 ? `erp-${n}` : null,
        name: ['Crane', 'HOIST check', 'crane rope'][n % 3],
      });
      const steps = n % 7;
      if (steps > 1) await start(person.key, inspection);
      if (steps > 3 && n % 5 !== 0) await advance(person.key, inspection);
      if (steps === 6) await person.inspections.archive({ params: { inspection_id: inspection.id } });
    }
    all = (await list({})).body;
    const some = (...values: string[]) => fc.subarray(values, { minLength: 1 });
    const each = fc.record({
      status: fc.uniqueArray(fc.constantFrom('scheduled', 'in_progress', 'completed', 'archived'), {
        minLength: 1,
      }),
      client_account_id: some(...clients, uuidv7()),
      location_id: some(...locations, quay, uuidv7()),
      within: fc.constantFrom(yard, hall, uuidv7()),
      region_id: fc.constantFrom(north, port, uuidv7()),
      template_family_id: some(...families.map(({ id }) => id)),
      assignee_id: some(user_id, person.caller.user_id),
      source: fc.constantFrom(['api' as const], ['manual' as const, 'self' as const]),
      scheduled_after: fc.constantFrom(...DAYS),
      scheduled_before: fc.constantFrom(...DAYS),
      due_after: fc.constantFrom(...DAYS),
      due_before: fc.constantFrom(...DAYS),
      completed_after: fc.constantFrom(DAYS[0], DAYS[2]),
      completed_before: fc.constantFrom(DAYS[0], DAYS[2]),
      is_overdue: fc.boolean(),
      overdue: fc.boolean(),
      external_ref: fc.constantFrom('erp-2', 'erp-4', 'unknown'),
      archived: fc.boolean(),
      q: fc.constantFrom('crane', 'hoist', '7', 'zzz'),
    });
    const names = [
      'status',
      'is_overdue',
      'overdue',
      'archived',
      'q',
      'assignee_id',
      'external_ref',
      'client_account_id',
    ];
    const more = [
      'location_id',
      'within',
      'region_id',
      'template_family_id',
      'source',
      'scheduled_after',
      'scheduled_before',
      'due_after',
      'due_before',
      'completed_after',
      'completed_before',
    ];
    // At most three filters, so that each of them still leaves rows for the others.
    filters = fc
      .tuple(each, fc.subarray([...names, ...more], { minLength: 1, maxLength: 3 }))
      .map(([values, chosen]) =>
        Object.fromEntries(Object.entries(values).filter(([name]) => chosen.includes(name))),
      );
  });

  test('200 with all inspections in any status, newest first', async () => {
    expect(all).toHaveLength(24);
    expect(all.map(({ number }) => number)).toEqual(Array.from({ length: 24 }, (_, i) => 24 - i));
    expect(new Set(all.map(({ status }) => status)).size).toBe(4);
  });

  test('200 with the inspections that pass all filters, in the same order', async () => {
    await fc.assert(
      fc.asyncProperty(filters, async (given) => {
        const listing = await inspections.list(person.caller, given);
        const listed = await Array.fromAsync('rows' in listing ? listing.rows : listing.page);
        expect(ids(listed)).toEqual(ids(filtered(all, given, inside)));
      }),
      { numRuns: runs(150) },
    );
  });

  test('200 with what waits for an approver, whoever of the family or the inspection that is', async () => {
    const [paul, fay] = [await newMember(person, 'approver'), await newMember(person, 'approver')];
    const app = await actingKey(person);
    const content = NOTHING_REQUIRED.content;
    const settings = { approval: { approver_ids: [fay.user_id] } };
    const family = await publishedFamily(person.key, { content, requires_approval: true, settings });
    const made = { template_family_id: family.id, approver_id: paul.user_id };
    const submitted = await start(person.key, await newInspection(person, made));
    await advance(person.key, submitted);
    await start(person.key, await newInspection(person, made));
    const waiting = { query: { approver_id: 'me' } };
    for (const member of [paul, fay]) {
      const headers = onBehalfOf(member);
      expect(ids(await as(app.key).inspections.list({ ...waiting, headers }))).toEqual([submitted.id]);
      expect(ids((await list({ approver_id: member.user_id })).body)).toEqual([submitted.id]);
      const summary = await as(app.key).inspections.summarize({ ...waiting, headers });
      expect(summary).toMatchObject({ pending_approval: 1, total: 1 });
    }
    expect((await list(waiting.query)).body).toEqual([]);
  });

  test('200 in the order of due dates, page by page, with those that are open and have one', async () => {
    const open = all.filter(({ due_at, status }) => due_at && /scheduled|in_progress/.test(status));
    const inOrder = open.map(({ id, due_at }) => `${due_at}#${id}`).toSorted();
    const read = async (query: object) => {
      const { body, headers } = await list(query);
      const next = /cursor=([^&>]+)/.exec(headers['link'] ?? '')?.[1];
      const shown = body.map(({ id, due_at }: Inspection) => `${due_at}#${id}`);
      return { shown, next };
    };
    const first = await read({ sort: '-due_at', limit: 3 });
    const rest = await read({ sort: '-due_at', cursor: first.next });
    expect([...first.shown, ...rest.shown]).toEqual(inOrder.toReversed());
    expect((await read({ sort: 'due_at', source: ['api'] })).shown).toEqual(inOrder);
    const { status, body } = await list({ sort: 'name' });
    expect([status, body.detail[0].msg]).toEqual([
      422,
      "Input should be '-created_at', 'due_at' or '-due_at'",
    ]);
  });

  test('200 with a result and a range of scores', async () => {
    const content = contentWith(field(2, 'yes_no', { fail_if: { op: 'eq', value: false } }));
    const scoring = { enabled: true, method: 'points', passing_score: 50 };
    const family = await publishedFamily(person.key, { content: { ...content, scoring } });
    const scored = async (value: boolean) => {
      const inspection = await start(
        person.key,
        await newInspection(person, { template_family_id: family.id }),
      );
      await answer(person, inspection, uuid(2), value);
      return (await advance(person.key, inspection)).id;
    };
    const [passed, failed] = [await scored(true), await scored(false)];
    expect(ids((await list({ result: 'pass' })).body)).toEqual([passed]);
    expect(ids((await list({ score_max: 10 })).body)).toEqual([failed]);
    expect(ids((await list({ score_min: 0 })).body)).toEqual([failed, passed]);
  });

  test('200 for an id in upper case, in a filter and in the path', async () => {
    const { id, client_account_id } = all.find((each) => each.client_account_id)!;
    const { body } = await list({ client_account_id });
    expect(body).not.toEqual([]);
    expect((await list({ client_account_id: client_account_id!.toUpperCase() })).body).toEqual(body);
    const params = { inspection_id: id.toUpperCase() };
    expect((await person.inspections.get({ params })).id).toBe(id);
  });

  test('200 page by page, together the same list', async () => {
    const someone = person.caller.user_id;
    const queries: object[] = [
      {},
      { status: ['scheduled', 'in_progress', 'completed'] },
      { overdue: true },
      { assignee_id: someone },
      { client_account_id: all.find(({ client_account_id }) => client_account_id)!.client_account_id },
      { q: 'crane', archived: false },
    ];
    const reader = await newColleague(person, 'Reader');
    for (const query of queries) {
      const whole = (await list(query, reader.key)).body;
      expect(whole.length).toBeGreaterThan(2);
      const paged: Inspection[] = [];
      let cursor: string | undefined;
      do {
        const page = await list({ ...query, limit: 4, ...(cursor && { cursor }) }, reader.key);
        expect(page.body.length).toBeLessThanOrEqual(4);
        paged.push(...page.body);
        cursor = /cursor=([^&>]+)/.exec(page.headers['link'] ?? '')?.[1];
      } while (cursor);
      expect(paged).toEqual(whole);
    }
  });

  test('200 with the latest change, for lists that do not come from an index', async () => {
    const other = await newPerson('Writer');
    const inspection = await newInspection(other, { participants: [{ user_id: other.adminId }] });
    const { updated_at } = await other.inspections.update({
      params: { inspection_id: inspection.id },
      body: { name: 'Renamed', due_at: '2020-01-01T00:00:00Z' },
    });
    for (const query of [
      {},
      { overdue: true },
      { assignee_id: other.adminId },
      { updated_since: updated_at },
    ]) {
      expect((await list(query, other.key)).body).toEqual([expect.objectContaining({ name: 'Renamed' })]);
    }
    const later = new Date(Date.parse(updated_at) + 1).toISOString();
    expect((await list({ updated_since: later }, other.key)).body).toEqual([]);
  });

  test('200 with what `q` finds by the beginning of its reference', async () => {
    const by = await newPerson('References');
    const { id } = await newInspection(by, { name: 'Crane', external_ref: 'ERP-77 b' });
    await newInspection(by, { name: 'Crane' });
    for (const q of ['erp-7', 'ERP-77 B'])
      expect((await list({ q }, by.key)).body.map((each: Inspection) => each.id)).toEqual([id]);
    expect((await list({ q: '77' }, by.key)).body).toEqual([]);
  });

  test('200 without inspections of another organization, whatever the filters are', async () => {
    const stranger = await newPerson('Stranger');
    const [one] = all as [Inspection];
    const { client_account_id, template_family_id } = all.find((each) => each.client_account_id)!;
    for (const query of [
      {},
      { client_account_id },
      { template_family_id },
      { external_ref: 'erp-2' },
      { q: one.name },
    ]) {
      expect((await list(query, stranger.key)).body).toEqual([]);
    }
  });

  test('422 for a cursor of other filters or another organization', async () => {
    const page = await list({ limit: 2, archived: false });
    const cursor = decodeURIComponent(/cursor=([^&>]+)/.exec(page.headers['link']!)![1]!);
    expect((await list({ limit: 2, archived: false, cursor })).status).toBe(200);
    expect(locs(await list({ limit: 2, cursor }))).toEqual(['query.cursor']);
    const stranger = await newPerson('Stranger');
    expect(locs(await list({ limit: 2, archived: false, cursor }, stranger.key))).toEqual(['query.cursor']);
  });

  test('422 for an unknown status', async () => {
    expect(locs(await list({ status: ['scheduled', 'lost'] }))).toEqual(['query.status.1']);
  });
});
