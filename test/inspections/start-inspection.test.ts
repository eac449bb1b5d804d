import * as startInspection from '../../functions/inspections/start-inspection.ts';
import { call } from '../support/call.ts';
import { newPerson, type Person } from '../support/people.ts';
import { tally } from '../templates/fixtures.ts';
import { eventsOf, newInspection } from './fixtures.ts';

describe('POST /inspections/{inspection_id}/start', () => {
  let person: Person;
  const start = ({ id }: { id: string }, headers = {}) =>
    call(startInspection, { as: person.key, params: { inspection_id: id }, headers });

  beforeAll(async () => {
    person = await newPerson('Starter');
  });

  test('200 in progress from now on, its own part begun, and told', async () => {
    const inspection = await newInspection(person, {
      participants: [{ user_id: person.caller.user_id }, { user_id: person.adminId }],
    });
    const { status, body } = await start(inspection);
    expect([status, body.status, body.version]).toEqual([200, 'in_progress', 2]);
    expect(Date.parse(body.started_at)).toBeCloseTo(Date.now(), -4);
    expect(body.participants.map((participant: { status: string }) => participant.status)).toEqual([
      'started',
      'assigned',
    ]);
    expect(await eventsOf(person, inspection.id)).toEqual(['inspection.created', 'inspection.started']);
  });

  test('409 naming the state, also for all but one at once', async () => {
    const inspection = await newInspection(person);
    const answers = await Promise.all(Array.from({ length: 5 }, () => start(inspection)));
    expect(tally(answers)).toEqual({ 200: 1, 409: 4 });
    expect((await start(inspection)).body.detail).toContain('in_progress');
    expect(await eventsOf(person, inspection.id)).toEqual(['inspection.created', 'inspection.started']);
  });

  test('409 for another version', async () => {
    expect((await start(await newInspection(person), { 'If-Match': '"2"' })).status).toBe(409);
  });
});
