import { Temporal } from 'temporal-polyfill';
import type { CorrectiveAction } from '../../schemas/corrective-action.ts';
import type { Finding } from '../../schemas/finding.ts';
import type { Inspection } from '../../schemas/inspections/inspection.ts';
import type { Evaluation } from '../content/conditions/evaluate.ts';
import { isAnswerable } from '../content/content-index.ts';
import { fieldInstances } from '../content/instances.ts';
import { isFailed } from '../content/values/comparison.ts';
import { isOpen } from '../inspections/workflow.ts';

/*
 * What each inspection, finding and corrective action adds to the numbers of its place, client account, template family
 * and month. A change subtracts what was added before and adds what is true now.
 */

/** What is counted. Answers are those of a completed inspection, counted by their fields. */
export type Counting = 'INSPECTION' | 'ANSWERS' | 'FINDING' | 'ACTION';

/** Where something is counted. */
export interface NumbersCell {
  /** Such as `2026-03`. */
  month: string;
  location_id: string | null;
  client_account_id: string | null;
  template_family_id: string;
}

/** Numbers by their names. What is not there is 0. */
export type Numbers = Readonly<Record<string, number>>;

/** The month of a time (ISO 8601) in a time zone. */
export const monthIn = (timezone: string, at: string): string =>
  Temporal.Instant.from(at).toZonedDateTimeISO(timezone).toPlainDate().toPlainYearMonth().toString();

/** Adds numbers to others, and leaves out those that become 0. */
export const plus = (some: Numbers, others: Numbers, factor: 1 | -1 = 1): Numbers => {
  const sum = { ...some };
  for (const [name, number] of Object.entries(others)) {
    sum[name] = (sum[name] ?? 0) + factor * number;
    if (sum[name] === 0) delete sum[name];
  }
  return sum;
};

/** What separates the words of a name. */
const SEPARATOR = ' ';

/** The name of a number: what it counts, and by what. */
export const nameOf = (...words: readonly string[]): string => words.join(SEPARATOR);

export const wordsOf = (name: string): string[] => name.split(SEPARATOR);

const MS_OF_HOUR = 3_600_000;

/** The full hour from which something with a due date counts as overdue, in hours since 1970. */
const hourOf = (dueAt: string): string => String(Math.ceil(Date.parse(dueAt) / MS_OF_HOUR));

/** Whether that hour has come. @param now epoch milliseconds */
export const hasCome = (hour: string, now: number): boolean => Number(hour) * MS_OF_HOUR <= now;

/** Percentages have six decimals. Their sum is exact in whole numbers. */
const PARTS_OF_PERCENT = 1_000_000;

/** A sum of scores in percent. */
export const percentOf = (sum: number): number => sum / PARTS_OF_PERCENT;

const secondsBetween = (from: string, to: string): number =>
  Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 1_000));

/** Only numbers other than 0. */
const nonZero = (numbers: Numbers): Numbers => plus({}, numbers);

/** When an inspection counts: when it was completed, or else when it is to take place. */
export const inspectedAt = ({
  completed_at,
  scheduled_for,
  due_at,
  created_at,
}: Pick<Inspection, 'completed_at' | 'scheduled_for' | 'due_at' | 'created_at'>): string =>
  completed_at ?? scheduled_for ?? due_at ?? created_at;

/** The fields of an inspection that count. */
type CountedInspection = Pick<
  Inspection,
  'status' | 'score' | 'due_at' | 'started_at' | 'submitted_at' | 'completed_at'
>;

/** What an inspection adds. Only a completed one has a result, a score and a duration. */
export const numbersOfInspection = ({
  status,
  score,
  due_at,
  started_at,
  submitted_at,
  completed_at,
}: CountedInspection): Numbers => {
  const isDue = due_at !== null && isOpen(status);
  const ended = submitted_at ?? completed_at;
  if (status !== 'completed' || ended === null)
    return { [status]: 1, ...(isDue && { [nameOf('due', hourOf(due_at))]: 1 }) };
  const percentage = score?.percentage ?? null;
  return nonZero({
    [status]: 1,
    passed: Number(score?.result === 'pass'),
    failed: Number(score?.result === 'fail'),
    scored: Number(percentage !== null),
    score: Math.round((percentage ?? 0) * PARTS_OF_PERCENT),
    timed: Number(started_at !== null),
    seconds: started_at === null ? 0 : secondsBetween(started_at, ended),
    late: Number(due_at !== null && due_at < ended),
  });
};

/** What stands for the field of a finding without one. */
const NO_FIELD = '-';

export const fieldIn = (word: string): string | null => (word === NO_FIELD ? null : word);

/** What a finding adds. @param isRepeat whether it has repeated an earlier one */
export const numbersOfFinding = (
  { field_id, severity, status }: Pick<Finding, 'field_id' | 'severity' | 'status'>,
  isRepeat: boolean,
): Numbers => ({ [nameOf(field_id ?? NO_FIELD, severity, status, isRepeat ? 'repeat' : 'first')]: 1 });

/** The fields of an action that count. */
type CountedAction = Pick<
  CorrectiveAction,
  'status' | 'priority' | 'due_at' | 'created_at' | 'completed_at' | 'verified_at'
>;

/** What an action adds. Only a verified one was late or in time, and has taken its time. */
export const numbersOfAction = ({
  status,
  priority,
  due_at,
  created_at,
  completed_at,
  verified_at,
}: CountedAction): Numbers => {
  const isVerified = status === 'verified' && verified_at !== null;
  const isDue = due_at !== null && (status === 'open' || status === 'in_progress');
  return nonZero({
    [nameOf('actions', status, priority)]: 1,
    ...(isDue && { [nameOf('due', status, priority, hourOf(due_at))]: 1 }),
    ...(isVerified && {
      [nameOf('seconds', status, priority)]: secondsBetween(created_at, completed_at ?? verified_at),
      [nameOf('late', status, priority)]: Number(due_at !== null && due_at < (completed_at ?? verified_at)),
    }),
  });
};

/** What the answers of an inspection add, by their fields. Hidden and calculated fields do not count. */
export const numbersOfAnswers = ({ index, instances, standingOf, answerOf }: Evaluation): Numbers => {
  const numbers: Record<string, number> = {};
  const count = (what: string, fieldId: string) => {
    const name = nameOf(what, fieldId);
    numbers[name] = (numbers[name] ?? 0) + 1;
  };
  for (const { place, instance_path } of fieldInstances(index, instances)) {
    const { field } = place;
    if (!isAnswerable(field) || standingOf(place, instance_path) === 'hidden') continue;
    const answer = answerOf(place, instance_path);
    if (!answer) continue;
    count('answered', field.id);
    if (answer.is_na) count('not_applicable', field.id);
    else if (isFailed(field, index, answer.value)) count('failed', field.id);
  }
  return numbers;
};
