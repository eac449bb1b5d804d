import { AsyncResource } from 'node:async_hooks';
import * as decommissionAsset from '../../functions/assets/decommission-asset.ts';
import * as updateAsset from '../../functions/assets/update-asset.ts';
import * as updateAction from '../../functions/corrective-actions/update-corrective-action.ts';
import * as verifyAction from '../../functions/corrective-actions/verify-corrective-action.ts';
import * as archiveInspection from '../../functions/inspections/archive-inspection.ts';
import * as updateInspection from '../../functions/inspections/update-inspection.ts';
import * as updateIssue from '../../functions/issues/update-issue.ts';
import * as updateLocation from '../../functions/locations/update-location.ts';
import * as updateSchedule from '../../functions/schedules/update-schedule.ts';
import * as deleteRemains from '../../functions/workers/delete-remains.ts';
import * as sendMail from '../../functions/workers/send-mail.ts';
import * as apiKeys from '../../shared/organizations/api-keys.ts';
import * as organizations from '../../shared/organizations/organizations.ts';
import { SLOTS } from '../../shared/schemas/slots.ts';
import { TARGETS } from '../../shared/upkeep/bulk-changes/targets.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { completedAction, newAction } from '../corrective-actions/fixtures.ts';
import { newInspection } from '../inspections/fixtures.ts';
import { newIssue } from '../issues/fixtures.ts';
import { newLocation } from '../locations/scenarios.ts';
import { newSchedule } from '../schedules/fixtures.ts';
import { as, locs } from '../support/call.ts';
import { type Fault, installFaults, withFault } from '../support/faults.ts';
import { mailsTo } from '../support/mails.ts';
import { deliver, deliverLast, waitingEvents, waitingTasks } from '../support/outbox.ts';
import { actingKey, newMember, newPerson, onBehalfOf, operatorOf, type Person } from '../support/people.ts';
import { signIn } from '../support/signed-in.ts';
import { publishedFamily } from '../templates/fixtures.ts';
import { ask, commit, dryRun, newInspections, read, rowsOf, step, tasksOf, work } from './fixtures.ts';

installFaults();

let person: Person;
let family: { id: string };
beforeAll(async () => {
  person = await newPerson('Bulk');
  family = await publishedFamily(person.key);
});

/** The operations for single rows. */
const SINGLE: readonly { operation: { id: string; path: string; actsFor?: readonly string[] } }[] = [
  archiveInspection,
  decommissionAsset,
  updateAsset,
  updateAction,
  updateInspection,
  updateIssue,
  updateLocation,
  updateSchedule,
  verifyAction,
];

const inspectionOf = (id: string, by = person) => by.inspections.get({ params: { inspection_id: id } });

/** A tag that no other test uses. */
let tags = 0;
const newTag = () => `lot ${(tags += 1)}`;

const tagged = async (count: number, fields: object = {}) => {
  const tag = newTag();
  const visits = await newInspections(person, family, count, () => ({ tags: [tag], ...fields }));
  return { tag, visits, of: { resource: 'inspections', filter: { tag: [tag] } } };
};

