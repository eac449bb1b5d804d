import type { Caller } from '../../base/caller.ts';
import { change } from '../table/change.ts';
import { type Key, keys } from '../table/keys.ts';
import { getRow, type Row } from '../table/rows.ts';
import * as write from '../table/writes.ts';

/** How a mail ended: taken by the mail service, or refused for good. */
export type Delivered = 'sent' | 'refused';

interface Delivery {
  state: 'sending' | Delivered;
  /** Epoch milliseconds. */
  leased_until: number;
  version: number;
  ttl: number;
}

/** A lease outlives the worker that took it, so that no two are ever at one mail. Milliseconds. */
const LEASE_MS = 90_000;

/** Seconds that it is known that a mail was sent: longer than any queue keeps its task. */
const KEPT = 30 * 86_400;

/** @throws Error while another worker is at it */
const lease = (caller: Caller, key: Key): Promise<Row<Delivery> | undefined> =>
  change(caller, async () => {
    const row = await getRow<Delivery>(caller, key);
    if (row && row.state !== 'sending') return { writes: [], reply: undefined };
    const now = Date.now();
    if (row && row.leased_until > now) throw new Error('another worker is sending this mail');
    const leased: Row<Delivery> = {
      ...key,
      state: 'sending',
      leased_until: now + LEASE_MS,
      version: (row?.version ?? 0) + 1,
      ttl: Math.floor(now / 1_000) + KEPT,
    };
    return {
      writes: [row ? write.replace({ ...leased }, row.version) : write.create({ ...leased })],
      reply: leased,
    };
  });

const note = (caller: Caller, delivery: Row<Delivery>): Promise<void> =>
  change(caller, () => ({ writes: [write.put({ ...delivery })], reply: undefined }));

/**
 * Mails a notification to one recipient, once however often and by however many workers that is asked for. Only
 * where nobody knows how an attempt ended, for its worker died over it, it is made again.
 * @param recipient a member's id, or another's hashed address
 * @param send what throws is left to another attempt
 * @throws Error what `send` throws; also while another worker is at it
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
    await note(caller, { ...leased, leased_until: 0 });
    throw error;
  }
  await note(caller, { ...leased, state });
};
