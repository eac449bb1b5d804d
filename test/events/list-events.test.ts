import { handler, operation } from '../../functions/events/list-events.ts';
import { change } from '../../shared/db/table/change.ts';
import { appendEvents, emit, type OutboxRow } from '../../shared/db/table/outbox.ts';
import { call } from '../support/call.ts';
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
  const { status, body } = await call(list, { as: person.key, query });
  return [status, status === 200 ? body.map(({ sequence }: { sequence: number }) => sequence) : body];
};

describe('GET /events', () => {
  test('200 with what happened, in its order, by whom', async () => {
    const { body } = await call(list, { as: person.key });
    expect(body).toEqual(
      [1, 2, 3].map((number) => ({
        id: expect.any(String),
        sequence: number,
        type: 'inspection.started',
        occurred_at: expect.any(String),
        actor_id: person.caller.user_id,
        data: { number },
      })),
    );
  });

  test('200 with what came after the last one seen', async () => {
    expect(await sequences({ after: 1 })).toEqual([200, [2, 3]]);
    expect(await sequences({ after: 3 })).toEqual([200, []]);
    expect(await sequences({ after: 0, limit: 2 })).toEqual([200, [1, 2]]);
  });

  test('200 page by page from there', async () => {
    const { headers } = await call(list, { as: person.key, query: { after: 1, limit: 1 } });
    const next = new URLSearchParams(/\?([^>]*)>/.exec(headers['link']!)![1]);
    expect(await sequences(Object.fromEntries(next))).toEqual([200, [3]]);
  });

  test("200 with nothing of another organization's", async () => {
    const other = await newPerson('Other');
    expect((await call(list, { as: other.key })).body).toEqual([]);
  });
});