describe('POST /bulk-changes', () => {
  it('202 lists exactly what would change, changes nothing, and then does what it has listed', async () => {
    const [ana, ben] = [
      await newMember(person, 'inspector', 'Ana'),
      await newMember(person, 'inspector', 'Ben'),
    ];
    const { of, visits } = await tagged(3, { participants: [{ user_id: ana.user_id }] });
    const asked = await ask(person, {
      ...of,
      action: { type: 'reassign', from: ana.user_id, to: ben.user_id },
    });
    expect(asked).toMatchObject({
      status: 'planning',
      dry_run: true,
      total: 0,
      requested_by: person.caller.user_id,
    });
    await work(person, asked);
    expect(await read(person, asked)).toMatchObject({ status: 'planned', total: 3, planned: 3, refused: 0 });
    const rows = await rowsOf(person, asked);
    expect(rows.map(({ resource_id }) => resource_id)).toEqual(visits.map(({ id }) => id).toReversed());
    for (const row of rows)
      expect(row).toMatchObject({
        outcome: 'planned',
        changes: [
          {
            field: 'participants',
            from: [{ user_id: ana.user_id, name: 'Ana' }],
            to: [{ user_id: ben.user_id, name: 'Ben', role: 'inspector', status: 'assigned' }],
          },
        ],
        code: null,
        detail: null,
      });
    for (const { id, version, updated_at } of visits)
      expect(await inspectionOf(id)).toMatchObject({
        version,
        updated_at,
        participants: [{ user_id: ana.user_id }],
      });

    const done = await commit(person, asked);
    expect(done).toMatchObject({ status: 'completed', planned: 0, changed: 3, error: null });
    expect(done.ended_at).not.toBeNull();
    for (const { id } of visits)
      expect(await inspectionOf(id)).toMatchObject({ version: 2, participants: [{ user_id: ben.user_id }] });
    const after = await rowsOf(person, asked, { outcome: ['changed'] });
    expect(after.map(({ changes }) => changes)).toEqual(rows.map(({ changes }) => changes));
    const types = (await waitingEvents(person.caller))
      .filter(({ type, data }) => type.startsWith('bulk_change.') && data.id === asked.id)
      .map(({ type }) => type);
    expect(types).toEqual([
      'bulk_change.created',
      'bulk_change.planned',
      'bulk_change.started',
      'bulk_change.completed',
    ]);
    // Each row has its own event as well, made by who has requested the change.
    const own = (await waitingEvents(person.caller)).filter(
      ({ type, data }) => type === 'inspection.updated' && visits.some(({ id }) => id === data.id),
    );
    expect(own.map(({ actor_id }) => actor_id)).toEqual(visits.map(() => person.caller.user_id));
  });

  it('202 goes on at once without a dry run', async () => {
    const { of, visits } = await tagged(2);
    const due_at = '2030-01-01T00:00:00.000Z';
    const bulk = await dryRun(person, { ...of, action: { type: 'set_due', due_at }, dry_run: false });
    expect(bulk).toMatchObject({ status: 'completed', changed: 2 });
    for (const { id } of visits) expect((await inspectionOf(id)).due_at).toBe(due_at);
  });

  it('202 adds and removes tags, and archives', async () => {
    const { of, tag, visits } = await tagged(2, {});
    const bulk = await dryRun(person, {
      ...of,
      action: { type: 'tag', add: ['Roof', tag.toUpperCase()], remove: ['gone'] },
      dry_run: false,
    });
    expect(bulk).toMatchObject({ changed: 2 });
    expect((await inspectionOf(visits[0]!.id)).tags).toEqual([tag, 'Roof']);
    const archived = await dryRun(person, { ...of, action: { type: 'archive' } });
    const [row] = await rowsOf(person, archived);
    expect(row!.changes.map(({ field }) => field)).toEqual(['status', 'archived_from']);
    expect(await commit(person, archived)).toMatchObject({ changed: 2 });
    expect((await inspectionOf(visits[1]!.id)).status).toBe('archived');
    const again = await dryRun(person, { ...of, action: { type: 'archive' } });
    expect(again).toMatchObject({ planned: 0, unchanged: 2 });
  });

  it('202 refuses rows one by one, with the error of the operation for a single row', async () => {
    const tag = newTag();
    const open = await newInspection(person, { tags: [tag] });
    const archived = await newInspection(person, { tags: [tag] });
    await person.inspections.archive({ params: { inspection_id: archived.id } });
    const bulk = await dryRun(person, {
      resource: 'inspections',
      filter: { tag: [tag] },
      action: { type: 'set_due', due_at: '2030-01-01T00:00:00.000Z' },
    });
    expect(bulk).toMatchObject({ planned: 1, refused: 1 });
    const single = await person.try.inspections.update({
      params: { inspection_id: archived.id },
      body: { due_at: '2030-01-01T00:00:00.000Z' },
    });
    const [refused] = await rowsOf(person, bulk, { outcome: ['refused'] });
    expect(refused).toMatchObject({ resource_id: archived.id, changes: [], detail: single.body.detail });
    expect(single.headers['x-error-code']).toBe(refused!.code);
    await commit(person, bulk);
    expect((await inspectionOf(open.id)).due_at).toBe('2030-01-01T00:00:00.000Z');
  });

  it('202 checks what only the database knows, also in the dry run', async () => {
    const tag = newTag();
    const visits = await newInspections(person, family, 1, () => ({ tags: [tag] }));
    const crowded = Array.from({ length: 20 }, (_, n) => `t${n}`);
    await newInspections(person, family, 1, () => ({ tags: [...crowded.slice(1), tag] }));
    const bulk = await dryRun(person, {
      resource: 'inspections',
      filter: { tag: [tag] },
      action: { type: 'tag', add: crowded },
    });
    const [full, over] = await rowsOf(person, bulk);
    expect([full!.outcome, full!.code]).toEqual(['refused', 'validation_failed']);
    expect([over!.outcome, over!.resource_id]).toEqual(['refused', visits[0]!.id]);
  });

  it('202 leaves a row as it is of which something else was changed since the dry run', async () => {
    const { of, visits } = await tagged(1);
    const bulk = await dryRun(person, { ...of, action: { type: 'archive' } });
    const params = { inspection_id: visits[0]!.id };
    await person.inspections.update({ params, body: { name: 'Renamed' } });
    expect(await commit(person, bulk)).toMatchObject({ status: 'completed', changed: 0, outdated: 1 });
    expect(await person.inspections.get({ params })).toMatchObject({ name: 'Renamed', archived_at: null });
  });

  it('202 reports what somebody has changed or deleted since the dry run, and leaves it as it is', async () => {
    const { of, visits } = await tagged(3);
    const bulk = await dryRun(person, { ...of, action: { type: 'archive' } });
    await person.inspections.start({ params: { inspection_id: visits[0]!.id } });
    await person.inspections.delete({ params: { inspection_id: visits[1]!.id } });
    expect(await commit(person, bulk)).toMatchObject({ status: 'completed', changed: 1, outdated: 2 });
    expect(await rowsOf(person, bulk)).toMatchObject(
      [
        { resource_id: visits[2]!.id, outcome: 'changed' },
        { resource_id: visits[1]!.id, outcome: 'outdated', detail: 'It was deleted since the dry run.' },
        { resource_id: visits[0]!.id, outcome: 'outdated', detail: /changed since/ },
      ].map((row) => ({
        ...row,
        ...(row.detail instanceof RegExp && { detail: expect.stringMatching(row.detail) }),
      })),
    );
    expect((await inspectionOf(visits[0]!.id)).status).toBe('in_progress');
  });

  it('202 reports a row whose change would be another one now, although the row is as it was', async () => {
    const [from, to] = [await newLocation(person), await newLocation(person)];
    const { of, visits } = await tagged(1, { location_id: from.id });
    const bulk = await dryRun(person, { ...of, action: { type: 'move', location_id: to.id } });
    expect(await rowsOf(person, bulk)).toMatchObject([
      { changes: [{ field: 'location_id', from: from.id, to: to.id }] },
    ]);
    const client = await person.clientAccounts.create({ body: { name: 'Acme' } });
    const moved = { params: { location_id: to.id }, body: { client_account_id: client.id } };
    await person.locations.transfer(moved);
    for (const task of await waitingTasks(person.caller))
      if (task.outbox === 'cleanup' && task.data['transfer_id']) await deliver(deleteRemains.handler, task);
    expect(await commit(person, bulk)).toMatchObject({ changed: 0, planned: 0 });
    expect((await inspectionOf(visits[0]!.id)).location_id).toBe(from.id);
  });

  it('202 finds nothing of another organization, and refuses to give it anything', async () => {
    const other = await newPerson('Other');
    const { of, visits } = await tagged(1);
    const theirs = await dryRun(other, { ...of, action: { type: 'archive' } });
    expect(theirs).toMatchObject({ status: 'planned', total: 0 });
    const stranger = await newMember(other, 'inspector');
    const place = await newLocation(other);
    for (const action of [
      { type: 'reassign', to: stranger.user_id },
      { type: 'move', location_id: place.id },
    ]) {
      const bulk = await dryRun(person, { ...of, action });
      expect(await rowsOf(person, bulk)).toMatchObject([
        { outcome: 'refused', code: 'reference_not_found', resource_id: visits[0]!.id },
      ]);
    }
    const mine = await ask(person, { ...of, action: { type: 'archive' } });
    const params = { bulk_change_id: mine.id };
    for (const answer of [
      await other.try.bulkChanges.get({ params }),
      await other.try.bulkChanges.listRows({ params }),
      await other.try.bulkChanges.update({ params, body: { status: 'cancelled' } }),
    ])
      expect(answer.status).toBe(404);
    await step(person, mine, 'cancelled');
  });

  it('429 while as many wait or run as may; a planned one has no slot', async () => {
    const by = await newPerson('Busy');
    const action = { type: 'archive' };
    const asked = [];
    for (let n = 0; n < SLOTS.BULK_CHANGE.most; n += 1)
      asked.push(await ask(by, { resource: 'inspections', filter: {}, action }));
    const body = { resource: 'inspections', filter: {}, action };
    expect((await by.try.bulkChanges.create({ body })).status).toBe(429);
    await work(by, asked[0]!);
    expect((await read(by, asked[0]!)).status).toBe('planned');
    const last = await ask(by, body);
    const full = await by.try.bulkChanges.update({
      params: { bulk_change_id: asked[0]!.id },
      body: { status: 'running' },
    });
    expect(full.status).toBe(429);
    await step(by, last, 'cancelled');
    expect(await commit(by, asked[0]!)).toMatchObject({ status: 'completed', total: 0 });
    expect((await checkOrganization(by.caller, { repair: false })).differences).toEqual([]);
  });

  it('202 takes rows by their ids: each once, and refuses what is not there', async () => {
    const { visits } = await tagged(3);
    const [first, second] = visits.map(({ id }) => id);
    const foreign = await newInspection(await newPerson('Stranger'));
    const bulk = await dryRun(person, {
      resource: 'inspections',
      filter: { ids: [second, first, second, foreign.id] },
      action: { type: 'archive' },
    });
    expect(bulk).toMatchObject({ total: 3, planned: 2, refused: 1 });
    const rows = await rowsOf(person, bulk);
    expect(rows.map(({ resource_id, code }) => [resource_id, code])).toEqual([
      [second, null],
      [first, null],
      [foreign.id, 'not_found'],
    ]);
    expect(rows[2]).toMatchObject({ name: '', changes: [] });
    await commit(person, bulk);
    const statuses = await Promise.all(visits.map(async ({ id }) => (await inspectionOf(id)).status));
    expect(statuses).toEqual(['archived', 'archived', 'scheduled']);
  });

  it('422 for ids beside other filters', async () => {
    const { visits } = await tagged(1);
    const answer = await person.try.bulkChanges.create({
      body: {
        resource: 'inspections',
        filter: { ids: [visits[0]!.id], status: ['scheduled'] },
        action: { type: 'archive' },
      },
    });
    expect([answer.status, locs(answer)]).toEqual([422, ['body.filter.ids']]);
  });

  it('422 for an action that the resource does not have, and for filters that its list does not have', async () => {
    for (const body of [
      { resource: 'locations', filter: {}, action: { type: 'verify' } },
      { resource: 'inspections', filter: { severity: ['major'] }, action: { type: 'archive' } },
      { resource: 'reports', filter: {}, action: { type: 'archive' } },
      { resource: 'inspections', action: { type: 'archive' } },
    ])
      expect((await person.try.bulkChanges.create({ body })).status).toBe(422);
  });
});

