import { handler, operation } from '../../functions/events/list-events.ts';
import { change } from '../../shared/db/table/change.ts';
import type { OutboxRow } from '../../shared/db/table/entities.ts';
import { appendEvents, emit } from '../../shared/db/table/outbox/outbox.ts';
import { as } from '../support/call.ts';
import { newPerson, type Person } from '../support/people.ts';

const list = { operation, handler };

let person: Person;

beforeAll(async () => {
  person = await newPerson('Follower');
  const writes = [1, 2, 3].map((number) => emit(person.caller, 'inspection.started', { number }));
  await change(person.caller, () => ({ writes, reply: undefined }));
  await appendEvents(
    person.caller,
    writes.map(({ item }) => item.Put!.Item as OutboxRow),
  );
});

const sequences = async (query: Record<string, string | number>) => {
  const { status, body } = await as(person).call(list, { query });
  return [status, status === 200 ? body.map(({ sequence }: { sequence: number }) => sequence) : body];
};

describe('GET /events', () => {
  test('200 with the events in their order, each with its actor', async () => {
    const { body } = await as(person).call(list);
    expect(body).toEqual(
      [1, 2, 3].map((number) => ({
        id: expect.any(String),
        sequence: number,
        type: 'inspection.started',
        occurred_at: expect.any(String),
        actor_id: person.caller.user_id,
        request_id: null,
        data: { number },
      })),
    );
  });

  test('200 with the events after a sequence number', async () => {
    expect(await sequences({ after: 1 })).toEqual([200, [2, 3]]);
    expect(await sequences({ after: 3 })).toEqual([200, []]);
    expect(await sequences({ after: 0, limit: 2 })).toEqual([200, [1, 2]]);
  });

  test('200 page by page from a sequence number on', async () => {
    const { headers } = await as(person).call(list, { query: { after: 1, limit: 1 } });
    const next = new URLSearchParams(/\?([^>]*)>/.exec(headers['link']!)![1]);
    expect(await sequences(Object.fromEntries(next))).toEqual([200, [3]]);
  });

  test('200 without events of another organization', async () => {
    const other = await newPerson('Other');
    expect((await as(other).call(list)).body).toEqual([]);
  });
});
