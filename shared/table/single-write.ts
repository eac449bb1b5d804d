import { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Caller } from '../base/caller.ts';
import { clientOf, systemClient, type TableClient } from './client.ts';
import type { Sequence } from './entities/machinery.ts';
import type { Key } from './keys.ts';
import { retrying, Stale } from './retry.ts';
import { guard, readRow, type Row } from './rows.ts';
import { standingRow, upgradeRow } from './upgrade.ts';
import { update, type Write } from './writes.ts';

/*
 * Writes of one row that belong to no change. A transaction of one row would cost twice as much, and what is counted
 * beside a change must not conflict with it.
 */

/** Whose row is written: the caller's organization's, or one that belongs to none. */
type Owner = Caller | 'system';

/** Sends a command: once, or again after certain failures. */
export type Sending = <Result>(send: () => Promise<Result>) => Promise<Result>;

export const sendOnce: Sending = (send) => send();

/** A command whose answer was lost is sent again too, so it may be carried out twice. */
const sendUntilAnswered: Sending = (send) => retrying('The database', send);

/** The outcome of a write whose condition may fail. */
export interface Tried<Resource extends object> {
  isWritten: boolean;
  /** As it is afterwards, whether the condition held or not; undefined where there is none. */
  row: Row<Resource> | undefined;
}

/** @returns the row as it is afterwards; undefined when it was deleted */
const send = async (
  client: TableClient,
  { key, item: { Put, Update, Delete } }: Write,
): Promise<Record<string, unknown> | undefined> => {
  if (Update)
    return (await client.send(new UpdateCommand({ ...Update, ReturnValues: 'ALL_NEW' }))).Attributes;
  if (Put) await client.send(new PutCommand(Put));
  else if (Delete) await client.send(new DeleteCommand(Delete));
  else throw new Error(`nothing is written at ${key.pk}`);
  return Put?.Item;
};

/**
 * Writes one row in one call, if its condition holds. What its failure means is left to the caller.
 * @throws ApiError 403 for a row of another organization; 503 when an outage outlasts the retries
 */
export const tryWrite = async <Resource extends object>(
  owner: Owner,
  write: Write<Resource>,
  sending = sendUntilAnswered,
): Promise<Tried<Resource>> => {
  if (owner !== 'system') guard(owner, write.key.pk);
  const client = owner === 'system' ? systemClient() : clientOf(owner);
  for (;;) {
    try {
      const row = await sending(() => send(client, write));
      return { isWritten: true, row: row && readRow<Resource>(row) };
    } catch (error) {
      const standing = standingRow(error);
      // A condition may mean only rows of this release's form.
      if (standing && (await upgradeRow(client, standing))) continue;
      if ((error as Error).name !== 'ConditionalCheckFailedException') throw error;
      return { isWritten: false, row: standing && readRow<Resource>(standing) };
    }
  }
};

/**
 * Writes one row in one call.
 * @returns the row as it is afterwards; undefined when it was deleted
 * @throws ApiError what a failed condition means; and as `tryWrite`
 */
export const writeRow = async <Resource extends object>(
  owner: Owner,
  write: Write<Resource>,
  sending?: Sending,
): Promise<Row<Resource> | undefined> => {
  const { isWritten, row } = await tryWrite(owner, write, sending);
  if (isWritten) return row;
  const verdict = write.otherwise(row as Row | undefined);
  throw verdict === 'stale' ? new Stale() : verdict;
};

/**
 * The next number of an organization's sequence, from 1. It is taken outside any transaction, so that two changes
 * never conflict on it: a failed change may leave a gap, but no number is given twice.
 * @param ttl when the sequence ends, in epoch seconds; never when left out
 */
export const nextNumber = (caller: Caller, key: Key<Sequence>, ttl?: number): Promise<number> =>
  lastOfNumbers(caller, key, 1, ttl);

/** The same for several numbers at once, in one call. @returns the first of them */
export const nextNumbers = async (
  caller: Caller,
  key: Key<Sequence>,
  count: number,
  ttl?: number,
): Promise<number> => (await lastOfNumbers(caller, key, count, ttl)) - count + 1;

const lastOfNumbers = async (
  caller: Caller,
  key: Key<Sequence>,
  count: number,
  ttl?: number,
): Promise<number> => {
  const row = await writeRow(caller, update(key, { set: { ttl }, add: { last: count } }));
  return row!.last;
};