describe('each resource and action', () => {
  const run = async (body: object) => {
    const bulk = await dryRun(person, body);
    const rows = await rowsOf(person, bulk);
    return { bulk: await commit(person, bulk), rows, after: await rowsOf(person, bulk) };
  };

  it('moves inspections, issues, assets and locations', async () => {
    const [from, to] = [await newLocation(person), await newLocation(person)];
    const tag = newTag();
    const visit = await newInspection(person, { location_id: from.id, tags: [tag] });
    const issue = await newIssue(person, { location_id: from.id, tags: [tag] });
    const asset = await person.assets.create({ body: { name: 'Lift', location_id: from.id, tags: [tag] } });
    const place = await newLocation(person, { name: 'Room', parent_id: from.id, tags: [tag] });
    const action = { type: 'move', location_id: to.id };
    const all = { inspections: visit, issues: issue, assets: asset, locations: place };
    for (const [resource, { id }] of Object.entries(all)) {
      const { bulk, after } = await run({ resource, filter: { tag: [tag] }, action });
      expect([resource, bulk.changed, after[0]!.resource_id]).toEqual([resource, 1, id]);
    }
    expect((await inspectionOf(visit.id)).location_id).toBe(to.id);
    expect((await person.issues.get({ params: { issue_id: issue.id } })).location_id).toBe(to.id);
    expect((await person.assets.get({ params: { asset_id: asset.id } })).location_id).toBe(to.id);
    expect((await person.locations.get({ params: { location_id: place.id } })).parent_id).toBe(to.id);
  });

  it('verifies, sets contacts, cancels and reassigns corrective actions', async () => {
    const by = await newPerson('Actions');
    const done = await completedAction(by);
    const open = await newAction(by);
    const runBy = async (body: object) =>
      commit(by, await dryRun(by, { resource: 'corrective_actions', ...body }));
    const actionOf = ({ id }: { id: string }) => by.correctiveActions.get({ params: { ca_id: id } });
    expect(
      await runBy({
        filter: { status: ['pending_verification'] },
        action: { type: 'verify', note: 'Seen.' },
      }),
    ).toMatchObject({ changed: 1 });
    expect(await actionOf(done)).toMatchObject({ status: 'verified', verification_note: 'Seen.' });
    const contact = { name: 'Bob', email: 'bob@example.com' };
    expect(
      await runBy({ filter: { status: ['open'] }, action: { type: 'set_contact', contact } }),
    ).toMatchObject({ changed: 1 });
    expect((await actionOf(open)).contact).toMatchObject(contact);
    const ana = await newMember(by, 'inspector', 'Ana');
    expect(
      await runBy({ filter: { status: ['open'] }, action: { type: 'reassign', to: ana.user_id } }),
    ).toMatchObject({ changed: 1 });
    expect((await actionOf(open)).assignee_id).toBe(ana.user_id);
    const all = await runBy({ filter: {}, action: { type: 'cancel' } });
    expect(all).toMatchObject({ changed: 1, refused: 1 });
    expect((await actionOf(open)).status).toBe('cancelled');
  });

  it('holds to four eyes: who has completed an action does not verify it', async () => {
    const by = await newPerson('Eyes');
    const fourEyes = { four_eyes_verification: true };
    await organizations.update(operatorOf(by), fourEyes, undefined, async () => null);
    const own = await completedAction(by);
    const bulk = await dryRun(by, { resource: 'corrective_actions', filter: {}, action: { type: 'verify' } });
    expect(bulk).toMatchObject({ planned: 0, refused: 1 });
    const single = await by.try.correctiveActions.verify({ params: { ca_id: own.id } });
    expect(await rowsOf(by, bulk)).toMatchObject([
      { code: single.headers['x-error-code'], detail: single.body.detail },
    ]);
    expect(single.status).toBe(403);
  });

  it('takes out of use: locations, assets with what was to be done about them, schedules', async () => {
    const tag = newTag();
    const place = await newLocation(person, { tags: [tag] });
    const asset = await person.assets.create({ body: { name: 'Pump', tags: [tag] } });
    const visit = await newInspection(person, { asset_id: asset.id });
    const client = await person.clientAccounts.create({ body: { name: 'Acme' } });
    const schedule = await newSchedule(person, { client_account_id: client.id });
    await run({ resource: 'locations', filter: { tag: [tag] }, action: { type: 'archive' } });
    await run({ resource: 'assets', filter: { tag: [tag] }, action: { type: 'archive', reason: 'Sold' } });
    await run({
      resource: 'schedules',
      filter: { client_account_id: client.id },
      action: { type: 'archive' },
    });
    expect((await person.locations.get({ params: { location_id: place.id } })).status).toBe('inactive');
    expect((await person.assets.get({ params: { asset_id: asset.id } })).status).toBe('decommissioned');
    expect((await inspectionOf(visit.id)).status).toBe('archived');
    expect((await person.schedules.get({ params: { schedule_id: schedule.id } })).status).toBe('paused');
    expect((await checkOrganization(person.caller, { repair: false })).differences).toEqual([]);
  });

  it('reassigns and rejects issues, and reassigns schedules', async () => {
    const by = await newPerson('Issues');
    const [ana, ben] = [await newMember(by, 'inspector', 'Ana'), await newMember(by, 'inspector', 'Ben')];
    const issue = await newIssue(by, { assignee_id: ana.user_id });
    const schedule = await newSchedule(by, { assignee_ids: [ana.user_id] });
    const action = { type: 'reassign', from: ana.user_id, to: ben.user_id };
    for (const resource of ['issues', 'schedules'])
      expect(await commit(by, await dryRun(by, { resource, filter: {}, action }))).toMatchObject({
        changed: 1,
      });
    const issueNow = () => by.issues.get({ params: { issue_id: issue.id } });
    expect((await issueNow()).assignee_id).toBe(ben.user_id);
    expect((await by.schedules.get({ params: { schedule_id: schedule.id } })).assignee_ids).toEqual([
      ben.user_id,
    ]);
    await commit(
      by,
      await dryRun(by, { resource: 'issues', filter: {}, action: { type: 'cancel', note: 'No.' } }),
    );
    expect((await issueNow()).status).toBe('rejected');
  });

  it('takes a part with its role and sections, and merges it with the one of who has a part already', async () => {
    const by = await newPerson('Parts');
    const { id } = await publishedFamily(by.key);
    const [ana, ben] = [await newMember(by, 'inspector', 'Ana'), await newMember(by, 'inspector', 'Ben')];
    const [one] = await newInspections(by, { id }, 1, () => ({
      participants: [
        { user_id: ana.user_id, role: 'lead' },
        { user_id: ben.user_id, role: 'inspector' },
      ],
    }));
    const of = { resource: 'inspections', filter: {} };
    await commit(
      by,
      await dryRun(by, { ...of, action: { type: 'reassign', from: ana.user_id, to: ben.user_id } }),
    );
    const { participants } = await inspectionOf(one!.id, by);
    expect(participants).toMatchObject([{ user_id: ben.user_id, role: 'inspector', section_ids: [] }]);
    await commit(by, await dryRun(by, { ...of, action: { type: 'reassign', to: null } }));
    expect((await inspectionOf(one!.id, by)).participants).toEqual([]);
  });
});

