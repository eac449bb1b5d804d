import type { Caller } from '../../base/caller.ts';
import { dayOf, keptFrom, timeAfter } from '../../base/time.ts';
import { COUNTED_DAYS, type MailCounts } from '../../domain/mail/reputation.ts';
import type { Work } from '../../table/change.ts';
import type { SuppressionReason } from '../../table/entities/organization.ts';
import { keys } from '../../table/keys.ts';
import { getRows } from '../../table/rows.ts';
import { nextNumber } from '../../table/single-write.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';

/*
 * What becomes of an organization's mails to people who are no members is counted by the day, in rows of their own: a
 * mail that is sent never conflicts with a bounce that is noted.
 */

const DAY_MS = 86_400_000;

/** How long a day's numbers are kept, in seconds: a day longer than they are read. */
const KEPT_SECONDS = (COUNTED_DAYS + 1) * 86_400;

const FATES = { sent: 'SENT', bounced: 'BOUNCED', complained: 'COMPLAINED' } as const;

/** Counts a mail that was sent. One call. */
export const countSent = async (caller: Caller): Promise<void> => {
  const now = new Date().toISOString();
  await nextNumber(caller, keys.mailFate(caller, dayOf(now), FATES.sent), keptFrom(now, KEPT_SECONDS));
};

/** Counts an address that takes no more mails, in the transaction that notes it. */
export const countFate = (work: Work, reason: SuppressionReason): Write =>
  write.update(keys.mailFate(work, dayOf(work.now), FATES[reason]), {
    set: { ttl: keptFrom(work.now, KEPT_SECONDS) },
    add: { last: 1 },
  });

/** The keys of the days that count, for one fate. */
const keysOf = (caller: Caller, now: string, fate: keyof MailCounts) =>
  Array.from({ length: COUNTED_DAYS }, (_, days) =>
    keys.mailFate(caller, dayOf(timeAfter(now, -days * DAY_MS)), FATES[fate]),
  );

/** What became of the mails of the last days. One call of the table. */
export const mailCounts = async (caller: Caller): Promise<MailCounts> => {
  const now = new Date().toISOString();
  const rows = await getRows(
    caller,
    (Object.keys(FATES) as (keyof MailCounts)[]).flatMap((fate) => keysOf(caller, now, fate)),
  );
  const sumOf = (position: number): number =>
    rows
      .slice(position * COUNTED_DAYS, (position + 1) * COUNTED_DAYS)
      .reduce((sum, row) => sum + (row?.last ?? 0), 0);
  return { sent: sumOf(0), bounced: sumOf(1), complained: sumOf(2) };
};

/** Begins to count anew. */
export const forgetCounts = (work: Work): Write[] =>
  (Object.keys(FATES) as (keyof MailCounts)[]).flatMap((fate) =>
    keysOf(work, work.now, fate).map((key) => write.drop(key)),
  );
