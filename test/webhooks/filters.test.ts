import * as inspections from '../../shared/inspections/deletion.ts';
import * as apiKeys from '../../shared/organizations/api-keys.ts';
import type { EventType } from '../../shared/schemas/event-data.ts';
import type { WebhookFilter } from '../../shared/schemas/webhook.ts';
import { eventsBetween } from '../../shared/webhooks/fan-out.ts';
import { FILTERED_FIELDS, filtersOn } from '../../shared/webhooks/filters.ts';
import { newAsset } from '../assets/scenarios.ts';
import { newAction, newFinding } from '../corrective-actions/fixtures.ts';
import { newClient, sharedFamily, startedInspection } from '../inspections/fixtures.ts';
import { newIssue } from '../issues/fixtures.ts';
import { as } from '../support/call.ts';
import { useClock } from '../support/clock.ts';
import { interceptCommands } from '../support/commands.ts';
import { auditOf, newPerson, type Person } from '../support/people.ts';
import {
  type Admin,
  asAdmin,
  deliveriesOf,
  newAdmin,
  type Receiver,
  settle,
  shown,
  useReceiver,
} from './fixtures.ts';

const clock = useClock();
const commands: string[] = [];
interceptCommands('count', ({ command, send }) => {
  commands.push(command);
  return send();
});
const receiverOf = useReceiver();
let admin: Admin;
let receiver: Receiver;

beforeEach(async () => {
  admin = await newAdmin();
  receiver = receiverOf();
});

type Given = Partial<WebhookFilter> | null;

const newLocation = (person: Person, body: object = {}): Promise<{ id: string }> =>
  person.locations.create({ body: { name: 'Yard', ...body } });

const of = ({ id }: { id: string }) => ({ params: { webhook_id: id } });
const create = async (filter: Given, types: string[] = ['*']) =>
  (await asAdmin(admin)).webhooks.create({ body: { url: receiver.url, types, filter } });
const update = async (webhook: { id: string }, body: object) =>
  (await asAdmin(admin)).try.webhooks.update({ ...of(webhook), body });

/** What was sent to an endpoint: the type of each event, and the id of what it is about. */
const sentTo = async (webhook: { id: string }): Promise<string[]> => {
  await settle(admin);
  const deliveries = await deliveriesOf(admin, webhook, { limit: 200 });
  const ids = new Set(deliveries.map(({ event_id }) => event_id));
  return (await as(admin).events.list({}))
    .filter(({ id }: { id: string }) => ids.has(id))
    .map(({ type, data }: { type: EventType; data: { id: string } }) => `${type} ${data.id}`);
};

