import * as errors from '../../shared/base/errors.ts';
import { report } from '../../shared/issues/report.ts';
import type { Asset } from '../../shared/schemas/assets/asset.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { deleteRemains } from '../../shared/upkeep/remains.ts';
import { newClientAccount } from '../client-accounts/scenarios.ts';
import { newInspection, startedInspection } from '../inspections/fixtures.ts';
import { newCategory, newLink } from '../issues/fixtures.ts';
import { newLocation } from '../locations/scenarios.ts';
import { newPerson, type Person } from '../support/people.ts';
import { newAsset, newAssetKind } from './scenarios.ts';

let person: Person;

beforeAll(async () => {
  person = await newPerson('Lifts');
});

const at = (asset_id: string) => ({ params: { asset_id } });
const update = (id: string, body: object) => person.assets.update({ ...at(id), body });

const TEXT = { type: 'text', label: 'Drive', required: true };

describe('assets', () => {
  test('keep where they were when they move', async () => {
    const [north, south] = [await newLocation(person), await newLocation(person)];
    const { id } = await newAsset(person, { location_id: north.id });
    await update(id, { location_id: south.id, serial: '1' });
    const activity = await person.assets.listActivity(at(id));
    expect(activity).toMatchObject([
      { kind: 'created', from: null, to: north.id },
      { kind: 'moved', from: north.id, to: south.id },
      { kind: 'edited', to: 'serial' },
    ]);
  });

  test('move only with all that is in them within the ten levels', async () => {
    const chain = async (length: number): Promise<string[]> => {
      const ids: string[] = [];
      for (let level = 0; level < length; level += 1)
        ids.push((await newAsset(person, { parent_id: ids.at(-1) ?? null })).id);
      return ids;
    };
    const [above, below] = [await chain(6), await chain(5)];
    const move = (id: string, parent_id: string) =>
      person.try.assets.update({ ...at(id), body: { parent_id } });
    const refused = await move(below[0]!, above[5]!);
    expect([refused.status, refused.headers['x-error-code']]).toEqual([409, 'asset_too_deep']);
    expect((await move(below[0]!, above[4]!)).status).toBe(200);
    const full = await chain(10);
    const eleventh = await person.try.assets.create({ body: { name: 'Eleventh', parent_id: full[9] } });
    expect([eleventh.status, eleventh.headers['x-error-code']]).toEqual([409, 'asset_too_deep']);
  });

  test('show no document that does not exist', async () => {
    const { id } = await newAsset(person);
    const media = [{ document_id: id, caption: '' }];
    expect((await person.try.assets.update({ ...at(id), body: { media } })).status).toBe(400);
  });

  test('form no circle when two move into each other at the same time', async () => {
    const [a, b] = [await newAsset(person), await newAsset(person)];
    const move = (id: string, parent_id: string) =>
      person.try.assets.update({ ...at(id), body: { parent_id } });
    const answers = await Promise.all([move(a.id, b.id), move(b.id, a.id)]);
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 409]);
  });

  test('take values for the fields of their kind only, and keep those that another kind has too', async () => {
    const lift = await newAssetKind(person, { fields: [TEXT] });
    const [drive] = lift.fields;
    const create = (body: object) => person.try.assets.create({ body: { name: 'Lift', ...body } });
    const values = [{ field_id: drive!.id, value: 'rope' }];
    const statuses = [{ kind_id: lift.id }, { values }, { kind_id: lift.id, values }].map(
      async (body) => (await create(body)).status,
    );
    expect(await Promise.all(statuses)).toEqual([422, 422, 201]);
    const { id } = await newAsset(person, { kind_id: lift.id, values });
    const other = await newAssetKind(person, { fields: [{ ...TEXT, id: drive!.id, label: 'Other' }] });
    expect((await update(id, { kind_id: other.id })).values).toMatchObject([
      { label: 'Other', value: 'rope' },
    ]);
    expect((await update(id, { kind_id: null })).values).toEqual([]);
  });

  test('hold their location, kind and parent, until a client account goes with its locations', async () => {
    const { id: client_account_id } = await newClientAccount(person);
    const { id: location_id } = await newLocation(person, { client_account_id });
    const { id: kind_id } = await newAssetKind(person);
    const { id: parent_id } = await newAsset(person);
    const { id } = await newAsset(person, { location_id, kind_id, parent_id });
    const answers = [
      await person.try.locations.delete({ params: { location_id } }),
      await person.try.assets.deleteKind({ params: { asset_kind_id: kind_id } }),
      await person.try.assets.delete(at(parent_id)),
    ];
    expect(answers.map(({ status }) => status)).toEqual([409, 409, 409]);
    await person.clientAccounts.delete({ params: { ca_id: client_account_id }, query: { cascade: true } });
    await deleteRemains(person.caller, { client_account_id }, Infinity);
    expect((await person.assets.get(at(id))).location_id).toBeNull();
  });

  test('do not exist for another organization, nor as its parents', async () => {
    const other = await newPerson('Other');
    const { id } = await newAsset(person, { name: 'Secret' });
    expect((await other.try.assets.get(at(id))).status).toBe(404);
    expect(await other.assets.list({ query: { q: 'secret' } })).toEqual([]);
    const { status, body } = await other.try.assets.create({ body: { name: 'X', parent_id: id } });
    expect([status, body.detail]).toEqual([400, errors.referenceNotFound('parent_id').detail]);
  });
});

