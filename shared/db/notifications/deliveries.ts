import type { Caller } from '../../base/caller.ts';
import { change, NOTHING } from '../table/change.ts';
import type { MailDelivery } from '../table/entities.ts';
import { job, Overtaken } from '../table/job.ts';
import { type Key, keys } from '../table/keys.ts';
import { getRow } from '../table/rows.ts';
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

/** When the record of a mail may be deleted, in epoch seconds. @param now ISO 8601 */
export const recordEnd = (now: string): number => Math.floor(Date.parse(now) / 1_000) + KEPT_SECONDS;

/** What a mail is made of when it is first reserved, and the rows that this takes it from. */
export interface Contents {
  batch: MailDelivery['batch'];
  writes: Write[];
}

const mailJob = (key: Key<MailDelivery>) =>
  job<MailDelivery>({
    key: () => key,
    row: (_, mail) => ({ ...mail, ...key }),
    hasEnded: ({ state }) => state !== 'sending',
    guard: ['version', 'state'],
    begun: ({ version }, now) => ({ state: 'sending', version: version + 1, ttl: recordEnd(now) }),
    lease: LEASE_MS,
    lost: () => new Overtaken('another worker is sending this mail'),
  });

const NO_CONTENTS = async (): Promise<Contents> => ({ batch: undefined, writes: [] });

/** A mail that nobody has taken. */
const NEW: MailDelivery = { state: 'sending', leased_until: 0, version: 0, ttl: 0 };

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
  const key = keys.mail(caller, mailId, recipient);
  const mail = mailJob(key);
  const taken = await change<MailDelivery | undefined>(caller, async (work) => {
    const row = await getRow(caller, key);
    if (row) return mail.hasEnded(row) ? { writes: [], reply: row } : mail.take(work, row);
    const found = await contents();
    if (!found) return NOTHING;
    return mail.takeNew(work, { ...NEW, ...(found.batch && { batch: found.batch }) }, ...found.writes);
  });
  if (!taken) return undefined;
  // A notice that waits in a mailbox has another id than any mail.
  if (mail.hasEnded(taken)) return { state: taken.state as Delivered['state'], detail: taken.detail };
  let outcome: Delivered;
  try {
    outcome = await send(taken.batch);
  } catch (error) {
    // Whatever fails here, the lease ends by itself.
    await change(caller, (work) => mail.release(work, taken)).catch(() => undefined);
    throw error;
  }
  // What the mail said is not kept.
  const { batch: _, ...record } = taken;
  const { state, detail } = outcome;
  await change(caller, (work) => mail.save(work, record, { state, ...(detail !== undefined && { detail }) }));
  return outcome;
};
