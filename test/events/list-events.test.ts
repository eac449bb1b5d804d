import type * as z from 'zod';
import { handler, operation } from '../../functions/events/list-events.ts';
import { fieldIn } from '../../shared/http/versions.ts';
import { EVENTS } from '../../shared/schemas/event-data.ts';
import { change } from '../../shared/table/change.ts';
import type { OutboxRow } from '../../shared/table/entities/machinery.ts';
import { keys } from '../../shared/table/keys.ts';
import { MAX_SEEN } from '../../shared/table/outbox/list-events.ts';
import { appendEvents, eventDocument } from '../../shared/table/outbox/outbox.ts';
import { queryRows } from '../../shared/table/rows.ts';
import * as write from '../../shared/table/writes.ts';
import { as, type Request } from '../support/call.ts';
import { notedEvent } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';

const list = { operation, handler };

let person: Person;

beforeAll(async () => {
  person = await newPerson('Follower');
  const writes = [1, 2, 3].map((number) => notedEvent(person.caller, number));
  await change(person.caller, () => ({ writes, reply: undefined }));
  await appendEvents(
    person.caller,
    writes.map(({ item }) => item.Put!.Item as OutboxRow),
  );
});

const sequences = async (query: NonNullable<Request['query']>) => {
  const { status, body } = await as(person).call(list, { query });
  return [status, status === 200 ? body.map(({ sequence }: { sequence: number }) => sequence) : body];
};

test.each(Object.entries(EVENTS))('%s: its data has the id of what it is about', (_, { data, idIn }) => {
  const options: readonly z.ZodType[] = 'options' in data ? data.options : [data];
  for (const option of options) expect(fieldIn(option, idIn)).toBeDefined();
});

