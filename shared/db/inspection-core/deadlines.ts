import type { Caller } from '../../base/caller.ts';
import type { CorrectiveAction } from '../../schemas/corrective-action.ts';
import type { Inspection } from '../../schemas/inspections/inspection.ts';
import { dueAt } from '../table/due.ts';
import { type Key, keys } from '../table/keys.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';

/** What a due row says to whoever finds it at its time: by `by_due`, until all is told. */
export interface Deadline {
  org_id: string;
  inspection_id: string;
  /** Where it is an action's and not the inspection's own. */
  corrective_action_id?: string;
  due_at: string;
  version: number;
  by_due?: string;
  by_due_at?: string;
}

type DatedInspection = Pick<Inspection, 'id' | 'due_at'>;
type DatedAction = Pick<CorrectiveAction, 'id' | 'inspection_id' | 'status' | 'due_at'>;

/** Of its due date, how long before it is told of; milliseconds. */
const SOON_MS = 24 * 3_600_000;

/** The first of these moments to tell of a date, which is new, or stands again as it stood before. */
const firstOf = (moments: readonly string[], isBack: boolean): string | undefined => {
  const now = new Date().toISOString();
  // What passed before has been told of, or what brought the work back is told by itself.
  return isBack ? moments.find((at) => at > now) : moments[0];
};

/** The fields of an inspection's due row. */
export const inspectionDeadline = (
  { org_id }: Caller,
  before: DatedInspection | undefined,
  { id, due_at: date }: DatedInspection,
): Deadline => {
  const due_at = date!;
  const at = firstOf([due_at], before?.due_at === due_at);
  return { org_id, inspection_id: id, due_at, version: 1, ...(at && dueAt('DEADLINE', id, at)) };
};

const actionDueKey = (caller: Caller, action: DatedAction | undefined): Key | undefined =>
  action?.due_at && (action.status === 'open' || action.status === 'in_progress')
    ? keys.actionDue(caller, action.due_at, action.id)
    : undefined;

/** The due row of an action from one state to the next: of one that is still to be done by a date to tell of. */
export const actionDeadline = (
  caller: Caller,
  before: DatedAction | undefined,
  after: DatedAction | undefined,
): Write[] => {
  const [was, is] = [actionDueKey(caller, before), actionDueKey(caller, after)];
  if (was?.sk === is?.sk) return [];
  const leaving = was ? [write.drop(was)] : [];
  if (!is) return leaving;
  const { id, inspection_id } = after!;
  const due_at = after!.due_at!;
  const soon = new Date(Date.parse(due_at) - SOON_MS).toISOString();
  const at = firstOf([soon, due_at], before?.due_at === due_at);
  if (!at) return leaving;
  const deadline: Deadline = {
    org_id: caller.org_id,
    inspection_id,
    corrective_action_id: id,
    due_at,
    version: 1,
    ...dueAt('DEADLINE', id, at),
  };
  return [...leaving, write.put({ ...is, ...deadline })];
};