describe('the rights of a bulk change', () => {
  const of = { resource: 'inspections', filter: {}, action: { type: 'archive' } };

  it('are those of the operation for a single row: each action says for whom a key may act', () => {
    const operations = new Map(SINGLE.map(({ operation }) => [operation.id, operation]));
    for (const { path, acts } of Object.values(TARGETS))
      for (const act of Object.values(acts)) {
        const single = operations.get(act.operation)!;
        expect([act.operation, act.actsFor]).toEqual([act.operation, single.actsFor]);
        expect(single.path.startsWith(path)).toBe(true);
      }
  });

  it('403 for a key whose scopes do not include the resource, or bulk changes', async () => {
    const limited = async (...scopes: string[]) =>
      as(
        (
          await apiKeys.create(operatorOf(person), {
            name: 'Limited',
            access: 'read_write',
            expires: 'never',
            scopes: scopes as never,
          })
        ).key,
      ).try.bulkChanges.create({ body: of });
    expect((await limited('bulk-changes:write')).headers['x-error-code']).toBe('api_key_scope');
    expect((await limited('inspections:write')).status).toBe(403);
    expect((await limited('bulk-changes:write', 'inspections:write')).status).toBe(202);
  });

  it('are those of the person for whom a key acts: an inspector changes what is their own', async () => {
    const by = await newPerson('Acting');
    const { id } = await publishedFamily(by.key);
    const ana = await newMember(by, 'inspector', 'Ana');
    const [own, other] = await newInspections(by, { id }, 2, (n) => ({
      participants: n === 0 ? [{ user_id: ana.user_id }] : [],
    }));
    const { key } = await actingKey(by);
    const acting = as(key);
    const headers = onBehalfOf(ana);
    const bulk = await acting.bulkChanges.create({ body: of, headers });
    expect(bulk).toMatchObject({ requested_by: ana.user_id, acted_via_key_id: expect.any(String) });
    await work(by, bulk);
    expect(await rowsOf(by, bulk)).toMatchObject([
      { resource_id: other!.id, outcome: 'refused', code: 'no_part_in_inspection' },
      { resource_id: own!.id, outcome: 'planned' },
    ]);
    const params = { bulk_change_id: bulk.id };
    const byOther = await by.try.bulkChanges.update({ params, body: { status: 'running' } });
    expect([byOther.status, byOther.headers['x-error-code']]).toEqual([403, 'not_your_bulk_change']);
    await acting.bulkChanges.update({ params, body: { status: 'running' }, headers });
    await work(by, bulk);
    expect(await read(by, bulk)).toMatchObject({ changed: 1, refused: 1 });
    const onLocations = { resource: 'locations', filter: {}, action: { type: 'archive' } };
    expect((await acting.try.bulkChanges.create({ body: onLocations, headers })).status).toBe(403);
  });

  it('are those of an admin who has signed in: the changes are theirs', async () => {
    const admin = await signIn(person);
    const { tag, visits } = await tagged(1);
    const asked = await as(admin).bulkChanges.create({
      body: { resource: 'inspections', filter: { tag: [tag] }, action: { type: 'archive' } },
    });
    expect(asked).toMatchObject({ requested_by: admin.userId, acted_via_key_id: null });
    await work(person, asked);
    const params = { bulk_change_id: asked.id };
    const body = { status: 'running' };
    // Another one may stop it, and not carry it out.
    const other = await as(await signIn(person)).try.bulkChanges.update({ params, body });
    expect([other.status, other.headers['x-error-code']]).toEqual([403, 'not_your_bulk_change']);
    await as(admin).bulkChanges.update({ params, body });
    await work(person, asked);
    expect(await read(person, asked)).toMatchObject({ status: 'completed', changed: 1 });
    const { id } = visits[0]!;
    const history = await person.inspections.listActivity({ params: { inspection_id: id } });
    expect(history.at(-1)).toMatchObject({ kind: 'archived', actor_id: admin.userId });
  });

  it('end with the role: nothing is changed by somebody who is no admin any more', async () => {
    const admin = await signIn(person);
    const { tag, visits } = await tagged(1);
    const asked = await as(admin).bulkChanges.create({
      body: { resource: 'inspections', filter: { tag: [tag] }, action: { type: 'archive' } },
    });
    await work(person, asked);
    await as(admin).bulkChanges.update({
      params: { bulk_change_id: asked.id },
      body: { status: 'running' },
    });
    await as(await signIn(person)).app.updateMember({
      params: { user_id: admin.userId },
      body: { role: 'inspector' },
    });
    await work(person, asked);
    expect(await read(person, asked)).toMatchObject({
      status: 'failed',
      changed: 0,
      error: expect.stringContaining('another role'),
    });
    expect((await inspectionOf(visits[0]!.id)).status).toBe('scheduled');
    const params = { bulk_change_id: asked.id };
    const answer = await as(admin).try.bulkChanges.update({ params, body: { status: 'cancelled' } });
    expect(answer.status).toBe(403);
  });

  it('end with the key: nothing is changed once it was revoked', async () => {
    const by = await newPerson('Revoked');
    const { id } = await publishedFamily(by.key);
    const [visit] = await newInspections(by, { id }, 1);
    const made = await apiKeys.create(operatorOf(by), {
      name: 'Short',
      access: 'read_write',
      expires: 'never',
    });
    const bulk = await as(made.key).bulkChanges.create({ body: of });
    await work(by, bulk);
    await as(made.key).bulkChanges.update({
      params: { bulk_change_id: bulk.id },
      body: { status: 'running' },
    });
    await apiKeys.revoke(operatorOf(by), made.id);
    await work(by, bulk);
    expect(await read(by, bulk)).toMatchObject({
      status: 'failed',
      changed: 0,
      error: expect.stringContaining('revoked'),
    });
    expect((await inspectionOf(visit!.id, by)).status).toBe('scheduled');
  });
});

