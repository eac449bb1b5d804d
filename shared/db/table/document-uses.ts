import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { shownDocuments } from '../../domain/content/shown-documents.ts';
import { exists } from './conditions.ts';
import { keys } from './keys.ts';
import * as write from './writes.ts';
import type { Write } from './writes.ts';

/**
 * Changes the number of a document's uses, in the transaction of the resource that uses it. A transaction can write a
 * row only once, so several uses of one document are one write.
 * @param field the request's field that names the document, for the 400 when it does not exist
 */
export const use = (caller: Caller, documentId: string, delta: number, field: string): Write =>
  write.update(keys.one(caller, 'DOCUMENT', documentId), { add: { used_by_count: delta } }, exists, () =>
    errors.referenceNotFound(field),
  );

/** Counts the uses of documents when a resource changes. A resource uses a document once, however often it shows it. */
export const updateUses = (caller: Caller, before: unknown, after: unknown, field: string): Write[] => {
  const [oldIds, newIds] = [shownDocuments(before), shownDocuments(after)];
  return [
    ...[...oldIds.difference(newIds)].map((id) => use(caller, id, -1, field)),
    ...[...newIds.difference(oldIds)].map((id) => use(caller, id, 1, field)),
  ];
};

/**
 * Counts uses of these documents, or their ends, with one write per document.
 * @param ids one for each use
 */
export const useEach = (caller: Caller, ids: Iterable<string>, delta: 1 | -1, field: string): Write[] => {
  const uses = new Map<string, number>();
  for (const id of ids) uses.set(id, (uses.get(id) ?? 0) + delta);
  return [...uses].map(([id, count]) => use(caller, id, count, field));
};
