import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { foldedAddress, mailboxOf } from '../../base/text.ts';
import type { MailSuppression } from '../../schemas/mail.ts';
import { change, type Work } from '../../table/change.ts';
import type {
  LinkTargets,
  StoredAddress,
  StoredOrganization,
  SuppressionReason,
} from '../../table/entities/organization.ts';
import { keys } from '../../table/keys.ts';
import { type Listing, listing, type ListQuery, readCursor } from '../../table/listing.ts';
import { enqueue } from '../../table/outbox/outbox.ts';
import { getRow, getRows, queryRows, readRows, type Row } from '../../table/rows.ts';
import type { QuestionAbout, QuestionTask } from '../../table/tasks.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { createLink } from '../links/links.ts';
import * as members from '../members/members.ts';
import * as questions from './questions.ts';
import { countFate } from './reputation.ts';

export type { SuppressionReason } from '../../table/entities/organization.ts';

/**
 * What an organization may do with an email address.
 *
 * `unknown`: nobody was asked. `asked`: its owner was asked whether it wants mails, and has not answered. `confirmed`,
 * `refused`: the last answer. `suppressed`: mails to it bounced for good or were reported as unwanted; this wins over
 * any answer until `restore`.
 */
export type AddressState = 'unknown' | 'asked' | 'confirmed' | 'refused' | 'suppressed';

/** What an organization knows of an address, and what it may do. */
export interface Standing {
  state: AddressState;
  /** Whether an active member has the address. The organization knows its members, so they are not asked. */
  isMember: boolean;
  /** Whether its owner may be asked now: at most once in 30 days, and never a member. */
  canBeAsked: boolean;
  /** The same for the offer of a report: at most once in 7 days. */
  canBeOffered: boolean;
}

const DAY_MS = 86_400_000;

/** How long the link in a question works, in milliseconds. */
const QUESTION_MS = 7 * DAY_MS;

/** An address without an answer is asked again after this time, in milliseconds. */
const ASKED_AGAIN_MS = 30 * DAY_MS;

/**
 * How long the link in the offer of a report works, and after what time an address without an answer gets the offer of
 * another one, in milliseconds: whenever a report begins to wait, a link works for as long as it does.
 */
export const OFFER_MS = 30 * DAY_MS;
const OFFERED_AGAIN_MS = 7 * DAY_MS;

/** How many questions to a mailbox can be open at once: its owner is not asked more often. */
const MOST_OPEN = Math.ceil(QUESTION_MS / ASKED_AGAIN_MS) + Math.ceil(OFFER_MS / OFFERED_AGAIN_MS);

/** How long the link that stops all mails works, in milliseconds: much longer than RFC 8058 and the law ask for. */
const STOP_MS = 400 * DAY_MS;

/** What decides about an address. */
type Known = Pick<StoredAddress, 'answer' | 'suppressed' | 'asked_at' | 'asked_by'> &
  Partial<Pick<StoredAddress, 'offered_at' | 'offered_by'>>;

const UNKNOWN: Known = { answer: null, suppressed: null, asked_at: null, asked_by: null };

/**
 * What is known of an address and of its mailbox together: mails bounce at an address, and somebody answers for a
 * mailbox.
 */
const knownOf = (own: StoredAddress | undefined, mailbox: StoredAddress | undefined): Known => ({
  ...UNKNOWN,
  ...mailbox,
  suppressed: own?.suppressed ?? null,
});

const stateOf = ({ suppressed, answer: given, asked_at, offered_at }: Known): AddressState => {
  if (suppressed) return 'suppressed';
  return given ?? (asked_at || offered_at ? 'asked' : 'unknown');
};

/**
 * Whether an address has not been asked, or so long ago that it may be asked again. The mail that asks may be sent again
 * after a crash.
 */
const isOpenTo = (
  known: Known,
  { at, by, again }: { at: string | null | undefined; by: string | null | undefined; again: number },
  mailId: string | undefined,
  now: number,
): boolean => {
  if (!['unknown', 'asked'].includes(stateOf(known))) return false;
  return !at || by === mailId || now - Date.parse(at) >= again;
};

const mayAsk = (known: Known, mailId: string | undefined, now: number): boolean =>
  isOpenTo(known, { at: known.asked_at, by: known.asked_by, again: ASKED_AGAIN_MS }, mailId, now);

const mayOffer = (known: Known, mailId: string | undefined, now: number): boolean =>
  isOpenTo(known, { at: known.offered_at, by: known.offered_by, again: OFFERED_AGAIN_MS }, mailId, now);

/**
 * Whether an address gets the mails of a setting: notices, and replies to the organization's mails. Only members need
 * not confirm this first.
 */
export const takesStandingMail = ({ state, isMember }: Pick<Standing, 'state' | 'isMember'>): boolean =>
  state === 'confirmed' || (isMember && takesMailByHand({ state }));

/** Whether an address gets mails in the service's own words that need no confirmation, such as an invitation. */
export const takesMailByHand = ({ state }: Pick<Standing, 'state'>): boolean =>
  state !== 'refused' && state !== 'suppressed';