describe('PATCH /bulk-changes/{bulk_change_id}', () => {
  it('200 stops it before the next row, lets it go on, and changes each row once', async () => {
    const { of, visits } = await tagged(4);
    const bulk = await dryRun(person, { ...of, action: { type: 'archive' } });
    await step(person, bulk, 'running');
    // A request of its own, which knows nothing of the change that is being made.
    const stop = AsyncResource.bind(() => step(person, bulk, 'stopped'));
    let transactions = 0;
    // It takes the bulk change, and changes two rows.
    const stopping: Fault = async ({ command, send }) => {
      if (command === 'TransactWriteItems' && (transactions += 1) === 4) await stop();
      return send();
    };
    expect(await work(person, bulk, stopping)).toBe(true);
    const stopped = await read(person, bulk);
    expect(stopped).toMatchObject({ status: 'stopped', changed: 2, planned: 2 });
    // A late task finds nothing to do.
    for (const task of await tasksOf(person, bulk)) await deliver(deleteRemains.handler, task);
    expect(await read(person, bulk)).toEqual(stopped);
    expect(await step(person, bulk, 'stopped')).toEqual(stopped);
    expect(await commit(person, bulk)).toMatchObject({ status: 'completed', changed: 4, planned: 0 });
    for (const task of await tasksOf(person, bulk)) await deliver(deleteRemains.handler, task);
    for (const { id } of visits)
      expect(await inspectionOf(id)).toMatchObject({ version: 2, status: 'archived' });
  });

  it('200 cancels it for good; 409 for a status that leads nowhere', async () => {
    const { of } = await tagged(1);
    const bulk = await dryRun(person, { ...of, action: { type: 'archive' } });
    const params = { bulk_change_id: bulk.id };
    const stop = await person.try.bulkChanges.update({ params, body: { status: 'stopped' } });
    expect([stop.status, stop.headers['x-error-code']]).toEqual([409, 'bulk_change_status']);
    expect(await step(person, bulk, 'cancelled')).toMatchObject({ status: 'cancelled', planned: 1 });
    const again = await person.try.bulkChanges.update({ params, body: { status: 'running' } });
    expect(again.status).toBe(409);
  });

  it('200 goes on after the worker has given it up', async () => {
    const { of } = await tagged(2);
    const bulk = await dryRun(person, { ...of, action: { type: 'archive' } });
    await step(person, bulk, 'running');
    const task = (await tasksOf(person, bulk)).at(-1)!;
    await withFault(
      async ({ command, send }) => {
        if (command === 'Query') throw new Error('broken');
        return send();
      },
      () => deliverLast(deleteRemains.handler, task),
    );
    expect(await read(person, bulk)).toMatchObject({
      status: 'stopped',
      error: expect.any(String),
      planned: 2,
    });
    expect(await commit(person, bulk)).toMatchObject({ status: 'completed', error: null, changed: 2 });
  });
});

