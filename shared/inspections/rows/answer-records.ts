import { isDeepStrictEqual } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Caller } from '../../base/caller.ts';
import { namesWith, pick } from '../../base/fields.ts';
import { isAskedFor } from '../../domain/content/conditions/dependencies.ts';
import type { KnownAnswer } from '../../domain/content/conditions/evaluate.ts';
import type { ContentIndex } from '../../domain/content/content-index.ts';
import { instanceWithin, placeName } from '../../domain/content/instance-paths.ts';
import { isAnswered } from '../../domain/content/values/answer.ts';
import type { AnswerState, StoredAnswer } from '../../table/entities/inspections.ts';
import { type Key, keys } from '../../table/keys.ts';
import { getRows } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';

/** Whether a field of a record is part of the answer, or says who gave it and when; null for neither. */
const FIELD_ROLES = {
  section_id: null,
  field_id: null,
  instance_index: null,
  instance_path: null,
  value: 'answer',
  note: 'answer',
  is_na: 'answer',
  media: 'answer',
  answered_by: 'author',
  answered_at: 'author',
  client_answered_at: 'author',
  acted_via_key_id: 'author',
  is_failed: null,
  finding_id: null,
  mutation_ids: null,
  said_at: null,
  is_prefilled: null,
  is_carried_over: null,
  is_asked_again: null,
  earlier_finding: null,
  id: null,
  created_at: null,
  updated_at: null,
  version: null,
} as const satisfies Record<keyof StoredAnswer, 'answer' | 'author' | null>;

/** Who gave an answer, and when. */
export const authorIn = (record: StoredAnswer) => pick(record, namesWith(FIELD_ROLES, 'author'));

/** An answer with its author, as it is compared with another one. */
export const givenIn = (record: StoredAnswer) => ({
  ...pick(record, namesWith(FIELD_ROLES, 'answer')),
  ...authorIn(record),
});

/**
 * An answer in the state. 0: it is asked again, and not answered yet. 1: only its existence matters. Else its value,
 * and 1 when it is not applicable. Empty: it is too long, and is read from its own row.
 */
type Entry = 0 | 1 | [value: unknown, isNa?: 1] | [];
/**
 * Entries by the position of their field in the content, then by the indexes of their instance: `{"4": {"0.2": 1}}`.
 */
type Body = Record<string, Record<string, Entry>>;

/** Characters of an answer's JSON in the state. A longer answer is read from its own row when it is needed. */
const MAX_ANSWER_LENGTH = 1_000;

export const answerStateKey = (caller: Caller, inspectionId: string): Key<AnswerState> =>
  keys.answerState(caller, inspectionId);

/** The indexes in an instance path: `0.2` for `room[0]/door[2]`. */
const indexesOf = (path: string): string => path.replaceAll(/[^[\]]*\[(\d+)\]/g, '.$1').slice(1);

const entryOf = (index: ContentIndex, answer: KnownAnswer): Entry => {
  const { field_id, value, is_na } = answer;
  if (!isAnswered(answer)) return 0;
  if (!isAskedFor(index, field_id)) return 1;
  if (JSON.stringify(value).length > MAX_ANSWER_LENGTH) return [];
  return is_na ? [value, 1] : [value];
};

const bodyOf = (index: ContentIndex, answers: Iterable<KnownAnswer>): Body => {
  const ordinals = new Map([...index.fields.keys()].map((id, ordinal) => [id, ordinal]));
  const body: Body = {};
  for (const answer of answers) {
    if (!isAnswered(answer) && !answer.is_asked_again) continue;
    const instances = (body[ordinals.get(answer.field_id)!] ??= {});
    instances[indexesOf(answer.instance_path)] = entryOf(index, answer);
  }
  return body;
};

const decoded = ({ body }: AnswerState): Body => JSON.parse(gunzipSync(body).toString()) as Body;

/** Whether a state holds exactly these answers. Without a state there are none. */
export const isStateOf = (
  state: AnswerState | undefined,
  index: ContentIndex,
  answers: Iterable<KnownAnswer>,
): boolean => isDeepStrictEqual(state ? decoded(state) : {}, bodyOf(index, answers));

/** Replaces the state that was read by the state of these answers. */
export const answerStateWrite = (
  caller: Caller,
  inspectionId: string,
  index: ContentIndex,
  answers: Iterable<KnownAnswer>,
  stored: AnswerState | undefined,
): Write => {
  const version = (stored?.version ?? 0) + 1;
  const row = {
    ...answerStateKey(caller, inspectionId),
    body: gzipSync(JSON.stringify(bodyOf(index, answers))),
    version,
  };
  return stored ? write.replace(row, stored.version) : write.create(row);
};

/**
 * Writes the state that was read again, as its next version. Each save of an answer writes the state too, so that one
 * of two concurrent changes is decided again.
 */
export const answerStateTouch = (
  caller: Caller,
  inspectionId: string,
  index: ContentIndex,
  stored: AnswerState | undefined,
): Write =>
  stored
    ? write.replace(
        { ...answerStateKey(caller, inspectionId), body: stored.body, version: stored.version + 1 },
        stored.version,
      )
    : answerStateWrite(caller, inspectionId, index, [], undefined);

/**
 * The answers in a state, by `placeName`, as conditions and formulas need them. Calls: none, or one for each hundred
 * long answers that are needed.
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
    for (const [indexText, entry] of Object.entries(instances)) {
      const indexes = indexText.split('.');
      const instance_path = repeats.reduce(
        (path, { id }, level) => instanceWithin(path, id, Number(indexes[level])),
        '',
      );
      if (entry === 0) {
        const asked = { value: null, is_na: false, is_asked_again: true };
        known.set(placeName(field.id, instance_path), { field_id: field.id, instance_path, ...asked });
        continue;
      }
      const [value = true, isNa] = entry === 1 ? [] : entry;
      const answer = { field_id: field.id, instance_path, value, is_na: isNa === 1 };
      known.set(placeName(field.id, instance_path), answer);
      if (entry !== 1 && entry.length === 0) unread.push(answer);
    }
  }
  const rows = await getRows(
    caller,
    unread.map(({ field_id, instance_path }) => keys.answer(caller, inspectionId, field_id, instance_path)),
  );
  for (const [position, answer] of unread.entries()) answer.value = rows[position]?.value ?? null;
  return known;
};
