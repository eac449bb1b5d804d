import type { Person } from '../support/people.ts';
import type { Failure, Failures, Scenario, Scenarios } from '../support/scenarios.ts';
import { newConnection, newDirectory, newSource, sync, syncDirectory } from './fixtures.ts';
import { failing, GOOD_TOKEN, useMemoryVendor } from './memory-vendor.ts';

const vendor = useMemoryVendor();
vendor.put('b', { i1: { name: 'Site 1', kind: 'Bldg', where: 'Street 1' } });
vendor.putSubitem('i1', 's1', { name: 'Bay 1' });
vendor.people = [{ id: 'p1', name: 'Ada', email: 'ada@example.com', title: null, status: 'active' }];

const connected = async (person: Person) => ({
  params: { connection_id: (await newConnection(person)).id },
});

const sourced = async (person: Person, fields?: object) => ({
  params: { source_id: (await newSource(person, { ...fields })).id },
});

const synced = async (person: Person) => {
  const source = await newSource(person);
  await sync(person, source);
  return { params: { source_id: source.id } };
};

const candidate = async (person: Person): Promise<{ id: string }> => {
  await syncDirectory(person, await newDirectory(person));
  return (await person.integrations.listUserCandidates({}))[0];
};

/** A live read of a connection. */
const live = (query: Record<string, string>, ...others: Record<string, string | number>[]) =>
  [query, ...others].map((each) => async (person: Person) => ({
    ...(await connected(person)),
    query: each,
  })) as unknown as Scenarios[string];

const mappings = { name: 'name' };

export const scenarios: Scenarios = {
  getIntegrationCatalog: [() => ({})],
  getIntegrationStatus: [
    async (person) => {
      await newSource(person);
      return { params: { vendor: 'monday' } };
    },
  ],
  listIntegrationActivity: [
    async (person) => {
      await newConnection(person);
      return { params: { vendor: 'monday' } };
    },
    () => ({
      params: { vendor: 'monday' },
      query: { kind: ['connection.created'], since: '2026-01-01T00:00:00Z', limit: 1 },
    }),
  ],
  listConnections: [
    async (person) => {
      await newSource(person);
      return {};
    },
  ],
  createConnection: [
    () => ({ body: { vendor: 'monday', title: 'Harbour', credential: { api_token: GOOD_TOKEN } } }),
    () => ({ body: { vendor: 'monday', title: 'Harbour', credential: { api_token: 'wrong-token' } } }),
  ],
  getConnection: [connected],
  verifyConnection: [connected],
  updateConnection: [
    async (person) => ({ ...(await connected(person)), body: { title: 'Quay' } }),
    async (person) => ({
      ...(await connected(person)),
      body: { credential: { api_token: GOOD_TOKEN } },
    }),
  ],
  deleteConnection: [
    connected,
    async (person) => {
      const { connection_id } = await newSource(person);
      return { params: { connection_id } };
    },
  ],
  listBoards: live({}, { limit: 1, q: 'b' }),
  listColumns: live({ board_id: 'b' }),
  listSubitemColumns: live({ board_id: 'b' }),
  listItems: live({ board_id: 'b' }, { board_id: 'b', limit: 1, q: 'Site' }),
  getItem: live({ item_id: 'i1' }),
  listItemChildren: live({ item_id: 'i1' }),
  listSources: [
    async (person) => {
      const { connection_id } = await newSource(person);
      return { params: { connection_id } };
    },
    async (person) => {
      const { connection_id } = await newSource(person, { name: 'All sites' });
      return { params: { connection_id }, query: { q: 'site', limit: 1 } };
    },
  ],
  createSource: [
    async (person) => ({
      ...(await connected(person)),
      body: { name: 'Sites', target_ref: 'locations', board_id: 'b', mappings, schedule_minutes: 60 },
    }),
    async (person) => ({
      ...(await connected(person)),
      body: {
        name: 'Bays',
        target_ref: 'response_sets',
        board_id: 'b',
        level: 'subitem',
        mappings: { label: 'name' },
      },
    }),
  ],
  getSource: [sourced, synced],
  updateSource: [
    async (person) => ({ ...(await sourced(person)), body: { mappings, schedule_minutes: 60 } }),
    async (person) => ({ ...(await sourced(person)), body: { status: 'paused' } }),
  ],
  deleteSource: [sourced, synced],
  startSync: [
    (person) => sourced(person),
    async (person) => ({ ...(await sourced(person)), body: { allow_mass_deactivation: true } }),
  ],
  listSyncRuns: [synced],
  listSourceRows: [
    synced,
    async (person) => ({ ...(await synced(person)), query: { is_active: true, limit: 1 } }),
  ],
  listDirectorySources: [
    async (person) => {
      await newDirectory(person);
      return {};
    },
    async (person) => {
      await newDirectory(person);
      return { query: { q: 'people', limit: 1 } };
    },
  ],
  createDirectorySource: [
    async (person) => ({ body: { connection_id: (await newConnection(person)).id, name: 'People' } }),
    async (person) => ({
      body: {
        connection_id: (await newConnection(person)).id,
        name: 'Crew',
        board_id: 'b',
        mappings: { name: 'name', email: 'mail' },
      },
    }),
  ],
  startDirectorySync: [async (person) => ({ params: { source_id: (await newDirectory(person)).id } })],
  listUserCandidates: [
    async (person) => {
      await candidate(person);
      return {};
    },
    () => ({ query: { status: ['new', 'linked'], limit: 5 } }),
  ],
  updateUserCandidate: [
    async (person) => ({
      params: { candidate_id: (await candidate(person)).id },
      body: { status: 'ignored' },
    }),
  ],
  listReferenceFields: [() => ({ params: { target_ref: 'locations' } })],
};

/** The vendor refuses the credential, which is noted, and told to those whom it concerns. */
const refused =
  (request: Scenario): Failure =>
  async (person, send) => {
    const prepared = await request(person);
    vendor.beforeCall = () => {
      throw failing({ kind: 'unauthorized' });
    };
    try {
      return await send(prepared);
    } finally {
      vendor.beforeCall = () => {};
    }
  };

/** What is read from a vendor writes only then. */
export const failures: Failures = Object.fromEntries(
  [
    'listBoards',
    'listColumns',
    'listSubitemColumns',
    'listItems',
    'getItem',
    'listItemChildren',
    'updateSource',
  ].map((id) => [id, refused(scenarios[id]![0])]),
);
