import type { Caller } from '../../base/caller.ts';
import { badRequest, conflict, notFound } from '../../base/errors.ts';
import { fold } from '../../base/fold.ts';
import { shownDocuments } from '../../domain/content/shown-documents.ts';
import type { Document, DocumentQuery, NewDocument } from '../../schemas/document.ts';
import * as members from '../members/members.ts';
import { change } from '../table/change.ts';
import { collection, newResource, type Versioned } from '../table/collection.ts';
import { exists as rowExists, hasValues } from '../table/conditions.ts';
import type { Listing } from '../table/listing.ts';
import { getRows, type Row, withoutKeys } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';

/** As stored. Its users move the count in place, so the row is never replaced. */
type StoredDocument = Document & Versioned;

const stored = collection<StoredDocument>('DOCUMENT', 'document');

const toDocument = (row: Row<StoredDocument>): Document => {
  const { version: _, ...document } = withoutKeys<StoredDocument>(row);
  return document;
};

/** What is known of a stored file. */
export type DocumentFile = Pick<Document, 'id' | 'file_name' | 'mime_type' | 'size_bytes'>;

export const key = stored.key;

/**
 * The record of a file that is already in the storage.
 * @param alongside rows that change with it
 */
export const create = (
  caller: Caller,
  file: DocumentFile,
  texts: NewDocument,
  alongside: readonly Write[] = [],
): Promise<Document> =>
  change(caller, async () => {
    const uploader = await members.find(caller, caller.user_id);
    const { version, ...document } = newResource({
      ...file,
      ...texts,
      uploaded_by: caller.user_id,
      uploaded_by_name: uploader?.name ?? caller.name,
      used_by_count: 0,
    });
    return {
      writes: [
        write.create({ ...stored.key(caller, file.id), ...document, version }, () =>
          conflict('document already exists'),
        ),
        ...alongside,
      ],
      reply: document,
    };
  });

/** @throws ApiError 404 */
export const get = async (caller: Caller, id: string): Promise<Document> =>
  toDocument(await stored.get(caller, id));

export const exists = async (caller: Caller, id: string): Promise<boolean> =>
  (await stored.find(caller, id)) !== undefined;

/** The documents of these ids in their order; undefined for one that the organization does not have. */
export const getMany = async (caller: Caller, ids: readonly string[]): Promise<(Document | undefined)[]> => {
  const rows = await getRows<StoredDocument>(
    caller,
    ids.map((id) => stored.key(caller, id)),
  );
  return rows.map((row) => row && toDocument(row));
};

/** In the order in which they came. */
export const list = (caller: Caller, query: DocumentQuery): Promise<Listing<Document>> => {
  const { q, category, tag } = query;
  const part = q && fold(q);
  const wanted = tag && new Set(tag.map(fold));
  const keep = ({ title, file_name, tags }: Document): boolean =>
    (!part || fold(title).includes(part) || fold(file_name).includes(part)) &&
    (!wanted || tags.some((each) => wanted.has(fold(each))));
  const where = { category: category === undefined ? undefined : [category] };
  return stored.list(caller, query, { where, keep }, toDocument);
};

/**
 * Counts uses of a document, or the ends of so many, in the transaction of its user. A transaction touches a row
 * once: several uses of one document are one write.
 * @param field the request's field that names the document, for the 400 when the organization has no such one
 */
export const use = (caller: Caller, documentId: string, delta: number, field: string): Write =>
  write.update(stored.key(caller, documentId), { add: { used_by_count: delta } }, rowExists, () =>
    badRequest(`${field} does not exist`),
  );

/** The writes by which the documents that a resource shows are counted as it becomes another, each once. */
export const moveUses = (caller: Caller, before: unknown, after: unknown, field: string): Write[] => {
  const [showed, shows] = [shownDocuments(before), shownDocuments(after)];
  return [
    ...[...showed.difference(shows)].map((id) => use(caller, id, -1, field)),
    ...[...shows.difference(showed)].map((id) => use(caller, id, 1, field)),
  ];
};

/**
 * Counts a use of each of these documents, or its end, one write for all of a document's.
 * @param ids as often as they are used
 */
export const useEach = (caller: Caller, ids: Iterable<string>, delta: 1 | -1, field: string): Write[] => {
  const uses = new Map<string, number>();
  for (const id of ids) uses.set(id, (uses.get(id) ?? 0) + delta);
  return [...uses].map(([id, count]) => use(caller, id, count, field));
};

/** Its file is left to the caller. @throws ApiError 404; 409 while it is used */
export const remove = (caller: Caller, id: string): Promise<null> =>
  change(caller, () => {
    const isUnused = hasValues({ used_by_count: 0 });
    const refusal = (standing: Row | undefined) =>
      standing
        ? conflict(`document is used ${String(standing['used_by_count'])} time(s)`)
        : notFound(stored.noun);
    return { writes: [write.remove(stored.key(caller, id), isUnused, refusal)], reply: null };
  });
