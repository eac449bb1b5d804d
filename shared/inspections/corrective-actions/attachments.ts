import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { downloadUrl } from '../../files/document-files.ts';
import * as documents from '../../files/documents.ts';
import {
  Attachment,
  type DownloadableAttachment,
  type NewAttachment,
  type NewCorrectiveAction,
} from '../../schemas/corrective-action.ts';
import type { Document } from '../../schemas/document.ts';
import { present } from '../../schemas/projection.ts';
import type { Work } from '../../table/change.ts';
import { newResource } from '../../table/collection.ts';
import { exists } from '../../table/conditions.ts';
import type { StoredAction, StoredAttachment } from '../../table/entities/inspections.ts';
import { keys } from '../../table/keys.ts';
import { type Listing, listing, type ListQuery, readCursor } from '../../table/listing.ts';
import { queryRows, withRows } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { editAction, expectOpen } from './edit.ts';
import { expectAction, rowsOfPage } from './lists.ts';

const toAttachment = (stored: StoredAttachment, document: Document): Attachment => {
  const { file_name, mime_type, size_bytes } = document;
  return present(Attachment, stored, { file_name, mime_type, size_bytes });
};

/** Changes the number of pieces of evidence. Only attachments of the stage `after` count. */
const addEvidence = (action: StoredAction, { stage }: NewAttachment, delta: 1 | -1): StoredAction => ({
  ...action,
  evidence_count: action.evidence_count + (stage === 'after' ? delta : 0),
});

/** A new attachment, with its row. The document's uses are not included. */
const newAttachment = (
  work: Work,
  actionId: string,
  request: NewAttachment,
): { attachment: StoredAttachment; row: Write } => {
  const { version: _, ...attachment } = newResource(work, { ...request, added_by: work.user_id });
  return {
    attachment,
    row: write.create({ ...keys.attachment(work, actionId, attachment.id), ...attachment }),
  };
};

/** Attaches evidence to a new action. It counts as uses of the documents, which refuses one that does not exist. */
export const evidenceWrites = (
  work: Work,
  actionId: string,
  evidence: NewCorrectiveAction['evidence'],
): Write[] => [
  ...evidence.map((each) => newAttachment(work, actionId, { ...each, stage: 'after' }).row),
  ...documents.useEach(
    work,
    evidence.map(({ document_id }) => document_id),
    1,
    'evidence',
  ),
];

/**
 * Attaches a document to an action. It counts as a use of the document.
 * @throws ApiError 404; 400 for a document that does not exist; 409 for another version, a closed action or an archived
 *   inspection
 */
export const attach = (
  caller: Caller,
  id: string,
  request: NewAttachment,
  expectedVersion?: number,
): Promise<Attachment> =>
  editAction(caller, id, expectedVersion, {
    also: [documents.key(caller, request.document_id)],
    check: ([document]) => {
      if (!document) throw errors.referenceNotFound('document_id');
    },
    decide: (current, work, [document]) => {
      expectOpen(current);
      const { attachment, row } = newAttachment(work, id, request);
      return {
        next: addEvidence(current, request, 1),
        isWork: true,
        activities: [{ kind: 'attachment_added', to: request.document_id, note: request.caption }],
        isReported: true,
        writes: [row, documents.use(work, request.document_id, 1, 'document_id')],
        reply: () => toAttachment(attachment, document!),
      };
    },
  });

/**
 * @throws ApiError 404; 409 for another version, a closed action, an archived inspection, or evidence that is still
 *   required
 */
export const detach = (
  caller: Caller,
  id: string,
  attachmentId: string,
  expectedVersion?: number,
): Promise<null> => {
  const key = keys.attachment(caller, id, attachmentId);
  return editAction(caller, id, expectedVersion, {
    also: [key],
    check: ([attachment]) => {
      if (!attachment) throw errors.notFound('attachment');
    },
    decide: (current, work, [found]) => {
      expectOpen(current);
      const attachment = found!;
      const { document_id, caption } = attachment;
      return {
        next: addEvidence(current, attachment, -1),
        isWork: true,
        activities: [{ kind: 'attachment_removed', from: document_id, note: caption }],
        isReported: true,
        writes: [write.remove(key, exists), documents.use(work, document_id, -1, 'document_id')],
        reply: () => null,
      };
    },
  });
};

/**
 * The attachments of an action, in the order in which they were added.
 * @param present makes the reply for one attachment
 * @throws ApiError 404
 */
export const listAttachments = async <Shown>(
  caller: Caller,
  id: string,
  query: ListQuery,
  present: (attachment: Attachment) => Promise<Shown>,
): Promise<Listing<Shown>> => {
  const name = `ATTACHMENT ${id}`;
  const after = readCursor(caller, name, query);
  await expectAction(caller, id);
  const attachments = withRows(
    caller,
    queryRows(caller, {
      ...keys.parts(caller, 'ACTION', id, 'ATTACHMENT'),
      after,
      updatedSince: query.updated_since,
    }),
    ({ document_id }) => [documents.key(caller, document_id)],
    rowsOfPage(query),
  );
  const shown = (async function* () {
    for await (const [row, [document]] of attachments) {
      // A document that is used cannot be deleted.
      const attachment = toAttachment(row, document!);
      yield { position: row.sk, attachment: await present(attachment) };
    }
  })();
  return listing(
    caller,
    name,
    query,
    shown,
    ({ position }) => position,
    ({ attachment }) => attachment,
  );
};

/**
 * The attachments of a corrective action, each with a download URL that is valid for 15 minutes.
 * @throws ApiError 404
 */
export const downloadableAttachments = (
  caller: Caller,
  actionId: string,
  query: ListQuery,
): Promise<Listing<DownloadableAttachment>> =>
  listAttachments(caller, actionId, query, async (attachment) => ({
    ...attachment,
    download_url: await downloadUrl(caller, attachment.document_id, attachment),
  }));