describe('the filter of a webhook', () => {
  test('is created, read, changed field by field and removed, and stands in the audit log', async () => {
    const { id: client_account_id } = await newClient(admin);
    const { id: location_id } = await newLocation(admin);
    const none = { template_family_id: null, location_id: null, client_account_id: null };
    const webhook = await create({ client_account_id });
    expect(webhook.filter).toEqual({ ...none, client_account_id });
    expect((await shown(admin, webhook)).filter).toEqual(webhook.filter);
    const both = (await update(webhook, { filter: { location_id } })).body;
    expect([both.filter, both.version]).toEqual([{ ...none, client_account_id, location_id }, 2]);
    expect((await update(webhook, { filter: { location_id } })).body.version).toBe(2);
    expect((await update(webhook, { description: 'Till' })).body.filter).toEqual(both.filter);
    const cleared = (await update(webhook, { filter: { client_account_id: null, location_id: null } })).body;
    expect(cleared.filter).toBeNull();
    expect((await create(null)).filter).toBeNull();
    expect((await create({})).filter).toBeNull();
    const changes = (await auditOf(admin)).flatMap((each) =>
      each.action === 'webhook.updated' ? [each.changes] : [],
    );
    expect(changes).toContainEqual({ 'filter.location_id': { from: null, to: location_id } });
  });

  test('400 names all that is unknown or belongs to others, and nothing is changed', async () => {
    const stranger = await newPerson('Stranger');
    const filter = {
      template_family_id: await sharedFamily(stranger),
      location_id: (await newLocation(stranger)).id,
      client_account_id: (await newClient(stranger)).id,
    };
    const refused = await (
      await asAdmin(admin)
    ).try.webhooks.create({
      body: { url: receiver.url, types: ['*'], filter },
    });
    expect([refused.status, refused.headers['x-error-code']]).toEqual([400, 'reference_not_found']);
    for (const name of Object.keys(filter)) expect(refused.body.detail).toContain(`filter.${name}`);
    const webhook = await create(null);
    expect((await update(webhook, { filter, description: 'New' })).status).toBe(400);
    expect(await shown(admin, webhook)).toMatchObject({ filter: null, description: '', version: 1 });
    expect((await update(webhook, { filter: { region_id: filter.location_id } })).status).toBe(422);
  });

  test('403 for a key that only reads', async () => {
    const webhook = await create(null);
    const { key } = await apiKeys.create(admin.caller, { name: 'Eyes', access: 'read_only' });
    const body = { filter: {} };
    expect((await as(key).try.webhooks.update({ ...of(webhook), body })).status).toBe(403);
  });

  test('sends what is about a template family, its parts included, also after they are deleted', async () => {
    const family = await sharedFamily(admin);
    const webhook = await create({ template_family_id: family });
    const inspection = await startedInspection(admin, { template_family_id: family });
    const finding = await newFinding(admin, {}, inspection);
    const action = await newAction(admin, {}, finding);
    await admin.correctiveActions.commentOn({
      params: { ca_id: action.id },
      body: { note: 'Seen' },
    });
    const other = await startedInspection(admin);
    const elsewhere = await newFinding(admin);
    await newIssue(admin);
    await inspections.deleteWhole(admin.caller, inspection.id);
    const sent = await sentTo(webhook);
    expect(sent).toEqual(
      expect.arrayContaining([
        `inspection.started ${inspection.id}`,
        `finding.created ${finding.id}`,
        `finding.deleted ${finding.id}`,
        `corrective_action.created ${action.id}`,
        `corrective_action.deleted ${action.id}`,
        `inspection.deleted ${inspection.id}`,
      ]),
    );
    expect(sent.some((each) => each.startsWith('corrective_action.commented'))).toBe(true);
    expect(sent.filter((each) => each.includes(elsewhere.id) || each.startsWith('issue.'))).toEqual([]);
    expect(sent.join(' ')).not.toContain(other.id);
  });

  test('sends what is at a location or below it, and at the location that it was merged into', async () => {
    const [site, target, apart] = [
      await newLocation(admin),
      await newLocation(admin),
      await newLocation(admin),
    ];
    const shed = await newLocation(admin, { parent_id: site.id });
    const webhook = await create({ location_id: site.id });
    const below = await startedInspection(admin, { location_id: shed.id });
    const finding = await newFinding(admin, {}, below);
    const away = await startedInspection(admin, { location_id: apart.id });
    const asset = await newAsset(admin, { location_id: shed.id });
    const issue = await newIssue(admin, { location_id: apart.id });
    const sent = (await sentTo(webhook)).join(' ');
    for (const { id } of [below, finding, asset]) expect(sent).toContain(id);
    for (const { id } of [away, issue]) expect(sent).not.toContain(id);
    await admin.locations.update({ params: { location_id: shed.id }, body: { parent_id: apart.id } });
    const moved = await newIssue(admin, { location_id: shed.id });
    await admin.locations.merge({ params: { location_id: site.id }, body: { into: target.id } });
    const merged = await newIssue(admin, { location_id: target.id });
    const after = (await sentTo(webhook)).join(' ');
    expect(after).toContain(merged.id);
    expect(after).not.toContain(moved.id);
  });

  test('sends what belongs to a client account, assets by their locations included, with all else that it names', async () => {
    const { id: client_account_id } = await newClient(admin);
    const { id: location_id } = await newLocation(admin, { client_account_id });
    const asset = await newAsset(admin, { location_id });
    const webhook = await create({ client_account_id });
    const narrow = await create({ client_account_id, template_family_id: await sharedFamily(admin) });
    await admin.assets.update({ params: { asset_id: asset.id }, body: { name: 'Crane' } });
    await newAsset(admin, { location_id: (await newLocation(admin)).id });
    await admin.clientAccounts.update({ params: { ca_id: client_account_id }, body: { name: 'Dock' } });
    expect(await sentTo(webhook)).toEqual([
      `client_account.created ${client_account_id}`,
      `location.created ${location_id}`,
      `asset.created ${asset.id}`,
      `asset.updated ${asset.id}`,
      `client_account.updated ${client_account_id}`,
    ]);
    expect(await sentTo(narrow)).toEqual([]);
  });

  test('holds for replays too, and one that names what was deleted sends nothing more, but can be changed', async () => {
    const site = await newLocation(admin);
    const before = await newIssue(admin, { location_id: site.id });
    const other = await newIssue(admin, { location_id: (await newLocation(admin)).id });
    await settle(admin);
    const webhook = await create({ location_id: site.id });
    await (
      await asAdmin(admin)
    ).webhooks.replayEvents({ ...of(webhook), body: { from: '2020-01-01T00:00:00Z' } });
    const sent = await sentTo(webhook);
    expect(sent).toContain(`issue.created ${before.id}`);
    expect(sent.join(' ')).not.toContain(other.id);
    const [replay] = await (await asAdmin(admin)).webhooks.listReplays(of(webhook));
    expect(replay).toMatchObject({ status: 'completed', events_count: sent.length });
    const shed = await newLocation(admin, { parent_id: site.id });
    const ofShed = await create({ location_id: shed.id });
    await admin.locations.delete({ params: { location_id: shed.id } });
    const deleted = `location.deleted ${shed.id}`;
    expect([await sentTo(webhook), await sentTo(ofShed)].map((all) => all.at(-1))).toEqual([
      deleted,
      deleted,
    ]);
    clock.pass(1);
    expect((await update(ofShed, { description: 'Old shed' })).status).toBe(200);
    expect((await update(ofShed, { filter: { client_account_id: shed.id } })).status).toBe(400);
  });

  test('reads nothing where no webhook has one, and once for all that have', async () => {
    const { id: location_id } = await newLocation(admin);
    await newIssue(admin, { location_id });
    await settle(admin);
    const { caller } = admin;
    const read = jest.fn(() => eventsBetween(caller, 1, 100, FILTERED_FIELDS));
    const filter = { template_family_id: null, location_id, client_account_id: null };
    const filtersOf = filtersOn(caller, read);
    commands.length = 0;
    expect((await filtersOf([{}, { filter: null }]))({}, { sequence: 1 })).toBe(true);
    expect([read.mock.calls.length, commands]).toEqual([0, []]);
    const many = Array.from({ length: 50 }, () => ({ filter }));
    const [passes] = [await filtersOf(many), await filtersOf(many)];
    expect([1, 2].map((sequence) => passes({ filter }, { sequence }))).toEqual([true, true]);
    expect([read.mock.calls.length, commands]).toEqual([1, ['Query', 'BatchGetItem']]);
  });
});