/**
 * The standings of these addresses, in their order. Upper and lower case are the same address, and all addresses of a
 * mailbox have its answer. Two calls of the table
 * for every 50 addresses; one call if no member has any of them.
 * @param mailId the mail that wants to ask; the same mail may ask again after a failure
 */
export const standingsOf = async (
  caller: Caller,
  addresses: readonly string[],
  mailId?: string,
): Promise<Standing[]> => {
  const folded = addresses.map(foldedAddress);
  const addressKeys = folded.map((address) => keys.address(caller, address));
  const mailboxKeys = folded.map((address) => keys.address(caller, mailboxOf(address)));
  const userKeys = folded.map((address) => members.addressKey(caller, address));
  const rowsOf = await readRows(caller, [...addressKeys, ...mailboxKeys, ...userKeys]);
  const mailboxes = rowsOf(mailboxKeys);
  const found = await getRows(
    caller,
    rowsOf(userKeys).map((user) => user && members.key(caller, user.id)),
  );
  const now = Date.now();
  return rowsOf(addressKeys).map((row, position) => {
    const isMember = found[position]?.status === 'active';
    const known = knownOf(row, mailboxes[position]);
    return {
      state: stateOf(known),
      isMember,
      canBeAsked: !isMember && mayAsk(known, mailId, now),
      canBeOffered: !isMember && mayOffer(known, mailId, now),
    };
  });
};

/** The standing of one address. */
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
 * Changes the row of an address, or creates it.
 * @param folded the address or the mailbox
 * @param decide gives the attributes to change; undefined leaves everything as it is
 * @param also what is written with the change
 * @returns whether anything was changed
 */
const edit = (
  caller: Caller,
  folded: string,
  decide: (
    current: StoredAddress,
    now: string,
  ) => Promise<Partial<StoredAddress> | undefined> | Partial<StoredAddress> | undefined,
  also: (work: Work) => Write[] = () => [],
): Promise<boolean> =>
  change(caller, async (work) => {
    const key = keys.address(work, folded);
    const current = await getRow(work, key);
    const known = current ?? newRow(work, folded);
    const changes = await decide(known, work.now);
    if (!changes) return { writes: [], reply: false };
    const next: Row<StoredAddress> = { ...known, ...changes, ...key, updated_at: work.now };
    next.version += 1;
    return {
      writes: [current ? write.replace(next, current.version) : write.create(next), ...also(work)],
      reply: true,
    };
  });

const without = (ids: readonly string[] = [], id: string): string[] => ids.filter((each) => each !== id);

/** The row of an address itself: one call more, where that is not its mailbox. */
const ownRow = (caller: Caller, folded: string, mailbox: StoredAddress): Promise<StoredAddress | undefined> =>
  folded === mailbox.address ? Promise.resolve(mailbox) : getRow(caller, keys.address(caller, folded));

/**
 * Begins to ask an address whether it wants mails. An address without an answer is asked once in 30 days at most, and
 * offered a report once in 7 days.
 * @param mailId names the mail that asks. When it is sent again after a failure, it gets another token; other mails get
 *   none
 * @param subject the report that it is offered, with the share link that it gets for a yes, or what else it would get
 * @returns the token of the link `/confirm/{token}`, which works for 7 days, for a report for 30; undefined when the
 *   address is not asked now
 */
export const ask = async (
  caller: Caller,
  address: string,
  mailId: string,
  { report, about }: { report?: LinkTargets['share'] | undefined; about?: QuestionAbout | undefined } = {},
): Promise<string | undefined> => {
  let token: string | undefined;
  const folded = foldedAddress(address);
  const lasts = report ? OFFER_MS : QUESTION_MS;
  const asked: questions.Asked = {
    id: mailId,
    address: folded,
    about: report ? 'report' : (about?.kind ?? 'notifications'),
    report_id: report?.report_id ?? null,
    client_account_id: about?.kind === 'client_digest' ? about.client_account_id : null,
  };
  await edit(
    caller,
    mailboxOf(address),
    async (mailbox, at) => {
      const now = Date.parse(at);
      token = undefined;
      const own = await ownRow(caller, folded, mailbox);
      if (!(report ? mayOffer : mayAsk)(knownOf(own, mailbox), mailId, now)) return undefined;
      const target = { address: folded, ...(report ? { report } : { question_id: mailId }) };
      token = await createLink(caller, 'confirm', target, now + lasts);
      const last = [...without(mailbox.questions, mailId), mailId].slice(-MOST_OPEN);
      return report
        ? { offered_at: at, offered_by: mailId, questions: last }
        : { asked_at: at, asked_by: mailId, questions: last };
    },
    (work) => [questions.opening(work, asked, Date.parse(work.now) + lasts)],
  );
  return token;
};

/**
 * Takes back that a mail asks an address, because it is not sent. An offer that cannot have gone out makes way for the
 * next one. A notice counts as asked all the same: the mail after it would ask again at once.
 * @param mailId names the mail; what another one has asked stays
 */
