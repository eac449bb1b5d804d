import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../../base/caller.ts';
import { dueAfter, isActionOverdue } from '../../domain/corrective-actions.ts';
import type { Activity, ActivityKind, CorrectiveAction } from '../../schemas/corrective-action.ts';
import type { Finding } from '../../schemas/finding.ts';
import type { Field } from '../../schemas/templates/content.ts';
import { type Notice, notify } from '../notifications/notifications.ts';
import { newResource } from '../table/collection.ts';
import { type Key, keys, sha256 } from '../table/keys.ts';
import { emit } from '../table/outbox.ts';
import { nextNumber } from '../table/rows.ts';
import { moveReservation } from '../table/unique.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { actionDeadline } from './deadlines.ts';
import { referenceTo } from './parts.ts';
import type { StoredInspection } from './record.ts';

/** As stored: where its inspection is made, and for whom, is seen from that. */
export type StoredAction = Omit<CorrectiveAction, 'client_account_id' | 'location_id' | 'is_overdue'>;

const KIND = 'ACTION';
export const EXTERNAL_REF = 'external_ref of corrective actions';

type Whereabouts = Pick<StoredAction, 'inspection_id' | 'id'>;

export const actionKey = (caller: Caller, { inspection_id, id }: Whereabouts): Key =>
  keys.child(caller, inspection_id, KIND, id);

/**
 * An action as the wire carries it.
 * @param now what is overdue is past this time, ISO 8601 in UTC
 */
export const toAction = (
  action: StoredAction,
  { client_account_id, location_id }: Pick<StoredInspection, 'client_account_id' | 'location_id'>,
  now: string = new Date().toISOString(),
): CorrectiveAction => ({
  ...action,
  client_account_id,
  location_id,
  is_overdue: isActionOverdue(action, now),
});

/** What an activity tells beside who did it, and when. */
export type Told = Pick<Activity, 'kind'> & Partial<Pick<Activity, 'from' | 'to' | 'note'>>;

/** An entry of an action's history, in the transaction of what it tells of. */
export const activity = (
  caller: Caller,
  actionId: string,
  { kind, from = null, to = null, note = '' }: Told,
  id: string = uuidv7(),
): { entry: Activity; write: Write } => {
  const at = new Date().toISOString();
  const entry: Activity = { id, kind, actor_id: caller.user_id, from, to, note, at };
  return { entry, write: write.create({ ...keys.activity(caller, actionId, id), ...entry, updated_at: at }) };
};

const WATCHED: readonly [ActivityKind, 'assignee_id' | 'due_at'][] = [
  ['assigned', 'assignee_id'],
  ['due_changed', 'due_at'],
];

/** What an edit's history tells, moves from one status to another aside. */
export const changesTold = (before: StoredAction, after: StoredAction): Told[] =>
  WATCHED.flatMap(([kind, field]) =>
    before[field] === after[field] ? [] : [{ kind, from: before[field], to: after[field] }],
  );

/**
 * The rows that follow an action from one state to the next, in the same transaction: the list of who has to do
 * it, when it is due, and its reserved values.
 */
export const following = (
  caller: Caller,
  before: StoredAction | undefined,
  after: StoredAction | undefined,
): Write[] => {
  const { id, inspection_id } = (after ?? before)!;
  const [had, has] = [before?.assignee_id, after?.assignee_id];
  return [
    ...(had && had !== has ? [write.drop(keys.actionAssignment(caller, had, id))] : []),
    ...(has && had !== has ? [write.put({ ...keys.actionAssignment(caller, has, id), inspection_id })] : []),
    ...actionDeadline(caller, before, after),
    ...moveReservation(caller, EXTERNAL_REF, before?.external_ref, after?.external_ref, id),
  ];
};

/** What a step of an action comes to for those who are told of it. */
const outcomeOf = (before: StoredAction, after: StoredAction): Pick<Notice, 'event' | 'note'> | undefined => {
  if (before.status === after.status) return undefined;
  switch (after.status) {
    case 'pending_verification':
      return { event: 'corrective_action_completed', note: after.completion_note };
    case 'verified':
      return { event: 'corrective_action_verified', note: after.verification_note };
    case 'in_progress':
      return before.status === 'pending_verification'
        ? { event: 'corrective_action_declined', note: after.verification_note }
        : undefined;
    case 'open':
      return { event: 'corrective_action_reopened', note: after.reopen_reason };
    case 'cancelled':
      return undefined;
  }
};

