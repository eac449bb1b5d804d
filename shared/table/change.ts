import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { currentRequest } from '../base/request.ts';
import { clientOf } from './client.ts';
import { completion } from './idempotency.ts';
import { retrying, Stale } from './retry.ts';
import { guard, readRow } from './rows.ts';
import { upgradeRows } from './upgrade.ts';
import * as write from './writes.ts';
import type { Write } from './writes.ts';

/** A caller in a unit of work: who makes a change, and the one time at which everything in it happens. */
export type Work<By extends Caller = Caller> = By & {
  /** ISO 8601 in UTC, with milliseconds. A change that is decided again has a later one. */
  readonly now: string;
};

/** The decision of a unit of work: the rows to write, all or none, and the reply to the client. */
export interface Decision<Reply> {
  writes: Write[];
  reply: Reply;
}

/** The decision to change nothing. */
export const NOTHING: Decision<undefined> = { writes: [], reply: undefined };

/** Decides a change on rows that it reads. It is called again when another writer was faster. */
export type Decide<Reply, By extends Caller> = (work: Work<By>) => Promise<Decision<Reply>> | Decision<Reply>;

/** A unit of work of this caller that happens now. */
export const workOf = <By extends Caller>(caller: By): Work<By> => {
  let now: string | undefined;
  return {
    ...caller,
    // Taken at its first use. Most rows were read before, so no row is written with an earlier time than theirs.
    get now() {
      // `Date.now()` is the function that tests replace.
      return (now ??= new Date(Date.now()).toISOString());
    },
  };
};

/** A change that belongs to something larger, and how far it is. */
interface Course {
  /** What is written in the same transaction. It may throw to prevent the change. */
  also: (reply: unknown, work: Work) => Write[];
  isTrial: boolean;
  isSettled: boolean;
}

const courses = new AsyncLocalStorage<Course>();

/** What prevents the transaction of a trial, and nothing else. */
class NotWritten extends Error {
  override name = 'NotWritten';
}

/** What a trial of a change ends with: its reply, as the change would give it. */
class TriedOut extends Error {
  override name = 'TriedOut';
  readonly reply: unknown;

  constructor(reply: unknown) {
    super('the change was only tried out');
    this.reply = reply;
  }
}

/** Writes that are never made, because no row is at their keys. */
const prevented = (writes: readonly Write[]): Write[] =>
  writes.map(({ key }) => write.check(key, () => new NotWritten('nothing is written')));

/** Writes what was decided, or finds out whether it could be written. */
const settle = async (
  caller: Caller,
  { writes, reply }: Decision<unknown>,
  work: Work,
  store: (writes: Write[]) => Promise<void>,
): Promise<void> => {
  if (writes.length === 0) return;
  const course = courses.getStore();
  if (!course || course.isSettled) {
    await store(writes);
    return;
  }
  const also = course.also(reply, work);
  if (!course.isTrial) {
    await store([...writes, ...also]);
    course.isSettled = true;
    return;
  }
  try {
    await send(caller, [...writes, ...prevented(also)]);
  } catch (error) {
    if (error instanceof NotWritten) throw new TriedOut(reply);
    throw error;
  }
  throw new RangeError('A trial needs a row that is never there.');
};

/**
 * Lets an operation write something in the transaction of its change; of several, in that of the first one.
 * @param also what is written, from the reply. It is called again when another writer was faster, and may throw to
 *   prevent the change
 * @returns the reply of the operation, and whether it has changed something
 * @throws what the operation throws
 */
export const writingAlso = async <Reply>(
  also: Course['also'],
  operation: () => Promise<Reply>,
): Promise<{ reply: Reply; isChanged: boolean }> => {
  const course: Course = { also, isTrial: false, isSettled: false };
  const reply = await courses.run(course, operation);
  return { reply, isChanged: course.isSettled };
};

/**
 * Finds out what an operation would do, and does not do it. Its change is decided as usual, and the database checks all
 * conditions of its transaction, which one more condition prevents in any case. What would follow the change is left out.
 * @param room writes of rows that are never there: as many as would be written in the same transaction
 * @returns the reply that the operation would give, and whether it would change something
 * @throws what the operation would throw
 */
export const tryingOut = async <Reply>(
  room: readonly Write[],
  operation: () => Promise<Reply>,
): Promise<{ reply: Reply; isChanged: boolean }> => {
  try {
    const reply = await courses.run({ also: () => [...room], isTrial: true, isSettled: false }, operation);
    return { reply, isChanged: false };
  } catch (error) {
    if (error instanceof TriedOut) return { reply: error.reply as Reply, isChanged: true };
    throw error;
  }
};

/** Decides a change, and decides it again when another writer was faster. @param store writes what was decided */
const decided = <Reply, By extends Caller>(
  caller: By,
  decide: Decide<Reply, By>,
  store: (writes: Write[], reply: Reply) => Promise<void>,
): Promise<Reply> =>
  retrying('The database', async () => {
    const work = workOf(caller);
    const decision = await decide(work);
    const { reply } = decision;
    await settle(caller, decision, work, (writes) => store(writes, reply));
    return reply;
  });

