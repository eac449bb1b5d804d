import { v5 as uuidv5 } from 'uuid';
import type { Caller } from '../../base/caller.ts';
import { evaluate, type Evaluation } from '../../domain/content/conditions/evaluate.ts';
import { innermostIndexOf } from '../../domain/content/instance-paths.ts';
import { pathsBelow } from '../../domain/content/instances.ts';
import { shareOf } from '../../domain/content/scoring/worth.ts';
import { isAnswered } from '../../domain/content/values/answer.ts';
import { isFailed } from '../../domain/content/values/comparison.ts';
import { type AnswerQuery, AnswerRecord } from '../../schemas/inspections/answer.ts';
import { present } from '../../schemas/projection.ts';
import type { StoredAnswer, StoredInspection } from '../../table/entities/inspections.ts';
import { keys } from '../../table/keys.ts';
import { type Listing, listing, readCursor } from '../../table/listing.ts';
import { queryRows, type Row } from '../../table/rows.ts';
import { contentOf } from '../../templates/content.ts';
import { inspectionIn, inspectionKeys, knownAnswersIn, LoadedRows } from './loaded-rows.ts';

/** A record as clients see it. Whether it is active and what it scores depend on the other answers. */
export const toRecord = ({ index, standingOf }: Evaluation, record: StoredAnswer): AnswerRecord => {
  const place = index.fields.get(record.field_id)!;
  const is_active = standingOf(place, record.instance_path) !== 'hidden';
  const share = is_active && isAnswered(record) ? shareOf(index, place, record) : null;
  return present(AnswerRecord, record, {
    acted_via_key_id: record.acted_via_key_id ?? null,
    is_prefilled: record.is_prefilled ?? false,
    is_carried_over: record.is_carried_over ?? false,
    is_asked_again: record.is_asked_again ?? false,
    earlier_finding_id: record.earlier_finding?.id ?? null,
    is_active,
    score: share?.score ?? null,
    max_score: share?.max_score ?? null,
  });
};

/**
 * The results of formulas as records, in the order of their sort keys. They are computed whenever they are read. So
 * each has the times of the inspection, and an id that is derived from its field and instance.
 */
const calculatedRecords = (
  caller: Caller,
  evaluation: Evaluation,
  { id: inspectionId, created_at, updated_at, answers_revision }: StoredInspection,
): Row<StoredAnswer>[] => {
  const { index, instances } = evaluation;
  const records: Row<StoredAnswer>[] = [];
  for (const place of index.fields.values()) {
    if (place.field.type !== 'calculated') continue;
    for (const instance_path of pathsBelow(instances, place.repeats, '')) {
      const result = evaluation.answerOf(place, instance_path);
      if (!result) continue;
      const { field, section } = place;
      records.push({
        ...keys.answer(caller, inspectionId, field.id, instance_path),
        id: uuidv5(`${field.id} ${instance_path}`, inspectionId),
        created_at,
        updated_at,
        section_id: section.id,
        field_id: field.id,
        instance_index: innermostIndexOf(instance_path),
        instance_path,
        value: result.value,
        note: '',
        is_na: false,
        media: [],
        is_failed: isFailed(field, index, result.value),
        answered_by: null,
        answered_at: null,
        client_answered_at: null,
        version: answers_revision + 1,
        finding_id: null,
        mutation_ids: [],
      });
    }
  }
  return records.toSorted((a, b) => (a.sk < b.sk ? -1 : 1));
};

/** Merges two runs of rows, each in the order of its sort keys. */
const inOrder = async function* <Resource extends object>(
  rows: AsyncIterable<Row<Resource>>,
  others: readonly Row<Resource>[],
): AsyncGenerator<Row<Resource>> {
  let next = 0;
  for await (const row of rows) {
    while (next < others.length && others[next]!.sk < row.sk) yield others[next++]!;
    yield row;
  }
  yield* others.slice(next);
};

/**
 * The answers of an inspection in the order of their fields' ids, with the results of its formulas.
 * @throws ApiError 404
 */
export const list = async (
  caller: Caller,
  inspectionId: string,
  query: AnswerQuery,
): Promise<Listing<AnswerRecord>> => {
  const { section_id, updated_since } = query;
  const name = `ANSWER ${inspectionId}`;
  const after = readCursor(caller, name, query);
  const loaded = new LoadedRows(caller);
  await loaded.load(inspectionKeys(caller, inspectionId));
  const inspection = inspectionIn(caller, loaded, inspectionId);
  const index = await contentOf(caller, inspection.template_id, inspection.content_hash);
  const { known } = await knownAnswersIn(caller, loaded, inspectionId, index);
  const evaluation = evaluate(index, known.values(), inspection.start_answers);
  const stored = queryRows(caller, {
    ...keys.parts(caller, 'INSPECTION', inspectionId, 'ANSWER'),
    after,
    updatedSince: updated_since,
    where: { section_id: section_id === undefined ? undefined : [section_id] },
  });
  const calculated = calculatedRecords(caller, evaluation, inspection).filter(
    (row) =>
      (after === undefined || row.sk > after) &&
      (section_id === undefined || row.section_id === section_id) &&
      (updated_since === undefined || row.updated_at >= updated_since),
  );
  return listing(
    caller,
    name,
    query,
    inOrder(stored, calculated),
    (row) => row.sk,
    (row) => toRecord(evaluation, row),
  );
};
