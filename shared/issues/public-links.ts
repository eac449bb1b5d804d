import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../base/caller.ts';
import { publicUrl } from '../base/environment.ts';
import * as errors from '../base/errors.ts';
import { merge } from '../base/fields.ts';
import { linkStatus } from '../domain/issues/public-links.ts';
import { clientOf } from '../inspections/setup.ts';
import { createLink, followLinks } from '../organizations/links/links.ts';
import type { AuditedAction } from '../schemas/audit.ts';
import {
  type NewPublicLink,
  PublicLink,
  type PublicLinkChanges,
  type PublicLinkQuery,
} from '../schemas/issues/public-link.ts';
import { present } from '../schemas/projection.ts';
import { audit } from '../table/audit.ts';
import { change, type Work } from '../table/change.ts';
import { expectVersion, newResource } from '../table/collection.ts';
import { exists, versionIs } from '../table/conditions.ts';
import type { StoredPublicLink } from '../table/entities/issues.ts';
import type { StoredOrganization } from '../table/entities/organization.ts';
import { keys } from '../table/keys.ts';
import { type Listing, listing, readCursor } from '../table/listing.ts';
import { reference, resolve } from '../table/references.ts';
import { getRow, getRows, queryRows, withoutKeys } from '../table/rows.ts';
import { tryWrite } from '../table/single-write.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { categoryRecords } from './categories.ts';

const NOUN = 'public link';

/** Characters of a token that clients see to tell links apart: 36 of its 128 bits. 92 bits stay secret. */
const TOKEN_START = 6;

const SECRET_BYTES = 32;

/**
 * A link as it is sent to clients.
 * @param now the time that decides on its status, ISO 8601 in UTC
 * @param token only of a link that was just made
 */
const toPublicLink = (stored: StoredPublicLink, now: string, token?: string): PublicLink =>
  present(PublicLink, stored, {
    token: token ?? stored.token_start,
    url: token ? publicUrl('r', token) : null,
    qr_url: token ? publicUrl('r', token, 'qr.png') : null,
    qr_svg_url: token ? publicUrl('r', token, 'qr.svg') : null,
    status: linkStatus(stored, now),
    asset_id: stored.asset_id ?? null,
  });

/**
 * Makes a link by which anyone who has it reports issues of a category.
 * @returns the link with its token, which is known only now
 * @throws ApiError 404 for a category that does not exist; 400 for a location or client account that does not exist, or
 *   a location of another client account
 */
export const create = async (
  caller: Caller,
  categoryId: string,
  { client_account_id, ...fields }: NewPublicLink,
): Promise<PublicLink> => {
  await categoryRecords.get(caller, categoryId);
  const [location, , asset] = await resolve(caller, [
    reference(caller, 'location_id', 'LOCATION', fields.location_id),
    reference(caller, 'client_account_id', 'CLIENT', client_account_id),
    reference(caller, 'asset_id', 'ASSET', fields.asset_id),
  ]);
  const id = uuidv7();
  const token = await createLink(caller, 'issue', { category_id: categoryId, public_link_id: id });
  return change(caller, (work) => {
    const link: StoredPublicLink = newResource(work, {
      id,
      category_id: categoryId,
      ...fields,
      label: fields.label || (asset ? `${asset.name} · ${asset.number}` : ''),
      client_account_id: clientOf({ client_account_id }, { client_account_id: null }, location),
      token_start: token.slice(0, TOKEN_START),
      form_secret: randomBytes(SECRET_BYTES).toString('base64url'),
      submissions_count: 0,
      paused_at: null,
      revoked_at: null,
      created_by: work.user_id,
    });
    return {
      writes: [
        write.create({ ...link, ...keys.publicLink(work, categoryId, id) }),
        write.check(categoryRecords.key(work, categoryId), () => errors.notFound(categoryRecords.noun)),
        audit(work, 'public_link.created', id),
      ],
      reply: toPublicLink(link, work.now, token),
    };
  });
};