/**
 * Tells of an action's change: a new assignee of it, and of a step whoever made the action, has to do it or has
 * done it.
 */
export const actionNotices = (
  caller: Caller,
  inspection: Notice['inspection'],
  before: StoredAction | undefined,
  after: StoredAction,
): Write[] => {
  const about = { inspection, action: after };
  const outcome = before && outcomeOf(before, after);
  const involved = [after.created_by, after.assignee_id, before?.completed_by ?? null];
  return [
    ...(before?.assignee_id === after.assignee_id
      ? []
      : notify(caller, { event: 'corrective_action_assigned', user_ids: [after.assignee_id], ...about })),
    ...(outcome ? notify(caller, { ...outcome, user_ids: involved, ...about }) : []),
  ];
};

/** What only the making of an action decides. */
type Made = Pick<
  StoredAction,
  | 'finding_id'
  | 'inspection_id'
  | 'title'
  | 'description'
  | 'priority'
  | 'assignee_id'
  | 'due_at'
  | 'evidence_required'
  | 'external_ref'
>;

/** A new action with its rows and the news of it; the finding and the inspection count it besides. */
export const newAction = (
  caller: Caller,
  number: number,
  fields: Made & { id?: string },
): { action: StoredAction; writes: Write[] } => {
  const action: StoredAction = newResource({
    ...fields,
    number,
    status: 'open' as const,
    evidence_count: 0,
    completed_at: null,
    completed_by: null,
    completion_note: '',
    verified_at: null,
    verified_by: null,
    verification_note: '',
    reopened_at: null,
    reopen_reason: '',
    reopen_count: 0,
    created_by: caller.user_id,
  });
  const { id, inspection_id, finding_id } = action;
  return {
    action,
    writes: [
      write.create({ ...actionKey(caller, action), ...action }),
      referenceTo(caller, KIND, action),
      // Under the action's own id, so that an untouched action can go without its history being read.
      activity(caller, id, { kind: 'created' }, id).write,
      ...following(caller, undefined, action),
      emit(caller, 'corrective_action.created', { inspection_id, finding_id, corrective_action_id: id }),
    ],
  };
};

/** Takes the next number of the organization's corrective actions. */
export const nextActionNumber = (caller: Caller): Promise<number> =>
  nextNumber(caller, keys.sequence(caller, 'CORRECTIVE_ACTION'));

/** The action that a template asks for where an answer fails. */
export type ActionRule = NonNullable<NonNullable<Field['finding']>['corrective_action']>;

/**
 * The id of the action that is made with a finding by its rule: derived from the finding's, so that both are
 * read at once. It has the finding's place in time, as a UUIDv7 of its own.
 */
const automaticId = (findingId: string): string =>
  uuidv7({
    msecs: Number.parseInt(findingId.replace('-', '').slice(0, 12), 16),
    random: Buffer.from(sha256(findingId), 'hex'),
  });

/** Where the action is that a finding's rule made with it, if the rule asks for one. */
export const automaticActionKey = (caller: Caller, inspectionId: string, findingId: string): Key =>
  actionKey(caller, { inspection_id: inspectionId, id: automaticId(findingId) });

/** The action that is made with a finding because the template asks for it. */
export const automaticAction = (
  caller: Caller,
  number: number,
  finding: Pick<Finding, 'id' | 'inspection_id' | 'created_at'>,
  { title, due_in_days, priority }: ActionRule,
): { writes: Write[] } =>
  newAction(caller, number, {
    id: automaticId(finding.id),
    finding_id: finding.id,
    inspection_id: finding.inspection_id,
    title,
    description: '',
    priority,
    assignee_id: null,
    due_at: dueAfter(finding.created_at, due_in_days),
    evidence_required: false,
    external_ref: null,
  });

/** Without an action that is as it was made. */
export const untouchedRemoval = (caller: Caller, action: StoredAction): Write[] => [
  write.remove(actionKey(caller, action), action.version),
  write.drop(keys.reference(caller, KIND, action.id)),
  write.drop(keys.activity(caller, action.id, action.id)),
  ...following(caller, action, undefined),
];
