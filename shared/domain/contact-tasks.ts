import type { CorrectiveAction } from '../schemas/corrective-action.ts';
import type { Finding } from '../schemas/finding.ts';

/** A task in the list of all open tasks of its contact. */
export interface TaskLine extends Pick<
  CorrectiveAction,
  | 'id'
  | 'number'
  | 'title'
  | 'description'
  | 'status'
  | 'priority'
  | 'due_at'
  | 'is_overdue'
  | 'evidence_count'
> {
  /** The names that lead to its place, from the outermost one; empty without a place. */
  place: readonly string[];
  /** Of its place; the organization's where the place has none. */
  timezone: string;
  /** The day on which it is due there, such as `2031-05-04`. */
  due_day: string | null;
  finding: Pick<Finding, 'label' | 'severity'>;
  /** Whether it can be reported as done only with a photo. */
  needs_photo: boolean;
}

/** Which tasks a list shows. An empty text selects all. */
export interface TaskFilter {
  /** A path as `pathText` writes it: that place, and all within it. */
  place: string;
  /** The first and the last day on which a task is due. */
  from: string;
  to: string;
}

/** The names that lead to a place, as one text. */
export const pathText = (place: readonly string[]): string => place.join(' › ');

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** A filter as a query has it. */
export type TaskQuery = { [Name in keyof TaskFilter]?: string | undefined };

/** The filter in a query. What is no day selects all. */
export const filterIn = ({ place = '', from = '', to = '' }: TaskQuery): TaskFilter => {
  const day = (text: string) => (DAY.test(text) ? text : '');
  return { place, from: day(from), to: day(to) };
};

/** Whether a list with this filter shows a task. One without a due day is shown only where no day is asked for. */
export const isShown =
  ({ place: within, from, to }: TaskFilter) =>
  ({ place, due_day }: Pick<TaskLine, 'place' | 'due_day'>): boolean =>
    (within === '' || place.some((_, end) => pathText(place.slice(0, end + 1)) === within)) &&
    (from === '' || (due_day !== null && due_day >= from)) &&
    (to === '' || (due_day !== null && due_day <= to));

/** The paths of all places of these tasks, and of the places around them, in their order. */
export const placesOf = (tasks: readonly Pick<TaskLine, 'place'>[]): string[] => {
  const paths = tasks.flatMap(({ place }) => place.map((_, end) => pathText(place.slice(0, end + 1))));
  return [...new Set(paths)].toSorted(new Intl.Collator('en', { numeric: true }).compare);
};

/** The order of a list: what is due first comes first, and what has no due date last. */
export const byDueDate = (
  a: Pick<TaskLine, 'due_at' | 'number'>,
  b: Pick<TaskLine, 'due_at' | 'number'>,
): number => {
  if (a.due_at === b.due_at) return a.number - b.number;
  return a.due_at !== null && (b.due_at === null || a.due_at < b.due_at) ? -1 : 1;
};
