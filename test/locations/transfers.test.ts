import fc from 'fast-check';
import * as beginDueTransfers from '../../functions/workers/begin-due-transfers.ts';
import * as errors from '../../shared/base/errors.ts';
import { MAX_MERGED } from '../../shared/places/locations/places.ts';
import { scheduleRecords } from '../../shared/schedules/records.ts';
import { leaving } from '../../shared/schedules/relocations.ts';
import type { LocationTransfer, RequestedTransfer } from '../../shared/schemas/location-transfer.ts';
import type { Location } from '../../shared/schemas/location.ts';
import { withoutKeys } from '../../shared/table/rows.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { deleteRemains } from '../../shared/upkeep/remains.ts';
import { step, take } from '../../shared/upkeep/transfers/transfers.ts';
import { newClientAccount } from '../client-accounts/scenarios.ts';
import { newAction, newFinding } from '../corrective-actions/fixtures.ts';
import {
  advance,
  completedInspection,
  newInspection,
  NOTHING_REQUIRED,
  sharedFamily,
  startedInspection,
} from '../inspections/fixtures.ts';
import { newIssue, newLink } from '../issues/fixtures.ts';
import { cleanUp, newSchedule } from '../schedules/fixtures.ts';
import { useClock } from '../support/clock.ts';
import { waitingTasks } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { scaled } from '../support/scale.ts';
import { publishedFamily } from '../templates/fixtures.ts';
import { newLocation } from './scenarios.ts';

const clock = useClock();

const transfer = (by: Person, { id }: { id: string }, body: object) =>
  by.try.locations.transfer({ params: { location_id: id }, body });
const transferOf = (by: Person, { id }: Pick<RequestedTransfer, 'id'>): Promise<LocationTransfer> =>
  by.locations.getTransfer({ params: { transfer_id: id! } });
const locationOf = (by: Person, { id }: { id: string }): Promise<Location> =>
  by.locations.get({ params: { location_id: id } });
const inspectionOf = (by: Person, { id }: { id: string }) =>
  by.inspections.get({ params: { inspection_id: id } });

const differencesIn = async ({ caller }: Person) =>
  (await checkOrganization(caller, { repair: false })).differences;

/** A site with a tower in it, of a client account, and all that can be open there. */
const occupied = async (by: Person) => {
  const [from, to] = [await newClientAccount(by), await newClientAccount(by)];
  const of = { client_account_id: from.id };
  const estate = await newLocation(by, { ...of, name: 'Estate' });
  const site = await newLocation(by, { ...of, name: 'Site', parent_id: estate.id });
  const tower = await newLocation(by, { ...of, name: 'Tower', parent_id: site.id });
  const other = await newLocation(by, { ...of, name: 'Other' });
  const there = { location_id: tower.id };
  const template_family_id = await sharedFamily(by);
  const done = await completedInspection(by, { ...there, template_family_id });
  const open = await startedInspection(by, { ...there, template_family_id });
  const elsewhere = await newInspection(by, { location_id: other.id, template_family_id });
  const action = await newAction(by, {}, await newFinding(by, {}, open));
  const issue = await newIssue(by, there);
  const link = await newLink(by, { location_id: site.id });
  const its = await newSchedule(by, { ...of, template_family_id, location_ids: [tower.id] });
  const shared = await newSchedule(by, {
    ...of,
    template_family_id,
    location_ids: [tower.id, other.id],
  });
  const beside = await newLink(by, { location_id: other.id });
  return {
    from,
    to,
    estate,
    site,
    tower,
    other,
    done,
    open,
    elsewhere,
    action,
    issue,
    link,
    beside,
    its,
    shared,
  };
};

