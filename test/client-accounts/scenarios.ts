import { operation, handler } from '../../functions/client-accounts/create-client-account.ts';
import { completedInspection, startedInspection } from '../inspections/fixtures.ts';
import { as } from '../support/call.ts';
import type { Person } from '../support/people.ts';
import { byExternalRef, type Failures, inBatch, type Scenarios } from '../support/scenarios.ts';

export const newClientAccount = ({ key }: Person, fields: object = {}): Promise<{ id: string }> =>
  as(key).must({ operation, handler }, { body: { name: 'Acme Cranes', ...fields } });

const one = async (person: Person, fields?: object) => ({
  params: { ca_id: (await newClientAccount(person, fields)).id },
});

const creatingClientAccount: Scenarios[string] = [
  () => ({ body: { name: 'Acme Cranes' } }),
  () => ({
    body: {
      name: 'Dockside',
      brand_primary: '210 80% 40%',
      logo_url: 'https://example.com/logo.png',
      contact: { name: 'Ada', email: 'ada@example.com' },
      notes: ' ',
      external_ref: 'crm-1',
      is_active: false,
      tags: ['port'],
      metadata: { segment: 'A' },
      digest: { email: 'ada@example.com', name: 'Ada', weekday: 'friday', locale: 'de' },
    },
  }),
];

export const scenarios: Scenarios = {
  createClientAccount: creatingClientAccount,
  createClientAccountBatch: inBatch(creatingClientAccount),
  upsertClientAccount: byExternalRef(creatingClientAccount, (person, request) =>
    person.clientAccounts.upsert(request),
  ),
  deleteClientAccount: [
    (person) => one(person),
    async (person) => {
      const request = await one(person, { external_ref: 'crm-2' });
      await startedInspection(person, { client_account_id: request.params.ca_id });
      return { ...request, query: { cascade: true } };
    },
  ],
  eraseClientAccount: [
    async (person) => {
      const request = await one(person);
      await completedInspection(person, { client_account_id: request.params.ca_id });
      return request;
    },
  ],
  getClientAccount: [(person) => one(person)],
  listClientAccounts: [
    async (person) => {
      await newClientAccount(person);
      return {};
    },
    async (person) => {
      await newClientAccount(person, { external_ref: 'crm-3' });
      return { query: { external_ref: 'crm-3', limit: 10 } };
    },
    async (person) => {
      await newClientAccount(person, { name: 'Port of Harbour' });
      return { query: { q: 'harbour', limit: 10 } };
    },
    async (person) => {
      await newClientAccount(person, { tags: ['port'], metadata: { segment: 'A' } });
      return { query: { tag: ['port'], 'metadata.segment': 'A', limit: 10 } };
    },
  ],
  updateClientAccount: [
    async (person) => ({ ...(await one(person)), body: { name: 'Acme Hoists', contact: { phone: '1' } } }),
    async (person) => ({
      ...(await one(person, { tags: ['port'], metadata: { segment: 'A' } })),
      body: { tags: ['pier'], metadata: { segment: null, size: 'L' } },
    }),
    async (person) => ({ ...(await one(person, { external_ref: 'crm-4' })), body: { external_ref: null } }),
    async (person) => ({
      ...(await one(person, { digest: { email: 'ada@example.com' } })),
      body: { digest: { email: 'ada@example.com', weekday: 'friday' } },
    }),
  ],
};

export const failures: Failures = {
  // Why its inspections are kept is looked up.
  deleteClientAccount: async (person, send) => {
    const request = await one(person, { external_ref: 'crm-3' });
    await completedInspection(person, { client_account_id: request.params.ca_id });
    return send({ ...request, query: { cascade: true } });
  },
};
