import type { Caller } from '../base/caller.ts';
import { logDeadLetter, logLine } from '../base/log.ts';
import { countEvents } from '../inspections/numbers/events.ts';
import { isSuspended } from '../organizations/suspension.ts';
import type { OutboxRow, OutboxTask } from '../table/entities/machinery.ts';
import { reasonOf } from '../table/outbox/dead-letters.ts';
import {
  actorOf,
  appendEvents,
  countRefusal,
  dropTasks,
  leftBehind,
  MAX_EVENTS,
  stillThere,
} from '../table/outbox/outbox.ts';
import { Sweep } from '../table/outbox/sweep.ts';
import { isOutage } from '../table/retry.ts';
import { type Refusal, sendTasks } from './queues.ts';

/** Tasks that are sent together, and whose rows one transaction deletes. */
const MAX_TASKS = 100;

/** How long the stream's worker begins new work, in milliseconds. The rest of its time is for slow calls. */
const STREAM_SWEEP_MS = 20_000;

/**
 * Counts what events have changed. What cannot be counted does not keep them from those who wait for them: the check of
 * the organization counts it again.
 * @throws an outage, after which the same events are counted again
 */
const count = async (caller: Caller, rows: readonly OutboxRow[]): Promise<void> => {
  try {
    await countEvents(caller, await stillThere(caller, rows));
  } catch (error) {
    if (isOutage(error)) throw error;
    const ids = rows.map(({ id }) => id);
    logLine('error', { message: 'not counted', org_id: caller.org_id, ids, reason: reasonOf(error) });
  }
};

/** Hands on rows of one kind and one organization. @returns the rows that were refused */
const handOnTogether = async (rows: readonly OutboxRow[]): Promise<Refusal[]> => {
  const { outbox } = rows[0]!;
  if (outbox === 'event') {
    const caller = actorOf(rows[0]!);
    // An event leaves the outbox after it was counted, so the oldest one that waits says how far the numbers are.
    await count(caller, rows);
    await appendEvents(caller, rows);
    return [];
  }
  // All rows are of one kind, and the first one is a task.
  const refusals = await sendTasks(outbox, rows as readonly OutboxTask[]);
  const refused = new Set(refusals.map(({ row }) => row));
  const accepted = rows.filter((row) => !refused.has(row));
  if (accepted.length > 0) await dropTasks(actorOf(rows[0]!), accepted);
  return refusals;
};

/** Hands on rows together. If they are refused together, hands on each by itself, so that no row holds up another. */
const handOnGroup = async (rows: readonly OutboxRow[]): Promise<Refusal[]> => {
  try {
    return await handOnTogether(rows);
  } catch (error) {
    if (isOutage(error)) throw error;
    if (rows.length === 1) return [{ row: rows[0]!, reason: reasonOf(error) }];
    const refusals: Refusal[] = [];
    for (const row of rows) refusals.push(...(await handOnGroup([row])));
    return refusals;
  }
};

const settle = async ({ row, reason }: Refusal): Promise<void> => {
  const { id, org_id, outbox: what, request_id } = row;
  const refused = { id, org_id, what, reason, request_id };
  if (await countRefusal(row, reason)) logDeadLetter(refused);
  else logLine('error', { message: 'refused, and tried again later', ...refused });
};

const serve = async (rows: readonly OutboxRow[]): Promise<void> => {
  if (await isSuspended(actorOf(rows[0]!))) return;
  const most = rows[0]!.outbox === 'event' ? MAX_EVENTS : MAX_TASKS;
  for (let start = 0; start < rows.length; start += most) {
    for (const refusal of await handOnGroup(rows.slice(start, start + most))) await settle(refusal);
  }
};

const newSweep = (time: number): Sweep<OutboxRow> => new Sweep(time, ({ outbox }) => outbox, serve);

/**
 * Sends the tasks of the outbox to their queues, counts what its events have changed, and appends these to the sequence of
 * their organization. A row is
 * deleted only after that. A failure in between leads to a repetition, which the workers and the sequence ignore.
 *
 * What belongs to a suspended organization stays in the outbox until it is resumed. A row that cannot be handed on stays in the outbox, where the sweep finds it. This function does not throw then: the
 * stream would repeat the whole batch, and every organization behind it would wait.
 */
export const handOn = async (rows: readonly OutboxRow[]): Promise<void> => {
  const sweep = newSweep(STREAM_SWEEP_MS);
  await sweep.serve(rows);
  logDelays(sweep);
};

/**
 * Hands on the rows of all organizations that the stream has left, if they were written before a time.
 * @param time how long to begin new work, in milliseconds; the next sweep does the rest
 * @throws AggregateError when work of some organizations has to wait because of an outage
 */
export const sweep = async (before: Date, time: number): Promise<void> => {
  const sweep = newSweep(time);
  for await (const rows of leftBehind(before)) {
    await sweep.serve(rows);
    if (sweep.isOver) break;
  }
  logDelays(sweep);
  const causes = sweep.delays.map(({ error }) => error);
  if (causes.length > 0) throw new AggregateError(causes, `${causes.length} organizations or queues wait`);
};

const logDelays = ({ delays }: Sweep<OutboxRow>): void => {
  for (const { items, error } of delays) {
    const { org_id, outbox } = items[0]!;
    const request_ids = items.map(({ request_id }) => request_id);
    logLine('error', {
      message: 'left for the next sweep',
      org_id,
      outbox,
      request_ids,
      error: reasonOf(error),
    });
  }
};
