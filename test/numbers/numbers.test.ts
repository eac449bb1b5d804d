import type { allCorrectiveActionsFilters } from '../../shared/schemas/corrective-action.ts';
import type { allFindingsFilters } from '../../shared/schemas/finding.ts';
import type { Inspection, InspectionSummary } from '../../shared/schemas/inspections/inspection.ts';
import type { ActionSummary, FindingSummary, InspectionGroups } from '../../shared/schemas/numbers.ts';
import { putRows, deleteRows } from '../../shared/table/bulk.ts';
import { keys } from '../../shared/table/keys.ts';
import { queryRows } from '../../shared/table/rows.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { RECHECK } from '../../shared/upkeep/consistency/row-checks.ts';
import { deleteRemains } from '../../shared/upkeep/remains.ts';
import { CONTENT, RAIL, save, SECTION, TEXT } from '../answers/fixtures.ts';
import { newAsset } from '../assets/scenarios.ts';
import { newAction, newFinding, moveThrough } from '../corrective-actions/fixtures.ts';
import { advance, completedInspection, newInspection, startedInspection } from '../inspections/fixtures.ts';
import { startClock } from '../support/clock.ts';
import { outboxOf } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { installRecorder, recording } from '../support/recorder.ts';
import { ALWAYS, countChanges, listedLocations, numbersRow } from './fixtures.ts';

installRecorder();
RECHECK.pauseMs = 1;

let person: Person;

beforeEach(async () => {
  startClock(Date.parse('2027-06-15T12:00:00Z'));
  person = await newPerson('Statistician');
});
afterEach(() => void jest.useRealTimers());

const inspections = (query: object): Promise<InspectionGroups & InspectionSummary> =>
  person.inspections.summarize({ query: { ...ALWAYS, ...query } });
const findings = (query: object): Promise<FindingSummary> =>
  person.findings.summarize({ query: { ...ALWAYS, ...query } });
const actions = (query: object): Promise<ActionSummary> =>
  person.correctiveActions.summarize({ query: { ...ALWAYS, ...query } });

