import type { Caller } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import { type PrefilledAnswer, prefilledAnswer } from '../../../domain/content/prefill.ts';
import { takeWhatFits } from '../../table/change-in-parts.ts';
import { changePart, MAX_TRANSACTION_WRITES } from '../../table/change.ts';
import { newResource } from '../../table/collection.ts';
import type { StoredAnswer, StoredFamily, StoredInspection } from '../../table/entities.ts';
import { keys } from '../../table/keys.ts';
import { enqueue } from '../../table/outbox/outbox.ts';
import { queryRows, type Row } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { contentOf } from '../../templates/content.ts';

/*
 * An inspection can take over more answers than one transaction holds. Those for which the creation has no room are
 * written before it, below an id that no inspection has yet: nobody sees them until the creation itself, which is the
 * last transaction. When it never comes, a worker deletes them.
 */

/** Writes of the creation that are left for the rest of the request, such as its stored reply. */
const RESERVED_WRITES = 6;

/** Prefilled answers of one transaction beside a task. */
const MAX_RECORDS = MAX_TRANSACTION_WRITES - 1;

/** Bytes of the records of one transaction, as JSON. The limit is 4 MB (Amazon DynamoDB quotas). */
const MAX_BYTES = 3_000_000;

/** When a worker looks whether the inspection was created, in seconds: long after the request has ended. */
const CLEANUP_DELAY_S = 900;

/** @throws ApiError 400 for an inspection of another template family */
export const expectSameFamily = (earlier: StoredInspection, family: Pick<StoredFamily, 'id'>): void => {
  if (earlier.template_family_id !== family.id) throw errors.otherFamily('prefill_from_inspection_id');
};

const recordOf = (caller: Caller, inspectionId: string, answer: PrefilledAnswer): Row<StoredAnswer> => ({
  ...keys.answer(caller, inspectionId, answer.field_id, answer.instance_path),
  ...newResource({
    ...answer,
    media: [],
    // A suggestion fails nothing. Confirming it does, with the finding that follows.
    is_failed: false,
    answered_by: null,
    answered_at: null,
    finding_id: null,
    mutation_ids: [],
    is_prefilled: true as const,
  }),
});

/** The records that an inspection takes over. Calls: a Query per megabyte of answers, and both contents unless cached. */
const takenOver = async (
  caller: Caller,
  earlier: StoredInspection,
  inspection: StoredInspection,
): Promise<Row<StoredAnswer>[]> => {
  const [before, index, answers] = await Promise.all([
    contentOf(caller, earlier.template_id, earlier.content_hash),
    contentOf(caller, inspection.template_id, inspection.content_hash),
    Array.fromAsync(queryRows(caller, keys.parts(caller, 'INSPECTION', earlier.id, 'ANSWER'))),
  ]);
  return answers.flatMap((answer) => {
    const prefilled = prefilledAnswer(index, before, answer);
    return prefilled ? [recordOf(caller, inspection.id, prefilled)] : [];
  });
};

/** As many of the first records as one transaction holds. */
const someOf = (records: readonly Row<StoredAnswer>[], most: number): Row<StoredAnswer>[] => {
  const some: Row<StoredAnswer>[] = [];
  let bytes = 0;
  const bytesOf = (record: Row<StoredAnswer>) => Buffer.byteLength(JSON.stringify(record));
  takeWhatFits(
    records,
    (record) => some.length < most && bytes + bytesOf(record) <= MAX_BYTES,
    (record) => {
      bytes += bytesOf(record);
      some.push(record);
    },
  );
  return some;
};

/**
 * Lets a new inspection take over the answers of an earlier one, as suggestions.
 * @param creation the writes that create the inspection
 * @returns the writes of the last transaction, which creates it. The others are made.
 */
export const prefill = async (
  caller: Caller,
  earlier: StoredInspection,
  inspection: StoredInspection,
  creation: readonly Write[],
): Promise<Write[]> => {
  const records = await takenOver(caller, earlier, inspection);
  const room = MAX_TRANSACTION_WRITES - RESERVED_WRITES - creation.length;
  let written = 0;
  const left = () => records.slice(written);
  while (someOf(left(), Math.max(room, 0)).length < left().length) {
    const some = someOf(left(), MAX_RECORDS);
    const cleanup =
      written === 0 ? [enqueue(caller, 'cleanup', { inspection_id: inspection.id }, CLEANUP_DELAY_S)] : [];
    await changePart(caller, () => ({
      writes: [...cleanup, ...some.map((record) => write.put(record))],
      reply: undefined,
    }));
    written += some.length;
  }
  return [...creation, ...left().map((record) => write.create(record))];
};
