import { ApiError } from '../../../base/api-error.ts';
import type { StoredAnswer } from '../../table/entities.ts';
import { nameOfKey } from '../../table/keys.ts';
import type { LoadedRows } from '../batch/loaded-rows.ts';
import type { SentAnswer } from './sent-answer.ts';

/** The mutations of a request by the names of their records' keys, each at its first position, in their order. */
export type Mutations = ReadonlyMap<string, readonly { position: number; id: string }[]>;

export const mutationsOf = (answers: readonly (SentAnswer | ApiError)[]): Mutations => {
  const mutations = new Map<string, { position: number; id: string }[]>();
  const seen = new Set<string>();
  for (const [position, answer] of answers.entries()) {
    if (answer instanceof ApiError || !answer.key || !answer.sent.client_mutation_id) continue;
    const id = answer.sent.client_mutation_id;
    const record = nameOfKey(answer.key);
    const mutation = `${record} ${id}`;
    if (seen.has(mutation)) continue;
    seen.add(mutation);
    const ofRecord = mutations.get(record) ?? [];
    mutations.set(record, ofRecord);
    ofRecord.push({ position, id });
  }
  return mutations;
};

/**
 * Tells which answers of a request an earlier request has saved. When a record remembers one of them, those before it
 * were saved too, with it or earlier, though the record may have forgotten them.
 * @param from positions before this one were saved by this request
 */
export const repeatedAnswers = (mutations: Mutations, from: number, rows: LoadedRows) => {
  /** By record, the last position that was saved earlier. */
  const lastSaved = new Map<string, number>();
  const lastSavedOf = (key: NonNullable<SentAnswer['key']>): number => {
    const name = nameOfKey(key);
    const found = lastSaved.get(name);
    if (found !== undefined) return found;
    const remembered = rows.get(key)?.mutation_ids ?? [];
    const last = mutations
      .get(name)
      ?.findLast(({ position, id }) => position >= from && remembered.includes(id));
    lastSaved.set(name, last?.position ?? -1);
    return last?.position ?? -1;
  };
  /** @param record with the answers that this request has saved so far */
  return ({ key, sent }: SentAnswer, position: number, record: StoredAnswer | undefined): boolean => {
    if (!key || !record) return false;
    const { client_mutation_id: id } = sent;
    return position <= lastSavedOf(key) || (id !== undefined && record.mutation_ids.includes(id));
  };
};
