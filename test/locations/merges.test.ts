import fc from 'fast-check';
import * as errors from '../../shared/base/errors.ts';
import type { Location } from '../../shared/schemas/location.ts';
import type { Key } from '../../shared/table/keys.ts';
import { scanPage } from '../../shared/table/scan.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { deleteRemains } from '../../shared/upkeep/remains.ts';
import { newAsset } from '../assets/scenarios.ts';
import { newCertificate } from '../certificates/fixtures.ts';
import { newClientAccount } from '../client-accounts/scenarios.ts';
import { newAction, newFinding } from '../corrective-actions/fixtures.ts';
import {
  completedInspection,
  newInspection,
  sharedFamily,
  startedInspection,
} from '../inspections/fixtures.ts';
import { newIssue, newLink } from '../issues/fixtures.ts';
import { ALWAYS, countChanges } from '../numbers/fixtures.ts';
import { cleanUp, generateAt, inspectionsOf, newSchedule } from '../schedules/fixtures.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { waitingEvents } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { scaled } from '../support/scale.ts';
import { publishedFamily } from '../templates/fixtures.ts';
import { newLocation } from './scenarios.ts';

type At = { id: string };

const merge = (by: Person, { id }: At, into: At, fields: object = {}) =>
  by.try.locations.merge({ params: { location_id: id }, body: { into: into.id, ...fields } });
const locationOf = (by: Person, { id }: At): Promise<Location> =>
  by.locations.get({ params: { location_id: id } });
const inspectionOf = (by: Person, { id }: At) => by.inspections.get({ params: { inspection_id: id } });
const differencesIn = async ({ caller }: Person) =>
  (await checkOrganization(caller, { repair: false })).differences;

/** All that can name a location. */
const occupied = async (by: Person, former: Location, target: Location) => {
  const { id: location_id } = former;
  const template_family_id = await sharedFamily(by);
  const there = { location_id, template_family_id };
  const child = await newLocation(by, { name: 'Shed', parent_id: former.id });
  const { certificate, inspection: done } = await newCertificate(by, { location_id });
  const open = await startedInspection(by, there);
  const finding = await newFinding(by, {}, open);
  const action = await newAction(by, {}, finding);
  const issue = await newIssue(by, { location_id });
  const asset = await newAsset(by, { location_id });
  const link = await newLink(by, { location_id });
  const schedules = [
    await newSchedule(by, { template_family_id, location_ids: [former.id, target.id] }),
    await newSchedule(by, { template_family_id, places: { location_ids: [former.id] } }),
    await newSchedule(by, { template_family_id, places: { within: former.id } }),
  ] as const;
  return { child, done, open, finding, action, issue, asset, certificate, link, schedules };
};

/** The rows of an organization, without its keys, which count requests. */
const rowsOf = async ({ caller }: Person): Promise<object[]> => {
  const rows: object[] = [];
  let start: Key | undefined;
  do {
    const page = await scanPage(start, 1_000, caller.org_id);
    rows.push(...page.rows.filter(({ pk }) => !pk.startsWith('KEY#')));
    start = page.next;
  } while (start);
  return rows;
};