describe('GET /inspections/summary with group_by', () => {
  test('200 with numbers by client account and month in the time zone of the location', async () => {
    const client = await person.clientAccounts.create({ body: { name: 'Grand Foods' } });
    const place = await person.locations.create({
      body: { name: 'Pier', client_account_id: client.id, timezone: 'Pacific/Auckland' },
    });
    const at = { client_account_id: client.id, location_id: place.id };
    // In Auckland it is March already.
    await newInspection(person, { ...at, scheduled_for: '2026-02-28T20:00:00Z' });
    await newInspection(person, { scheduled_for: '2026-02-28T20:00:00Z' });
    await countChanges(person);
    const { groups, total, scheduled } = await inspections({ group_by: ['client_account', 'month'] });
    expect([total, scheduled]).toEqual([2, 2]);
    expect(groups.map(({ by, numbers }) => [by.client_account?.name, by.month, numbers.total])).toEqual([
      ['Grand Foods', '2026-03', 1],
      [undefined, '2026-02', 1],
    ]);
  });

  test.each([
    ['2026-12-31T11:30:00.000Z', 'Pacific/Auckland', { from: '2026-02', to: '2027-01' }],
    ['2027-01-01T07:30:00.000Z', 'America/Los_Angeles', { from: '2026-01', to: '2026-12' }],
    ['2028-02-29T23:30:00.000Z', 'Europe/Berlin', { from: '2027-04', to: '2028-03' }],
    ['2027-10-31T22:30:00.000Z', 'Europe/Berlin', { from: '2026-11', to: '2027-10' }],
  ])('200 at %s in %s with the year up to the month there', async (now, timezone, period) => {
    await person.organization.update({ body: { timezone } });
    startClock(Date.parse(now));
    expect(await person.inspections.summarize({ query: { group_by: ['month'] } })).toMatchObject(period);
  });

  test('200 with an archive, a deletion and a move taken into account', async () => {
    const [first, second] = [
      await person.locations.create({ body: { name: 'First' } }),
      await person.locations.create({ body: { name: 'Second' } }),
    ];
    const params = ({ id }: Inspection) => ({ params: { inspection_id: id } });
    const [done, open, gone] = [
      await completedInspection(person, { location_id: first.id }),
      await newInspection(person, { location_id: first.id }),
      await newInspection(person, { location_id: first.id }),
    ];
    await countChanges(person);
    const byPlace = async () =>
      (await inspections({ group_by: ['location'] })).groups.map(({ by, numbers }) => [
        by.location?.name,
        numbers.completed,
        numbers.scheduled,
        numbers.archived,
      ]);
    expect(await byPlace()).toEqual([['First', 1, 2, 0]]);
    await person.inspections.archive(params(done));
    await person.inspections.update({ ...params(open), body: { location_id: second.id } });
    await person.inspections.delete(params(gone));
    await deleteRemains(person.caller, { inspection_id: gone.id }, Date.now() + 3_600_000);
    await countChanges(person);
    expect(await byPlace()).toEqual([
      ['First', 0, 0, 1],
      ['Second', 0, 1, 0],
    ]);
  });

  test('200 with as_of: the time of the oldest change that is not counted yet', async () => {
    const inspection = await newInspection(person);
    const before = await inspections({ group_by: ['month'] });
    expect([before.as_of, before.total]).toEqual([inspection.created_at, 0]);
    await countChanges(person);
    const after = await inspections({ group_by: ['month'] });
    expect(after.as_of! > inspection.created_at).toBe(true);
    expect(after.total).toBe(1);
  });

  test('200 with a year of 600 locations in at most 20 database calls', async () => {
    const { id } = await person.locations.create({ body: { name: 'Store' } });
    const like = await person.locations.get({ params: { location_id: id } });
    const stores = listedLocations(person, like, 600);
    const template_family_id = (await newInspection(person)).template_family_id;
    const months = Array.from({ length: 12 }, (_, month) => `2026-${String(month + 1).padStart(2, '0')}`);
    const cells = stores.flatMap((store) =>
      months.map((month) => {
        const cell = { month, location_id: store.id, client_account_id: null, template_family_id };
        return numbersRow(person, 'INSPECTION', cell, { completed: 3, passed: 2, failed: 1 });
      }),
    );
    await putRows([...stores, ...cells]);
    const query = { from: '2026-01', to: '2026-12', group_by: ['location'] };
    const { result, sent } = await recording(() => person.inspections.summarize({ query }));
    expect([result.total, result.groups.length]).toEqual([600 * 12 * 3, 600]);
    expect(result.groups[599]).toMatchObject({
      by: { location: { name: 'store 0599' } },
      numbers: { completed: 36, passed: 24, failed: 12 },
    });
    expect(sent.tableCalls).toBeLessThanOrEqual(20);
    // One location is not read among all others.
    const one = await recording(() =>
      person.inspections.summarize({ query: { ...query, location_id: [stores[1]!.id] } }),
    );
    expect(one.result.total).toBe(36);
    expect(one.sent.tableCalls).toBeLessThanOrEqual(8);
  });

  test('200 with branches of a location, and regions', async () => {
    const place = (name: string, parent_id: string | null, region_id: string | null = null) =>
      person.locations.create({ body: { name, parent_id, region_id } });
    const region = await person.regions.create({ body: { name: 'North' } });
    const city = await place('City', null);
    const [east, west] = [await place('East', city.id, region.id), await place('West', city.id)];
    const shelf = await place('Shelf', east.id);
    for (const { id } of [city, east, west, shelf, shelf]) await newInspection(person, { location_id: id });
    await countChanges(person);
    const names = async (query: { group_by: ['branch'] | ['region']; within?: string }) =>
      (await inspections(query)).groups.map(({ by, numbers }) => [
        (by.branch ?? by.region)?.name,
        numbers.total,
      ]);
    expect(await names({ group_by: ['branch'] })).toEqual([['City', 5]]);
    expect(await names({ group_by: ['branch'], within: city.id })).toEqual([
      ['City', 1],
      ['East', 3],
      ['West', 1],
    ]);
    expect(await names({ group_by: ['region'] })).toEqual([
      ['North', 1],
      [undefined, 4],
    ]);
    // Without groups, what the list would show is counted.
    const counted = await Promise.all(
      [{ within: east.id }, { region_id: region.id }].map((query) => person.inspections.summarize({ query })),
    );
    expect(counted.map(({ total }) => total)).toEqual([3, 1]);
  });

  test('200 with the lowest pass rates first, of groups with enough results', async () => {
    const { template_family_id } = await newInspection(person);
    const cells = await Promise.all(
      Object.entries({ Good: [9, 1], Poor: [1, 3], Few: [0, 2], Worse: [1, 7], None: [0, 0] }).map(
        async ([name, [passed, failed]]) => {
          const { id } = await person.locations.create({ body: { name } });
          const cell = { month: '2027-05', location_id: id, client_account_id: null, template_family_id };
          return numbersRow(person, 'INSPECTION', cell, { completed: 10, passed: passed!, failed: failed! });
        },
      ),
    );
    await putRows(cells);
    const names = async (query: object) =>
      (await inspections({ group_by: ['location'], ...query })).groups.map(({ by }) => by.location?.name);
    expect(await names({ sort: 'pass_rate' })).toEqual(['Few', 'Worse', 'Poor', 'Good', 'None']);
    expect(await names({ sort: 'pass_rate', min_count: 3 })).toEqual(['Worse', 'Poor', 'Good']);
    expect(await names({ sort: '-pass_rate', limit: 2 })).toEqual(['Good', 'Poor']);
    expect(await names({ limit: 2 })).toEqual(['Few', 'Good']);
    expect((await inspections({ group_by: ['location'], limit: 1 })).totals.completed).toBe(50);
  });

  test('200 without inspections of another organization', async () => {
    const stranger = await newPerson('Stranger');
    const client = await stranger.clientAccounts.create({ body: { name: 'Theirs' } });
    await newInspection(stranger, { client_account_id: client.id });
    await countChanges(stranger);
    expect((await inspections({ group_by: ['month'] })).groups).toEqual([]);
    expect((await inspections({ group_by: ['month'], client_account_id: [client.id] })).groups).toEqual([]);
  });

  test('422 with all problems', async () => {
    const { status, body } = await person.try.inspections.summarize({
      query: { group_by: ['month', 'month', 'colour'], from: '2026-13' },
    });
    expect([status, body.detail.map(({ loc }: { loc: string[] }) => loc.join('.'))]).toEqual([
      422,
      ['query.group_by.2', 'query.from'],
    ]);
    const needed = await person.try.inspections.summarize({ query: { from: '2026-01', format: 'csv' } });
    expect([needed.status, needed.body.detail.length]).toEqual([422, 2]);
    const order = { sort: '-overdue', min_count: 2, limit: 5 };
    for (const summarize of [person.try.findings.summarize, person.try.correctiveActions.summarize]) {
      const { status: refused, body: why } = await summarize({ query: { min_count: 2, limit: 5 } });
      expect([refused, why.detail.map(({ msg }: { msg: string }) => msg)]).toEqual([
        422,
        ['Value error, limit needs group_by', 'Value error, min_count needs sort'],
      ]);
    }
    const { body: ungrouped } = await person.try.inspections.summarize({ query: order });
    expect(ungrouped.detail.map(({ msg }: { msg: string }) => msg)).toEqual([
      'Value error, sort needs group_by',
      'Value error, min_count needs group_by',
      'Value error, limit needs group_by',
    ]);
    const unfit = await person.try.inspections.summarize({
      query: { group_by: ['month'], status: ['scheduled'], q: 'x' },
    });
    expect([unfit.status, unfit.body.detail.length]).toEqual([422, 2]);
    for (const period of [
      { from: '2026-02', to: '2026-01' },
      { from: '2020-01', to: '2026-01' },
    ])
      expect(
        (await person.try.inspections.summarize({ query: { group_by: ['month'], ...period } })).status,
      ).toBe(422);
  });

  test('200 as CSV, in which no name is a formula', async () => {
    const { id } = await person.clientAccounts.create({ body: { name: '=1+1' } });
    await newInspection(person, { client_account_id: id });
    await countChanges(person);
    const { text, headers } = await person.try.inspections.summarize({
      query: { ...ALWAYS, group_by: ['client_account'], format: 'csv' },
    });
    expect(headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(text).toContain('client_account_id,client_account,total,');
    expect(text).toContain(`${id},'=1+1,1,`);
  });
});

describe('GET /findings/summary', () => {
  test('200 with findings by question and severity, and how questions were answered', async () => {
    const inspection = await startedInspection(person, { family: { content: CONTENT } });
    const finding = await newFinding(person, { severity: 'major', field_id: TEXT }, inspection);
    await newFinding(person, { severity: 'minor' }, inspection);
    await person.findings.update({ params: { finding_id: finding.id }, body: { severity: 'critical' } });
    await countChanges(person);
    const { totals } = await findings({});
    expect(totals).toMatchObject({ findings: 2, critical: 1, minor: 1, major: 0, open: 2, answers: null });
  });

  test('200 with how often questions were answered and have failed, and what was corrected', async () => {
    const settings = { correction_mode: 'tracked' };
    const inspection = await startedInspection(person, { family: { content: CONTENT, settings } });
    await save(person, inspection, { section_id: SECTION, field_id: TEXT, value: 'Good' });
    await save(person, inspection, { section_id: SECTION, field_id: RAIL, value: 'fail' });
    const template_family_id = [inspection.template_family_id];
    const answered = async () => {
      await countChanges(person);
      const { groups } = await findings({ group_by: ['field'], template_family_id });
      return new Map(groups.map(({ by, numbers }) => [by.field?.id, numbers]));
    };
    expect((await answered()).get(TEXT)).toBeUndefined();
    await advance(person.key, inspection);
    expect((await answered()).get(TEXT)!.answers).toEqual({ answered: 1, failed: 0, not_applicable: 0 });
    expect((await answered()).get(RAIL)).toMatchObject({ findings: 1, answers: { answered: 1, failed: 1 } });
    const of = { params: { inspection_id: inspection.id } };
    const correction = await person.corrections.create({ ...of, body: { reason: 'Misread' } });
    await save(person, inspection, { section_id: SECTION, field_id: RAIL, value: 'pass' });
    expect((await answered()).get(RAIL)!.answers).toMatchObject({ answered: 1, failed: 1 });
    await person.corrections.close({
      params: { inspection_id: inspection.id, correction_id: correction.id },
    });
    expect((await answered()).get(RAIL)!.answers).toMatchObject({ answered: 1, failed: 0 });
  });

  test('200 with what repeats an earlier finding', async () => {
    const { id: location_id } = await person.locations.create({ body: { name: 'Yard' } });
    const family = { content: CONTENT, settings: { repeat_window: 'P12M' } };
    const first = await startedInspection(person, { family, location_id });
    await newFinding(person, { field_id: TEXT }, first);
    const { template_family_id } = first;
    await newFinding(
      person,
      { field_id: TEXT },
      await startedInspection(person, { template_family_id, location_id }),
    );
    await countChanges(person);
    expect((await findings({})).totals).toMatchObject({ findings: 2, repeats: 1 });
  });

  test('422 for questions without a template family', async () => {
    const { status } = await person.try.findings.summarize({ query: { group_by: ['field'] } });
    expect(status).toBe(422);
  });
});

describe('GET /corrective-actions/summary', () => {
  test('200 with actions by status and priority, and those that are overdue', async () => {
    const inspection = await startedInspection(person, { family: { content: CONTENT } });
    const finding = await newFinding(person, {}, inspection);
    await newAction(person, { priority: 'critical', due_at: '2026-01-01T00:00:00Z' }, finding);
    await moveThrough(person, await newAction(person, { priority: 'low' }, finding), 'in_progress');
    await countChanges(person);
    const { totals, groups }: ActionSummary = await person.correctiveActions.summarize({
      query: { ...ALWAYS, group_by: ['priority'] },
    });
    expect(totals).toMatchObject({ actions: 2, open: 1, in_progress: 1, overdue: 1 });
    expect(groups.map(({ by, numbers }) => [by.priority, numbers.actions, numbers.overdue])).toEqual([
      ['critical', 1, 1],
      ['low', 1, 0],
    ]);
  });
});

describe('a summary of findings or corrective actions with a filter of their list', () => {
  /** Findings and actions of which some pass each filter and others do not. @returns a value for each filter */
  const prepare = async () => {
    const client = await person.clientAccounts.create({ body: { name: 'Grand Foods' } });
    const region = await person.regions.create({ body: { name: 'North' } });
    const pier = await person.locations.create({
      body: {
        name: 'Pier',
        client_account_id: client.id,
        region_id: region.id,
        timezone: 'Pacific/Auckland',
      },
    });
    const asset = await newAsset(person, { location_id: pier.id });
    const family = { content: CONTENT, settings: { repeat_window: 'P12M' } };
    const first = await startedInspection(person, {
      family,
      client_account_id: client.id,
      location_id: pier.id,
      asset_id: asset.id,
    });
    const { template_family_id } = first;
    // In Auckland it is July already.
    const begin = Date.parse('2027-06-30T20:00:00Z');
    /** Ten minutes more for each of what is created, so that filters by time tell them apart. */
    const next = (position: number) => startClock(begin + position * 600_000);
    next(0);
    const loose = await newFinding(
      person,
      { label: 'Loose rail', severity: 'critical', field_id: TEXT },
      first,
    );
    next(1);
    const again = await newFinding(
      person,
      { severity: 'minor', field_id: TEXT, external_ref: 'F-1', tags: ['roof'], metadata: { wing: 'east' } },
      await startedInspection(person, { template_family_id, location_id: pier.id, asset_id: asset.id }),
    );
    next(2);
    const other = await newFinding(person);
    next(3);
    await newAction(
      person,
      {
        title: 'Weld it',
        priority: 'critical',
        due_at: '2027-07-10T00:00:00Z',
        assignee_id: person.caller.user_id,
        external_ref: 'A-1',
        tags: ['roof'],
        metadata: { wing: 'east' },
      },
      loose,
    );
    next(4);
    const done = await newAction(person, { contact: { name: 'Kostas', email: 'kostas@example.com' } }, again);
    next(5);
    const last = await newAction(person, {}, other);
    startClock(Date.parse('2027-07-20T12:00:00Z'));
    await moveThrough(person, done, 'in_progress', 'pending_verification');
    await person.correctiveActions.verify({ params: { ca_id: done.id }, body: {} });
    await person.findings.update({ params: { finding_id: again.id }, body: { status: 'resolved' } });
    await countChanges(person);
    const both = {
      client_account_id: [client.id],
      location_id: [pier.id],
      within: pier.id,
      region_id: region.id,
      template_family_id: [template_family_id],
      asset_id: [asset.id],
      field_id: [TEXT],
      created_after: other.created_at,
      created_before: again.created_at,
      closed_after: '2027-07-01T00:00:00Z',
      closed_before: '2027-08-01T00:00:00Z',
      severity: ['critical'],
      tag: ['roof'],
      metadata: { wing: 'east' },
    };
    return {
      findings: {
        ...both,
        status: ['resolved'],
        external_ref: 'F-1',
        origin: 'manual',
        repeat: true,
        q: 'Loose r',
      } satisfies { [Name in keyof typeof allFindingsFilters]: unknown },
      corrective_actions: {
        ...both,
        created_after: done.created_at,
        created_before: last.created_at,
        status: ['verified'],
        priority: ['critical'],
        assignee_id: [person.caller.user_id],
        contact: 'kostas@example.com',
        is_overdue: true,
        overdue: true,
        due_after: '2027-07-01T00:00:00Z',
        due_before: '2027-08-01T00:00:00Z',
        external_ref: 'A-1',
        q: 'Weld',
      } satisfies { [Name in keyof typeof allCorrectiveActionsFilters]: unknown },
    };
  };

  test('200 with as many as the list shows, in the groups and months of the numbers that are kept', async () => {
    const values = await prepare();
    const counted: Record<string, number[]> = {};
    for (const [name, value] of Object.entries(values.findings)) {
      const query = name === 'metadata' ? { 'metadata.wing': 'east' } : { [name]: value };
      const { length } = await person.findings.listAll({ query });
      counted[`findings ${name}`] = [(await findings(query)).totals.findings, length];
    }
    for (const [name, value] of Object.entries(values.corrective_actions)) {
      const query = name === 'metadata' ? { 'metadata.wing': 'east' } : { [name]: value };
      const { length } = await person.correctiveActions.listAll({ query });
      counted[`actions ${name}`] = [(await actions(query)).totals.actions, length];
    }
    expect(Object.entries(counted).filter(([, [found, listed]]) => found !== listed)).toEqual([]);
    // Each filter lets some pass, and but for the origin not all.
    expect(Object.entries(counted).filter(([, [found]]) => found === 0 || found === 3)).toEqual([
      ['findings origin', [3, 3]],
    ]);

    // What is counted one by one is what is kept.
    const anyTime = { created_after: '2026-01-01T00:00:00Z' };
    for (const group_by of [
      ['location', 'month', 'severity'],
      ['branch', 'region', 'status'],
      ['client_account', 'template_family'],
    ]) {
      const { as_of: _, ...kept } = await findings({ group_by });
      expect(kept.totals).toMatchObject({ findings: 3, repeats: 1 });
      expect(await findings({ group_by, ...anyTime })).toMatchObject(kept);
    }
    for (const group_by of [
      ['location', 'month', 'priority'],
      ['region', 'status', 'quarter'],
    ]) {
      const { as_of: _, ...kept } = await actions({ group_by });
      expect(kept.totals).toMatchObject({ actions: 3, overdue: 1, verified: 1 });
      expect(await actions({ group_by, ...anyTime })).toMatchObject(kept);
    }
    const inJune = { from: '2027-06', to: '2027-06' };
    expect((await findings({ ...inJune, ...anyTime })).totals.findings).toBe(1);
    expect((await findings({ from: '2027-07', to: '2027-07', ...anyTime })).totals.findings).toBe(2);
  });

  test('200 with what the list reads, and one call more for 50 rows', async () => {
    const inspection = await startedInspection(person);
    for (let count = 0; count < 60; count += 1) await newFinding(person, {}, inspection);
    const listed = await recording(() => person.findings.listAll({ query: { q: 'Loose' } }));
    const { result, sent } = await recording(() => findings({ q: 'Loose' }));
    expect(result.totals.findings).toBe(60);
    expect(sent.tableCalls).toBeLessThanOrEqual(listed.sent.tableCalls + 2);
  });
});

describe('org check', () => {
  const check = async (repair: boolean) => {
    const { found, mended } = await checkOrganization(person.caller, { repair });
    return [found, mended];
  };
  const total = async () => (await inspections({ group_by: ['year'] })).total;

  test('finds numbers that are wrong, and what was not counted, and repairs them', async () => {
    const { caller } = person;
    const [first, second] = [await newInspection(person), await newInspection(person)];
    await countChanges(person);
    expect(await check(false)).toEqual([0, 0]);
    await deleteRows([keys.counted(caller, first.id, 'INSPECTION', first.id)]);
    expect(await check(false)).toEqual([2, 0]);
    await check(true);
    await check(true);
    expect([await check(false), await total()]).toEqual([[0, 0], 2]);
    const cells = await Array.fromAsync(
      queryRows(caller, { partition: keys.numbers.partition(caller, 'INSPECTION') }),
    );
    await deleteRows(cells);
    expect([second.status, await total()]).toEqual(['scheduled', 0]);
    expect(await check(true)).toEqual([2, 2]);
    expect([await check(false), await total()]).toEqual([[0, 0], 2]);
  });

  test('repairs what could not be counted, which has kept no event from those who wait for it', async () => {
    const { caller } = person;
    await newInspection(person);
    await countChanges(person);
    const partition = keys.numbers.partition(caller, 'INSPECTION');
    const cells = await Array.fromAsync(queryRows(caller, { partition }));
    await putRows(cells.map((cell) => ({ ...cell, body: Buffer.from('broken') })));
    await newInspection(person);
    await countChanges(person);
    expect((await outboxOf(caller)).filter(({ outbox }) => outbox === 'event')).toEqual([]);
    const created = await person.events.list({ query: { types: 'inspection.created' } });
    expect(created).toHaveLength(2);
    await deleteRows(cells);
    await check(true);
    expect([await check(false), await total()]).toEqual([[0, 0], 2]);
  });

  test('counts an organization that is older than its numbers', async () => {
    const { caller } = person;
    const inspection = await newInspection(person);
    await newFinding(person, {}, await startedInspection(person));
    await countChanges(person);
    const counted = await Array.fromAsync(
      queryRows(caller, { partition: keys.counted.partition(caller, inspection.id) }),
    );
    const cells = await Array.fromAsync(
      queryRows(caller, { partition: keys.numbers.partition(caller, 'INSPECTION') }),
    );
    await deleteRows([...counted, ...cells, keys.numbersState(caller)]);
    expect((await inspections({ group_by: ['year'] })).as_of).toBeNull();
    expect(await check(false)).toEqual([0, 0]);
    await check(true);
    expect([await check(false), await total()]).toEqual([[0, 0], 2]);
    expect((await inspections({ group_by: ['year'] })).as_of).not.toBeNull();
    expect((await findings({})).totals.findings).toBe(1);
  });
});
