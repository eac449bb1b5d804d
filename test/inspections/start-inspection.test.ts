import * as errors from '../../shared/base/errors.ts';
import { statusCounts } from '../support/call.ts';
import { newPerson, type Person } from '../support/people.ts';
import { eventsOf, newInspection } from './fixtures.ts';

describe('POST /inspections/{inspection_id}/start', () => {
  let person: Person;
  const start = ({ id }: { id: string }, headers = {}) =>
    person.try.inspections.start({ params: { inspection_id: id }, headers });

  beforeAll(async () => {
    person = await newPerson('Starter');
  });

  test('200, and the inspection is in progress, the caller’s part is started, and there is an event', async () => {
    const inspection = await newInspection(person, {
      participants: [{ user_id: person.caller.user_id }, { user_id: person.adminId }],
    });
    const before = Date.now();
    const { status, body } = await start(inspection);
    expect([status, body.status, body.version]).toEqual([200, 'in_progress', 2]);
    const startedAt = Date.parse(body.started_at);
    expect(startedAt).toBeGreaterThanOrEqual(before);
    expect(startedAt).toBeLessThanOrEqual(Date.now());
    expect(body.participants.map((participant: { status: string }) => participant.status)).toEqual([
      'started',
      'assigned',
    ]);
    expect(await eventsOf(person, inspection.id)).toEqual(['inspection.created', 'inspection.started']);
  });

  test('409 for a started inspection, also for all but one of five parallel requests', async () => {
    const inspection = await newInspection(person);
    const answers = await Promise.all(Array.from({ length: 5 }, () => start(inspection)));
    expect(statusCounts(answers)).toEqual({ 200: 1, 409: 4 });
    expect((await start(inspection)).body.detail).toBe(errors.inspectionStatus('in_progress').detail);
    expect(await eventsOf(person, inspection.id)).toEqual(['inspection.created', 'inspection.started']);
  });

  test('409 for another version', async () => {
    expect((await start(await newInspection(person), { 'If-Match': '"2"' })).status).toBe(409);
  });
});
