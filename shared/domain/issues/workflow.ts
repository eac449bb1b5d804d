import type { Issue, IssueStatus } from '../../schemas/issues/issue.ts';
import type { Transition } from '../inspections/workflow.ts';

/** A move of an issue from one status to another. */
export type IssueMove = 'triage' | 'start' | 'resolve' | 'close' | 'reject' | 'mark_duplicate' | 'reopen';

interface MoveRule {
  /** The statuses in which the move is allowed. */
  from: readonly IssueStatus[];
  to: IssueStatus;
  /** The field that the move sets to its time. */
  timestamp?: 'resolved_at' | 'closed_at';
  /** Whether the move needs a note that says why. */
  needsNote?: true;
}

/**
 * The workflow of an issue: where each move is allowed, and where it leads. No two moves lead from one status to the
 * same other status.
 */
const MOVES: Readonly<Record<IssueMove, MoveRule>> = {
  triage: { from: ['new'], to: 'triaged' },
  start: { from: ['triaged'], to: 'in_progress' },
  resolve: { from: ['in_progress'], to: 'resolved', timestamp: 'resolved_at' },
  close: { from: ['resolved'], to: 'closed', timestamp: 'closed_at' },
  reject: { from: ['new', 'triaged'], to: 'rejected' },
  mark_duplicate: { from: ['new', 'triaged'], to: 'duplicate' },
  reopen: { from: ['resolved', 'closed'], to: 'in_progress', needsNote: true },
};

/** The whole workflow of an issue. */
export const issueTransitions = (): Transition<IssueMove, IssueStatus>[] =>
  Object.entries(MOVES).map(([step, { from, to }]) => ({ step: step as IssueMove, from, to: [to] }));

/** The move that leads from one status to another; undefined when none does. */
export const moveBetween = (from: IssueStatus, to: IssueStatus): IssueMove | undefined =>
  (Object.keys(MOVES) as IssueMove[]).find(
    (move) => MOVES[move].to === to && MOVES[move].from.includes(from),
  );

/** The statuses to which moves lead from this one. */
export const reachableFrom = (from: IssueStatus): IssueStatus[] =>
  Object.values(MOVES).flatMap((move) => (move.from.includes(from) ? [move.to] : []));

export const needsNote = (move: IssueMove): boolean => MOVES[move].needsNote ?? false;

type MovedFields = Pick<Issue, 'status' | 'triaged_at' | 'resolved_at' | 'closed_at'>;

/**
 * The fields that a move changes.
 * @param at the time of the move, ISO 8601 in UTC
 */
export const moveFields = (
  move: IssueMove,
  { triaged_at }: MovedFields,
  at: string,
): Partial<MovedFields> => {
  const { to, timestamp } = MOVES[move];
  return {
    status: to,
    triaged_at: triaged_at ?? at,
    ...(move === 'reopen' && { resolved_at: null, closed_at: null }),
    ...(timestamp && { [timestamp]: at }),
  };
};

/** The statuses in which somebody still has to do something about an issue. */
export const OPEN = ['new', 'triaged', 'in_progress'] as const satisfies IssueStatus[];

export const isIssueOpen = (status: IssueStatus): boolean => OPEN.some((open) => open === status);

/** Whether an issue is overdue. A resolved issue is not overdue, because it only waits to be closed. */
export const isIssueOverdue = ({ status, due_at }: Pick<Issue, 'status' | 'due_at'>, now: string): boolean =>
  isIssueOpen(status) && due_at !== null && due_at < now;

const HOUR_MS = 3_600_000;

/**
 * The due time of an issue that was reported at a time; both are ISO 8601 in UTC.
 * @param hours within which the organization wants it resolved; null for no due time
 */
export const dueWithin = (at: string, hours: number | null): string | null =>
  hours === null ? null : new Date(Date.parse(at) + hours * HOUR_MS).toISOString();
