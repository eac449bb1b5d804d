import { v7 as uuidv7 } from 'uuid';
import { sweep } from '../../../shared/outside/hand-on.ts';
import { SHARDS } from '../../../shared/table/keys.ts';
import { dueRows, dueRowsInTurns } from '../../../shared/table/outbox/due.ts';
import { MAX_BATCH_KEYS } from '../../../shared/table/rows.ts';
import { type Fault, installFaults, withFault } from '../../support/faults.ts';

installFaults();

const WAITING = 100_000;
const NOW = new Date();

/** The keys of the n-th row of a shard, which has fallen due n seconds after the first. */
const keyOf = (shard: string, n: number) => {
  const at = new Date(NOW.getTime() - 86_400_000 + n * 1_000).toISOString();
  return { pk: `ORG#${n % 50}#OUTBOX`, sk: `${at} ${shard}`, by_due_at: at };
};

/** A table whose index has this many due tasks, and a queue that takes them. It counts what was read and not sent. */
const backlog = (count: number) => {
  const unsent = { now: 0, most: 0, sent: 0 };
  const perShard = count / SHARDS;
  // The inputs of these commands, as far as they are used here.
  // oxlint-disable-next-line typescript/no-explicit-any
  const answers: Record<string, (input: Record<string, any>) => object> = {
    Query: ({ ExpressionAttributeValues, ExclusiveStartKey, Limit }) => {
      const shard = String(ExpressionAttributeValues[':partition']).slice(-2);
      const start = (ExclusiveStartKey?.n ?? 0) as number;
      const end = Math.min(perShard, start + (Limit ?? 4_000));
      const Items = Array.from({ length: end - start }, (_, position) => keyOf(shard, start + position));
      unsent.now += Items.length;
      unsent.most = Math.max(unsent.most, unsent.now);
      return { Items, ...(end < perShard && { LastEvaluatedKey: { n: end } }) };
    },
    BatchGetItem: ({ RequestItems }) => {
      const table = process.env['TABLE_NAME']!;
      const { Keys } = RequestItems[table];
      const rows = Keys.map(({ pk, sk }: { pk: string; sk: string }) => {
        const [, org_id] = pk.split('#');
        return { pk, sk, id: sk, org_id, outbox: 'mail', data: {}, by_due_at: sk.split(' ')[0] };
      });
      return { Responses: { [table]: rows } };
    },
    // No organization is suspended.
    GetItem: () => ({}),
    SendMessageBatch: () => ({}),
    TransactWriteItems: ({ TransactItems }) => {
      unsent.now -= TransactItems.length;
      unsent.sent += TransactItems.length;
      return {};
    },
  };
  const fault: Fault = ({ command, input }) => Promise.resolve(answers[command]!(input));
  return { unsent, fault };
};

describe('dueRows', () => {
  test('gives the rows of all shards, the longest due first, and reads no further than it is asked', async () => {
    const { unsent, fault } = backlog(WAITING);
    await withFault(fault, async () => {
      const pages = dueRows('OUTBOX', NOW);
      const { value: rows } = await pages.next();
      expect(rows).toHaveLength(MAX_BATCH_KEYS);
      const times = rows!.map(({ by_due_at }: { by_due_at: string }) => by_due_at);
      expect(times).toEqual(times.toSorted());
      expect(new Set(times).size).toBe(Math.ceil(MAX_BATCH_KEYS / SHARDS));
      expect(unsent.now).toBe(SHARDS * MAX_BATCH_KEYS);
    });
  });

  test('leaves out rows that wait for a later attempt since the index was written', async () => {
    const key = { pk: `ORG#${uuidv7()}#OUTBOX`, sk: uuidv7() };
    const answers: Record<string, object> = {
      Query: { Items: [{ ...key, by_due_at: NOW.toISOString() }] },
      BatchGetItem: {
        Responses: { [process.env['TABLE_NAME']!]: [{ ...key, by_due_at: '2999-01-01T00:00:00.000Z' }] },
      },
    };
    const pages = await withFault(
      ({ command }) => Promise.resolve(answers[command]!),
      () => Array.fromAsync(dueRows('OUTBOX', NOW)),
    );
    expect(pages.flat()).toEqual([]);
  });
});

describe('dueRowsInTurns', () => {
  test('gives each organization a turn before one has a second, and the longest due of each first', async () => {
    const { fault } = backlog(WAITING / 10);
    const pages = await withFault(fault, () => Array.fromAsync(dueRowsInTurns('OUTBOX', NOW)));
    const turns = Map.groupBy(pages[0]!, ({ org_id }) => org_id);
    expect(turns.values().toArray()).toHaveLength(50);
    for (const [first, second, ...more] of turns.values()) {
      expect(more).toEqual([]);
      expect(first!.by_due_at <= second!.by_due_at).toBe(true);
    }
    const keysOf = pages.flat().map(({ pk, sk }) => `${pk} ${sk}`);
    expect(keysOf).toHaveLength(WAITING / 10);
    expect(new Set(keysOf).size).toBe(WAITING / 10);
  });
});

describe('sweepOutbox', () => {
  test('hands on 100,000 rows in bounded memory', async () => {
    const { unsent, fault } = backlog(WAITING);
    await withFault(fault, () => sweep(NOW, 60_000));
    expect(unsent.sent).toBe(WAITING);
    expect(unsent.most).toBeLessThanOrEqual((SHARDS + 1) * MAX_BATCH_KEYS + SHARDS * MAX_BATCH_KEYS);
  });

  test('stops when its time is over', async () => {
    const { unsent, fault } = backlog(WAITING);
    await withFault(fault, () => sweep(NOW, 0));
    expect(unsent.sent).toBe(0);
    expect(unsent.now).toBe(SHARDS * MAX_BATCH_KEYS);
  });
});
