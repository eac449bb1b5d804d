import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import type { references as referencesIn } from '../domain/content/values/references.ts';
import { roleOf } from '../domain/escalation.ts';
import type { Escalation } from '../schemas/corrective-action.ts';
import type { SyncedItem } from './entities/integrations.ts';
import type { Kind, Resources } from './entities/kinds.ts';
import { refusalOf } from './former-locations.ts';
import { type Key, keys } from './keys.ts';
import { getRows, type Row } from './rows.ts';

/** A field of a request that names a resource, as the 400 calls the field, and the key of that resource. */
export interface Reference<Row extends object = object> {
  field: string;
  key: Key<Row>;
  /** Whether the row is one that may be named here; any is without it. */
  isMeant?: (row: object) => boolean;
}

/** The rows of these references, in their order. The row of an undefined reference is undefined. */
export type Resolved<References extends readonly (Reference | undefined)[]> = {
  -readonly [Position in keyof References]: RowNamed<References[Position]>;
};

type RowNamed<R> = R extends Reference<infer Resource> ? Row<Resource> : undefined;

/** A reference to a resource; undefined where the field is null or absent. */
export function reference<K extends Kind>(
  caller: Caller,
  field: string,
  kind: K,
  id: string,
): Reference<Resources[K]>;
export function reference<K extends Kind>(
  caller: Caller,
  field: string,
  kind: K,
  id: string | null | undefined,
): Reference<Resources[K]> | undefined;
export function reference<K extends Kind>(
  caller: Caller,
  field: string,
  kind: K,
  id: string | null | undefined,
): Reference<Resources[K]> | undefined {
  return id ? { field, key: keys.one(caller, kind, id) } : undefined;
}

/** The resources and synced rows that a checked answer names. A row that is missing at the vendor by now counts. */
export const answerReferences = (
  caller: Caller,
  field: string,
  found: ReturnType<typeof referencesIn>,
): Reference[] => {
  const each = (kind: Kind, ids: readonly string[]) => ids.map((id) => reference(caller, field, kind, id));
  return [
    ...each('DOCUMENT', found.document_ids),
    ...each('MEMBER', found.user_ids),
    ...each('CLIENT', found.client_account_ids),
    ...each('LOCATION', found.location_ids),
    ...found.synced_items.map(({ source_id, external_id, target_ref }) => ({
      field,
      key: keys.syncedItem(caller, source_id, external_id),
      isMeant: (row: object) => (row as SyncedItem).target_ref === target_ref,
    })),
  ];
};

/**
 * The rows that a request names. One call per 100 references, none when there are none.
 * @throws ApiError 400 naming each field whose resource the organization does not have. For locations that were merged
 *   into others, it is one that `following` follows.
 */
export const resolve = async <const References extends readonly (Reference | undefined)[]>(
  caller: Caller,
  references: References,
): Promise<Resolved<References>> => {
  const rows = await getRows(
    caller,
    references.map((named) => named?.key),
  );
  const isThere = (row: object | undefined) => row !== undefined && !('merged_into' in row);
  const missing = new Set(
    references.flatMap((named, position) => (named && !isThere(rows[position]) ? [named.field] : [])),
  );
  if (missing.size > 0) {
    throw await refusalOf(caller, rows, errors.referenceNotFound(...missing), [...missing]);
  }
  // `map` forgets which key stands where: each row has the type that its reference's key carries.
  return rows as Resolved<References>;
};

/** References to the members whom the levels of an escalation name. @param field of the request */
export const escalationReferences = (
  caller: Caller,
  field: string,
  levels: Escalation | null | undefined,
): Reference<Resources['MEMBER']>[] =>
  (levels ?? []).flatMap(({ to }, position) =>
    to === 'assignee' || to === 'admins' || roleOf(to) !== undefined
      ? []
      : reference(caller, `${field}.${position}.to`, 'MEMBER', to),
  );