/** A link that has another token, and the path that leads to it, at the URL for people. */
export interface RenewedLink {
  category_id: string;
  id: string;
  label: string;
  path: string;
}

/**
 * Gives the links of an organization that may be used other tokens, where those before lead nowhere: after an import.
 * Four calls for each link, and one for each category.
 */
export const renewTokens = async (caller: Caller): Promise<RenewedLink[]> => {
  const now = new Date().toISOString();
  const renewed: RenewedLink[] = [];
  for await (const { sk: category_id } of queryRows(caller, {
    partition: keys.all(caller, 'ISSUE_CATEGORY'),
  })) {
    const links = queryRows(caller, keys.parts(caller, 'ISSUE_CATEGORY', category_id, 'PUBLIC_LINK'));
    for await (const row of links) {
      const { id, label } = row;
      if (['revoked', 'expired'].includes(linkStatus(row, now))) continue;
      const token = await createLink(caller, 'issue', { category_id, public_link_id: id });
      const set = { token_start: token.slice(0, TOKEN_START) };
      await tryWrite(caller, write.update(keys.publicLink(caller, category_id, id), { set }, exists));
      renewed.push({ category_id, id, label, path: `/r/${token}` });
    }
  }
  return renewed;
};

const linkOf = async (caller: Caller, categoryId: string, id: string): Promise<StoredPublicLink> => {
  const row = await getRow(caller, keys.publicLink(caller, categoryId, id));
  if (!row) throw errors.notFound(NOUN);
  return withoutKeys(row);
};

/** The links of a category, newest first, without their tokens. @throws ApiError 404 */
export const list = async (
  caller: Caller,
  categoryId: string,
  query: PublicLinkQuery,
): Promise<Listing<PublicLink>> => {
  const name = `${NOUN} ${categoryId}`;
  const after = readCursor(caller, name, query);
  await categoryRecords.get(caller, categoryId);
  const now = new Date().toISOString();
  const statuses = query.status && new Set(query.status);
  const rows = queryRows(caller, {
    ...keys.parts(caller, 'ISSUE_CATEGORY', categoryId, 'PUBLIC_LINK'),
    after,
    updatedSince: query.updated_since,
    newestFirst: true,
  });
  const links = (async function* () {
    for await (const row of rows) {
      const link = toPublicLink(row, now);
      if (statuses?.has(link.status) ?? true) yield { position: row.sk, link };
    }
  })();
  return listing(
    caller,
    name,
    query,
    links,
    ({ position }) => position,
    ({ link }) => link,
  );
};

/** @throws ApiError 404 */
export const get = async (caller: Caller, categoryId: string, id: string): Promise<PublicLink> =>
  toPublicLink(await linkOf(caller, categoryId, id), new Date().toISOString());

/**
 * Changes attributes of a link's row in place, because reports that come meanwhile are counted in the same row.
 * @throws ApiError 404; 409 for another version
 */
const edit = (
  caller: Caller,
  categoryId: string,
  id: string,
  expectedVersion: number | undefined,
  action: AuditedAction,
  decide: (current: StoredPublicLink, work: Work) => Partial<StoredPublicLink>,
): Promise<PublicLink> =>
  change(caller, async (work) => {
    const current = await linkOf(work, categoryId, id);
    expectVersion(NOUN, current, expectedVersion);
    const fields = Object.fromEntries(
      Object.entries(decide(current, work)).filter(
        ([name, value]) => value !== current[name as keyof StoredPublicLink],
      ),
    );
    if (Object.keys(fields).length === 0) return { writes: [], reply: toPublicLink(current, work.now) };
    const set = { ...fields, version: current.version + 1, updated_at: work.now };
    return {
      writes: [
        write.update(keys.publicLink(work, categoryId, id), { set }, versionIs(current.version)),
        audit(work, action, id),
      ],
      reply: toPublicLink({ ...current, ...set }, work.now),
    };
  });