describe('POST /assets/{asset_id}/decommission', () => {
  const decommission = (id: string, body = {}) => person.assets.decommission({ ...at(id), body });
  const list = (asset_id: string): Promise<Inspection[]> =>
    person.inspections.list({ query: { asset_id, limit: 10 } });

  test('200 ends what nobody has started, says what it was, and lets nothing begin', async () => {
    const { id: location_id } = await newLocation(person);
    const { id: asset_id } = await newAsset(person, { location_id });
    const planned = await newInspection(person, { asset_id });
    const begun = await startedInspection(person, { asset_id });
    expect(planned).toMatchObject({ asset_id, location_id });
    const ended = await decommission(asset_id, { reason: 'Replaced' });
    expect(ended).toMatchObject({ status: 'decommissioned', ended_inspection_ids: [planned.id] });
    expect(
      (await list(asset_id)).map(({ id, status, archive_reason }) => [id, status, archive_reason]),
    ).toEqual([
      [begun.id, 'in_progress', null],
      [planned.id, 'archived', 'asset_decommissioned'],
    ]);
    const { status, body } = await person.try.inspections.duplicate({ params: { inspection_id: begun.id } });
    expect([status, body.detail]).toEqual([409, errors.assetDecommissioned().detail]);
    const restore = () => person.try.inspections.restore({ params: { inspection_id: planned.id } });
    const refused = await restore();
    expect([refused.status, refused.body.detail]).toEqual([409, errors.assetDecommissioned().detail]);
    expect((await decommission(asset_id)).ended_inspection_ids).toEqual([]);
    const entries = await person.assets.listActivity(at(asset_id));
    expect(entries.at(-1)).toMatchObject({ kind: 'status_changed', from: 'in_service', note: 'Replaced' });
    expect((await update(asset_id, { status: 'in_service' })).decommissioned_at).toBeNull();
    expect((await restore()).status).toBe(200);
  });

  test('200 leaves no scheduled inspection, whichever is first', async () => {
    const { template_family_id } = await newInspection(person);
    for (let round = 0; round < 5; round += 1) {
      const { id: asset_id } = await newAsset(person);
      const body = { template_family_id, asset_id };
      await Promise.all([
        person.try.inspections.create({ body }),
        decommission(asset_id),
        person.try.inspections.create({ body }),
      ]);
      expect((await list(asset_id)).filter((each) => each.status !== 'archived')).toEqual([]);
    }
  });
});

