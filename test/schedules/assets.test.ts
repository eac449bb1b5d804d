import type { Asset } from '../../shared/schemas/assets/asset.ts';
import type { Certificate } from '../../shared/schemas/certificates/certificate.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import type { CalendarRow, Schedule } from '../../shared/schemas/schedules/schedule.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { newAsset, newAssetKind } from '../assets/scenarios.ts';
import { newCertificateKind } from '../certificates/fixtures.ts';
import { advance, answer, newClient, start } from '../inspections/fixtures.ts';
import { newLocation } from '../locations/scenarios.ts';
import { newRegion } from '../regions/scenarios.ts';
import { useClock } from '../support/clock.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { newPerson, type Person } from '../support/people.ts';
import { publishedFamily } from '../templates/fixtures.ts';
import { cleanUp, DAY, dateIn, generateAt, inspectionsOf, newSchedule, of, shown } from './fixtures.ts';

let person: Person;

beforeEach(async () => {
  person = await newPerson('Lifts');
});

const decommission = (id: string) => person.assets.decommission({ params: { asset_id: id }, body: {} });

const move = (id: string, location_id: string | null): Promise<Asset> =>
  person.assets.update({ params: { asset_id: id }, body: { location_id } });

/** Which assets have been inspected where, the first to start first. */
const visitsOf = async (schedule: { id: string }): Promise<(string | null)[][]> =>
  (await inspectionsOf(person, schedule)).map(({ asset_id, location_id }) => [asset_id, location_id]);

const inAnyOrder = (rows: readonly (readonly unknown[])[]) => new Set(rows.map((row) => row.join()));

const refusal = async (fields: object): Promise<number> => {
  const { id: template_family_id } = await publishedFamily(person.key);
  const recurrence = { rrule: 'FREQ=DAILY', dtstart_local: '2026-01-01T09:00', timezone: 'UTC' };
  const body = { title: 'Lifts', template_family_id, recurrence, ...fields };
  return (await person.try.schedules.create({ body })).status;
};

