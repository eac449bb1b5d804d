import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { fold } from '../base/text.ts';
import * as members from '../organizations/members/members.ts';
import { Document, type DocumentQuery, NewDocument } from '../schemas/document.ts';
import { present, type Presented } from '../schemas/projection.ts';
import { initialValues } from '../schemas/resource.ts';
import { change, type Work } from '../table/change.ts';
import { collection, newResource } from '../table/collection.ts';
import { hasValues } from '../table/conditions.ts';
import type { StoredDocument } from '../table/entities/organization.ts';
import type { Listing } from '../table/listing.ts';
import { emit } from '../table/outbox/outbox.ts';
import * as resource from '../table/resource.ts';
import { getRows, type Row, withoutKeys } from '../table/rows.ts';
import { combineCounts, type Write } from '../table/writes.ts';

export { useDocument as use, useDocuments as useEach } from '../table/usage.ts';

/** Documents. Each counts the bytes of its file, which is stored as long as its row exists. */
export const documentRecords = collection('DOCUMENT', 'document', { bytes: ({ size_bytes }) => size_bytes });

const toDocument = (stored: StoredDocument): Presented<Document> => present(Document, stored);

/** A file in the bucket. */
export type DocumentFile = Pick<Document, 'id' | 'file_name' | 'mime_type' | 'size_bytes'>;

export const key = documentRecords.key;

/** Who stores a document. */
interface Uploader {
  /** Null for a visitor. */
  id: string | null;
  name: string;
}

/**
 * A new document, with its writes.
 * @param uses how many resources use it from the start
 */
export const creation = (
  work: Work,
  file: DocumentFile,
  texts: NewDocument,
  { id, name }: Uploader,
  uses = 0,
): { document: Presented<Document>; writes: Write[] } => {
  const stored: StoredDocument = newResource(work, {
    ...file,
    ...texts,
    uploaded_by: id,
    uploaded_by_name: name,
    used_by_count: uses,
  });
  return {
    document: toDocument(stored),
    writes: resource.create(documentRecords, work, stored, () => errors.alreadyExists('document')),
  };
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
    const { document, writes } = creation(work, file, texts, {
      id: work.user_id,
      name: uploader?.name ?? work.name,
    });
    return {
      writes: [...writes, emit(work, 'document.created', document), ...alongside],
      reply: document,
    };
  });

/** @throws ApiError 404 */
export const get = async (caller: Caller, id: string): Promise<Document> =>
  toDocument(withoutKeys(await documentRecords.get(caller, id)));

export const exists = async (caller: Caller, id: string): Promise<boolean> =>
  (await documentRecords.find(caller, id)) !== undefined;

/** The documents with these ids, in their order; undefined for one that does not exist. */
export const getMany = async (caller: Caller, ids: readonly string[]): Promise<(Document | undefined)[]> => {
  const rows = await getRows(
    caller,
    ids.map((id) => documentRecords.key(caller, id)),
  );
  return rows.map((row) => row && toDocument(withoutKeys(row)));
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
  return documentRecords.list(caller, query, { where, keep }, (row) => toDocument(withoutKeys(row)));
};

/** Deletes the record only; the caller deletes the file. @throws ApiError 404; 409 while it is used */
export const remove = (caller: Caller, id: string): Promise<null> =>
  change(caller, async (work) => {
    const document = withoutKeys(await documentRecords.get(work, id));
    const isUnused = hasValues({ used_by_count: 0 });
    const refusal = (row: Row | undefined) =>
      row
        ? errors.stillUsed(`The document is used ${String(row['used_by_count'])} time(s)`)
        : errors.notFound(documentRecords.noun);
    return {
      writes: [
        ...resource.remove(documentRecords, work, document, isUnused, refusal),
        emit(work, 'document.deleted', toDocument(document)),
      ],
      reply: null,
    };
  });

/** A photo of a visitor. Its file is stored, and the change that uses the photo makes it a document. */
export type BroughtPhoto = DocumentFile & { title: string };

/** Creates the documents of photos that a visitor sends, each with one use, and counts their bytes. */
export const photoWrites = (work: Work, photos: readonly BroughtPhoto[]): Write[] =>
  combineCounts(
    photos.flatMap(({ title, ...file }) => {
      const texts = { ...initialValues(NewDocument), title };
      const { document, writes } = creation(work, file, texts, { id: null, name: work.name }, 1);
      return [...writes, emit(work, 'document.created', document)];
    }),
  );
