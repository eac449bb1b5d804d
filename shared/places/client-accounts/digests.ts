import { type Caller, serviceOf } from '../../base/caller.ts';
import { fold } from '../../base/text.ts';
import { nextDigest, weekBefore } from '../../domain/mail/client-digest.ts';
import type { MailNote } from '../../domain/mail/progress.ts';
import { question } from '../../organizations/addresses/addresses.ts';
import { change, NOTHING, type Work } from '../../table/change.ts';
import { hasValues, versionIs } from '../../table/conditions.ts';
import type { ClientDigestTurn } from '../../table/entities/machinery.ts';
import type { StoredClientAccount } from '../../table/entities/organization.ts';
import { type Key, keys } from '../../table/keys.ts';
import { dueAt, dueRowsInTurns } from '../../table/outbox/due.ts';
import { enqueue } from '../../table/outbox/outbox.ts';
import { Sweep } from '../../table/outbox/sweep.ts';
import type { Follower } from '../../table/resource.ts';
import { getRow, getRows } from '../../table/rows.ts';
import type { ClientDigestTask } from '../../table/tasks.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';

/*
 * A client account with a digest has a row that is due when its next mail is. The first time it is due at once: the
 * worker plans it, because only the organization knows the time zone. From then on each turn moves the row to the next
 * week and gives the mail worker a task, in one transaction, so that a week has one task however often it is tried.
 */

/** A turn that the worker has to plan. */
const unplanned = ({ org_id, now }: Work, { id }: Pick<StoredClientAccount, 'id'>): ClientDigestTurn => ({
  org_id,
  client_account_id: id,
  ...dueAt('CLIENT_DIGEST', id, now),
});

/** The row by which the digest of an account is found when it is due. */
export const digestFollower: Follower<StoredClientAccount> = {
  row: keys.clientDigestTurn,
  what: 'due client digest',
  at: ({ id, digest }) => (digest ? [[id]] : []),
  holds: unplanned,
  own: ['weekday', 'told_until', 'by_due', 'by_due_at'],
};

/** What a change of the digest's settings leads to: a new address is asked, and another day is planned. */
export const digestWrites = (
  work: Work,
  before: Pick<StoredClientAccount, 'digest'> | undefined,
  { id, digest }: Pick<StoredClientAccount, 'id' | 'digest'>,
): Write[] => {
  if (!digest) return [];
  const was = before?.digest;
  const about = { kind: 'client_digest', client_account_id: id } as const;
  const isAnotherDay = was && was.weekday !== digest.weekday;
  return [
    ...(was && fold(was.email) === fold(digest.email) ? [] : [question(work, digest.email, { about })]),
    ...(isAnotherDay
      ? [write.update(keys.clientDigestTurn(work, id), { set: { ...unplanned(work, { id }) } })]
      : []),
  ];
};

/**
 * Notes on the account what became of a digest. That increases the account's version, so that no edit overwrites it.
 * Nobody needs to know of an earlier digest than the last one.
 * @param decide the note after the one that stands there; undefined leaves it
 */
export const noteMail = (
  caller: Caller,
  { client_account_id, to }: ClientDigestTask,
  decide: (known: MailNote | undefined, now: string) => MailNote | undefined,
): Promise<void> =>
  change(caller, async (work) => {
    const key = keys.one(work, 'CLIENT', client_account_id);
    const account = await getRow(work, key);
    const noted = account?.digest_mailed;
    if (!account || (noted && noted.to > to)) return NOTHING;
    const note = decide(noted?.to === to ? noted : undefined, work.now);
    if (!note) return NOTHING;
    const set = { digest_mailed: { ...note, to }, updated_at: work.now };
    return {
      writes: [write.update(key, { set, add: { version: 1 } }, versionIs(account.version))],
      reply: undefined,
    };
  });

/** Takes one turn: plans it, or gives its mail to the worker. */
const takeTurn = (caller: Caller, clientAccountId: string, now: string): Promise<void> =>
  change(caller, async (work) => {
    const key: Key<ClientDigestTurn> = keys.clientDigestTurn(work, clientAccountId);
    const [turn, account, organization] = await getRows(work, [
      key,
      keys.one(work, 'CLIENT', clientAccountId),
      keys.organization(work),
    ]);
    const at = turn?.by_due_at;
    if (!turn || !organization || at === undefined || at > now) return NOTHING;
    const isAsRead = hasValues({ by_due_at: at });
    if (!account?.digest) return { writes: [write.remove(key, isAsRead)], reply: undefined };
    const { weekday } = account.digest;
    const { timezone } = organization;
    const isPlanned = turn.weekday === weekday;
    const next = {
      weekday,
      ...(isPlanned && { told_until: at }),
      ...dueAt('CLIENT_DIGEST', clientAccountId, nextDigest(now, weekday, timezone)),
    };
    const from = turn.told_until ?? weekBefore(at, timezone);
    const task = { what: 'client_digest', client_account_id: clientAccountId, from, to: at } as const;
    return {
      writes: [
        write.update(key, { set: next }, isAsRead),
        ...(isPlanned ? [enqueue(work, 'mail', task)] : []),
      ],
      reply: undefined,
    };
  });

/**
 * Has the digests sent that are due. Organizations take turns, and none waits for another.
 * @param time how long to begin new work, in milliseconds
 * @returns why organizations have to wait for the next sweep
 */
export const sendDueClientDigests = async (now: Date, time: number): Promise<unknown[]> => {
  const sweep = new Sweep<ClientDigestTurn>(
    time,
    () => 'digest',
    async (turns) => {
      for (const { org_id, client_account_id } of turns)
        await takeTurn(serviceOf(org_id), client_account_id, now.toISOString());
    },
  );
  for await (const turns of dueRowsInTurns('CLIENT_DIGEST', now)) {
    await sweep.serve(turns);
    if (sweep.isOver) break;
  }
  return sweep.delays.map(({ error }) => error);
};