describe('issues of assets', () => {
  test('are listed, are where the asset is, and come by the label of the asset', async () => {
    const { id: location_id } = await newLocation(person);
    const asset = await newAsset(person, { location_id });
    const { id: category_id } = await newCategory(person);
    const link = await newLink(person, { asset_id: asset.id }, { id: category_id });
    expect(link).toMatchObject({ asset_id: asset.id, label: `Lift A · ${asset.number}` });
    const { issue_id } = await report(
      { ...person.caller, user_id: '' },
      { category_id, public_link_id: link.id },
      {
        nonce: 'n',
        description: 'Door does not close',
        answers: [],
        media: [],
        occurred_at: null,
        reporter: {},
      },
    );
    const own = await person.issues.create({ body: { title: 'Noise', asset_id: asset.id } });
    const issues = await person.issues.list({ query: { asset_id: asset.id } });
    expect(issues).toMatchObject([
      { id: own.id, location_id },
      { id: issue_id, location_id, asset_id: asset.id },
    ]);
    expect((await person.try.assets.delete(at(asset.id))).status).toBe(409);
  });
});

describe('asset kinds', () => {
  test('have names of their own, and fields that keep their ids', async () => {
    const by = await newPerson('Kinds');
    const { id, fields } = await by.assets.createKind({ body: { name: 'Lift', fields: [TEXT] } });
    const body = { name: 'LIFT' };
    expect((await by.try.assets.createKind({ body })).status).toBe(409);
    const params = { asset_kind_id: id };
    const wrong = { fields: [{ ...TEXT, type: 'single_select' }] };
    expect((await by.try.assets.updateKind({ params, body: wrong })).status).toBe(422);
    const changed = await by.assets.updateKind({
      params,
      body: { fields: [{ ...fields[0], label: 'Motor' }] },
    });
    expect(changed.fields).toEqual([{ ...fields[0], label: 'Motor' }]);
    expect(await by.assets.getKind({ params })).toEqual(changed);
    expect(await by.assets.listKinds({})).toEqual([changed]);
  });
});

describe('GET /assets', () => {
  test('200 by each filter, at once and page by page', async () => {
    const by = await newPerson('Lists');
    const yard = await newLocation(by);
    const { id: region_id } = await by.regions.create({ body: { name: 'Port' } });
    const quay = await newLocation(by, { parent_id: yard.id, region_id });
    const crane = await newAsset(by, {
      name: 'Big crane',
      serial: 'BX-1',
      location_id: quay.id,
      tags: ['port'],
    });
    const hook = await newAsset(by, { name: 'Hook', parent_id: crane.id, status: 'out_of_service' });
    const belt = await newAsset(by, { name: 'Belt', location_id: yard.id, metadata: { owner: 'Acme' } });
    const named = new Map([crane, hook, belt].map(({ id, name }) => [id, name]));
    const names = (found: Asset[]) => found.map(({ id }) => named.get(id));
    const list = async (query: Record<string, string | number>) => names(await by.assets.list({ query }));
    expect(await list({})).toEqual(['Belt', 'Hook', 'Big crane']);
    expect(await list({ location_id: yard.id })).toEqual(['Belt']);
    expect(await list({ within: yard.id })).toEqual(['Belt', 'Big crane']);
    expect(await list({ region_id })).toEqual(['Big crane']);
    expect(await list({ region_id, within: yard.id, q: 'b' })).toEqual(['Big crane']);
    expect(await list({ region_id, location_id: yard.id })).toEqual([]);
    expect(await list({ parent_id: crane.id })).toEqual(['Hook']);
    expect(await list({ status: 'out_of_service' })).toEqual(['Hook']);
    expect(await list({ tag: 'PORT', within: yard.id })).toEqual(['Big crane']);
    expect(await list({ 'metadata.owner': 'Acme' })).toEqual(['Belt']);
    // Each asset comes once, with the first of its words that fits.
    expect(await list({ q: 'b' })).toEqual(['Belt', 'Big crane']);
    expect(await list({ q: 'CRANE big' })).toEqual(['Big crane']);
    expect(await list({ q: 'b', limit: 1 })).toEqual(['Belt']);
    expect(await list({ q: String(hook.number) })).toEqual(['Hook']);
    const { headers } = await by.try.assets.list({ query: { q: 'b', limit: 1 } });
    const cursor = new URL(/<(.*)>/.exec(headers['link']!)![1]!).searchParams.get('cursor')!;
    expect(await list({ q: 'b', limit: 1, cursor })).toEqual(['Big crane']);
  });
});