describe('POST /locations/{location_id}/merge', () => {
  test('200 gives all that belongs to the location the other one, and leads the id and the reference there', async () => {
    const by = await newPerson('Merger');
    const former = await newLocation(by, { name: 'Old', external_ref: 'old', tags: ['crane'] });
    const target = await newLocation(by, { name: 'New' });
    const { child, done, open, finding, action, issue, asset, certificate, link, schedules } = await occupied(
      by,
      former,
      target,
    );
    const [schedule, listed, below] = schedules;
    const { status, body } = await merge(by, former, target);
    expect([status, body.id]).toEqual([200, target.id]);
    expect((await merge(by, former, target)).body.id).toBe(target.id);
    const gone = (await waitingEvents(by.caller)).filter(({ type }) => type === 'location.deleted');
    expect(gone.map(({ data }) => data.id)).toEqual([former.id]);
    await cleanUp(by);
    expect((await locationOf(by, former)).id).toBe(target.id);
    expect(await by.locations.list({ query: { external_ref: 'old' } })).toMatchObject([{ id: target.id }]);
    const names = (await by.locations.list({})).map(({ name }: Location) => name);
    expect(names).toEqual(['Harbour North', 'New', 'Shed']);
    expect(await by.locations.list({ query: { tag: 'crane' } })).toEqual([]);
    expect(await locationOf(by, child)).toMatchObject({ path: [{ id: target.id, name: 'New' }] });
    expect((await inspectionOf(by, open)).location_id).toBe(target.id);
    const completed = await inspectionOf(by, done);
    expect(completed.location_id).toBe(target.id);
    const at = { query: { location_id: target.id } };
    expect((await by.inspections.list(at)).map(({ id }: At) => id).toSorted()).toEqual(
      [done.id, open.id].toSorted(),
    );
    expect((await by.findings.listAll(at)).map(({ id }: At) => id)).toEqual([finding.id]);
    expect((await by.correctiveActions.listAll(at)).map(({ id }: At) => id)).toEqual([action.id]);
    expect((await by.issues.list(at)).map(({ id }: At) => id)).toEqual([issue.id]);
    expect((await by.assets.get({ params: { asset_id: asset.id } })).location_id).toBe(target.id);
    expect(await by.certificates.list(at)).toMatchObject([
      { id: certificate.id, names_then: { location: { name: 'Old' } } },
    ]);
    const { category_id } = link;
    expect(await by.issues.listPublicLinks({ params: { category_id } })).toMatchObject([
      { location_id: target.id },
    ]);
    const scheduleOf = ({ id }: At) => by.schedules.get({ params: { schedule_id: id } });
    expect((await scheduleOf(schedule)).location_ids).toEqual([target.id]);
    expect((await scheduleOf(listed)).places).toMatchObject({ location_ids: [target.id] });
    expect((await scheduleOf(below)).places).toMatchObject({ within: target.id });
    expect(await differencesIn(by)).toEqual([]);
  });

  test('200 keeps the name that a completed inspection had in its report', async () => {
    const by = await newPerson('Keeper');
    const [former, target] = [await newLocation(by, { name: 'Old' }), await newLocation(by, { name: 'New' })];
    const done = await completedInspection(by, { location_id: former.id });
    await merge(by, former, target);
    await cleanUp(by);
    const payload = await by.reports.getPayload({ params: { inspection_id: done.id } });
    expect(payload.inspection.location).toMatchObject({ name: 'Old' });
  });

  test('200 creates no inspection again that a schedule has created for the former location', async () => {
    const by = await newPerson('Ahead');
    const [former, target] = [await newLocation(by), await newLocation(by)];
    const schedule = await newSchedule(by, { create_ahead_days: 2, location_ids: [former.id] });
    await generateAt(by, 0);
    const before = await inspectionsOf(by, schedule);
    expect(before.length).toBeGreaterThan(0);
    await merge(by, former, target);
    await cleanUp(by);
    await generateAt(by, 0);
    const after = await inspectionsOf(by, schedule);
    expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    for (const { location_id } of after) expect(location_id).toBe(target.id);
  });

  test('200 of a dry run changes nothing, and says what the merge then does', async () => {
    const by = await newPerson('Planner');
    const former = await newLocation(by, { name: 'Old' });
    const estate = await newLocation(by, { name: 'Estate' });
    const target = await newLocation(by, { name: 'New', parent_id: estate.id });
    const { child, done, open, finding, action, issue, asset, certificate, link, schedules } = await occupied(
      by,
      former,
      target,
    );
    await newLocation(by, { parent_id: child.id });
    const there = await newInspection(by, { location_id: target.id });
    const before = await rowsOf(by);
    const { status, body } = await merge(by, former, target, { dry_run: true });
    expect(await rowsOf(by)).toEqual(before);
    const { counts, items, ...location } = body;
    expect([status, location]).toEqual([200, await locationOf(by, target)]);
    expect(items).toEqual([
      { kind: 'asset', id: asset.id, name: asset.name },
      { kind: 'location', id: child.id, name: 'Shed' },
      { kind: 'inspection', id: done.id, name: done.name },
      { kind: 'inspection', id: open.id, name: open.name },
      { kind: 'certificate', id: certificate.id, name: certificate.title },
      { kind: 'issue', id: issue.id, name: issue.title },
      { kind: 'finding', id: finding.id, name: finding.label },
      { kind: 'corrective_action', id: action.id, name: action.title },
      ...schedules.map(({ id, title }) => ({ kind: 'schedule', id, name: title })),
      { kind: 'public_link', id: link.id, name: link.label },
    ]);
    expect(counts).toEqual({
      locations: 1,
      inspections: 2,
      findings: 1,
      corrective_actions: 1,
      issues: 1,
      assets: 1,
      certificates: 1,
      schedules: 3,
      public_links: 1,
    });
    const merged = await merge(by, former, target);
    expect([merged.status, merged.body.items]).toEqual([200, undefined]);
    const again = await merge(by, former, target, { dry_run: true });
    expect([again.status, again.body.items]).toEqual([200, items]);
    await cleanUp(by);
    expect((await merge(by, former, target, { dry_run: true })).body).toMatchObject({
      id: target.id,
      items: [],
    });
    const at = { query: { location_id: target.id } };
    const found = {
      asset: await by.assets.list(at),
      location: await by.locations.list({ query: { parent_id: target.id } }),
      inspection: await by.inspections.list(at),
      certificate: await by.certificates.list(at),
      issue: await by.issues.list(at),
      finding: await by.findings.listAll(at),
      corrective_action: await by.correctiveActions.listAll(at),
    };
    for (const [kind, rows] of Object.entries(found)) {
      const said = items.filter((each: { kind: string }) => each.kind === kind).map(({ id }: At) => id);
      const ids = rows.map(({ id }: At) => id).filter((id: string) => id !== there.id);
      expect([kind, ids.toSorted()]).toEqual([kind, said.toSorted()]);
    }
  });

  test('all that names the former location from then on is of the other one, also while the merge goes on', async () => {
    const by = await newPerson('New');
    const [former, target, third] = [await newLocation(by), await newLocation(by), await newLocation(by)];
    const params = { location_id: former.id };
    const child = await newLocation(by, { parent_id: former.id });
    const moved = await newInspection(by);
    await merge(by, former, target);
    const hut = await by.locations.create({ body: { name: 'Hut', parent_id: former.id } });
    expect(hut).toMatchObject({ parent_id: target.id, path: [{ id: target.id }] });
    const renamed = await by.locations.update({ params, body: { name: 'Else' } });
    expect(renamed).toMatchObject({ id: target.id, name: 'Else', version: target.version + 1 });
    const stale = await by.try.locations.update({ params, body: { name: 'No', expected_version: 1 } });
    expect(stale.status).toBe(409);
    const metadata = { site: former.id };
    const asset = await by.assets.create({ body: { name: former.id, ...params, metadata } });
    expect(asset).toMatchObject({ name: former.id, location_id: target.id, metadata });
    const issue = await by.issues.create({ body: { title: 'Wet' } });
    const placed = await by.issues.update({ params: { issue_id: issue.id }, body: params });
    expect(placed.location_id).toBe(target.id);
    const body = { ...params, participants: [] };
    const { location_id } = await by.inspections.update({ params: { inspection_id: moved.id }, body });
    expect(location_id).toBe(target.id);
    const schedule = await newSchedule(by, { location_ids: [former.id, target.id, third.id] });
    expect(schedule.location_ids).toEqual([target.id, third.id]);
    const { body: rows } = await by.try.locations.createBatch({
      body: {
        rows: [
          { name: 'Dock', parent_id: former.id },
          { name: 'None', parent_id: issue.id },
        ],
      },
    });
    expect(rows.results).toMatchObject([
      { status: 'created', response: { parent_id: target.id } },
      { status: 'invalid' },
    ]);
    expect((await by.locations.list({ query: { within: former.id } })).map(({ id }: At) => id)).toContain(
      hut.id,
    );
    await cleanUp(by);
    expect(await locationOf(by, child)).toMatchObject({ parent_id: target.id });
    expect(await differencesIn(by)).toEqual([]);
  });

  test('numbers by branch count below the other location', async () => {
    const by = await newPerson('Branches');
    const estate = await newLocation(by, { name: 'Estate' });
    const [former, target] = [await newLocation(by), await newLocation(by, { parent_id: estate.id })];
    const { id: location_id } = await newLocation(by, { parent_id: target.id });
    await startedInspection(by, { location_id });
    await countChanges(by);
    await merge(by, former, target);
    await cleanUp(by);
    const query = { within: former.id, group_by: ['branch'], ...ALWAYS };
    const { groups } = await by.inspections.summarize({ query });
    expect(groups).toMatchObject([{ by: { branch: { id: location_id } } }]);
  });

  test('an answer names the other location, in the start as well', async () => {
    const by = await newPerson('Answers');
    const [former, target] = [await newLocation(by), await newLocation(by)];
    await merge(by, former, target);
    const content = {
      ...contentWith(field(2, 'location'), field(3, 'text')),
      start: {
        fields: [
          { key: 'site', type: 'location', label: 'Site' },
          { key: 'text', type: 'text', label: 'Text' },
        ],
      },
    };
    const { id: template_family_id } = await publishedFamily(by.key, { content });
    const inspection = await startedInspection(by, { template_family_id });
    const params = { inspection_id: inspection.id };
    const answered = async (n: number) => {
      const given = { section_id: uuid(1), field_id: uuid(n), value: former.id };
      return (await by.answers.replace({ params, body: given })).value;
    };
    expect([await answered(2), await answered(3)]).toEqual([target.id, former.id]);
    const body = { start_answers: { site: former.id, text: former.id } };
    expect((await by.inspections.update({ params, body })).start_answers).toEqual({
      site: target.id,
      text: former.id,
    });
  });

  test('a former id is neither merged nor deleted again, and leads nowhere once the other location is deleted', async () => {
    const by = await newPerson('Ended');
    const [first, former, target, third] = [
      await newLocation(by),
      await newLocation(by),
      await newLocation(by),
      await newLocation(by),
    ];
    const params = { location_id: former.id };
    await merge(by, first, former);
    await cleanUp(by);
    await merge(by, former, target);
    const refused = [await by.try.locations.delete({ params }), await merge(by, former, third)];
    for (const { status, headers } of refused)
      expect([status, headers['x-error-code']]).toEqual([409, errors.locationMerged.code]);
    expect((await merge(by, first, former)).body).toMatchObject({ id: target.id, version: 1 });
    await cleanUp(by);
    expect((await merge(by, third, first)).body.id).toBe(target.id);
    await cleanUp(by);
    expect((await by.try.locations.delete({ params: { location_id: target.id } })).status).toBe(204);
    expect((await by.try.locations.get({ params })).status).toBe(404);
    expect((await by.try.locations.update({ params, body: { name: 'No' } })).status).toBe(404);
    expect((await by.try.assets.create({ body: { name: 'Lift', ...params } })).status).toBe(400);
    expect(await by.locations.list({ query: { within: former.id } })).toEqual([]);
    expect(await by.assets.list({ query: params })).toEqual([]);
  });

  test('400, 404 and 409 change nothing', async () => {
    const by = await newPerson('Refused');
    const { id: client_account_id } = await newClientAccount(by);
    const site = await newLocation(by);
    const tower = await newLocation(by, { parent_id: site.id });
    const other = await newLocation(by, { client_account_id });
    const stranger = await newLocation(await newPerson('Stranger'));
    let deep = await newLocation(by);
    for (let level = 1; level < 10; level += 1) deep = await newLocation(by, { parent_id: deep.id });
    const [gone, standing] = [await newLocation(by), await newLocation(by)];
    await merge(by, gone, standing);
    const refused = [
      [site, site, 409],
      [site, tower, 409],
      [site, other, 400],
      [site, stranger, 400],
      [stranger, site, 404],
      [site, deep, 409],
      [gone, site, 409],
    ] as const;
    for (const [former, into, expected] of refused) {
      const { status, body } = await merge(by, former, into);
      expect(status).toBe(expected);
      expect(await merge(by, former, into, { dry_run: true })).toMatchObject({ status, body });
    }
    expect((await by.try.locations.merge({ params: { location_id: site.id }, body: {} })).status).toBe(422);
    const params = { location_id: tower.id };
    await by.locations.transfer({ params, body: { client_account_id } });
    const { status, body } = await merge(by, site, standing);
    expect(status).toBe(409);
    expect(await merge(by, site, standing, { dry_run: true })).toMatchObject({ status, body });
    expect(await locationOf(by, site)).toMatchObject({ id: site.id, version: 1 });
  });

  test('forms no circle with what moves meanwhile', async () => {
    const by = await newPerson('Meanwhile');
    const [former, target] = [await newLocation(by, { name: 'S' }), await newLocation(by, { name: 'T' })];
    const child = await newLocation(by, { name: 'C', parent_id: former.id });
    await merge(by, former, target);
    const params = { location_id: target.id };
    const body = { parent_id: child.id };
    expect((await by.try.locations.update({ params, body })).status).toBe(409);
    expect((await merge(by, target, child)).status).toBe(409);
    expect((await by.try.locations.delete({ params })).status).toBe(409);
    await cleanUp(by);
    expect(await locationOf(by, child)).toMatchObject({ path: [{ id: target.id, name: 'T' }] });
    expect(await differencesIn(by)).toEqual([]);
  });

  test('200 into the location that contains it', async () => {
    const by = await newPerson('Upwards');
    const target = await newLocation(by);
    const former = await newLocation(by, { parent_id: target.id });
    const child = await newLocation(by, { parent_id: former.id });
    expect((await merge(by, former, target)).status).toBe(200);
    await cleanUp(by);
    expect((await locationOf(by, child)).parent_id).toBe(target.id);
    expect(await differencesIn(by)).toEqual([]);
  });
});