describe('a schedule that names assets', () => {
  test('inspects each once for every occurrence, where it is by then', async () => {
    const [here, there] = [await newLocation(person), await newLocation(person)];
    const [first, second, nowhere] = [
      await newAsset(person, { location_id: here.id }),
      await newAsset(person, { location_id: here.id }),
      await newAsset(person),
    ];
    const asset_ids = [first.id, second.id, nowhere.id];
    const schedule = await newSchedule(person, { asset_ids, create_ahead_days: 1 });
    expect(schedule).toMatchObject({ asset_ids, location_ids: [], places: null });
    await generateAt(person, 0);
    await generateAt(person, 0);
    const visits = [
      [first.id, here.id],
      [second.id, here.id],
      [nowhere.id, null],
    ];
    expect(inAnyOrder(await visitsOf(schedule))).toEqual(inAnyOrder(visits));
    await move(second.id, there.id);
    await generateAt(person, 1);
    const later = [
      [first.id, here.id],
      [second.id, there.id],
      [nowhere.id, null],
    ];
    expect((await visitsOf(schedule)).length).toBe(6);
    expect(inAnyOrder((await visitsOf(schedule)).slice(3))).toEqual(inAnyOrder(later));
  });

  test('passes over one whose location is inactive, and lists that', async () => {
    const { id: location_id } = await newLocation(person);
    const [waits, goes] = [await newAsset(person, { location_id }), await newAsset(person)];
    await person.locations.update({ params: { location_id }, body: { status: 'inactive' } });
    const schedule = await newSchedule(person, { asset_ids: [waits.id, goes.id], create_ahead_days: 1 });
    expect(schedule.problems).toMatchObject([{ kind: 'location_inactive', location_id }]);
    await generateAt(person, 0);
    expect(await visitsOf(schedule)).toEqual([[goes.id, null]]);
    expect(await shown(person, schedule)).toMatchObject({ status: 'active', problem: null });
    await person.locations.update({ params: { location_id }, body: { status: 'active' } });
    await generateAt(person, 1);
    expect(inAnyOrder((await visitsOf(schedule)).slice(1))).toEqual(
      inAnyOrder([
        [waits.id, location_id],
        [goes.id, null],
      ]),
    );
    expect((await shown(person, schedule)).problems).toEqual([]);
  });

  test('loses one that is decommissioned at once, and is paused without another', async () => {
    const [first, last] = [await newAsset(person), await newAsset(person)];
    const schedule = await newSchedule(person, { asset_ids: [first.id, last.id], create_ahead_days: 1 });
    await generateAt(person, 0);
    const planned = (await inspectionsOf(person, schedule)).find(({ asset_id }) => asset_id === first.id)!;
    expect(await decommission(first.id)).toMatchObject({
      ended_schedule_ids: [schedule.id],
      ended_inspection_ids: [planned.id],
    });
    expect(await shown(person, schedule)).toMatchObject({ asset_ids: [last.id], status: 'active' });
    expect((await decommission(first.id)).ended_schedule_ids).toEqual([]);
    await generateAt(person, 1);
    expect((await visitsOf(schedule)).map(([id]) => id).slice(2)).toEqual([last.id]);
    expect((await decommission(last.id)).ended_schedule_ids).toEqual([schedule.id]);
    expect(await shown(person, schedule)).toMatchObject({ asset_ids: [], status: 'paused' });
    await generateAt(person, 3);
    expect((await visitsOf(schedule)).length).toBe(3);
    expect((await checkOrganization(person.caller, { repair: false })).differences).toEqual([]);
  });

  test('keeps its assets from being deleted', async () => {
    const { id } = await newAsset(person);
    const schedule = await newSchedule(person, { asset_ids: [id] });
    const remove = () => person.try.assets.delete({ params: { asset_id: id } });
    const { status, body } = await remove();
    expect([status, body.detail]).toEqual([409, expect.stringContaining(schedule.id)]);
    await person.schedules.update({ ...of(schedule), body: { asset_ids: [] } });
    expect((await remove()).status).toBe(204);
  });

  test('400, 409 and 422 for assets that it cannot inspect', async () => {
    const stranger = await newPerson('Stranger');
    expect(await refusal({ asset_ids: [(await newAsset(stranger)).id] })).toBe(400);
    expect(await refusal({ places: { asset_kind_id: (await newAssetKind(stranger)).id } })).toBe(400);
    const [client, other] = [await newClient(person), await newClient(person, 'Other')];
    const { id: location_id } = await newLocation(person, { client_account_id: client.id });
    const asset = await newAsset(person, { location_id });
    expect(await refusal({ asset_ids: [asset.id], client_account_id: other.id })).toBe(400);
    expect(await refusal({ asset_ids: [asset.id], location_ids: [location_id] })).toBe(422);
    expect(await refusal({ asset_ids: [asset.id], places: {} })).toBe(422);
    expect(await refusal({ asset_ids: [asset.id, asset.id] })).toBe(422);
    expect(await refusal({ asset_ids: [asset.id], client_account_id: client.id })).toBe(201);
    await decommission(asset.id);
    expect(await refusal({ asset_ids: [asset.id] })).toBe(409);
  });

  test('is found by its assets and where they are; the calendar shows them', async () => {
    const { id: location_id } = await newLocation(person);
    const [asset, other] = [await newAsset(person, { location_id }), await newAsset(person)];
    const schedule = await newSchedule(person, { asset_ids: [asset.id, other.id], create_ahead_days: 0 });
    const ids = async (query: Record<string, string>): Promise<string[]> =>
      (await person.schedules.list({ query })).map(({ id }: Schedule) => id);
    expect(await ids({ asset_id: asset.id })).toEqual([schedule.id]);
    expect(await ids({ location_id })).toEqual([schedule.id]);
    expect(await ids({ asset_id: (await newAsset(person)).id })).toEqual([]);
    expect(await ids({ location_id: (await newLocation(person)).id })).toEqual([]);
    const calendar = (query: Record<string, string> = {}): Promise<CalendarRow[]> =>
      person.schedules.getCalendar({ query: { from: dateIn(0), to: dateIn(1), ...query } });
    const rows = async (query?: Record<string, string>) =>
      (await calendar(query)).map((row) => [row.kind, row.occurrence_date, row.asset_id, row.location_id]);
    const before = await rows();
    expect(inAnyOrder(before)).toEqual(
      inAnyOrder(
        [dateIn(0), dateIn(1)].flatMap((date) => [
          ['projected', date, asset.id, location_id],
          ['projected', date, other.id, null],
        ]),
      ),
    );
    await generateAt(person, 0.6);
    const after = (await rows()).map(([, ...row]) => row);
    expect(inAnyOrder(after)).toEqual(inAnyOrder(before.map(([, ...row]) => row)));
    expect(inAnyOrder(await rows({ asset_id: asset.id }))).toEqual(
      inAnyOrder((await rows()).filter(([, , id]) => id === asset.id)),
    );
  });
});

