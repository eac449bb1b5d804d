import type { Dimension, ActionNumbers, FindingNumbers, InspectionNumbers } from '../../schemas/numbers.ts';
import { hasCome, type Numbers, percentOf, wordsOf, fieldIn } from './counting.ts';

/*
 * Numbers as they are stored, one for each name, become entries: the values of their own dimensions, and what they add to
 * the columns of a reply.
 */

/** A part of the numbers of a cell. */
export interface Entry {
  by: { readonly [Name in Dimension]?: string | null };
  add: Numbers;
}

/** The numbers of inspections. @param now epoch milliseconds, for what is overdue */
export const inspectionEntries = function* (numbers: Numbers, now: number): Generator<Entry> {
  const {
    passed = 0,
    failed = 0,
    scored = 0,
    score = 0,
    timed = 0,
    seconds = 0,
    late = 0,
    ...rest
  } = numbers;
  const add: Record<string, number> = { passed, failed, scored, score, timed, seconds, late };
  let overdue = 0;
  let total = 0;
  for (const [name, number] of Object.entries(rest)) {
    const [word, hour] = wordsOf(name) as [string, string?];
    if (hour === undefined) {
      add[word] = number;
      total += number;
    } else if (hasCome(hour, now)) overdue += number;
  }
  yield { by: {}, add: { ...add, overdue, total } };
};

/** The numbers of findings. */
export const findingEntries = function* (numbers: Numbers): Generator<Entry> {
  for (const [name, number] of Object.entries(numbers)) {
    const [field, severity, status, repeat] = wordsOf(name) as [string, string, string, string];
    yield {
      by: { field: fieldIn(field), severity, status },
      add: {
        findings: number,
        [severity]: number,
        [status]: number,
        repeats: repeat === 'repeat' ? number : 0,
      },
    };
  }
};

/** The numbers of actions. @param now epoch milliseconds, for what is overdue */
export const actionEntries = function* (numbers: Numbers, now: number): Generator<Entry> {
  for (const [name, number] of Object.entries(numbers)) {
    const [what, status, priority, hour] = wordsOf(name) as [string, string, string, string?];
    const by = { status, priority };
    if (what === 'actions') yield { by, add: { actions: number, [status]: number } };
    else if (what === 'due') yield { by, add: { overdue: hasCome(hour!, now) ? number : 0 } };
    else yield { by, add: { [what]: number } };
  }
};

/** The numbers of answers. */
export const answerEntries = function* (numbers: Numbers): Generator<Entry> {
  for (const [name, number] of Object.entries(numbers)) {
    const [what, field] = wordsOf(name) as [string, string];
    yield { by: { field }, add: { [what]: number } };
  }
};

const DECIMALS = 100;

const mean = (sum: number, count: number): number | null =>
  count === 0 ? null : Math.round((sum / count) * DECIMALS) / DECIMALS;

const reader =
  (numbers: Numbers) =>
  (name: string): number =>
    numbers[name] ?? 0;

/** What a reply says of inspections. */
export const toInspectionNumbers = (numbers: Numbers): InspectionNumbers => {
  const of = reader(numbers);
  return {
    total: of('total'),
    scheduled: of('scheduled'),
    in_progress: of('in_progress'),
    pending_approval: of('pending_approval'),
    pending_sign_off: of('pending_sign_off'),
    completed: of('completed'),
    archived: of('archived'),
    overdue: of('overdue'),
    passed: of('passed'),
    failed: of('failed'),
    completed_late: of('late'),
    score: {
      count: of('scored'),
      sum: percentOf(of('score')),
      mean: mean(percentOf(of('score')), of('scored')),
    },
    duration: {
      count: of('timed'),
      sum_seconds: of('seconds'),
      mean_seconds: mean(of('seconds'), of('timed')),
    },
  };
};

/** What a reply says of findings. @param hasAnswers whether it says how the fields were answered */
export const toFindingNumbers = (numbers: Numbers, hasAnswers: boolean): FindingNumbers => {
  const of = reader(numbers);
  return {
    findings: of('findings'),
    open: of('open'),
    resolved: of('resolved'),
    observation: of('observation'),
    minor: of('minor'),
    major: of('major'),
    critical: of('critical'),
    repeats: of('repeats'),
    answers: hasAnswers
      ? { answered: of('answered'), failed: of('failed'), not_applicable: of('not_applicable') }
      : null,
  };
};

/** What a reply says of actions. */
export const toActionNumbers = (numbers: Numbers): ActionNumbers => {
  const of = reader(numbers);
  return {
    actions: of('actions'),
    open: of('open'),
    in_progress: of('in_progress'),
    pending_verification: of('pending_verification'),
    verified: of('verified'),
    cancelled: of('cancelled'),
    overdue: of('overdue'),
    completed_late: of('late'),
    duration: {
      count: of('verified'),
      sum_seconds: of('seconds'),
      mean_seconds: mean(of('seconds'), of('verified')),
    },
  };
};
