import { isDeepStrictEqual } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Caller } from '../../base/caller.ts';
import { isAskedFor, type KnownAnswer } from '../../domain/content/conditions.ts';
import { type ContentIndex, instanceWithin } from '../../domain/content/content-index.ts';
import { isAnswered } from '../../domain/content/values.ts';
import { isAbsent } from '../table/conditions.ts';
import { type Key, keys } from '../table/keys.ts';
import { getRows } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';

/**
 * Which fields of an inspection are answered, and the answers that conditions and formulas ask for: in one row,
 * so that saving one answer costs the same however many there are. It follows the answers' own rows in their
 * transaction, and only where the content has conditions, formulas or repeats.
 */
export interface AnswerState {
  /** Gzipped JSON: for each field, by its position in the content, its instances by their indexes. */
  body: Uint8Array;
  version: number;
}

/** What the state says of an answer: 1, or in a list what is asked for and whether it is not applicable. */
type Entry = 1 | [value: unknown, isNa?: 1] | [];
type Body = Record<string, Record<string, Entry>>;

/** Characters of JSON. A longer answer is read from its own row when it is asked for. */
const LONGEST = 1_000;

export const answerStateKey = (caller: Caller, inspectionId: string): Key =>
  keys.answerState(caller, inspectionId);

const positionsOf = (path: string): string => path.replaceAll(/[^[\]]*\[(\d+)\]/g, '.$1').slice(1);

const entryOf = (index: ContentIndex, { field_id, value, is_na }: KnownAnswer): Entry => {
  if (!isAskedFor(index, field_id)) return 1;
  if (JSON.stringify(value).length > LONGEST) return [];
  return is_na ? [value, 1] : [value];
};

const bodyOf = (index: ContentIndex, answers: Iterable<KnownAnswer>): Body => {
  const ordinals = new Map([...index.fields.keys()].map((id, ordinal) => [id, ordinal]));
  const body: Body = {};
  for (const answer of answers) {
    if (!isAnswered(answer)) continue;
    const instances = (body[ordinals.get(answer.field_id)!] ??= {});
    instances[positionsOf(answer.instance_path)] = entryOf(index, answer);
  }
  return body;
};

const decoded = ({ body }: AnswerState): Body => JSON.parse(gunzipSync(body).toString()) as Body;

/** Whether a state, or that there is none, tells of exactly these answers. */
export const tellsOf = (
  state: AnswerState | undefined,
  index: ContentIndex,
  answers: Iterable<KnownAnswer>,
): boolean => isDeepStrictEqual(state ? decoded(state) : {}, bodyOf(index, answers));

/** The state's row as these answers make it, over the one that was read. */
export const answerStateWrite = (
  caller: Caller,
  inspectionId: string,
  index: ContentIndex,
  answers: Iterable<KnownAnswer>,
  standing: AnswerState | undefined,
): Write => {
  const version = (standing?.version ?? 0) + 1;
  const row = {
    ...answerStateKey(caller, inspectionId),
    body: gzipSync(JSON.stringify(bodyOf(index, answers))),
    version,
  };
  return standing ? write.replace(row, standing.version) : write.create(row);
};

/** That no answer was saved since the state was read. */
export const answerStateStands = (
  caller: Caller,
  inspectionId: string,
  standing: AnswerState | undefined,
): Write =>
  write.check(answerStateKey(caller, inspectionId), () => 'stale', standing ? standing.version : isAbsent);

/** The name of an answer's record among those of its inspection. */
export const answerName = (fieldId: string, instancePath: string): string => `${fieldId} ${instancePath}`;

/**
 * The answers that a state tells of, by their names, as conditions and formulas see them. Calls: none, but one
 * for each hundred long answers that are asked for.
 */
export const knownAnswers = async (
  caller: Caller,
  inspectionId: string,
  index: ContentIndex,
  state: AnswerState | undefined,
): Promise<Map<string, KnownAnswer>> => {
  const known = new Map<string, KnownAnswer>();
  if (!state) return known;
  const places = [...index.fields.values()];
  const unread: KnownAnswer[] = [];
  for (const [ordinal, instances] of Object.entries(decoded(state))) {
    const { field, repeats } = places[Number(ordinal)]!;
    for (const [positions, entry] of Object.entries(instances)) {
      const indexes = positions.split('.');
      const instance_path = repeats.reduce(
        (path, { id }, level) => instanceWithin(path, id, Number(indexes[level])),
        '',
      );
      const [value = true, isNa] = entry === 1 ? [] : entry;
      const answer = { field_id: field.id, instance_path, value, is_na: isNa === 1 };
      known.set(answerName(field.id, instance_path), answer);
      if (entry !== 1 && entry.length === 0) unread.push(answer);
    }
  }
  const rows = await getRows<KnownAnswer>(
    caller,
    unread.map(({ field_id, instance_path }) => keys.answer(caller, inspectionId, field_id, instance_path)),
  );
  for (const [position, answer] of unread.entries()) answer.value = rows[position]?.value ?? null;
  return known;
};