describe('what a bulk change tells', () => {
  it('is one mail for each member, however many rows, beside a notification for each', async () => {
    const by = await newPerson('Digest');
    const { id } = await publishedFamily(by.key);
    const [ana, ben] = [await newMember(by, 'inspector', 'Ana'), await newMember(by, 'inspector', 'Ben')];
    const addressOf = async (userId: string): Promise<string> =>
      (await by.members.get({ params: { user_id: userId } })).email;
    const sent = new Set((await waitingTasks(by.caller)).map((task) => task.id));
    await newInspections(by, { id }, 105, () => ({ participants: [{ user_id: ana.user_id }] }));
    // What their creation tells is not what this is about.
    for (const task of await waitingTasks(by.caller)) sent.add(task.id);
    const bulk = await dryRun(by, {
      resource: 'inspections',
      filter: {},
      action: { type: 'reassign', to: ben.user_id },
      dry_run: false,
    });
    expect(bulk).toMatchObject({ status: 'completed', changed: 105 });
    for (let isMore = true; isMore;) {
      const tasks = (await waitingTasks(by.caller)).filter(
        ({ id: taskId, outbox }) => outbox === 'mail' && !sent.has(taskId),
      );
      for (const task of tasks) {
        sent.add(task.id);
        expect(await deliver(sendMail.handler, task)).toBe(true);
        // The same task again tells nobody twice.
        expect(await deliver(sendMail.handler, task)).toBe(true);
      }
      isMore = tasks.length > 0;
    }
    const mails = await mailsTo(await addressOf(ben.user_id));
    expect(mails).toHaveLength(1);
    expect(mails[0]!.subject).toContain('105');
    expect((await mailsTo(await addressOf(ana.user_id))).length).toBeLessThanOrEqual(1);
  });
});

describe('GET /bulk-changes', () => {
  it('200 lists them newest first, by status and in pages', async () => {
    const query = { status: ['completed'], limit: 2 };
    const listed = await person.bulkChanges.list({ query });
    expect(listed).toHaveLength(2);
    expect(listed[0].created_at >= listed[1].created_at).toBe(true);
    for (const { status } of listed) expect(status).toBe('completed');
  });
});
