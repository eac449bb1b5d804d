import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { PersonCaller } from '../../base/caller.ts';
import { sha256 } from '../../base/encoding.ts';
import * as errors from '../../base/errors.ts';
import { plain } from '../../base/text.ts';
import type { OwnSession } from '../../schemas/session.ts';
import { exists } from '../../table/conditions.ts';
import type {
  FollowedInvitation,
  Membership,
  OwnSessionRow,
  SessionRow,
  StoredMember,
} from '../../table/entities/organization.ts';
import { keys } from '../../table/keys.ts';
import { getRow, getSystemRows, querySystemRows, type Row } from '../../table/rows.ts';
import { writeRow } from '../../table/single-write.ts';
import * as write from '../../table/writes.ts';

/*
 * Nothing of a session is in memory: every request reads its row and its member's row. So signing out, a suspension, a
 * removal or another role counts from the next request on. Two reads cost less than one write, so the time of the last
 * use is written once a minute at most.
 */

/** How long a session lasts at most, and how long without being used, in milliseconds. */
export const MAX_SESSION_MS = 12 * 3_600_000;
export const MAX_IDLE_MS = 3_600_000;

/** How exact the time of the last use is, in milliseconds. */
const SEEN_EVERY_MS = 60_000;

/** 256 bits: nobody finds a session by trying. */
const TOKEN_BYTES = 32;

/** Base64url (RFC 4648, section 5) of that many bytes. A text of another form costs no read. */
const TOKEN = /^[\w-]{43}$/;

/** Characters that are kept of what a browser says of itself. */
const MAX_USER_AGENT = 300;

/** A session that is valid now. */
export type Session = Omit<SessionRow, 'ttl'> & { hash: string };

/** A person as the identity provider knows them. */
export interface Identity {
  issuer: string;
  subject: string;
  name: string;
  email: string;
  isEmailVerified: boolean;
}

/** The id of a person in keys: a subject is unique within its issuer only (OpenID Connect Core, section 5.7). */
export const personOf = ({ issuer, subject }: Pick<Identity, 'issuer' | 'subject'>): string =>
  sha256(`${issuer}\n${subject}`);

/** When a session ends if its last use is at `now`, in epoch seconds. */
const ttlOf = (endsAt: number, now: number): number => Math.ceil(Math.min(endsAt, now + MAX_IDLE_MS) / 1_000);

/**
 * Begins a session.
 * @param membership the person's organization; null when there are several to choose from, or none
 * @param now epoch milliseconds
 * @param followed the invitation by whose link they came
 * @param userAgent how the browser names itself
 * @returns the token for the cookie, which is not stored
 */
export const begin = async (
  identity: Identity,
  membership: Membership | null,
  now: number,
  followed?: FollowedInvitation,
  userAgent = '',
): Promise<{ token: string; session: Session }> => {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const hash = sha256(token);
  const row: SessionRow = {
    person: personOf(identity),
    name: identity.name,
    email: identity.email,
    issuer: identity.issuer,
    is_email_verified: identity.isEmailVerified,
    ...(followed && { followed }),
    org_id: membership?.org_id ?? null,
    user_id: membership?.user_id ?? null,
    cursor_secret: randomBytes(TOKEN_BYTES).toString('base64url'),
    created_at: now,
    ends_at: now + MAX_SESSION_MS,
    seen_at: now,
    ttl: ttlOf(now + MAX_SESSION_MS, now),
  };
  const own: OwnSessionRow = {
    hash,
    user_agent: plain(userAgent, MAX_USER_AGENT),
    ttl: Math.ceil(row.ends_at / 1_000),
  };
  // Before the session, so that there is none that its person does not see.
  await writeRow('system', write.put({ ...keys.ownSession(row.person, uuidv7()), ...own }));
  await writeRow('system', write.put({ ...keys.session(hash), ...row }));
  return { token, session: { ...row, hash } };
};

/** Changes a session. @throws ApiError 401 when it has ended in the meantime */
const update = async (hash: string, set: Partial<SessionRow>): Promise<void> => {
  // A session that was ended must not come back.
  const changed = write.update(keys.session(hash), { set }, exists, () => errors.sessionRequired());
  await writeRow('system', changed);
};

/** Whether a session has not ended. @param now epoch milliseconds */
const isValid = ({ ends_at, seen_at }: SessionRow, now: number): boolean =>
  ends_at > now && seen_at + MAX_IDLE_MS > now;

/**
 * The session of a token; undefined when it does not exist, or has ended. One read: looking at it is no use of it.
 * @param now epoch milliseconds
 */
export const find = async (token: string, now: number): Promise<Session | undefined> => {
  const hash = sha256(token);
  const [row] = TOKEN.test(token) ? await getSystemRows([keys.session(hash)]) : [];
  if (!row || !isValid(row, now)) return undefined;
  const { pk: _pk, sk: _sk, ttl: _ttl, ...session } = row;
  return { ...session, hash };
};

