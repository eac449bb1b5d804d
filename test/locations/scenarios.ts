import type { RequestedTransfer } from '../../shared/schemas/location-transfer.ts';
import type { Location } from '../../shared/schemas/location.ts';
import { newCertificate } from '../certificates/fixtures.ts';
import { newClientAccount } from '../client-accounts/scenarios.ts';
import { newAction, newFinding } from '../corrective-actions/fixtures.ts';
import { startedInspection } from '../inspections/fixtures.ts';
import { newIssue, newLink } from '../issues/fixtures.ts';
import { newRegion } from '../regions/scenarios.ts';
import { cleanUp, newSchedule } from '../schedules/fixtures.ts';
import { as } from '../support/call.ts';
import type { Person } from '../support/people.ts';
import { byExternalRef, inBatch, type Scenarios } from '../support/scenarios.ts';

export const newLocation = ({ key }: Person, fields: object = {}): Promise<Location> =>
  as(key).locations.create({ body: { name: 'Harbour North', ...fields } });

const one = async (person: Person, fields?: object) => ({
  params: { location_id: (await newLocation(person, fields)).id },
});

let refs = 0;
const newRef = () => `site-${(refs += 1)}`;

/** A location of a client account, and another client account that it can go to. */
const leaving = async (person: Person) => {
  // One transfer runs at a time.
  await cleanUp(person);
  const { id: client_account_id } = await newClientAccount(person);
  return {
    ...(await one(person, { client_account_id })),
    body: { client_account_id: (await newClientAccount(person)).id },
  };
};

/** A transfer that has not begun. */
export const scheduledTransfer = async (person: Person): Promise<RequestedTransfer> => {
  const { params, body } = await leaving(person);
  return person.locations.transfer({ params, body: { ...body, effective_at: '2100-01-01T00:00:00.000Z' } });
};

const ofTransfer = async (person: Person) => ({
  params: { transfer_id: (await scheduledTransfer(person)).id! },
});

const creatingLocation: Scenarios[string] = [
  () => ({ body: { name: 'Harbour North' } }),
  async (person) => {
    const { id: client_account_id } = await newClientAccount(person);
    const { id: parent_id } = await newLocation(person, { client_account_id });
    return {
      body: {
        name: 'Crane 7',
        kind: 'machine',
        client_account_id,
        parent_id,
        address: 'Pier 3',
        lat: 38.7071,
        lng: -9.1355,
        timezone: 'Europe/Lisbon',
        status: 'inactive',
        external_ref: newRef(),
        people: [{ user_id: person.caller.user_id, role: 'manager' }],
        region_id: (await newRegion(person)).id,
        tags: ['crane'],
        metadata: { cost_center: '4711' },
      },
    };
  },
];

export const scenarios: Scenarios = {
  createLocation: creatingLocation,
  createLocationBatch: inBatch(creatingLocation),
  upsertLocation: byExternalRef(creatingLocation, (person, request) => person.locations.upsert(request)),
  getLocation: [(person) => one(person)],
  updateLocation: [
    async (person) => ({ ...(await one(person)), body: { name: 'Harbour South', lat: null } }),
    async (person) => ({ ...(await one(person)), body: { status: 'inactive' } }),
    async (person) => {
      const people = [{ user_id: person.adminId, role: 'manager' }];
      return { ...(await one(person)), body: { people } };
    },
    async (person) => ({
      ...(await one(person, { tags: ['crane', 'old'], metadata: { owner: 'Acme' } })),
      body: {
        region_id: (await newRegion(person)).id,
        tags: ['crane', 'new'],
        metadata: { owner: null, keeper: 'Acme' },
      },
    }),
    async (person) => {
      const { id } = await newLocation(person);
      const moved = await one(person, { parent_id: id });
      await newLocation(person, { parent_id: moved.params.location_id });
      return { ...moved, body: { parent_id: (await newLocation(person)).id } };
    },
    async (person) => {
      const top = await newLocation(person);
      const middle = await newLocation(person, { parent_id: top.id });
      const low = await newLocation(person, { parent_id: middle.id, external_ref: newRef() });
      const moved = await one(person, { parent_id: top.id, external_ref: newRef() });
      return { ...moved, body: { parent_id: low.id, external_ref: null, name: 'Berth' } };
    },
  ],
  mergeLocation: [
    async (person) => {
      await cleanUp(person);
      const merged = await one(person, { external_ref: newRef() });
      const into = await newLocation(person, { parent_id: (await newLocation(person)).id });
      await newLocation(person, { parent_id: merged.params.location_id });
      return { ...merged, body: { into: into.id } };
    },
    async (person) => {
      await cleanUp(person);
      const merged = await one(person);
      const { location_id } = merged.params;
      await newLocation(person, { parent_id: location_id });
      await newCertificate(person, { location_id });
      await newAction(
        person,
        {},
        await newFinding(person, {}, await startedInspection(person, { location_id })),
      );
      await newIssue(person, { location_id });
      await newLink(person, { location_id });
      await newSchedule(person, { location_ids: [location_id] });
      return { ...merged, body: { into: (await newLocation(person)).id, dry_run: true } };
    },
  ],
  transferLocation: [
    (person) => leaving(person),
    async (person) => {
      const { params, body } = await leaving(person);
      const location_id = params.location_id;
      const { client_account_id } = await person.locations.get({ params });
      await newLocation(person, { parent_id: location_id, client_account_id });
      await newAction(
        person,
        {},
        await newFinding(person, {}, await startedInspection(person, { location_id })),
      );
      await newIssue(person, { location_id });
      await newLink(person, { location_id });
      await newSchedule(person, { client_account_id, location_ids: [location_id] });
      return { params, body: { ...body, dry_run: true } };
    },
    async (person) => {
      const { params, body } = await leaving(person);
      return { params, body: { ...body, effective_at: '2100-01-01T00:00:00.000Z', inspections: 'keep' } };
    },
  ],
  getLocationTransfer: [(person) => ofTransfer(person)],
  listLocationTransfers: [
    async (person) => {
      const { location_id } = await scheduledTransfer(person);
      await scheduledTransfer(person);
      return { query: { location_id, status: ['scheduled'], limit: 1 } };
    },
  ],
  cancelLocationTransfer: [(person) => ofTransfer(person)],
  deleteLocation: [
    (person) => one(person),
    async (person) =>
      one(person, { client_account_id: (await newClientAccount(person)).id, external_ref: newRef() }),
    async (person) => {
      const location = await one(person);
      await newSchedule(person, { location_ids: [location.params.location_id] });
      return { ...location, query: { from_schedules: 'remove' } };
    },
  ],
  listLocations: [
    () => ({}),
    async (person) => {
      const external_ref = newRef();
      await newLocation(person, { external_ref });
      return { query: { external_ref, limit: 1 } };
    },
    async (person) => {
      await newLocation(person);
      await newLocation(person);
      return { query: { limit: 1, offset: 1, status: 'active' } };
    },
    async (person) => {
      const { id: within } = await newLocation(person, { name: 'Yard' });
      await newLocation(person, { parent_id: within, kind: 'berth' });
      return { query: { within, kind: 'berth', limit: 10 } };
    },
    async (person) => {
      const { id: parent_id } = await newLocation(person);
      const { id: region_id } = await newRegion(person);
      await newLocation(person, { parent_id, region_id, tags: ['crane'], metadata: { owner: 'Acme' } });
      return { query: { parent_id, region_id, tag: ['crane'], 'metadata.owner': 'Acme' } };
    },
  ],
};
