import type { Caller } from '../../base/caller.ts';
import { change } from '../table/change.ts';
import type { MailDelivery } from '../table/entities.ts';
import { type Key, keys } from '../table/keys.ts';
import { getRow, type Row } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';

/** How a mail ended: the mail service has accepted it or refused it for good, or the organization's limit was reached. */
export interface Delivered {
  state: Exclude<MailDelivery['state'], 'collected' | 'sending'>;
  /** Why it was refused. */
  detail?: string | undefined;
}

/** How long a worker may hold a mail, in milliseconds: longer than it runs, so that no two ever send the same mail. */
const LEASE_MS = 90_000;

/** How long the record of a mail is kept, in seconds: longer than any queue keeps its task. */
const KEPT_SECONDS = 30 * 86_400;

/** When the record of a mail may be deleted, in epoch seconds. */
export const recordEnd = (): number => Math.floor(Date.now() / 1_000) + KEPT_SECONDS;

/** What a mail is made of when it is first reserved, and the rows that this takes it from. */
export interface Contents {
  batch: MailDelivery['batch'];
  writes: Write[];
}

const isDone = ({ state }: MailDelivery): boolean => state !== 'sending';

/**
 * Reserves a mail for this worker.
 * @param contents undefined when there is nothing to send
 * @returns the mail's row, which may show that it was sent or refused before; undefined when there is nothing to send
 * @throws Error while another worker sends it
 */
const lease = (
  caller: Caller,
  key: Key<MailDelivery>,
  contents: () => Promise<Contents | undefined>,
): Promise<Row<MailDelivery> | undefined> =>
  change(caller, async () => {
    const row = await getRow(caller, key);
    if (row && isDone(row)) return { writes: [], reply: row };
    const now = Date.now();
    if (row && row.leased_until > now) throw new Error('another worker is sending this mail');
    const reservation = { state: 'sending', leased_until: now + LEASE_MS, ttl: recordEnd() } as const;
    if (row) {
      const leased = { ...row, ...reservation, version: row.version + 1 };
      return { writes: [write.replace({ ...leased }, row.version)], reply: leased };
    }
    const taken = await contents();
    if (!taken) return { writes: [], reply: undefined };
    const { batch, writes } = taken;
    const leased: Row<MailDelivery> = { ...key, ...reservation, ...(batch && { batch }), version: 1 };
    return { writes: [write.create({ ...leased }), ...writes], reply: leased };
  });

const save = (caller: Caller, delivery: Row<MailDelivery>): Promise<void> =>
  change(caller, () => ({ writes: [write.put({ ...delivery })], reply: undefined }));

const NO_CONTENTS = async (): Promise<Contents> => ({ batch: undefined, writes: [] });

/**
 * Sends one recipient's mail once, even when several workers get the task or get it again. There is one exception:
 * when a worker dies while it sends, nobody knows whether the mail went out, and it is sent again.
 * @param recipient a member's id, the hash of an address, or what names one of several parts of a mail
 * @param send when it throws, the next attempt sends the mail
 * @param contents takes what the mail is made of from where it waits
 * @returns how the mail ended, now or before; undefined when there was nothing to send
 * @throws Error what `send` throws; also while another worker sends this mail
 */
export const deliverOnce = async (
  caller: Caller,
  mailId: string,
  recipient: string,
  send: (batch: MailDelivery['batch']) => Promise<Delivered>,
  contents: () => Promise<Contents | undefined> = NO_CONTENTS,
): Promise<Delivered | undefined> => {
  const leased = await lease(caller, keys.mail(caller, mailId, recipient), contents);
  if (!leased) return undefined;
  const { state, detail } = leased;
  // A notice that waits in a mailbox has another id than any mail.
  if (isDone(leased)) return { state: state as Delivered['state'], detail };
  let outcome: Delivered;
  try {
    outcome = await send(leased.batch);
  } catch (error) {
    await save(caller, { ...leased, leased_until: 0 });
    throw error;
  }
  // What the mail said is not kept.
  const { batch: _, ...record } = leased;
  const { detail: why } = outcome;
  await save(caller, { ...record, state: outcome.state, ...(why !== undefined && { detail: why }) });
  return outcome;
};
