import { createHash, randomBytes } from 'node:crypto';
import type { Caller } from '../../base/caller.ts';
import { sha256 } from '../../base/encoding.ts';
import * as errors from '../../base/errors.ts';
import { readNumber } from '../../domain/certificates.ts';
import type { LinkPurpose, LinkRow, LinkTargets } from '../../table/entities/organization.ts';
import { keys } from '../../table/keys.ts';
import { getSystemRows } from '../../table/rows.ts';
import { writeRow } from '../../table/single-write.ts';
import * as write from '../../table/writes.ts';

/** 128 bits: nobody finds a token by trying. */
const TOKEN_BYTES = 16;

/** Base64url (RFC 4648, section 5) of that many bytes. A text of another form costs no read. */
const TOKEN = /^[\w-]{22}$/;

/** What leads to the row of a link. The number of a certificate does so by its code. */
const secretOf = (text: string, purpose: LinkPurpose): string | undefined => {
  if (purpose === 'verify') return readNumber(text)?.code;
  return TOKEN.test(text) ? text : undefined;
};

/** Whether a text has the form of what opens links for a purpose. */
export const isToken = (text: string, purpose: LinkPurpose): boolean => secretOf(text, purpose) !== undefined;

/** A link that was followed: its organization, and what it leads to. */
export interface FollowedLink<Purpose extends LinkPurpose> {
  org_id: string;
  target: LinkTargets[Purpose];
}

/**
 * Makes a public link. Its row stands outside the organization's partitions, so it is written by itself, before the
 * change that needs it. A row that no such change follows is harmless: nobody knows its token.
 * @param until epoch milliseconds: the link works until then. Where left out, the row that it leads to decides
 * @returns the token. It is not stored: the table holds only its hash
 */
export const createLink = async <Purpose extends LinkPurpose>(
  caller: Caller,
  purpose: Purpose,
  target: LinkTargets[Purpose],
  until?: number,
): Promise<string> => {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  await createCodedLink(caller, purpose, target, token, until);
  return token;
};

/** The same for a secret that was drawn before. */
export const createCodedLink = async <Purpose extends LinkPurpose>(
  { org_id }: Caller,
  purpose: Purpose,
  target: LinkTargets[Purpose],
  token: string,
  until?: number,
): Promise<void> => {
  const row: LinkRow<Purpose> = {
    org_id,
    purpose,
    target,
    ...(until !== undefined && { ttl: Math.ceil(until / 1_000) }),
  };
  await writeRow('system', write.put({ ...keys.link(sha256(token)), ...row }));
};

/** The token of the link that a link leads to once somebody has said yes: whoever says so again gets the same one. */
export const tokenAfter = (token: string, purpose: LinkPurpose): string =>
  createHash('sha256').update(`${purpose} ${token}`).digest().subarray(0, TOKEN_BYTES).toString('base64url');

const NOWHERE = '00000000-0000-0000-0000-000000000000';

/**
 * The target of an unknown link, for pages that read whether their link still works. Nothing has these ids, so the page
 * is not found after the same calls as the page of a link that has ended.
 */
const UNKNOWN: { [Purpose in LinkPurpose]?: FollowedLink<Purpose> } = {
  verify: { org_id: NOWHERE, target: { certificate_id: NOWHERE } },
  certificate: { org_id: NOWHERE, target: { certificate_id: NOWHERE, share_id: NOWHERE } },
  issue: { org_id: NOWHERE, target: { category_id: NOWHERE, public_link_id: NOWHERE } },
  action: { org_id: NOWHERE, target: { inspection_id: NOWHERE, action_id: NOWHERE, link_id: NOWHERE } },
  sign: {
    org_id: NOWHERE,
    target: { inspection_id: NOWHERE, field_id: NOWHERE, instance_path: '', link_id: NOWHERE },
  },
};

/** Whether a link has this purpose, and so this kind of target. */
const isFor = <Purpose extends LinkPurpose>(row: LinkRow, purpose: Purpose): row is LinkRow<Purpose> =>
  row.purpose === purpose;

/**
 * The target of a link. Unknown tokens, ended ones and those of another purpose are treated the same.
 * @throws ApiError 404
 */
export const followLink = async <Purpose extends LinkPurpose>(
  token: string,
  purpose: Purpose,
): Promise<FollowedLink<Purpose>> => {
  const secret = secretOf(token, purpose);
  const [row] = secret === undefined ? [] : await getSystemRows([keys.link(sha256(secret))]);
  if (row && isFor(row, purpose)) return { org_id: row.org_id, target: row.target };
  const unknown = UNKNOWN[purpose];
  if (!unknown) throw errors.notFound('link');
  return unknown;
};

/** What several tokens of a purpose lead to; undefined for a link that does not exist. One call. */
export const followLinks = async <Purpose extends LinkPurpose>(
  tokens: readonly string[],
  purpose: Purpose,
): Promise<(FollowedLink<Purpose> | undefined)[]> => {
  const rows = await getSystemRows(tokens.map((token) => keys.link(sha256(token))));
  return rows.map((row) =>
    row && isFor(row, purpose) ? { org_id: row.org_id, target: row.target } : undefined,
  );
};
