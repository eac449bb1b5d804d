import type { Caller } from '../../base/caller.ts';
import { change } from '../table/change.ts';
import type { MailDelivery } from '../table/entities.ts';
import { type Key, keys } from '../table/keys.ts';
import { getRow, type Row } from '../table/rows.ts';
import * as write from '../table/writes.ts';

/** How a mail ended: the mail service has accepted it or refused it for good, or the organization's limit was reached. */
export type Delivered = Exclude<MailDelivery['state'], 'sending'>;

/** How long a worker may hold a mail, in milliseconds: longer than it runs, so that no two ever send the same mail. */
const LEASE_MS = 90_000;

/** How long the record of a mail is kept, in seconds: longer than any queue keeps its task. */
const KEPT_SECONDS = 30 * 86_400;

/**
 * Reserves a mail for this worker.
 * @returns undefined when the mail was sent or refused before
 * @throws Error while another worker sends it
 */
const lease = (caller: Caller, key: Key<MailDelivery>): Promise<Row<MailDelivery> | undefined> =>
  change(caller, async () => {
    const row = await getRow(caller, key);
    if (row && row.state !== 'sending') return { writes: [], reply: undefined };
    const now = Date.now();
    if (row && row.leased_until > now) throw new Error('another worker is sending this mail');
    const leased: Row<MailDelivery> = {
      ...key,
      state: 'sending',
      leased_until: now + LEASE_MS,
      version: (row?.version ?? 0) + 1,
      ttl: Math.floor(now / 1_000) + KEPT_SECONDS,
    };
    return {
      writes: [row ? write.replace({ ...leased }, row.version) : write.create({ ...leased })],
      reply: leased,
    };
  });

const save = (caller: Caller, delivery: Row<MailDelivery>): Promise<void> =>
  change(caller, () => ({ writes: [write.put({ ...delivery })], reply: undefined }));

/**
 * Sends one recipient's mail once, even when several workers get the task or get it again. There is one exception:
 * when a worker dies while it sends, nobody knows whether the mail went out, and it is sent again.
 * @param recipient a member's id, or the hash of an address
 * @param send when it throws, the next attempt sends the mail
 * @throws Error what `send` throws; also while another worker sends this mail
 */
export const deliverOnce = async (
  caller: Caller,
  notificationId: string,
  recipient: string,
  send: () => Promise<Delivered>,
): Promise<void> => {
  const leased = await lease(caller, keys.mail(caller, notificationId, recipient));
  if (!leased) return;
  let state: Delivered;
  try {
    state = await send();
  } catch (error) {
    await save(caller, { ...leased, leased_until: 0 });
    throw error;
  }
  await save(caller, { ...leased, state });
};