describe('GET /events', () => {
  test('200 with the events in their order, each with its actor', async () => {
    const { body } = await as(person).call(list);
    expect(body).toEqual(
      [1, 2, 3].map((number) => ({
        type: 'corrective_action.commented',
        id: expect.any(String),
        sequence: number,
        timestamp: expect.any(String),
        organization_id: person.caller.org_id,
        actor_id: person.caller.user_id,
        acted_via_key_id: null,
        request_id: null,
        data: expect.objectContaining({ note: String(number) }),
      })),
    );
  });

  test('200 with the events after a sequence number', async () => {
    expect(await sequences({ after: 1 })).toEqual([200, [2, 3]]);
    expect(await sequences({ after: 3 })).toEqual([200, []]);
    expect(await sequences({ after: 0, limit: 2 })).toEqual([200, [1, 2]]);
  });

  test('200 with the newest first, page by page; 422 together with a sequence number', async () => {
    expect(await sequences({ newest_first: 'true' })).toEqual([200, [3, 2, 1]]);
    const { headers } = await as(person).call(list, { query: { newest_first: 'true', limit: 2 } });
    const next = new URLSearchParams(/\?([^>]*)>/.exec(headers['link']!)![1]);
    expect(await sequences(Object.fromEntries(next))).toEqual([200, [1]]);
    expect((await sequences({ newest_first: 'true', after: 1 }))[0]).toBe(422);
  });

  test('200 page by page from a sequence number on', async () => {
    const { headers } = await as(person).call(list, { query: { after: 1, limit: 1 } });
    const next = new URLSearchParams(/\?([^>]*)>/.exec(headers['link']!)![1]);
    expect(await sequences(Object.fromEntries(next))).toEqual([200, [3]]);
  });

  test('200 with the events of some types, however they are listed', async () => {
    const types = ['corrective_action.*', 'report.ready'];
    expect(await sequences({ types })).toEqual([200, [1, 2, 3]]);
    expect(await sequences({ types: types.join(',') })).toEqual([200, [1, 2, 3]]);
    expect(await sequences({ types: 'report.ready' })).toEqual([200, []]);
    expect((await sequences({ types: 'report.unready' }))[0]).toBe(422);
  });

  test('200 with the events about one resource', async () => {
    const { body } = await as(person).call(list, { query: { limit: 1 } });
    expect(await sequences({ resource_id: body[0].data.corrective_action_id })).toEqual([200, [1]]);
    expect(await sequences({ resource_id: body[0].id })).toEqual([200, []]);
  });

  test('200 with the events that were recorded since a time', async () => {
    const hour = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
    expect(await sequences({ since: hour(-1) })).toEqual([200, [1, 2, 3]]);
    expect(await sequences({ since: hour(-1), after: 2 })).toEqual([200, [3]]);
    expect(await sequences({ since: hour(1) })).toEqual([200, []]);
    expect(await sequences({ since: hour(-1), until: hour(1) })).toEqual([200, [1, 2, 3]]);
    expect(await sequences({ until: hour(-1) })).toEqual([200, []]);
    expect((await sequences({ until: hour(1), newest_first: true }))[0]).toBe(422);
  });

  test('200 with a page that looks at a limited number of events, and leads on to a rare one', async () => {
    const rare = await newPerson('Rare');
    const rows = await Array.fromAsync(
      queryRows(person.caller, { partition: keys.event.partition(person.caller) }),
    );
    const ofOther = { ...rows[0]!, org_id: rare.caller.org_id, type: 'report.ready' as const };
    const eventAt = (sequence: number, event: (typeof rows)[number]) =>
      write.put({ ...event, ...keys.event(rare.caller, sequence), sequence });
    for (let first = 1; first <= MAX_SEEN; first += 50) {
      const writes = Array.from({ length: 50 }, (_, position) => eventAt(first + position, ofOther));
      await change(rare.caller, () => ({ writes, reply: undefined }));
    }
    const wanted = eventAt(MAX_SEEN + 1, { ...ofOther, type: rows[0]!.type });
    await change(rare.caller, () => ({ writes: [wanted], reply: undefined }));
    const types = 'corrective_action.*';
    const first = await as(rare).call(list, { query: { types } });
    expect(first.body).toEqual([]);
    const next = Object.fromEntries(new URL(/<(.+)>/.exec(first.headers['link']!)![1]!).searchParams);
    const second = await as(rare).call(list, { query: next });
    expect(second.body).toMatchObject([{ sequence: MAX_SEEN + 1 }]);
    expect(second.headers['link']).toBeUndefined();
  });

  test('200 without events that are older than 400 days, and the others keep their numbers', async () => {
    const follower = await newPerson('Historian');
    const writes = [1, 2].map((number) => notedEvent(follower.caller, number));
    await change(follower.caller, () => ({ writes, reply: undefined }));
    await appendEvents(
      follower.caller,
      writes.map(({ item }) => item.Put!.Item as OutboxRow),
    );
    const [first] = await Array.fromAsync(
      queryRows(follower.caller, { partition: keys.event.partition(follower.caller) }),
    );
    const days = (first!.ttl - Date.parse(first!.timestamp) / 1_000) / 86_400;
    expect(Math.floor(days)).toBe(400);
    const ended = write.update(keys.event(follower.caller, 1), { set: { ttl: first!.ttl - 401 * 86_400 } });
    await change(follower.caller, () => ({ writes: [ended], reply: undefined }));
    const { body } = await as(follower).call(list);
    expect(body.map(({ sequence }: { sequence: number }) => sequence)).toEqual([2]);
  });

  test('200 with the same bytes as every other reader gets', async () => {
    const [row] = await Array.fromAsync(
      queryRows(person.caller, { partition: keys.event.partition(person.caller) }),
    );
    const { text } = await as(person).call(list, { query: { limit: 1 } });
    expect(text).toBe(JSON.stringify([eventDocument(row!)]));
  });

  test('200 without events of another organization', async () => {
    const other = await newPerson('Other');
    expect((await as(other).call(list)).body).toEqual([]);
  });
});
