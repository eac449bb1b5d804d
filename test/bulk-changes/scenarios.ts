import { newAction } from '../corrective-actions/fixtures.ts';
import { newInspection } from '../inspections/fixtures.ts';
import { newIssue } from '../issues/fixtures.ts';
import { newLocation } from '../locations/scenarios.ts';
import { cleanUp, newSchedule } from '../schedules/fixtures.ts';
import type { Client } from '../support/call.ts';
import type { Person } from '../support/people.ts';
import type { Scenarios } from '../support/scenarios.ts';
import { ask } from './fixtures.ts';

/** A bulk change of one inspection, after its dry run. @param by who has asked for it */
export const planned = async (person: Person, by: Client = person) => {
  const { id: location_id } = await newLocation(person);
  await newInspection(person, { location_id });
  await cleanUp(person);
  const bulk = await ask(by, {
    resource: 'inspections',
    filter: { location_id: [location_id] },
    action: { type: 'archive' },
  });
  await cleanUp(person);
  return { params: { bulk_change_id: bulk.id } };
};

/** Asks for a change of each resource. What others have asked for before is done first, so that there is room. */
const asking =
  (body: object, prepare: (person: Person) => Promise<unknown> = async () => undefined) =>
  async (person: Person) => {
    await cleanUp(person);
    await prepare(person);
    return { body };
  };

export const scenarios: Scenarios = {
  createBulkChange: [
    asking(
      { resource: 'inspections', filter: { status: ['scheduled'] }, action: { type: 'archive' } },
      newInspection,
    ),
    asking(
      {
        resource: 'corrective_actions',
        filter: { status: ['open'], is_overdue: false },
        action: { type: 'set_due', due_at: '2030-01-01T00:00:00.000Z' },
      },
      newAction,
    ),
    asking(
      {
        resource: 'issues',
        filter: { tag: ['leak'] },
        action: { type: 'tag', add: ['water'], remove: ['leak'] },
      },
      newIssue,
    ),
    asking({ resource: 'locations', filter: { q: 'Pier' }, action: { type: 'move', location_id: null } }),
    asking({ resource: 'assets', filter: {}, action: { type: 'archive', reason: 'Sold' }, dry_run: false }),
    asking(
      { resource: 'schedules', filter: { status: ['active'] }, action: { type: 'archive' } },
      newSchedule,
    ),
  ],
  listBulkChanges: [
    async (person) => {
      await planned(person);
      await planned(person);
      return { query: { status: ['planned'], limit: 1 } };
    },
  ],
  getBulkChange: [(person) => planned(person)],
  listBulkChangeRows: [
    async (person) => ({ ...(await planned(person)), query: { outcome: ['planned'], limit: 1 } }),
  ],
  updateBulkChange: [
    // Anybody may cancel it; only who has requested it carries it out.
    async (person) => ({ ...(await planned(person)), body: { status: 'cancelled' } }),
    async (person) => ({ ...(await planned(person)), body: { status: 'running' } }),
    async (person) => {
      const { params } = await planned(person);
      await person.bulkChanges.update({ params, body: { status: 'running' } });
      return { params, body: { status: 'stopped' } };
    },
  ],
};
