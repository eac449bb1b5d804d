import * as errors from '../base/errors.ts';
import { type PrefilledAnswer, prefilledAnswer } from '../domain/content/carry-over.ts';
import { shownDocuments } from '../domain/content/shown-documents.ts';
import * as documents from '../files/documents.ts';
import { changePart, MAX_TRANSACTION_WRITES, takeWhatFits, type Work } from '../table/change.ts';
import { newResource } from '../table/collection.ts';
import type { StoredAnswer, StoredFamily, StoredInspection } from '../table/entities/inspections.ts';
import { keys } from '../table/keys.ts';
import { enqueue } from '../table/outbox/outbox.ts';
import { queryRows, type Row } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { contentOf } from '../templates/content.ts';

/*
 * An inspection can take over more answers than one transaction holds. The others are written before its creation,
 * below an id that no inspection has yet. Nobody sees them until the last transaction creates the inspection. If the
 * creation never happens, a worker deletes them.
 */

/** Writes that the creation leaves to the rest of the request, such as its stored reply. */
const RESERVED_WRITES = 6;

/** Answers of one transaction, with the documents that they show. One write is for a task. */
const MAX_ANSWERS = MAX_TRANSACTION_WRITES - 1;

/** Bytes of the answers of one transaction, as JSON. The limit is 4 MB (Amazon DynamoDB quotas). */
const MAX_BYTES = 3_000_000;

/** When a worker checks whether the inspection was created, in seconds: long after the end of the request. */
const CLEANUP_DELAY_S = 900;

/** As many of the first answers as one transaction holds. */
const someOf = (answers: readonly Row<StoredAnswer>[], most: number): Row<StoredAnswer>[] => {
  const some: Row<StoredAnswer>[] = [];
  const shown = new Set<string>();
  let bytes = 0;
  const bytesOf = (answer: Row<StoredAnswer>) => Buffer.byteLength(JSON.stringify(answer));
  takeWhatFits(
    answers,
    (answer) =>
      some.length + shown.union(shownDocuments(answer)).size < most && bytes + bytesOf(answer) <= MAX_BYTES,
    (answer) => {
      bytes += bytesOf(answer);
      for (const id of shownDocuments(answer)) shown.add(id);
      some.push(answer);
    },
  );
  return some;
};

const hasDocuments = (answer: Row<StoredAnswer>): boolean => shownDocuments(answer).size > 0;

/**
 * Saves the answers that a new inspection takes over. Answers with documents are never in the last transaction, because
 * it counts the documents of the start answers, and a transaction can write a document only once.
 * @param creation the writes that create the inspection
 * @returns the writes of the last transaction, which creates the inspection. The other transactions are done.
 */
export const saveTaken = async (
  work: Work,
  inspectionId: string,
  taken: readonly Row<StoredAnswer>[],
  creation: readonly Write[],
): Promise<Write[]> => {
  const answers = taken.toSorted((a, b) => Number(hasDocuments(b)) - Number(hasDocuments(a)));
  const room = MAX_TRANSACTION_WRITES - RESERVED_WRITES - creation.length;
  let written = 0;
  const left = () => answers.slice(written);
  while (left().some(hasDocuments) || someOf(left(), Math.max(room, 0)).length < left().length) {
    const some = someOf(left(), MAX_ANSWERS);
    const cleanup =
      written === 0 ? [enqueue(work, 'cleanup', { inspection_id: inspectionId }, CLEANUP_DELAY_S)] : [];
    await changePart(work, () => ({
      writes: [
        ...cleanup,
        ...some.map((answer) => write.put(answer)),
        ...documents.useEach(
          work,
          some.flatMap((answer) => [...shownDocuments(answer)]),
          1,
          'value',
        ),
      ],
      reply: undefined,
    }));
    written += some.length;
  }
  return [...creation, ...left().map((answer) => write.create(answer))];
};

/** @throws ApiError 400 for an inspection of another template family */
export const expectSameFamily = (earlier: StoredInspection, family: Pick<StoredFamily, 'id'>): void => {
  if (earlier.template_family_id !== family.id) throw errors.otherFamily('prefill_from_inspection_id');
};

const suggested = (work: Work, inspectionId: string, answer: PrefilledAnswer): Row<StoredAnswer> => ({
  ...keys.answer(work, inspectionId, answer.field_id, answer.instance_path),
  ...newResource(work, {
    ...answer,
    media: [],
    // A suggestion does not fail. A finding follows when it is confirmed.
    is_failed: false,
    answered_by: null,
    answered_at: null,
    client_answered_at: null,
    finding_id: null,
    mutation_ids: [],
    is_prefilled: true as const,
  }),
});

/**
 * The answers that an inspection takes over. Calls: a Query per megabyte of answers, and both contents unless cached.
 */
const takenOver = async (
  work: Work,
  earlier: StoredInspection,
  inspection: StoredInspection,
): Promise<Row<StoredAnswer>[]> => {
  const [before, index, answers] = await Promise.all([
    contentOf(work, earlier.template_id, earlier.content_hash),
    contentOf(work, inspection.template_id, inspection.content_hash),
    Array.fromAsync(queryRows(work, keys.parts(work, 'INSPECTION', earlier.id, 'ANSWER'))),
  ]);
  return answers.flatMap((answer) => {
    const prefilled = prefilledAnswer(index, before, answer);
    return prefilled ? [suggested(work, inspection.id, prefilled)] : [];
  });
};

/**
 * Lets a new inspection take over the answers of an earlier one, as suggestions.
 * @param creation the writes that create the inspection
 * @returns as `saveTaken`
 */
export const prefill = async (
  work: Work,
  earlier: StoredInspection,
  inspection: StoredInspection,
  creation: readonly Write[],
): Promise<Write[]> => saveTaken(work, inspection.id, await takenOver(work, earlier, inspection), creation);
