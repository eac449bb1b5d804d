import { shownDocuments } from '../../../domain/content/shown-documents.ts';
import * as documents from '../../documents/documents.ts';
import { takeWhatFits } from '../../table/change-in-parts.ts';
import { changePart, MAX_TRANSACTION_WRITES, type Work } from '../../table/change.ts';
import type { StoredAnswer } from '../../table/entities.ts';
import { enqueue } from '../../table/outbox/outbox.ts';
import type { Row } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';

/*
 * An inspection can take over more answers than one transaction holds. Those for which the creation has no room are
 * written before it, below an id that no inspection has yet: nobody sees them until the creation itself, which is the
 * last transaction. When it never comes, a worker deletes them.
 */

/** Writes of the creation that are left for the rest of the request, such as its stored reply. */
const RESERVED_WRITES = 6;

/** Records of one transaction, and the documents that they show, beside a task. */
const MAX_RECORDS = MAX_TRANSACTION_WRITES - 1;

/** Bytes of the records of one transaction, as JSON. The limit is 4 MB (Amazon DynamoDB quotas). */
const MAX_BYTES = 3_000_000;

/** When a worker looks whether the inspection was created, in seconds: long after the request has ended. */
const CLEANUP_DELAY_S = 900;

/** As many of the first records as one transaction holds. */
const someOf = (records: readonly Row<StoredAnswer>[], most: number): Row<StoredAnswer>[] => {
  const some: Row<StoredAnswer>[] = [];
  const shown = new Set<string>();
  let bytes = 0;
  const bytesOf = (record: Row<StoredAnswer>) => Buffer.byteLength(JSON.stringify(record));
  takeWhatFits(
    records,
    (record) =>
      some.length + shown.union(shownDocuments(record)).size < most && bytes + bytesOf(record) <= MAX_BYTES,
    (record) => {
      bytes += bytesOf(record);
      for (const id of shownDocuments(record)) shown.add(id);
      some.push(record);
    },
  );
  return some;
};

const hasDocuments = (record: Row<StoredAnswer>): boolean => shownDocuments(record).size > 0;

/**
 * Saves the answers that a new inspection takes over. Those that show documents are never part of the last transaction,
 * which counts the documents of the start answers: a transaction can write a document only once.
 * @param creation the writes that create the inspection
 * @returns the writes of the last transaction, which creates it. The others are made.
 */
export const saveTaken = async (
  work: Work,
  inspectionId: string,
  taken: readonly Row<StoredAnswer>[],
  creation: readonly Write[],
): Promise<Write[]> => {
  const records = taken.toSorted((a, b) => Number(hasDocuments(b)) - Number(hasDocuments(a)));
  const room = MAX_TRANSACTION_WRITES - RESERVED_WRITES - creation.length;
  let written = 0;
  const left = () => records.slice(written);
  while (left().some(hasDocuments) || someOf(left(), Math.max(room, 0)).length < left().length) {
    const some = someOf(left(), MAX_RECORDS);
    const cleanup =
      written === 0 ? [enqueue(work, 'cleanup', { inspection_id: inspectionId }, CLEANUP_DELAY_S)] : [];
    await changePart(work, () => ({
      writes: [
        ...cleanup,
        ...some.map((record) => write.put(record)),
        ...documents.useEach(
          work,
          some.flatMap((record) => [...shownDocuments(record)]),
          1,
          'value',
        ),
      ],
      reply: undefined,
    }));
    written += some.length;
  }
  return [...creation, ...left().map((record) => write.create(record))];
};
