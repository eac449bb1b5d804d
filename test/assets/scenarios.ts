import type { AssetKind } from '../../shared/schemas/assets/asset-kind.ts';
import type { Asset } from '../../shared/schemas/assets/asset.ts';
import { newDocument } from '../documents/scenarios.ts';
import { newInspection } from '../inspections/fixtures.ts';
import { newLocation } from '../locations/scenarios.ts';
import { newSchedule } from '../schedules/fixtures.ts';
import { as } from '../support/call.ts';
import type { Person } from '../support/people.ts';
import { byExternalRef, inBatch, type Scenarios } from '../support/scenarios.ts';

let names = 0;
const newName = () => `Kind ${(names += 1)}`;

export const newAsset = ({ key }: Person, fields: object = {}): Promise<Asset> =>
  as(key).assets.create({ body: { name: 'Lift A', ...fields } });

const LOAD = { type: 'number', label: 'Load in kg', required: true };

export const newAssetKind = ({ key }: Person, fields: object = {}): Promise<AssetKind> =>
  as(key).assets.createKind({ body: { name: newName(), ...fields } });

const one = async (person: Person, fields?: object) => ({
  params: { asset_id: (await newAsset(person, fields)).id },
});

const kind = async (person: Person, fields?: object) => ({
  params: { asset_kind_id: (await newAssetKind(person, fields)).id },
});

/** An asset with all fields. */
const whole = async (person: Person) => {
  const { id: kind_id, fields } = await newAssetKind(person, { fields: [LOAD] });
  return {
    name: 'Lift B',
    kind_id,
    serial: 'SN 4711',
    manufacturer: 'Acme',
    location_id: (await newLocation(person)).id,
    parent_id: (await newAsset(person, { parent_id: (await newAsset(person)).id })).id,
    status: 'out_of_service',
    installed_at: '2020-05-01T00:00:00Z',
    media: [{ document_id: (await newDocument(person)).id, caption: 'Manual' }],
    values: [{ field_id: fields[0]!.id, value: 630 }],
    external_ref: `lift-${newName()}`,
    tags: ['fire brigade'],
    metadata: { contract: 'A-7' },
  };
};

const creatingAsset: Scenarios[string] = [
  () => ({ body: { name: 'Lift A' } }),
  async (person) => ({ body: await whole(person) }),
];

export const scenarios: Scenarios = {
  createAssetKind: [(person) => ({ body: { name: `${person.caller.org_id} lift`, fields: [LOAD] } })],
  getAssetKind: [(person) => kind(person)],
  listAssetKinds: [
    async (person) => {
      await newAssetKind(person);
      return { query: { limit: 1 } };
    },
  ],
  updateAssetKind: [
    async (person) => ({ ...(await kind(person)), body: { name: newName(), fields: [LOAD] } }),
  ],
  deleteAssetKind: [(person) => kind(person)],
  createAsset: creatingAsset,
  createAssetBatch: inBatch(creatingAsset),
  upsertAsset: byExternalRef(creatingAsset, (person, request) => person.assets.upsert(request)),
  getAsset: [async (person) => one(person, await whole(person))],
  listAssets: [
    async (person) => {
      await newAsset(person);
      return {};
    },
    async (person) => {
      const { tags, metadata, location_id: within, ...fields } = await whole(person);
      await newAsset(person, { ...fields, location_id: within, tags, metadata });
      return { query: { within, tag: tags, 'metadata.contract': metadata.contract, limit: 10 } };
    },
    async (person) => {
      const { kind_id, parent_id, external_ref, ...fields } = await whole(person);
      await newAsset(person, { ...fields, kind_id, parent_id, external_ref });
      return { query: { kind_id, parent_id, external_ref, status: ['out_of_service'] } };
    },
    async (person) => {
      await newAsset(person);
      return { query: { q: 'li', limit: 1 } };
    },
  ],
  updateAsset: [
    async (person) => ({ ...(await one(person)), body: { name: 'Lift C', status: 'out_of_service' } }),
    async (person) => ({ ...(await one(person)), body: await whole(person) }),
    async (person) => ({
      ...(await one(person, await whole(person))),
      body: { location_id: null, kind_id: null, media: [], metadata: { contract: null } },
    }),
  ],
  decommissionAsset: [
    async (person) => {
      const asset = await one(person);
      await newInspection(person, asset.params);
      await newSchedule(person, { asset_ids: [asset.params.asset_id] });
      return { ...asset, body: { reason: 'Replaced' } };
    },
  ],
  deleteAsset: [async (person) => one(person, await whole(person))],
  listAssetActivity: [async (person) => ({ ...(await one(person)), query: { limit: 1 } })],
};