/**
 * One change. It is decided on rows that are read, and decided again when another writer was faster. It is written in
 * one transaction, together with the reply for the request's idempotency key. A lost answer of DynamoDB is harmless:
 * the same transaction is sent again with its client token.
 * @throws ApiError that of a failed condition; 503 when contention or an outage lasts longer than the retries
 */
export const change = <Reply, By extends Caller = Caller>(
  caller: By,
  decide: Decide<Reply, By>,
): Promise<Reply> =>
  decided(caller, decide, (writes, reply) => commit(caller, [...writes, ...completion(reply)]));

/**
 * One step of a change that is too large for one transaction. Only the last step, which is a `change`, stores the
 * request's reply. Until then a repeated request continues where this one ended.
 */
export const changePart = <Reply, By extends Caller = Caller>(
  caller: By,
  decide: Decide<Reply, By>,
): Promise<Reply> => decided(caller, decide, (writes) => send(caller, writes));

/** Writes of one transaction, condition checks included (Amazon DynamoDB quotas). */
export const MAX_TRANSACTION_WRITES = 100;

const commit = async (caller: Caller, writes: Write[]): Promise<void> => {
  await send(caller, writes);
  const request = currentRequest();
  if (request?.idempotency) request.idempotency.completed = true;
};

const send = async (caller: Caller, writes: Write[]): Promise<void> => {
  if (writes.length > MAX_TRANSACTION_WRITES) {
    throw errors.tooManyChanges(writes.length, MAX_TRANSACTION_WRITES);
  }
  for (const { key, isSystem } of writes) if (!isSystem) guard(caller, key.pk);
  const command = new TransactWriteCommand({
    TransactItems: writes.map(({ item }) => item),
    ClientRequestToken: randomUUID(),
  });
  try {
    await retrying('The database', () => clientOf(caller).send(command));
  } catch (error) {
    const isUpgraded = await upgradeRows(clientOf(caller), error);
    throw isUpgraded ? new Stale() : verdictOn(writes, error);
  }
};

/** The reasons of items whose conditions were checked (Amazon DynamoDB API Reference). */
const CHECKED: ReadonlySet<string> = new Set(['None', 'ConditionalCheckFailed']);

/** The error that a cancelled transaction means: that of the first failed condition that has one, else `Stale`. */
const verdictOn = (writes: Write[], error: unknown): unknown => {
  const { name, message, CancellationReasons = [] } = error as TransactionCanceledException;
  // A row holds at most 400 KB and 32 levels of nesting, a transaction 4 MB (Amazon DynamoDB quotas).
  if (
    /\b(item size|nesting level)/i.test(
      [message, ...CancellationReasons.map(({ Message }) => Message)].join(),
    )
  ) {
    return errors.resourceTooLarge();
  }
  if (name !== 'TransactionCanceledException') return error;
  const verdicts = writes.flatMap((write, position) => {
    const reason = CancellationReasons[position];
    if (reason?.Code !== 'ConditionalCheckFailed') return [];
    return [write.otherwise(reason.Item && readRow(unmarshall(reason.Item)))];
  });
  if (verdicts.length === 0) return error;
  // Whether anything else prevents the transaction of a trial is known once all its other items were checked.
  const isPrevented = verdicts.every((verdict) => verdict instanceof NotWritten);
  const isChecked = CancellationReasons.every(({ Code = 'None' }) => CHECKED.has(Code));
  if (isPrevented) return isChecked ? verdicts[0] : new Stale();
  return verdicts.find((verdict) => verdict !== 'stale' && !(verdict instanceof NotWritten)) ?? new Stale();
};

/** The decision of one part of a change that may need several transactions. */
export interface PartDecision {
  writes: Write[];
  /** Whether nothing is left to do after this part. */
  isLast: boolean;
}

/**
 * Makes a change that may be too large for one transaction, in as many parts as it needs. Each part is decided on the
 * rows that are stored by then, so an interrupted change is completed by making it again.
 * @param beginPart called once for each part. The function that it returns decides the part, and is called again when
 * another writer was faster. A part may keep something for its next attempt; the next part must not see it.
 * @throws ApiError as `changePart`
 */
export const changeInParts = async (
  caller: Caller,
  beginPart: () => (work: Work) => Promise<PartDecision>,
): Promise<void> => {
  let isLast = false;
  while (!isLast) {
    const decide = beginPart();
    isLast = await changePart(caller, async (work) => {
      const part = await decide(work);
      return { writes: part.writes, reply: part.isLast };
    });
  }
};

/**
 * Takes items in their order until one does not fit. The first is taken in any case, so that every part of a change
 * makes progress.
 * @param fits whether the item fits beside those that were taken
 */
export const takeWhatFits = <Item>(
  items: Iterable<Item>,
  fits: (item: Item) => boolean,
  take: (item: Item) => void,
): { taken: number; isAll: boolean } => {
  let taken = 0;
  for (const item of items) {
    if (taken > 0 && !fits(item)) return { taken, isAll: false };
    take(item);
    taken += 1;
  }
  return { taken, isAll: true };
};
