import * as archiveFamily from '../../functions/templates/families/archive-family.ts';
import { newClient, newLocation } from '../inspections/fixtures.ts';
import { as } from '../support/call.ts';
import type { Person } from '../support/people.ts';
import type { Scenarios } from '../support/scenarios.ts';
import { publishedFamily } from '../templates/fixtures.ts';
import { DAILY, newSchedule, of } from './fixtures.ts';

/** Every setting of a new schedule. */
const setup = async (person: Person): Promise<object> => {
  const client = await newClient(person);
  const locations = await Promise.all([1, 2].map(() => newLocation(person, client.id)));
  return {
    client_account_id: client.id,
    location_ids: locations.map(({ id }) => id),
    assignee_ids: [person.caller.user_id],
    approver_id: person.adminId,
    create_ahead_days: 30,
    window: { due_after: 'PT8H', miss_after: 'P2D' },
    starts_on: '2027-01-01',
    ends_on: '2030-12-31',
    external_ref: 'cmms-1',
  };
};

export const scenarios: Scenarios = {
  createSchedule: [
    async (person) => ({
      body: {
        title: 'Daily walk',
        recurrence: DAILY,
        template_family_id: (await publishedFamily(person.key)).id,
      },
    }),
    async (person) => ({
      body: {
        title: 'Daily walk',
        recurrence: DAILY,
        template_family_id: (await publishedFamily(person.key)).id,
        ...(await setup(person)),
      },
    }),
  ],
  deleteSchedule: [
    async (person) => of(await newSchedule(person)),
    async (person) => of(await newSchedule(person, { external_ref: 'cmms-2' })),
  ],
  getSchedule: [async (person) => of(await newSchedule(person, { ...(await setup(person)) }))],
  listSchedules: [
    async (person) => {
      await newSchedule(person);
      return {};
    },
    async (person) => {
      const family = await publishedFamily(person.key);
      await newSchedule(person, { template_family_id: family.id, external_ref: 'cmms-3' });
      await as(person).must.post(archiveFamily, { params: { family_id: family.id } });
      return { query: { external_ref: 'cmms-3', status: 'paused', limit: 10 } };
    },
  ],
  updateSchedule: [
    async (person) => ({ ...of(await newSchedule(person)), body: { title: 'Walk', status: 'paused' } }),
    async (person) => {
      const { id: client_account_id } = await newClient(person);
      const schedule = await newSchedule(person, { external_ref: 'cmms-4' });
      return { ...of(schedule), body: { client_account_id, external_ref: null } };
    },
  ],
};
