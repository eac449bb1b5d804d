import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { fold } from '../../base/fold.ts';
import { shownDocuments } from '../../domain/content/shown-documents.ts';
import type { Document, DocumentQuery, NewDocument } from '../../schemas/document.ts';
import * as members from '../members/members.ts';
import { change, type Work } from '../table/change.ts';
import { collection, newResource } from '../table/collection.ts';
import { exists as rowExists, hasValues } from '../table/conditions.ts';
import type { StoredDocument } from '../table/entities.ts';
import type { Listing } from '../table/listing.ts';
import { emit } from '../table/outbox/outbox.ts';
import { getRows, type Row, withoutKeys } from '../table/rows.ts';
import { countBytes } from '../table/stored-bytes.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';

const documentRecords = collection('DOCUMENT', 'document');

const toDocument = (row: Row<StoredDocument>): Document => {
  const { version: _, ...document } = withoutKeys(row);
  return document;
};

/** A file in the bucket. */
export type DocumentFile = Pick<Document, 'id' | 'file_name' | 'mime_type' | 'size_bytes'>;

export const key = documentRecords.key;

/** Counts the bytes of a document's file, which is stored as long as its row exists. */
export const fileBytes = (
  caller: Caller,
  { id, size_bytes }: Pick<DocumentFile, 'id' | 'size_bytes'>,
): Write[] => countBytes(caller, [{ id, bytes: size_bytes }]);

/** Who stores a document. */
interface Uploader {
  /** Null for a visitor. */
  id: string | null;
  name: string;
}

/**
 * A new document and the write of its row, for a change that counts the bytes of its file itself.
 * @param uses how many resources use it from the start
 */
export const creation = (
  work: Work,
  file: DocumentFile,
  texts: NewDocument,
  { id, name }: Uploader,
  uses = 0,
): { document: Document; write: Write } => {
  const { version, ...document } = newResource(work, {
    ...file,
    ...texts,
    uploaded_by: id,
    uploaded_by_name: name,
    used_by_count: uses,
  });
  const row = { ...documentRecords.key(work, file.id), ...document, version };
  return { document, write: write.create(row, () => errors.alreadyExists('document')) };
};

/**
 * Creates the record of a file that is already in the bucket.
 * @param alongside other writes of the same transaction
 */
export const create = (
  caller: Caller,
  file: DocumentFile,
  texts: NewDocument,
  alongside: readonly Write[] = [],
): Promise<Document> =>
  change(caller, async (work) => {
    const uploader = await members.find(work, work.user_id);
    const { document, write } = creation(work, file, texts, {
      id: work.user_id,
      name: uploader?.name ?? work.name,
    });
    return {
      writes: [write, ...fileBytes(work, file), emit(work, 'document.created', document), ...alongside],
      reply: document,
    };
  });

/** @throws ApiError 404 */
export const get = async (caller: Caller, id: string): Promise<Document> =>
  toDocument(await documentRecords.get(caller, id));

export const exists = async (caller: Caller, id: string): Promise<boolean> =>
  (await documentRecords.find(caller, id)) !== undefined;

/** The documents with these ids, in their order; undefined for one that does not exist. */
export const getMany = async (caller: Caller, ids: readonly string[]): Promise<(Document | undefined)[]> => {
  const rows = await getRows(
    caller,
    ids.map((id) => documentRecords.key(caller, id)),
  );
  return rows.map((row) => row && toDocument(row));
};

/** In creation order. */
export const list = (caller: Caller, query: DocumentQuery): Promise<Listing<Document>> => {
  const { q, category, tag } = query;
  const part = q && fold(q);
  const foldedTags = tag && new Set(tag.map(fold));
  const keep = ({ title, file_name, tags }: Document): boolean =>
    (!part || fold(title).includes(part) || fold(file_name).includes(part)) &&
    (!foldedTags || tags.some((each) => foldedTags.has(fold(each))));
  const where = { category: category === undefined ? undefined : [category] };
  return documentRecords.list(caller, query, { where, keep }, toDocument);
};

/**
 * Changes the number of a document's uses, in the transaction of the resource that uses it. A transaction can write a
 * row only once, so several uses of one document are one write.
 * @param field the request's field that names the document, for the 400 when it does not exist
 */
export const use = (caller: Caller, documentId: string, delta: number, field: string): Write =>
  write.update(documentRecords.key(caller, documentId), { add: { used_by_count: delta } }, rowExists, () =>
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

/** Deletes the record only; the caller deletes the file. @throws ApiError 404; 409 while it is used */
export const remove = (caller: Caller, id: string): Promise<null> =>
  change(caller, async (work) => {
    const document = toDocument(await documentRecords.get(work, id));
    const isUnused = hasValues({ used_by_count: 0 });
    const refusal = (row: Row | undefined) =>
      row
        ? errors.stillUsed(`The document is used ${String(row['used_by_count'])} time(s)`)
        : errors.notFound(documentRecords.noun);
    return {
      writes: [
        write.remove(documentRecords.key(work, id), isUnused, refusal),
        ...countBytes(work, [{ id, bytes: -document.size_bytes }]),
        emit(work, 'document.deleted', document),
      ],
      reply: null,
    };
  });