export const withdraw = (
  caller: Caller,
  address: string,
  mailId: string,
  mayHaveGoneOut = false,
): Promise<void> =>
  change(caller, async (work) => {
    const writes = [questions.closing(work, mailId)];
    const mailbox = await getRow(work, keys.address(work, mailboxOf(address)));
    if (mailbox?.offered_by !== mailId || mayHaveGoneOut) return { writes, reply: undefined };
    const { offered_at: _, offered_by: __, version, ...others } = mailbox;
    const next = {
      ...others,
      questions: without(mailbox.questions, mailId),
      version: version + 1,
      updated_at: work.now,
    };
    return { writes: [...writes, write.replace(next, version)], reply: undefined };
  });

/**
 * Makes a task that asks an address, if it may be asked then. Belongs to the change that needs the answer.
 * @param subject the report that it is offered, or what else it would get; notifications where left out
 */
export const question = (
  work: Work,
  address: string,
  subject: Pick<QuestionTask, 'report' | 'about'> = {},
): Write => enqueue(work, 'mail', { what: 'question', address: foldedAddress(address), ...subject });

/**
 * Notes the answer of a mailbox's owner, which all questions to it have then. The last answer counts, and the same answer
 * again changes nothing.
 */
export const answer = async (
  caller: Caller,
  address: string,
  given: 'confirmed' | 'refused',
): Promise<void> => {
  let asked: string[] = [];
  await edit(
    caller,
    mailboxOf(address),
    async (mailbox, answered_at) => {
      const own = await ownRow(caller, foldedAddress(address), mailbox);
      asked = mailbox.questions ?? [];
      if (knownOf(own, mailbox).answer === given) return undefined;
      return { answer: given, answered_at, questions: [] };
    },
    (work) => asked.map((id) => questions.closing(work, id)),
  );
};

/**
 * Forbids all mails to an address, because one bounced for good or was reported as unwanted. A repeated event changes
 * nothing. The owner's answer is kept, and counts again after `restore`. Unless it is a member's, the address counts
 * among those to which the organization's mails went wrong.
 * @returns whether anything was changed
 */
export const suppress = async (
  caller: Caller,
  address: string,
  reason: SuppressionReason,
): Promise<boolean> => {
  const { isMember } = await standingOf(caller, address);
  return edit(
    caller,
    foldedAddress(address),
    (current, at) => (current.suppressed?.reason === reason ? undefined : { suppressed: { reason, at } }),
    (work) => (isMember ? [] : [countFate(work, reason)]),
  );
};

/** Ends a suppression. Then the owner's answer counts again; without an answer the address can be asked. */
export const restore = async (caller: Caller, address: string): Promise<void> => {
  await edit(caller, foldedAddress(address), ({ suppressed }) =>
    suppressed ? { suppressed: null } : undefined,
  );
};

/**
 * The token of a link `/stop/{token}` by which the owner of an address ends all mails of the organization. Every mail
 * to an address that is no member's carries a new one (RFC 8058), which works for 400 days. One call of the table.
 */
export const stopToken = (caller: Caller, address: string): Promise<string> =>
  createLink(caller, 'stop', { address: foldedAddress(address) }, Date.now() + STOP_MS);

const NOUN = 'mail suppression';

const suppressedRows = async function* (
  caller: Caller,
  after: string | undefined,
  updatedSince: string | undefined,
) {
  for await (const row of queryRows(caller, {
    partition: keys.address.partition(caller),
    after,
    updatedSince,
  })) {
    const { address, suppressed, sk } = row;
    if (suppressed)
      yield { sk, suppression: { address, reason: suppressed.reason, created_at: suppressed.at } };
  }
};

/** The suppressed addresses, in no particular order. A Query per megabyte of known addresses. */
export const listSuppressions = async (caller: Caller, query: ListQuery): Promise<Listing<MailSuppression>> =>
  listing(
    caller,
    NOUN,
    query,
    suppressedRows(caller, readCursor(caller, NOUN, query), query.updated_since),
    ({ sk }) => sk,
    ({ suppression }) => suppression,
  );

/** Lets an address be mailed again. @throws ApiError 404 when it is not suppressed */
export const removeSuppression = async (caller: Caller, address: string): Promise<void> => {
  const { state } = await standingOf(caller, address);
  if (state !== 'suppressed') throw errors.notFound(NOUN);
  await restore(caller, address);
};

/**
 * The address that replies to an organization's mails go to: only one that is a member's, or whose owner has agreed.
 * Otherwise an organization could have the mails that it sends in the service's name answered to anybody. No call of
 * the table where no address is set, two at most.
 */
export const confirmedReplyTo = async (
  caller: Caller,
  { reply_to_email: address }: Pick<StoredOrganization, 'reply_to_email'>,
): Promise<string | null> =>
  address !== null && takesStandingMail(await standingOf(caller, address)) ? address : null;
