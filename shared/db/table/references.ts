import type { Caller } from '../../base/caller.ts';
import { badRequest } from '../../base/errors.ts';
import type { references as referencesIn } from '../../domain/content/values.ts';
import { type Key, type Kind, keys } from './keys.ts';
import { getRows, type Row } from './rows.ts';

/** Something that a request names: the field, as the 400 shall call it, and the row that it means. */
export interface Reference {
  field: string;
  key: Key;
}

/** The reference to a resource, or none where the field is null or left out. */
export const reference = (
  caller: Caller,
  field: string,
  kind: Kind,
  id: string | null | undefined,
): Reference[] => (id ? [{ field, key: keys.one(caller, kind, id) }] : []);

/** What a checked answer names, of the kinds that have rows of their own. */
export const answerReferences = (
  caller: Caller,
  field: string,
  found: ReturnType<typeof referencesIn>,
): Reference[] => {
  const each = (kind: Kind, ids: readonly string[]) =>
    ids.flatMap((id) => reference(caller, field, kind, id));
  return [
    ...each('DOCUMENT', found.document_ids),
    ...each('MEMBER', found.user_ids),
    ...each('CLIENT', found.client_account_ids),
    ...each('LOCATION', found.location_ids),
  ];
};

/**
 * The rows that a request names, by their fields. One call per 100, none for nothing.
 * @throws ApiError 400 naming each field whose row the organization does not have
 */
export const resolve = async (
  caller: Caller,
  named: readonly Reference[],
): Promise<ReadonlyMap<string, Row<object>>> => {
  const rows = await getRows<object>(
    caller,
    named.map(({ key }) => key),
  );
  const missing = new Set(named.flatMap(({ field }, position) => (rows[position] ? [] : [field])));
  if (missing.size > 0) {
    throw badRequest(`${[...missing].join(', ')} ${missing.size > 1 ? 'do' : 'does'} not exist`);
  }
  return new Map(named.map(({ field }, position) => [field, rows[position]!]));
};