describe('the tree of locations', () => {
  test('has no circle and loses nothing, whatever moves, merges and transfers in any order', async () => {
    const COUNT = 6;
    const place = fc.nat(COUNT - 1);
    const step = fc.oneof(
      fc.record({ kind: fc.constant('move' as const), of: place, to: fc.option(place) }),
      fc.record({ kind: fc.constant('merge' as const), of: place, to: place }),
      fc.record({ kind: fc.constant('transfer' as const), of: place, to: fc.nat(2) }),
      fc.record({ kind: fc.constant('work' as const), of: fc.constant(0), to: fc.constant(0) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 16 }), async (steps) => {
        const by = await newPerson('Tree');
        const template_family_id = await sharedFamily(by);
        const clients = [await newClientAccount(by), await newClientAccount(by), { id: null }];
        const places: Location[] = [];
        for (let at = 0; at < COUNT; at += 1) places.push(await newLocation(by, { name: `P${at}` }));
        const inspections: At[] = [];
        for (const { id } of places) {
          inspections.push(await newInspection(by, { template_family_id, location_id: id }));
        }
        const mergedInto = new Map<string, string>();
        for (const { kind, of, to } of steps) {
          const location_id = places[of]!.id;
          const params = { location_id };
          if (kind === 'work') await cleanUp(by);
          else if (kind === 'move') {
            const body = { parent_id: to === null ? null : places[to]!.id };
            expect([200, 400, 409]).toContain((await by.try.locations.update({ params, body })).status);
          } else if (kind === 'merge') {
            const { status } = await merge(by, places[of]!, places[to]!);
            expect([200, 400, 409]).toContain(status);
            if (status === 200) mergedInto.set(location_id, places[to]!.id);
          } else {
            const body = { client_account_id: clients[to]!.id };
            expect([202, 409]).toContain((await by.try.locations.transfer({ params, body })).status);
          }
        }
        await cleanUp(by);
        const last = (id: string): string => (mergedInto.has(id) ? last(mergedInto.get(id)!) : id);
        const found: Location[] = await by.locations.list({});
        const byId = new Map(found.map((each) => [each.id, each]));
        const standing = places.filter(({ id }) => !mergedInto.has(id));
        expect([...byId.keys()].toSorted()).toEqual(standing.map(({ id }) => id).toSorted());
        const pathOf = (id: string | null, most = COUNT): string[] => {
          if (id === null) return [];
          expect(most).toBeGreaterThan(0);
          return [...pathOf(byId.get(id)!.parent_id, most - 1), id];
        };
        for (const each of found) {
          expect([...each.path.map(({ id }) => id), each.id]).toEqual(pathOf(each.id));
          const parent = byId.get(each.parent_id ?? '');
          if (parent) expect(parent.client_account_id).toBe(each.client_account_id);
        }
        for (const [at, { id }] of places.entries()) {
          expect((await locationOf(by, { id })).id).toBe(last(id));
          expect((await inspectionOf(by, inspections[at]!)).location_id).toBe(last(id));
        }
        expect(await differencesIn(by)).toEqual([]);
      }),
      { numRuns: scaled(6, 125) },
    );
  });

  test('is the same where the worker of a merge is interrupted and repeated', async () => {
    const by = await newPerson('Twice');
    const [former, target] = [await newLocation(by), await newLocation(by)];
    for (let child = 0; child < 3; child += 1) await newLocation(by, { parent_id: former.id });
    await merge(by, former, target);
    const task = { merged_location_id: former.id };
    await Promise.all([deleteRemains(by.caller, task, 0), deleteRemains(by.caller, task, 0)]);
    await cleanUp(by);
    const query = { parent_id: target.id };
    expect(await by.locations.list({ query })).toHaveLength(3);
    expect(await differencesIn(by)).toEqual([]);
  });
});
