import { randomUUID } from 'node:crypto';
import type { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Caller } from '../../base/caller.ts';
import { badRequest } from '../../base/errors.ts';
import { currentRequest } from '../../base/request.ts';
import { clientOf } from './client.ts';
import { completion } from './idempotency.ts';
import { retrying, Stale } from './retry.ts';
import { guard, type Row } from './rows.ts';
import type { Write } from './writes.ts';

/** What a unit of work has decided: the rows to write, all or none, and what the client will be told. */
export interface Decision<Reply> {
  writes: Write[];
  reply: Reply;
}

/**
 * One change: decided on what is read, written whole or not at all together with the request's idempotent
 * reply, and decided again when another writer was faster. A reply lost on the way is harmless: the same
 * transaction is sent again under its client token.
 * @throws ApiError what a failed condition means; 503 when contention or an outage outlasts the retries.
 */
export const change = async <Reply>(
  caller: Caller,
  decide: () => Promise<Decision<Reply>> | Decision<Reply>,
): Promise<Reply> =>
  retrying('the database', async () => {
    const { writes, reply } = await decide();
    if (writes.length > 0) await commit(caller, [...writes, ...completion(reply)]);
    return reply;
  });

/**
 * A step on the way to a change that is too large for one transaction. The request's reply is stored with the
 * last step alone, which is a `change`; until then its repetition goes on where this one ended.
 */
export const changePart = async <Reply>(
  caller: Caller,
  decide: () => Promise<Decision<Reply>> | Decision<Reply>,
): Promise<Reply> =>
  retrying('the database', async () => {
    const { writes, reply } = await decide();
    if (writes.length > 0) await send(caller, writes);
    return reply;
  });

/** A transaction's limit (Amazon DynamoDB quotas). */
const MOST_WRITES = 100;

const commit = async (caller: Caller, writes: Write[]): Promise<void> => {
  await send(caller, writes);
  const request = currentRequest();
  if (request?.idempotency) request.idempotency.completed = true;
};

const send = async (caller: Caller, writes: Write[]): Promise<void> => {
  if (writes.length > MOST_WRITES) {
    throw badRequest(`the change is of ${writes.length} rows, more than one can be; make it in several`);
  }
  for (const { key, isSystem } of writes) if (!isSystem) guard(caller, key.pk);
  const command = new TransactWriteCommand({
    TransactItems: writes.map(({ item }) => item),
    ClientRequestToken: randomUUID(),
  });
  try {
    await retrying('the database', () => clientOf(caller).send(command));
  } catch (error) {
    throw verdictOn(writes, error);
  }
};

/** What a cancelled transaction means to the client: the first failed condition that is an error, else stale. */
const verdictOn = (writes: Write[], error: unknown): unknown => {
  const { name, message, CancellationReasons = [] } = error as TransactionCanceledException;
  // A row holds 400 KB and 32 levels of nesting, a transaction 4 MB (Amazon DynamoDB quotas).
  if (
    /\b(item size|nesting level)/i.test(
      [message, ...CancellationReasons.map(({ Message }) => Message)].join(),
    )
  ) {
    return badRequest('the resource would be larger, or nested more deeply, than can be stored');
  }
  if (name !== 'TransactionCanceledException') return error;
  const verdicts = writes.flatMap((write, position) => {
    const { Code, Item } = CancellationReasons[position] ?? {};
    if (Code !== 'ConditionalCheckFailed') return [];
    return [write.otherwise(Item && (unmarshall(Item) as Row))];
  });
  if (verdicts.length === 0) return error;
  return verdicts.find((verdict) => verdict !== 'stale') ?? new Stale();
};
