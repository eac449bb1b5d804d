import { handler as deleteRemains } from '../../functions/workers/delete-remains.ts';
import type { Finding } from '../../shared/schemas/finding.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { change } from '../../shared/table/change.ts';
import { keys } from '../../shared/table/keys.ts';
import { queryRows } from '../../shared/table/rows.ts';
import * as write from '../../shared/table/writes.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { findingsOf, saved, UNIT, UNITS, CHECK, UNIT_PLACE } from '../answers/fixtures.ts';
import { newAsset } from '../assets/scenarios.ts';
import { advance, newLocation, start, newInspection } from '../inspections/fixtures.ts';
import { useClock } from '../support/clock.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { impatient, installFaults, killAfter, withFault } from '../support/faults.ts';
import { deliver, waitingTasks } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { publishedFamily } from '../templates/fixtures.ts';

installFaults();
impatient();

const [GATE, RAIL] = [uuid(2), uuid(3)];
const auto = { finding: { create: 'auto' } };
const CONTENT = contentWith(field(2, 'pass_fail_na', auto), field(3, 'pass_fail_na', auto));
const DAY = 86_400;

describe('findings of the same question at the same place', () => {
  const clock = useClock();
  let ines: Person;
  let family: { id: string };
  let yard: { id: string };

  const started = async (location_id: string | null = yard.id): Promise<Inspection> =>
    start(ines.key, await newInspection(ines, { template_family_id: family.id, location_id }));
  const failIn = async (inspection: Inspection, field_id = GATE): Promise<Finding> => {
    await saved(ines, inspection, { field_id, value: 'fail' });
    return (await findingsOf(ines, inspection)).find((each) => each.field_id === field_id)!;
  };
  const found = async (location_id?: string | null) => failIn(await started(location_id));
  const repeatOf = async ({ id }: { id: string }) =>
    (await ines.findings.get({ params: { finding_id: id } })).repeat;
  const check = () => checkOrganization(ines.caller, { repair: true });

  beforeEach(async () => {
    ines = await newPerson('Ines, inspector');
    yard = await newLocation(ines);
    family = await publishedFamily(ines.key, { content: CONTENT, settings: { repeat_window: 'P30D' } });
  });

  test('200, and a finding of one asset does not repeat one of another', async () => {
    const of = async (asset_id: string) =>
      failIn(
        await start(
          ines.key,
          await newInspection(ines, { template_family_id: family.id, location_id: yard.id, asset_id }),
        ),
      );
    const [lift, other] = [(await newAsset(ines)).id, (await newAsset(ines)).id];
    const first = await of(lift);
    expect((await of(other)).repeat).toBeNull();
    expect((await found()).repeat).toBeNull();
    expect((await of(lift)).repeat).toMatchObject({ count: 1, previous_finding_id: first.id });
  });

  test('200, and a finding within the window repeats those before it, of any inspection but its own', async () => {
    const first = await found();
    clock.pass(20 * DAY);
    const second = await found();
    clock.pass(20 * DAY);
    const third = await found();
    expect(first.repeat).toBeNull();
    expect(second.repeat).toEqual({ count: 1, previous_finding_id: first.id, first_at: first.created_at });
    // The first one is 40 days old.
    expect(third.repeat).toEqual({ count: 1, previous_finding_id: second.id, first_at: second.created_at });
    const again = await failIn({ id: third.inspection_id } as Inspection, RAIL);
    expect(again.repeat).toBeNull();
  });

  test('200 for findings at other locations, without a location or of a family without a window, which repeat none', async () => {
    await found();
    await found(null);
    expect((await found((await newLocation(ines)).id)).repeat).toBeNull();
    expect((await found(null)).repeat).toBeNull();
    family = await publishedFamily(ines.key, { content: CONTENT });
    await found();
    expect((await found()).repeat).toBeNull();
  });

  test('200 for a family that sets a window later, and earlier findings count', async () => {
    family = await publishedFamily(ines.key, { content: CONTENT });
    const first = await found();
    await ines.families.update({
      params: { family_id: family.id },
      body: { settings: { repeat_window: 'P12M' } },
    });
    expect((await found()).repeat).toMatchObject({ previous_finding_id: first.id });
  });

  test('200, and what fails again counts as often as the family says, also when the earlier finding is gone', async () => {
    family = await publishedFamily(ines.key, {
      content: { ...CONTENT, scoring: { enabled: true } },
      settings: { repeat_window: 'P30D', repeat_factor: 2 },
    });
    const first = await found();
    const inspection = await started();
    await failIn(inspection);
    await saved(ines, inspection, { field_id: RAIL, value: 'pass' });
    const of = { params: { inspection_id: inspection.id } };
    const score = { percentage: 33.3, points: 1, max: 3 };
    const shown = { score, fields: [{ repeat_factor: 2 }, { score: 1 }] };
    expect(await ines.inspections.getScore(of)).toMatchObject(shown);
    expect(await advance(ines.key, inspection)).toMatchObject({ score });
    await ines.findings.delete({ params: { finding_id: first.id } });
    expect(await ines.inspections.getScore(of)).toMatchObject({ is_final: true, ...shown });
    expect(await ines.reports.getPayload(of)).toMatchObject({
      summary: { score },
      findings: [{ repeat_factor: 2 }],
    });
  });

  test('200 for a list of those that repeat, or of the others', async () => {
    await found();
    const inspection = await started();
    const [gate, rail] = [await failIn(inspection), await failIn(inspection, RAIL)];
    const list = (repeat: boolean, more: object = {}) =>
      ines.findings.list({ params: { inspection_id: inspection.id }, query: { repeat, ...more } });
    expect(await list(true, { limit: 1 })).toEqual([gate]);
    expect(await list(false)).toEqual([rail]);
  });

  test('200 after the earlier finding is deleted, is no longer failed, or has moved to another location', async () => {
    const [moved, passed, deleted] = [await started(), await started(), await found()];
    await failIn(moved);
    await failIn(passed);
    const last = await found();
    const counted = async () => (await repeatOf(last))?.count ?? 0;
    expect(await counted()).toBe(3);
    await ines.findings.delete({ params: { finding_id: deleted.id } });
    expect(await counted()).toBe(2);
    await saved(ines, passed, { field_id: GATE, value: 'pass' });
    expect(await counted()).toBe(1);
    const depot = await newLocation(ines);
    await ines.inspections.update({
      params: { inspection_id: moved.id },
      body: { location_id: depot.id },
    });
    expect(await counted()).toBe(0);
    expect((await found(depot.id)).repeat).not.toBeNull();
    expect((await check()).found).toBe(0);
  });

  test('200 for a correction that moves the inspection and is discarded, and its findings are back', async () => {
    const inspection = await started();
    await failIn(inspection);
    await saved(ines, inspection, { field_id: RAIL, value: 'pass' });
    await advance(ines.key, inspection);
    const last = await found();
    const params = { inspection_id: inspection.id };
    const { id: correction_id } = await ines.corrections.create({ params, body: { reason: 'Elsewhere' } });
    await ines.inspections.update({ params, body: { location_id: (await newLocation(ines)).id } });
    expect(await repeatOf(last)).toBeNull();
    await ines.corrections.discard({ params: { ...params, correction_id } });
    expect(await repeatOf(last)).toMatchObject({ count: 1 });
  });

  test('200 for more findings than one transaction moves', async () => {
    const fields = Array.from({ length: 35 }, (_, n) => field(100 + n, 'pass_fail_na', auto));
    family = await publishedFamily(ines.key, {
      content: contentWith(...fields),
      settings: { repeat_window: 'P30D' },
    });
    const [inspection, depot] = [await started(), await newLocation(ines)];
    const responses = fields.map(({ id }) => ({ section_id: uuid(1), field_id: id, value: 'fail' }));
    const params = { inspection_id: inspection.id };
    await ines.answers.save({ params, body: { responses } });
    await ines.inspections.update({ params, body: { location_id: depot.id } });
    const other = await started(depot.id);
    await ines.answers.save({ params: { inspection_id: other.id }, body: { responses } });
    const repeated = await ines.findings.list({
      params: { inspection_id: other.id },
      query: { repeat: true },
    });
    expect(repeated.length).toBe(35);
  });

  test('200 after a request that was killed while findings moved is sent again', async () => {
    const [inspection, depot] = [await started(), await newLocation(ines)];
    await failIn(inspection);
    const request = { params: { inspection_id: inspection.id }, body: { location_id: depot.id } };
    for (let commands = 0, isKilled = true; isKilled; commands += 1) {
      const { fault, isReached } = killAfter(commands, commands % 2 === 0);
      await withFault(fault, () => ines.try.inspections.update(request));
      isKilled = isReached();
    }
    expect((await found(depot.id)).repeat).toMatchObject({ count: 1 });
    expect((await check()).found).toBe(0);
  });

  test('a worker completes what a request has begun that was killed and is not sent again', async () => {
    const depot = await newLocation(ines);
    for (let commands = 0, isKilled = true; isKilled; commands += 1) {
      const inspection = await started();
      await failIn(inspection);
      const request = { params: { inspection_id: inspection.id }, body: { location_id: depot.id } };
      const { fault, isReached } = killAfter(commands, commands % 2 === 0);
      await withFault(fault, () => ines.try.inspections.update(request));
      isKilled = isReached();
      for (const task of await waitingTasks(ines.caller))
        if (task.outbox === 'cleanup') expect(await deliver(deleteRemains, task)).toBe(true);
    }
    expect((await checkOrganization(ines.caller, { repair: false })).differences).toEqual([]);
  });

  test('200 for a unit of an inspection, whose own location counts', async () => {
    family = await publishedFamily(ines.key, { content: UNITS, settings: { repeat_window: 'P30D' } });
    const [flat, other] = [await newLocation(ines), await newLocation(ines)];
    const failAt = async (unit: { id: string }): Promise<Finding> => {
      const inspection = await started();
      await saved(ines, inspection, { section_id: UNIT, field_id: UNIT_PLACE, value: unit.id });
      await saved(ines, inspection, { section_id: UNIT, field_id: CHECK, value: 'fail' });
      return (await findingsOf(ines, inspection))[0]!;
    };
    const first = await failAt(flat);
    expect((await failAt(other)).repeat).toBeNull();
    expect((await failAt(flat)).repeat).toMatchObject({ count: 1, previous_finding_id: first.id });
  });

  test('200 for a report, which marks what repeats', async () => {
    await found();
    const inspection = await started();
    await failIn(inspection);
    await failIn(inspection, RAIL);
    const { findings } = await ines.reports.getPayload({ params: { inspection_id: inspection.id } });
    expect(findings.map(({ repeat }: { repeat?: object }) => repeat)).toMatchObject([
      { count: 1 },
      undefined as never,
    ]);
  });

  test('`org check` mends the place of a finding', async () => {
    const [first, last] = [await found(), await found()];
    const places = () =>
      Array.fromAsync(queryRows(ines.caller, keys.foundAt.range(ines.caller, yard.id, family.id)));
    const [row] = await places();
    await change(ines.caller, () => ({ writes: [write.drop(row!)], reply: null }));
    expect(await repeatOf(last)).toBeNull();
    expect(await check()).toMatchObject({ found: 1, mended: 1 });
    expect(await repeatOf(last)).toMatchObject({ previous_finding_id: first.id });

    const depot = await newLocation(ines);
    const elsewhere = { location_id: depot.id, template_family_id: family.id };
    await change(ines.caller, () => ({
      writes: [
        write.update(keys.child(ines.caller, first.inspection_id, 'FINDING', first.id), {
          set: { found_in: elsewhere },
        }),
        write.drop(row!),
        write.put({ ...row!, ...keys.foundAt(ines.caller, depot.id, family.id, first.id) }),
      ],
      reply: null,
    }));
    expect((await check()).found).toBeGreaterThan(0);
    expect((await check()).found).toBe(0);
    expect((await places()).length).toBe(2);
  });
});
