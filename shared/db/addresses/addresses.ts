import type { Caller } from '../../base/caller.ts';
import { fold } from '../../base/text.ts';
import { createLink } from '../links/links.ts';
import * as members from '../members/members.ts';
import { change, type Work } from '../table/change.ts';
import type { StoredAddress, SuppressionReason } from '../table/entities.ts';
import { keys } from '../table/keys.ts';
import { enqueue } from '../table/outbox/outbox.ts';
import { getRow, getRows, readRows, type Row } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';

export type { SuppressionReason } from '../table/entities.ts';

/**
 * What an organization may do with an email address.
 *
 * `unknown`: nobody was asked. `asked`: its owner was asked whether it wants mails, and has not answered. `confirmed`,
 * `refused`: the last answer. `suppressed`: mails to it bounced for good or were reported as unwanted; this wins over any
 * answer until `restore`.
 */
export type AddressState = 'unknown' | 'asked' | 'confirmed' | 'refused' | 'suppressed';

/** What is known of an address. */
export interface Standing {
  state: AddressState;
  /** Whether an active member has the address: somebody whom the organization knows, who is not asked. */
  isMember: boolean;
  /** Whether the address may be asked now whether it wants mails: at most once in 30 days, and no member. */
  canBeAsked: boolean;
}

const DAY_MS = 86_400_000;

/** How long the link in a question works, in milliseconds. */
const QUESTION_MS = 7 * DAY_MS;

/** After how many milliseconds without an answer an address is asked again. */
const ASKED_AGAIN_MS = 30 * DAY_MS;

/** How long the link that stops all mails works, in milliseconds: much longer than RFC 8058 and the law ask for. */
const STOP_MS = 400 * DAY_MS;

const stateOf = (row: StoredAddress | undefined): AddressState => {
  if (!row) return 'unknown';
  if (row.suppressed) return 'suppressed';
  return row.answer ?? (row.asked_at ? 'asked' : 'unknown');
};

const mayAsk = (row: StoredAddress | undefined, mailId: string | undefined, now: number): boolean => {
  const state = stateOf(row);
  if (state === 'unknown') return true;
  if (state !== 'asked' || !row) return false;
  // The mail that asks may be sent again after a crash.
  return row.asked_by === mailId || now - Date.parse(row.asked_at!) >= ASKED_AGAIN_MS;
};

/**
 * Whether the mails that a setting asks for go to an address: notices, and replies to the organization's mails. Somebody
 * whom the organization does not know has to confirm first.
 */
export const takesStandingMail = ({ state, isMember }: Pick<Standing, 'state' | 'isMember'>): boolean =>
  state === 'confirmed' || (isMember && takesMailByHand({ state }));

/** Whether a mail goes to an address that somebody sends by hand, such as a report: it need not be confirmed. */
export const takesMailByHand = ({ state }: Pick<Standing, 'state'>): boolean =>
  state !== 'refused' && state !== 'suppressed';

/**
 * What is known of these addresses, in their order. Upper and lower case are the same address. Two calls of the table for
 * every 50 addresses, one where no member has any of them.
 * @param mailId of a mail that asks, which may ask again after a failure
 */
export const standingsOf = async (
  caller: Caller,
  addresses: readonly string[],
  mailId?: string,
): Promise<Standing[]> => {
  const folded = addresses.map(fold);
  const addressKeys = folded.map((address) => keys.address(caller, address));
  const userKeys = folded.map((address) => members.addressKey(caller, address));
  const rowsOf = await readRows(caller, [...addressKeys, ...userKeys]);
  const found = await getRows(
    caller,
    rowsOf(userKeys).map((user) => user && members.key(caller, user.id)),
  );
  const now = Date.now();
  return rowsOf(addressKeys).map((row, position) => {
    const isMember = found[position]?.status === 'active';
    return { state: stateOf(row), isMember, canBeAsked: !isMember && mayAsk(row, mailId, now) };
  });
};

/** What is known of one address. */
export const standingOf = async (caller: Caller, address: string): Promise<Standing> =>
  (await standingsOf(caller, [address]))[0]!;

const newRow = ({ now }: Work, address: string): StoredAddress => ({
  address,
  answer: null,
  answered_at: null,
  asked_at: null,
  asked_by: null,
  suppressed: null,
  version: 0,
  created_at: now,
  updated_at: now,
});

/**
 * Changes what is known of an address, whether something is or not.
 * @param decide gives the attributes to change; undefined leaves everything as it is
 * @returns whether anything was changed
 */
const edit = (
  caller: Caller,
  address: string,
  decide: (
    current: StoredAddress,
    now: string,
  ) => Promise<Partial<StoredAddress> | undefined> | Partial<StoredAddress> | undefined,
): Promise<boolean> =>
  change(caller, async (work) => {
    const folded = fold(address);
    const key = keys.address(work, folded);
    const current = await getRow(work, key);
    const known = current ?? newRow(work, folded);
    const changes = await decide(known, work.now);
    if (!changes) return { writes: [], reply: false };
    const next: Row<StoredAddress> = { ...known, ...changes, ...key, updated_at: work.now };
    next.version += 1;
    return {
      writes: [current ? write.replace(next, current.version) : write.create(next)],
      reply: true,
    };
  });

/**
 * Begins to ask an address whether it wants mails. An address without an answer is asked once in 30 days at most.
 * @param mailId names the mail that asks. When it is sent again after a failure, it gets another token; other mails get none
 * @returns the token of the link `/confirm/{token}`, which works for 7 days; undefined when the address is not asked now
 */
export const ask = async (caller: Caller, address: string, mailId: string): Promise<string | undefined> => {
  let token: string | undefined;
  await edit(caller, address, async (current, asked_at) => {
    const now = Date.parse(asked_at);
    token = undefined;
    if (!mayAsk(current, mailId, now)) return undefined;
    token = await createLink(caller, 'confirm', { address: current.address }, now + QUESTION_MS);
    return { asked_at, asked_by: mailId };
  });
  return token;
};

/** Lets the mail worker ask an address, if it may be asked by then. Write it in the transaction of what needs the answer. */
export const question = (work: Work, address: string): Write =>
  enqueue(work, 'mail', { what: 'question', address: fold(address) });

/** Notes what the owner of an address has answered. The same answer again changes nothing; the other one counts. */
export const answer = async (
  caller: Caller,
  address: string,
  given: 'confirmed' | 'refused',
): Promise<void> => {
  await edit(caller, address, (current, answered_at) =>
    current.answer === given ? undefined : { answer: given, answered_at },
  );
};

/**
 * Forbids all mails to an address, because one bounced for good or was reported as unwanted. A repeated event changes
 * nothing. What the owner has answered is kept, and counts again after `restore`.
 */
export const suppress = async (caller: Caller, address: string, reason: SuppressionReason): Promise<void> => {
  await edit(caller, address, (current, at) =>
    current.suppressed?.reason === reason ? undefined : { suppressed: { reason, at } },
  );
};

/** Ends a suppression. The address is then in the state that its owner's answer says; without one it can be asked. */
export const restore = async (caller: Caller, address: string): Promise<void> => {
  await edit(caller, address, ({ suppressed }) => (suppressed ? { suppressed: null } : undefined));
};

/**
 * The token of a link `/stop/{token}` by which the owner of an address ends all mails of the organization. Every mail to
 * an address that is no member's carries a new one (RFC 8058), which works for 400 days. One call of the table.
 */
export const stopToken = (caller: Caller, address: string): Promise<string> =>
  createLink(caller, 'stop', { address: fold(address) }, Date.now() + STOP_MS);