describe('POST /locations/{location_id}/transfer', () => {
  test('202 takes the location, all below it and what is open there, and leaves what was completed', async () => {
    const by = await newPerson('Owner');
    const { from, to, site, tower, estate, ...at } = await occupied(by);
    const { status, body } = await transfer(by, site, { client_account_id: to.id });
    expect([status, body.status, body.from_client_account_id]).toEqual([202, 'running', from.id]);
    await cleanUp(by);
    expect(await transferOf(by, body)).toMatchObject({
      status: 'completed',
      error: null,
      counts: {
        locations: 2,
        inspections: 1,
        corrective_actions: 1,
        issues: 1,
        schedules: 2,
        public_links: 1,
      },
    });
    expect(await locationOf(by, site)).toMatchObject({ client_account_id: to.id, parent_id: null, path: [] });
    expect(await locationOf(by, tower)).toMatchObject({
      client_account_id: to.id,
      path: [{ id: site.id, name: 'Site' }],
    });
    expect((await locationOf(by, estate)).client_account_id).toBe(from.id);
    expect((await inspectionOf(by, at.open)).client_account_id).toBe(to.id);
    expect((await inspectionOf(by, at.done)).client_account_id).toBe(from.id);
    expect((await inspectionOf(by, at.elsewhere)).client_account_id).toBe(from.id);
    const found = await by.correctiveActions.listAll({ query: { client_account_id: to.id } });
    expect(found.map(({ id }: { id: string }) => id)).toEqual([at.action.id]);
    expect((await by.issues.get({ params: { issue_id: at.issue.id } })).client_account_id).toBe(to.id);
    const scheduleOf = ({ id }: { id: string }) => by.schedules.get({ params: { schedule_id: id } });
    expect(await scheduleOf(at.its)).toMatchObject({ client_account_id: to.id, location_ids: [tower.id] });
    expect(await scheduleOf(at.shared)).toMatchObject({
      client_account_id: from.id,
      location_ids: [at.other.id],
      status: 'active',
    });
    const its = withoutKeys((await scheduleRecords.find(by.caller, at.its.id))!);
    const leaves = (status: typeof its.status) =>
      leaving({ ...its, status }, null, new Set([tower.id]), to.id, true)?.outcome;
    expect([leaves('active'), leaves('paused'), leaves('ended')]).toEqual(['moves', 'moves', undefined]);
    const linksOf = ({ category_id }: { category_id: string }) =>
      by.issues.listPublicLinks({ params: { category_id } });
    expect(await linksOf(at.link)).toMatchObject([{ id: at.link.id, client_account_id: to.id }]);
    expect(await linksOf(at.beside)).toMatchObject([{ id: at.beside.id, client_account_id: from.id }]);
    expect(await differencesIn(by)).toEqual([]);
  });

  test('lists of a place still find what keeps its former client account, also among many places', async () => {
    const by = await newPerson('Finder');
    const { to, site, ...at } = await occupied(by);
    const inspection = await startedInspection(by, { location_id: at.tower.id, family: NOTHING_REQUIRED });
    const finding = await newFinding(by, {}, inspection);
    await advance(by.key, inspection);
    const rows = Array.from({ length: MAX_MERGED }, (_, n) => ({
      name: `Room ${n}`,
      client_account_id: at.from.id,
      parent_id: site.id,
    }));
    await by.locations.createBatch({ body: { rows } });
    await transfer(by, site, { client_account_id: to.id });
    await cleanUp(by);
    expect((await inspectionOf(by, inspection)).client_account_id).toBe(at.from.id);
    const query = { within: site.id };
    const ids = (found: { id: string }[]) => found.map(({ id }) => id).toSorted();
    const inspections = [at.done, at.open, inspection];
    expect(ids(await by.inspections.list({ query }))).toEqual(ids(inspections));
    expect(ids(await by.findings.listAll({ query }))).toContain(finding.id);
  });

  test('202 keeps what the request keeps; a schedule that stays loses its locations and is paused', async () => {
    const by = await newPerson('Keeper');
    const { from, to, site, ...at } = await occupied(by);
    const kept = { inspections: 'keep', issues: 'keep', schedules: 'keep', public_links: 'keep' };
    const { body } = await transfer(by, site, { client_account_id: to.id, ...kept });
    await cleanUp(by);
    expect((await transferOf(by, body)).counts).toEqual({
      locations: 2,
      inspections: 0,
      corrective_actions: 0,
      issues: 0,
      schedules: 2,
      public_links: 0,
    });
    expect((await inspectionOf(by, at.open)).client_account_id).toBe(from.id);
    expect((await by.issues.get({ params: { issue_id: at.issue.id } })).client_account_id).toBe(from.id);
    expect(await by.schedules.get({ params: { schedule_id: at.its.id } })).toMatchObject({
      client_account_id: from.id,
      location_ids: [],
      status: 'paused',
    });
    expect(await differencesIn(by)).toEqual([]);
  });

  test('200 of a dry run lists everything by name, and changes nothing', async () => {
    const by = await newPerson('Planner');
    const { from, to, site, tower, ...at } = await occupied(by);
    const old = await newAction(by, {}, await newFinding(by, {}, await startedInspection(by)));
    const { status, body } = await transfer(by, site, { client_account_id: to.id, dry_run: true });
    expect([status, body.id, body.status]).toEqual([200, null, 'planned']);
    const named = body.items.map(({ kind, id, outcome }: Record<string, string>) => [kind, id, outcome]);
    expect(named).toEqual(
      expect.arrayContaining([
        ['location', site.id, 'moves'],
        ['location', tower.id, 'moves'],
        ['inspection', at.open.id, 'moves'],
        ['corrective_action', at.action.id, 'moves'],
        ['issue', at.issue.id, 'moves'],
        ['schedule', at.its.id, 'moves'],
        ['schedule', at.shared.id, 'loses_locations'],
        ['public_link', at.link.id, 'moves'],
      ]),
    );
    expect(named).toHaveLength(8);
    expect(named.flat()).not.toContain(old.id);
    expect((await locationOf(by, site)).client_account_id).toBe(from.id);
    expect(await by.locations.listTransfers({})).toEqual([]);
  });

  test('202 gives a client account to locations that had none, and takes it away', async () => {
    const by = await newPerson('Giver');
    const { id: client_account_id } = await newClientAccount(by);
    const yard = await newLocation(by, { name: 'Yard' });
    const shed = await newLocation(by, { name: 'Shed', parent_id: yard.id });
    const alone = await newLocation(by, { name: 'Alone' });
    const inspection = await newInspection(by, { location_id: shed.id });
    await transfer(by, yard, { client_account_id });
    await cleanUp(by);
    expect((await locationOf(by, shed)).client_account_id).toBe(client_account_id);
    expect((await locationOf(by, alone)).client_account_id).toBeNull();
    expect((await inspectionOf(by, inspection)).client_account_id).toBe(client_account_id);
    await transfer(by, shed, { client_account_id: null });
    await cleanUp(by);
    expect(await locationOf(by, shed)).toMatchObject({ client_account_id: null, parent_id: null });
    expect((await inspectionOf(by, inspection)).client_account_id).toBeNull();
    expect(await differencesIn(by)).toEqual([]);
  });

  test('202 moves a schedule of listed places and one with a filter', async () => {
    const by = await newPerson('Lists');
    const { from, to, site, tower, other } = await occupied(by);
    const of = { client_account_id: from.id };
    const template_family_id = await sharedFamily(by);
    const all = await newSchedule(by, {
      ...of,
      template_family_id,
      places: { location_ids: [site.id, tower.id] },
    });
    const some = await newSchedule(by, {
      ...of,
      template_family_id,
      places: { location_ids: [tower.id, other.id] },
    });
    const below = await newSchedule(by, { template_family_id, places: { ...of, within: site.id } });
    await transfer(by, site, { client_account_id: to.id });
    await cleanUp(by);
    const shown = ({ id }: { id: string }) => by.schedules.get({ params: { schedule_id: id } });
    expect(await shown(all)).toMatchObject({ client_account_id: to.id });
    expect(await shown(some)).toMatchObject({
      client_account_id: from.id,
      places: { location_ids: [other.id], locations_count: 1 },
    });
    expect(await shown(below)).toMatchObject({ places: { client_account_id: to.id, within: site.id } });
    expect(await differencesIn(by)).toEqual([]);
  });

  test('202 for later begins when it is due, and a cancelled one never', async () => {
    const by = await newPerson('Later');
    const { to, site, tower } = await occupied(by);
    const effective_at = new Date(Date.now() + 3_600_000).toISOString();
    const later = { client_account_id: to.id, effective_at };
    const { body: cancelled } = await transfer(by, site, later);
    const { body: due } = await transfer(by, tower, later);
    expect([due.status, due.effective_at]).toEqual(['scheduled', effective_at]);
    const cancel = ({ id }: { id: string }) =>
      by.try.locations.cancelTransfer({ params: { transfer_id: id } });
    expect((await cancel(cancelled)).body.status).toBe('cancelled');
    expect((await cancel(cancelled)).body.status).toBe('cancelled');
    await beginDueTransfers.handler();
    expect((await transferOf(by, due)).status).toBe('scheduled');
    clock.pass(3_601);
    await beginDueTransfers.handler();
    expect((await cancel(due)).status).toBe(409);
    await cleanUp(by);
    expect((await transferOf(by, due)).status).toBe('completed');
    expect((await transferOf(by, cancelled)).status).toBe('cancelled');
    expect((await locationOf(by, tower)).client_account_id).toBe(to.id);
    expect((await locationOf(by, site)).client_account_id).not.toBe(to.id);
    expect(await by.locations.listTransfers({ query: { status: 'completed' } })).toHaveLength(1);
  });

  test('202 begins at once for a moment that has passed', async () => {
    const by = await newPerson('Past');
    const [from, to] = [await newClientAccount(by), await newClientAccount(by)];
    const shed = await newLocation(by, { client_account_id: from.id });
    const effective_at = new Date(Date.now() - 60_000).toISOString();
    const { body } = await transfer(by, shed, { client_account_id: to.id, effective_at });
    expect([body.status, body.effective_at > effective_at]).toEqual(['running', true]);
  });

  test('fails when it is due, if the location or the client account was deleted', async () => {
    const by = await newPerson('Gone');
    const { from, to } = await occupied(by);
    const shed = await newLocation(by, { client_account_id: from.id });
    const effective_at = new Date(Date.now() + 3_600_000).toISOString();
    const { body } = await transfer(by, shed, { client_account_id: to.id, effective_at });
    await by.locations.delete({ params: { location_id: shed.id } });
    clock.pass(3_601);
    await beginDueTransfers.handler();
    expect(await transferOf(by, body)).toMatchObject({
      status: 'failed',
      error: 'The location was deleted.',
    });
  });

  test('fails when the client account is deleted meanwhile, and leaves the rest where it was', async () => {
    const by = await newPerson('Deleted');
    const { from, to, site, tower } = await occupied(by);
    const { body } = await transfer(by, site, { client_account_id: to.id });
    const root = await transferOf(by, body);
    await step(by.caller, root.id, take(site.id));
    await by.clientAccounts.delete({ params: { ca_id: to.id }, query: { cascade: true } });
    await cleanUp(by);
    expect(await transferOf(by, body)).toMatchObject({
      status: 'failed',
      error: 'client_account_id does not exist.',
      counts: { locations: 1 },
    });
    expect((await by.try.locations.get({ params: { location_id: site.id } })).status).toBe(404);
    expect(await locationOf(by, tower)).toMatchObject({ client_account_id: from.id, parent_id: null });
    expect(await differencesIn(by)).toEqual([]);
  });

  test('takes what comes to be below meanwhile, and refuses what would stand in another client account', async () => {
    const by = await newPerson('Meanwhile');
    const { from, to, site, tower } = await occupied(by);
    await transfer(by, site, { client_account_id: to.id });
    const late = await newLocation(by, { client_account_id: from.id, parent_id: tower.id });
    const task = (await waitingTasks(by.caller)).find(({ data }) => data.transfer_id);
    await deleteRemains(by.caller, task!.data, 0);
    const refused = await by.try.locations.create({
      body: { name: 'Hut', client_account_id: from.id, parent_id: tower.id },
    });
    expect([refused.status, refused.body]).toEqual([
      400,
      { detail: 'parent_id belongs to another client account.' },
    ]);
    await cleanUp(by);
    expect((await locationOf(by, late)).client_account_id).toBe(to.id);
    expect(await differencesIn(by)).toEqual([]);
  });

  test('does the same where its worker is interrupted anywhere, and its tasks come twice', async () => {
    const by = await newPerson('Twice');
    const { to, site } = await occupied(by);
    const { body } = await transfer(by, site, { client_account_id: to.id });
    const isOurs = ({ data }: { data: { transfer_id?: string } }) => data.transfer_id === body.id;
    for (let at = 0; ; at += 1) {
      const task = (await waitingTasks(by.caller)).filter(isOurs)[at];
      if (!task) break;
      await deleteRemains(by.caller, task.data, 0);
      await deleteRemains(by.caller, task.data, 0);
      if (at > 30) throw new Error('The transfer does not end.');
    }
    await cleanUp(by);
    expect(await transferOf(by, body)).toMatchObject({
      status: 'completed',
      counts: { locations: 2, inspections: 1, issues: 1, schedules: 2, public_links: 1 },
    });
  });

  test('400, 404, 409 and 422 change nothing', async () => {
    const by = await newPerson('Refused');
    const { from, to, site, tower } = await occupied(by);
    const stranger = await newPerson('Stranger');
    const { id: unknown } = await newClientAccount(stranger);
    const answers = [
      await transfer(by, site, { client_account_id: unknown }),
      await transfer(stranger, site, { client_account_id: unknown }),
      await transfer(by, site, { client_account_id: from.id }),
      await transfer(by, site, {}),
      await transfer(by, site, { client_account_id: to.id, inspections: 'drop' }),
      await transfer(by, site, { client_account_id: to.id, effective_at: 'soon' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 404, 409, 422, 422, 422]);
    expect(await by.locations.listTransfers({})).toEqual([]);
    const { body: running } = await transfer(by, site, { client_account_id: to.id });
    const { status, body } = await transfer(by, tower, { client_account_id: to.id });
    expect([status, body.detail]).toEqual([409, errors.transferRunning(running.id).detail]);
  });
});

describe('a transfer', () => {
  test('does what its dry run says, whatever is there', async () => {
    const by = await newPerson('Plans');
    const { id: template_family_id } = await publishedFamily(by.key);
    const clients = [await newClientAccount(by), await newClientAccount(by), { id: null }];
    const policy = fc.constantFrom('move', 'keep');
    const world = fc.record({
      /** The parent of each location, by its position, if it is one of those before. */
      parents: fc.array(fc.option(fc.nat(5)), { minLength: 6, maxLength: 6 }),
      from: fc.nat(2),
      shift: fc.constantFrom(1, 2),
      moved: fc.nat(5),
      inspected: fc.array(fc.nat(5), { maxLength: 4 }),
      reported: fc.array(fc.nat(5), { maxLength: 2 }),
      scheduled: fc.array(fc.uniqueArray(fc.nat(5), { minLength: 1, maxLength: 3 }), { maxLength: 3 }),
      policies: fc.record({ inspections: policy, issues: policy, schedules: policy, public_links: policy }),
    });
    await fc.assert(
      fc.asyncProperty(world, async ({ parents, inspected, reported, scheduled, policies, ...given }) => {
        const client_account_id = clients[given.from]!.id;
        const places: Location[] = [];
        for (const [at, parent] of parents.entries()) {
          const parent_id = parent !== null && parent < at ? places[parent]!.id : null;
          places.push(await newLocation(by, { name: `P${at}`, client_account_id, parent_id }));
        }
        for (const at of inspected)
          await newInspection(by, { template_family_id, location_id: places[at]!.id });
        for (const at of reported) await newIssue(by, { location_id: places[at]!.id });
        for (const at of scheduled) {
          const location_ids = at.map((each) => places[each]!.id);
          await newSchedule(by, { template_family_id, client_account_id, location_ids });
        }
        const to = clients[(given.from + given.shift) % 3]!.id;
        const body = { client_account_id: to, ...policies };
        const plan = await transfer(by, places[given.moved]!, { ...body, dry_run: true });
        const { body: begun } = await transfer(by, places[given.moved]!, body);
        await cleanUp(by);
        expect(await transferOf(by, begun)).toMatchObject({ status: 'completed', counts: plan.body.counts });
        const going = plan.body.items.flatMap(({ kind, id }: Record<string, string>) =>
          kind === 'location' ? [id] : [],
        );
        for (const place of places) {
          const { client_account_id: owner } = await locationOf(by, place);
          expect(owner).toBe(going.includes(place.id) ? to : client_account_id);
        }
        const after = await transfer(by, places[given.moved]!, { client_account_id, dry_run: true });
        expect(after.body.counts.locations).toBe(going.length);
      }),
      { numRuns: scaled(4, 60) },
    );
    expect(await differencesIn(by)).toEqual([]);
  });
});
