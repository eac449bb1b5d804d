import type { Caller } from '../../base/caller.ts';
import { sha256 } from '../../base/encoding.ts';
import { Uuid } from '../../schemas/common.ts';
import type { DueRows } from '../../table/entities/kinds.ts';
import type { Stored } from '../../table/forms.ts';
import { isOwnPartition, type RowKind, valuesOf } from '../../table/keys.ts';
import { TABLE } from '../../table/table.ts';
import { faultOf } from '../consistency/forms.ts';

/*
 * What somebody else has written down as a row of an organization may name another one in many places. Here is what is
 * looked at before such a row is stored.
 */

/** What each kind of row can be due for. */
const DUE: { readonly [Kind in RowKind]?: keyof DueRows } = {
  SCHEDULE: 'SCHEDULE',
  TRANSFER: 'TRANSFER',
  actionDue: 'DEADLINE',
  certificateExpiry: 'DEADLINE',
  clientDigestTurn: 'CLIENT_DIGEST',
  contactReminder: 'REMINDER',
  deadLetter: 'DEAD_LETTER',
  due: 'DEADLINE',
  issueDue: 'DEADLINE',
  outbox: 'OUTBOX',
  sourceState: 'SYNC',
  unstarted: 'DEADLINE',
  visitedPlace: 'PLACE',
  waitingMail: 'MAIL',
  webhookState: 'WEBHOOK',
};

/** Attributes by which a row stands in the indexes of its organization. */
const INDEXED = TABLE.indexes.map(({ name }) => name).filter((name) => name !== 'by_due');

type Attributes = Readonly<Record<string, unknown>>;

/** Every value of a row with the names that lead to it, from the outside. */
const everyValue = function* (
  value: unknown,
  path: readonly string[] = [],
): Generator<[path: readonly string[], value: unknown]> {
  yield [path, value];
  if (value === null || typeof value !== 'object' || ArrayBuffer.isView(value)) return;
  const members: Iterable<[unknown, unknown]> =
    value instanceof Set ? [...value].entries() : Object.entries(value);
  for (const [name, member] of members) yield* everyValue(member, [...path, String(name)]);
};

/** What is wrong with the attributes that only the table uses. */
function* tableProblems(org: Caller, kind: RowKind, row: Attributes): Generator<string> {
  for (const name of INDEXED) {
    const value = row[name];
    if (value !== undefined && !(typeof value === 'string' && isOwnPartition(org, value)))
      yield `${name} is no partition of this organization`;
  }
  const what = DUE[kind];
  const { by_due, by_due_at, ttl } = row;
  const isDue = typeof by_due === 'string' && new RegExp(`^DUE#${what}#\\d\\d$`).test(by_due);
  if (by_due !== undefined && !(what && isDue)) yield `by_due is no partition of ${kind}`;
  if (by_due_at !== undefined && !(typeof by_due_at === 'string' && !Number.isNaN(Date.parse(by_due_at))))
    yield 'by_due_at is no time';
  if (ttl !== undefined && !Number.isSafeInteger(ttl)) yield 'ttl is no time in seconds';
}

/** What stands in a key under another name than in its row; null where the row has something else under that name. */
const NAMED: { readonly [Kind in RowKind]?: Readonly<Record<string, string | null>> } = {
  organization: { org_id: 'id' },
  // A membership has an id of its own, and is found by its user.
  MEMBER: { id: 'user_id' },
  // An entry may be about another inspection, such as a copy.
  inspectionActivity: { inspection_id: null },
};

/** Ids of the service's own. A client may choose any text as its id of an instance. */
const IDS = /^(id|(?!client_id)\w+_id)$/;

/** What differs between the key of a row and its attributes. */
function* keyProblems(kind: RowKind, row: Stored): Generator<string> {
  const { kind: _kind, ...values } = valuesOf(row);
  for (const [name, value] of Object.entries(values)) {
    const { [name]: attribute = name } = NAMED[kind] ?? {};
    const stored = attribute === null ? undefined : row[attribute];
    const isSame = stored === value || (typeof stored === 'string' && sha256(stored) === value);
    if (stored !== undefined && !isSame) yield `${attribute} is not as the key says`;
    if (IDS.test(name) && typeof value === 'string' && !Uuid.safeParse(value).success)
      yield `${name} in the key is no UUID`;
  }
}

/** What of a row belongs to another organization. */
function* foreignProblems(org: Caller, row: Stored): Generator<string> {
  for (const [path, value] of everyValue(row)) {
    const name = path.at(-1);
    if (name === 'org_id' && value !== org.org_id) yield `${path.join('.')} is another organization`;
    if (name === 'pk' && !(typeof value === 'string' && isOwnPartition(org, value)))
      yield `${path.join('.')} is no partition of this organization`;
  }
}

/**
 * Why a row cannot be one of this organization: its key is not made from its attributes, it names another organization,
 * or this release cannot read it.
 * @param kind that of its key
 * @returns a sentence for each reason; none for a row that can be stored
 */
export const problemsOf = (org: Caller, kind: RowKind, row: Stored): string[] => {
  const fault = faultOf(row);
  return [
    ...keyProblems(kind, row),
    ...tableProblems(org, kind, row),
    ...foreignProblems(org, row),
    ...(fault ? [`${fault.what}: ${Object.keys(fault.stored as object).join(', ')}`] : []),
  ];
};