/**
 * The same for a request that uses the session. One read, and a write once a minute.
 * @throws ApiError 401 for a session that does not exist, or has ended
 */
export const authenticate = async (token: string, now: number): Promise<Session> => {
  const session = await find(token, now);
  if (!session) throw errors.sessionRequired();
  const { hash, seen_at, ends_at } = session;
  if (now - seen_at >= SEEN_EVERY_MS) await update(hash, { seen_at: now, ttl: ttlOf(ends_at, now) });
  return session;
};

/**
 * Whether a session may act as a member: the member is its person's, is active, and was not suspended since it began.
 */
export const isOf = (
  { person, created_at }: Pick<Session, 'person' | 'created_at'>,
  member: StoredMember | undefined,
): member is StoredMember =>
  member?.status === 'active' &&
  member.identity?.person === person &&
  created_at > (member.sessions_from ?? 0);

/** The caller of a session in an organization. */
const callerIn = (
  { cursor_secret }: Session,
  org_id: string,
  { user_id, name, role }: StoredMember,
): PersonCaller => {
  if (role === 'api') throw errors.sessionRequired();
  return { org_id, user_id, name, role, cursor_secret };
};

/**
 * The caller of a session, in its chosen organization. One read.
 * @throws ApiError 401 once the member is suspended or removed; 403 before an organization is chosen, and
 * while it is suspended
 */
export const callerOf = async (session: Session): Promise<PersonCaller> => {
  const { org_id, user_id } = session;
  if (org_id === null || user_id === null) throw errors.organizationNotChosen();
  const organization = { org_id, user_id, name: session.name };
  const member = await getRow(organization, keys.one(organization, 'MEMBER', user_id));
  if (!isOf(session, member)) throw errors.sessionRequired();
  if (member.in_suspended) throw errors.organizationSuspended();
  return callerIn(session, org_id, member);
};

/** Lets a session act in another organization of its person, or in none. @throws ApiError 401 */
export const choose = ({ hash }: Session, membership: Membership | null): Promise<void> =>
  update(hash, { org_id: membership?.org_id ?? null, user_id: membership?.user_id ?? null });

/** Ends the session of a token, if there is one. */
export const endByToken = async (token: string): Promise<void> => {
  if (TOKEN.test(token)) await end(sha256(token));
};

/** Ends a session, with its next request. Ending it again changes nothing. @param hash of its token */
export const end = async (hash: string): Promise<void> => {
  await writeRow('system', write.drop(keys.session(hash)));
};

/** A session of a person, with the row by which the person finds it. */
interface Found {
  own: Row<OwnSessionRow>;
  row: Row<SessionRow>;
}

const idOf = ({ own }: Found): string => own.sk.slice(own.sk.indexOf('#') + 1);

/** The sessions of the person of a session that have not ended. Two calls. */
const findOwn = async ({ person }: Session, now: number): Promise<Found[]> => {
  const { partition, prefix } = keys.ownSession.range(person);
  const owned = await querySystemRows(partition, prefix);
  const rows = await getSystemRows(owned.map(({ hash }) => keys.session(hash)));
  return owned.flatMap((own, position) => {
    const row = rows[position];
    return row && isValid(row, now) ? [{ own, row }] : [];
  });
};

const endFound = async ({ own: { pk, sk, hash } }: Found): Promise<void> => {
  await end(hash);
  await writeRow('system', write.drop({ pk, sk }));
};

/** The sessions of the person of a session, the one that was used last first. @param now epoch milliseconds */
export const listOwn = async (session: Session, now: number): Promise<OwnSession[]> => {
  const found = await findOwn(session, now);
  return found
    .toSorted((a, b) => b.row.seen_at - a.row.seen_at)
    .map(({ own, row }) => ({
      id: idOf({ own, row }),
      user_agent: own.user_agent,
      is_current: own.hash === session.hash,
      created_at: new Date(row.created_at).toISOString(),
      last_used_at: new Date(row.seen_at).toISOString(),
    }));
};

/** Ends one session of the person of a session. @throws ApiError 404 for that of somebody else, or one that has ended */
export const endOwn = async (session: Session, id: string, now: number): Promise<void> => {
  const found = (await findOwn(session, now)).find((each) => idOf(each) === id);
  if (!found) throw errors.notFound('session');
  await endFound(found);
};

/** Ends all sessions of a person but this one. @param now epoch milliseconds */
export const endOthers = async (session: Session, now: number): Promise<void> => {
  const others = (await findOwn(session, now)).filter(({ own }) => own.hash !== session.hash);
  await Promise.all(others.map(endFound));
};