/** Changes a link, pauses it, or lets it work again. @throws ApiError 404; 409 for another version or a revoked link */
export const update = (
  caller: Caller,
  categoryId: string,
  id: string,
  { is_paused, ...changes }: PublicLinkChanges,
  expectedVersion?: number,
): Promise<PublicLink> =>
  edit(caller, categoryId, id, expectedVersion, 'public_link.updated', (current, { now }) => {
    if (current.revoked_at && (is_paused !== undefined || Object.keys(changes).length > 0)) {
      throw errors.publicLinkStatus('revoked');
    }
    const paused_at = is_paused ? (current.paused_at ?? now) : null;
    return { ...merge<StoredPublicLink>(current, changes), ...(is_paused !== undefined && { paused_at }) };
  });

/**
 * Ends a link at once and for good. Revoking it again changes nothing.
 * @throws ApiError 404; 409 for another version
 */
export const revoke = (
  caller: Caller,
  categoryId: string,
  id: string,
  expectedVersion?: number,
): Promise<PublicLink> =>
  edit(caller, categoryId, id, expectedVersion, 'public_link.revoked', ({ revoked_at }, { now }) => ({
    revoked_at: revoked_at ?? now,
  }));

/** The links of all categories. One call for the categories, and one for each. */
export const allLinks = async function* (caller: Caller): AsyncGenerator<StoredPublicLink> {
  for await (const { id } of queryRows(caller, { partition: keys.all(caller, 'ISSUE_CATEGORY') })) {
    yield* queryRows(caller, keys.parts(caller, 'ISSUE_CATEGORY', id, 'PUBLIC_LINK'));
  }
};

/**
 * The writes by which a link gets another client account or location, because its location has changed.
 * @param isMeant whether it does, as it is by then
 * @returns undefined when it does not
 */
export const placeLink = async (
  work: Work,
  { category_id, id }: Pick<StoredPublicLink, 'category_id' | 'id'>,
  place: Partial<Pick<StoredPublicLink, 'client_account_id' | 'location_id'>>,
  isMeant: (link: StoredPublicLink) => boolean,
): Promise<Write[] | undefined> => {
  const key = keys.publicLink(work, category_id, id);
  const current = await getRow(work, key);
  if (!current || !isMeant(current)) return undefined;
  const set = { ...place, version: current.version + 1, updated_at: work.now };
  return [write.update(key, { set }, versionIs(current.version)), audit(work, 'public_link.updated', id)];
};

/** A public link and its token. */
interface Known {
  id: string;
  token: string;
}

/** What is printed of a link. */
interface Printed {
  label: string;
  url: string;
}

/**
 * Links of a category, for a caller who has their tokens. Only the hash of a token is stored, so a caller who prints a
 * link must send it. Two calls for 100 links.
 * @param field of the query that has the tokens
 * @throws ApiError 404; 422 for the token of another link
 */
export const getByTokens = async (
  caller: Caller,
  categoryId: string,
  known: readonly Known[],
  field: string,
): Promise<{ links: Printed[]; organization: StoredOrganization }> => {
  const [organization, ...links] = await getRows(caller, [
    keys.organization(caller),
    ...known.map(({ id }) => keys.publicLink(caller, categoryId, id)),
  ]);
  if (!organization) throw errors.notFound(NOUN);
  const followed = await followLinks(
    known.map(({ token }) => token),
    'issue',
  );
  return {
    organization: withoutKeys(organization),
    links: known.map(({ id, token }, position) => {
      const link = links[position];
      if (!link) throw errors.notFound(NOUN);
      const { org_id, target } = followed[position] ?? {};
      if (org_id !== caller.org_id || target?.public_link_id !== id) {
        const msg = 'Value error, this is not the token of the link';
        throw errors.validationFailed([{ loc: ['query', field], type: 'value_error', msg }]);
      }
      return { label: link.label, url: publicUrl('r', token) };
    }),
  };
};
