import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { hasLogic } from '../../domain/content/conditions/dependencies.ts';
import type { KnownAnswer } from '../../domain/content/conditions/evaluate.ts';
import type { ContentIndex } from '../../domain/content/content-index.ts';
import type { AnswerState, StoredInspection } from '../../table/entities/inspections.ts';
import { type Key, keys, nameOfKey } from '../../table/keys.ts';
import { getRows, type Row, withoutKeys } from '../../table/rows.ts';
import { knownAnswers } from '../rows/answer-records.ts';
import { inspectionRecords } from '../rows/inspection-records.ts';

/** The rows that one attempt at a change has read. Each row is read once, so that all decisions see the same state. */
export class LoadedRows {
  readonly #caller: Caller;
  readonly #rows = new Map<string, Row<object> | undefined>();

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** Reads the rows that were not read before: one call for 100 rows, none for no row. */
  async load(keys: readonly Key[]): Promise<void> {
    const unread = new Map(keys.map((key) => [nameOfKey(key), key]));
    for (const name of this.#rows.keys()) unread.delete(name);
    const rows = await getRows(this.#caller, [...unread.values()]);
    for (const [position, name] of [...unread.keys()].entries()) this.#rows.set(name, rows[position]);
  }

  /** Counts a row as loaded that the same change creates. @param known what the decision reads of it */
  add<Resource extends object>(key: Key<Resource>, known: Partial<Resource>): void {
    this.#rows.set(nameOfKey(key), { ...key, ...known });
  }

  /** A loaded row; undefined when there is no such row, or it was not loaded. */
  get<Resource extends object>(key: Key<Resource>): Row<Resource> | undefined {
    // `load` has stored the row by this key, and a key carries its row's type.
    return this.#rows.get(nameOfKey(key)) as Row<Resource> | undefined;
  }
}

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
