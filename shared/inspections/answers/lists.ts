import type { Caller } from '../../base/caller.ts';
import { evaluate, type Evaluation } from '../../domain/content/conditions/evaluate.ts';
import { shareOf } from '../../domain/content/scoring/worth.ts';
import { isAnswered } from '../../domain/content/values/answer.ts';
import { type AnswerQuery, AnswerRecord } from '../../schemas/inspections/answer.ts';
import { present } from '../../schemas/projection.ts';
import type { StoredAnswer, StoredInspection } from '../../table/entities/inspections.ts';
import { keys } from '../../table/keys.ts';
import { type Listing, listing, readCursor } from '../../table/listing.ts';
import { queryRows, type Row } from '../../table/rows.ts';
import { contentOf } from '../../templates/content.ts';
import { calculatedRecords } from './calculated.ts';
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

/** Which records of an inspection are read. */
interface Wanted {
  /** Those behind this sort key. */
  after?: string | undefined;
  section_id?: string | undefined;
  instance_path?: string | undefined;
  /** Those that changed at or after this time, ISO 8601. */
  updated_since?: string | undefined;
}

/**
 * The records of an inspection with the results of its formulas, in the order of their sort keys, and the evaluation of
 * all answers, which `toRecord` needs. Calls: as `contentOf` and `knownAnswersIn`, and one query.
 * @param loaded has the `inspectionKeys` loaded
 */
export const recordsIn = async (
  caller: Caller,
  loaded: LoadedRows,
  inspection: StoredInspection,
  { after, section_id, instance_path, updated_since }: Wanted = {},
): Promise<{ evaluation: Evaluation; records: AsyncGenerator<Row<StoredAnswer>> }> => {
  const index = await contentOf(caller, inspection.template_id, inspection.content_hash);
  const { known } = await knownAnswersIn(caller, loaded, inspection.id, index);
  const evaluation = evaluate(index, known.values(), inspection.start_answers);
  const stored = queryRows(caller, {
    ...keys.parts(caller, 'INSPECTION', inspection.id, 'ANSWER'),
    after,
    updatedSince: updated_since,
    where: {
      section_id: section_id === undefined ? undefined : [section_id],
      instance_path: instance_path === undefined ? undefined : [instance_path],
    },
  });
  const calculated = calculatedRecords(caller, evaluation, inspection).filter(
    (row) =>
      (after === undefined || row.sk > after) &&
      (section_id === undefined || row.section_id === section_id) &&
      (instance_path === undefined || row.instance_path === instance_path) &&
      (updated_since === undefined || row.updated_at >= updated_since),
  );
  return { evaluation, records: inOrder(stored, calculated) };
};

const withResult = async function* (
  records: AsyncIterable<Row<StoredAnswer>>,
  { index }: Evaluation,
): AsyncGenerator<Row<StoredAnswer>> {
  for await (const record of records)
    if (record.value !== null || index.fields.get(record.field_id)!.field.type !== 'calculated') yield record;
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
  const { section_id, instance_path, updated_since } = query;
  const name = `ANSWER ${inspectionId}`;
  const after = readCursor(caller, name, query);
  const loaded = new LoadedRows(caller);
  await loaded.load(inspectionKeys(caller, inspectionId));
  const inspection = inspectionIn(caller, loaded, inspectionId);
  const { evaluation, records } = await recordsIn(caller, loaded, inspection, {
    after,
    section_id,
    instance_path,
    updated_since,
  });
  return listing(
    caller,
    name,
    query,
    withResult(records, evaluation),
    (row) => row.sk,
    (row) => toRecord(evaluation, row),
  );
};