test('a schedule of a kind inspects those that are at its places, as they are for each occurrence', async () => {
  const [region, kind, otherKind] = [
    await newRegion(person),
    await newAssetKind(person),
    await newAssetKind(person),
  ];
  const inside = await newLocation(person, { region_id: region.id });
  const outside = await newLocation(person);
  const at = (location_id: string, kind_id = kind.id) => newAsset(person, { location_id, kind_id });
  const [first, , , gone] = [
    await at(inside.id),
    await at(outside.id),
    await at(inside.id, otherKind.id),
    await at(inside.id),
  ];
  await decommission(gone.id);
  const places = { region_id: region.id, asset_kind_id: kind.id };
  const schedule = await newSchedule(person, { places, create_ahead_days: 1 });
  expect(schedule.places).toMatchObject(places);
  await generateAt(person, 0);
  expect(await visitsOf(schedule)).toEqual([[first.id, inside.id]]);
  const second = await at(inside.id);
  await move(first.id, outside.id);
  await generateAt(person, 1);
  expect((await visitsOf(schedule)).slice(1)).toEqual([[second.id, inside.id]]);
  const countOf = async (asset_id: string) => (await person.schedules.list({ query: { asset_id } })).length;
  expect([await countOf(second.id), await countOf(first.id), await countOf(gone.id)]).toEqual([1, 0, 0]);
  const { status } = await person.try.assets.deleteKind({ params: { asset_kind_id: kind.id } });
  expect(status).toBe(409);
});

describe('a schedule that counts from the last visit', () => {
  const clock = useClock();
  const passDays = (days: number): void => clock.pass((days * DAY) / 1_000);
  const today = (days = 0): string => new Date(Date.now() + days * DAY).toISOString().slice(0, 10);
  const settle = async (): Promise<void> => {
    await cleanUp(person);
    await generateAt(person, 0);
  };

  const LIFT = {
    content: { ...contentWith(field(3, 'pass_fail_na')), scoring: { enabled: true, passing_score: 75 } },
  };

  test('visits each asset on the last day of its certificate, wherever it has moved', async () => {
    const { id: template_family_id } = await publishedFamily(person.key, LIFT);
    await newCertificateKind(person, { template_family_id, valid_for: 'P30D' });
    const [here, there] = [await newLocation(person), await newLocation(person)];
    const [late, prompt] = [
      await newAsset(person, { location_id: here.id }),
      await newAsset(person, { location_id: here.id }),
    ];
    const schedule = await newSchedule(person, {
      template_family_id,
      asset_ids: [late.id, prompt.id],
      create_ahead_days: 0,
      recurrence: { dtstart_local: `${today(1)}T09:00`, timezone: 'UTC' },
      after: { of: 'pass', every: 'P30D' },
      window: { due_after: 'P3D', miss_after: null },
    });
    const visit = async (asset: Asset): Promise<void> => {
      const open = (await inspectionsOf(person, schedule)).find(
        ({ asset_id, status }: Inspection) => asset_id === asset.id && status === 'scheduled',
      );
      await start(person.key, open!);
      await answer(person, open!, uuid(3), 'pass');
      await advance(person.key, open!);
    };
    const nextDates = async (): Promise<Record<string, string>> => {
      const rows: CalendarRow[] = await person.schedules.getCalendar({
        query: { from: today(), to: today(90), schedule_id: schedule.id },
      });
      return Object.fromEntries(
        rows.flatMap(({ kind, asset_id, occurrence_date }) =>
          kind === 'projected' ? [[asset_id!, occurrence_date!]] : [],
        ),
      );
    };
    const lastDays = async (): Promise<Record<string, string>> => {
      const certificates: Certificate[] = await person.certificates.list({ query: { status: 'valid' } });
      return Object.fromEntries(
        certificates.map(({ asset_id, expires_at }) => [asset_id!, expires_at.slice(0, 10)]),
      );
    };
    await settle();
    expect(await nextDates()).toEqual({ [late.id]: today(1), [prompt.id]: today(1) });
    passDays(2);
    await settle();
    await visit(prompt);
    passDays(10);
    await move(late.id, there.id);
    await visit(late);
    await settle();
    const next = await nextDates();
    expect(new Set(Object.values(next)).size).toBe(2);
    expect(next).toEqual(await lastDays());
    expect(next[late.id]).toBe(today(30));
    expect((await checkOrganization(person.caller, { repair: false })).differences).toEqual([]);
    passDays(31);
    await settle();
    const last = (await inspectionsOf(person, schedule)).findLast(({ asset_id }) => asset_id === late.id);
    expect(last).toMatchObject({ status: 'scheduled', location_id: there.id });
    await decommission(prompt.id);
    await settle();
    expect((await shown(person, schedule)).asset_ids).toEqual([late.id]);
    // Of the ends of the certificates nobody was told yet.
    expect((await checkOrganization(person.caller, { repair: false })).differences).toEqual([]);
  });
});
