import type { Caller } from '../../base/caller.ts';
import { evaluate } from '../../domain/content/conditions/evaluate.ts';
import type { AnswerQuery, AnswerRecord } from '../../schemas/inspections/answer.ts';
import { keys } from '../table/keys.ts';
import { type Listing, listing, readCursor } from '../table/listing.ts';
import { queryRows, type Row } from '../table/rows.ts';
import { contentOf } from '../templates/content.ts';
import { inspectionIn, inspectionKeys, knownAnswersIn } from './batch/inspection-rows.ts';
import { LoadedRows } from './batch/loaded-rows.ts';
import { calculatedRecords } from './calculated.ts';
import { toRecord } from './record.ts';

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
