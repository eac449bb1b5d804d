import { randomBytes } from 'node:crypto';
import type { Caller } from '../../base/caller.ts';
import { addressKey, emailKey } from '../../organizations/members/members.ts';
import type { WaitingMail } from '../../table/entities/machinery.ts';
import type { StoredMember } from '../../table/entities/organization.ts';
import type { Stored } from '../../table/forms.ts';
import { type Key, keys, kindOf, organizationOf, type RowKind } from '../../table/keys.ts';
import { getRows, readRow, type Row } from '../../table/rows.ts';
import { walkRowsOf, type WalkPosition } from '../../table/walk.ts';
import { followingOf } from '../consistency/following.ts';
import { CLASSES, SECRETS } from './classes.ts';

/** A row without the attribute at a path. */
const withoutPath = (row: object, [name, ...rest]: readonly string[]): object => {
  const { [name!]: value, ...others } = row as Record<string, unknown>;
  if (rest.length === 0 || typeof value !== 'object' || value === null)
    return rest.length === 0 ? others : row;
  return { ...others, [name!]: withoutPath(value, rest) };
};

const withoutSecrets = (kind: RowKind, row: Stored): Stored =>
  (SECRETS[kind] ?? []).reduce<object>(withoutPath, row) as Stored;

/** The rows by a hash that belong to one that the walk finds: a mail that waits is known by its recipient. */
const beside = async (caller: Caller, kind: RowKind, row: Stored): Promise<Stored[]> => {
  if (kind !== 'waitingMail') return [];
  const { mail_id, recipient, mailbox } = row as Stored & WaitingMail;
  const found = await getRows(caller, [
    keys.mail(caller, mail_id, recipient),
    mailbox === undefined ? undefined : keys.heldMail(caller, mailbox, mail_id, recipient),
  ]);
  return found.filter((each) => each !== undefined) as unknown as Stored[];
};

/** A row of an export, and where an export goes on behind it. */
export interface ExportedRow {
  kind: RowKind;
  row: Stored;
  position: WalkPosition;
}

/**
 * The rows of an organization that an export holds, without their secrets, by queries of its partitions. Memory holds a
 * page. While somebody changes the organization, the rows are not all of the same moment.
 * @throws Error for a row of no kind that this release knows
 */
export const exportedRows = async function* (
  caller: Caller,
  after?: WalkPosition,
): AsyncGenerator<ExportedRow> {
  for await (const { row, template } of walkRowsOf(caller, after)) {
    const position = { template, pk: row.pk, sk: row.sk };
    const kind = kindOf(row);
    if (!kind) throw new Error(`the row ${row.pk} ${row.sk} is of no kind that this release knows`);
    if (CLASSES[kind] !== 'exported') continue;
    for (const each of await beside(caller, kind, row)) yield { kind: kindOf(each)!, row: each, position };
    yield { kind, row: withoutSecrets(kind, row), position };
  }
};

/** The rows by which a member is found, whom a person has signed in as. */
const rowsOfMember = (caller: Caller, member: Row<StoredMember>): Stored[] => {
  const { user_id, email, identity } = member;
  const { org_id } = caller;
  return [
    ...(email
      ? [
          { ...addressKey(caller, email), id: user_id },
          { ...emailKey(caller, email), org_id, user_id },
        ]
      : []),
    ...(identity ? [{ ...keys.membership(identity.person, org_id), org_id, user_id }] : []),
  ] as Stored[];
};

/** The secret by which forms of a page are signed. No page leads to it before its link is made anew. */
const newSecret = (): string => randomBytes(32).toString('base64url');

/** What stands in the place of secrets that this module can make anew. */
const withNewSecrets = (kind: RowKind, row: Stored): Stored => {
  if (kind === 'publicLink' || kind === 'signatureLink') return { ...row, form_secret: newSecret() };
  if (kind === 'ACTION' && row['contact_link'])
    return { ...row, contact_link: { ...row['contact_link'], form_secret: newSecret() } };
  return row;
};

/**
 * A row that does not say that its organization was suspended where it comes from. Members are kept out until the import
 * has ended.
 */
const resumed = (
  kind: RowKind,
  { suspended: _suspended, in_suspended: _inSuspended, ...row }: Stored,
): Stored => (kind === 'MEMBER' ? { ...row, in_suspended: true } : row);

/**
 * A row of an export as it is imported, and those that follow from it.
 * @throws Error for a row that no export of this organization holds
 */
export const importedRows = (caller: Caller, exported: Stored): Stored[] => {
  const kind = kindOf(exported);
  if (!kind || CLASSES[kind] !== 'exported' || organizationOf(exported) !== caller.org_id)
    throw new Error(`an export of this organization has no row ${exported.pk} ${exported.sk}`);
  const read = withoutSecrets(kind, readRow<Record<string, unknown>>(exported));
  const row = withNewSecrets(kind, resumed(kind, read));
  // A sequence has the sort key of what it numbers, and nothing follows from it.
  const following = kind === 'sequence' ? [] : followingOf(caller, row).rows;
  const derived = following
    .map((each) => each.row as Key as Stored)
    .filter((follower) => CLASSES[kindOf(follower)!] === 'derived');
  const ofMember = kind === 'MEMBER' ? rowsOfMember(caller, row as unknown as Row<StoredMember>) : [];
  return [row, ...derived, ...ofMember];
};
