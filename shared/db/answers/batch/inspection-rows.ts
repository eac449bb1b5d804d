import type { Caller } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import { hasLogic } from '../../../domain/content/conditions/dependencies.ts';
import type { KnownAnswer } from '../../../domain/content/conditions/evaluate.ts';
import type { ContentIndex } from '../../../domain/content/content-index.ts';
import { knownAnswers } from '../../inspection-core/answer-record.ts';
import { inspectionRecords } from '../../inspection-core/inspection-record.ts';
import type { AnswerState, StoredInspection } from '../../table/entities.ts';
import { type Key, keys } from '../../table/keys.ts';
import { withoutKeys } from '../../table/rows.ts';
import type { LoadedRows } from './loaded-rows.ts';

/** The rows that every change of answers needs: the inspection's own, and the state of its answers. */
export const inspectionKeys = (caller: Caller, inspectionId: string): Key[] => [
  inspectionRecords.key(caller, inspectionId),
  keys.answerState(caller, inspectionId),
];

/** The loaded inspection. @throws ApiError 404 */
export const inspectionIn = (caller: Caller, rows: LoadedRows, inspectionId: string): StoredInspection => {
  const inspection = rows.get(inspectionRecords.key(caller, inspectionId));
  if (!inspection) throw errors.notFound(inspectionRecords.noun);
  return withoutKeys(inspection);
};

/** The answers that conditions and formulas use, and the row that holds them. */
export interface KnownAnswers {
  /** By `placeName`. Empty when the content has no conditions, formulas or repeat sections. */
  known: ReadonlyMap<string, KnownAnswer>;
  state: AnswerState | undefined;
}

/** The known answers from the loaded state. Calls: as `knownAnswers`. */
export const knownAnswersIn = async (
  caller: Caller,
  rows: LoadedRows,
  inspectionId: string,
  index: ContentIndex,
): Promise<KnownAnswers> => {
  const state = hasLogic(index) ? rows.get(keys.answerState(caller, inspectionId)) : undefined;
  return { known: await knownAnswers(caller, inspectionId, index, state), state };
};
