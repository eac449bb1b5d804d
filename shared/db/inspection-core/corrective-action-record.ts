import { isDeepStrictEqual } from 'node:util';
import { v7 as uuidv7 } from 'uuid';
import { type Caller, viaKey } from '../../base/caller.ts';
import { sha256 } from '../../base/encoding.ts';
import { contactName, contactOf, dueAfter, isActionOverdue } from '../../domain/corrective-actions.ts';
import {
  Activity,
  type ActivityKind,
  CorrectiveAction,
  type CorrectiveActionChanges,
  NewCorrectiveAction,
} from '../../schemas/corrective-action.ts';
import { present, type Presented } from '../../schemas/projection.ts';
import { initialValues } from '../../schemas/resource.ts';
import type { Field } from '../../schemas/templates/content.ts';
import type { Work } from '../table/change.ts';
import { newResource } from '../table/collection.ts';
import type { StoredAction, StoredFinding, StoredInspection } from '../table/entities.ts';
import { shownEntry } from '../table/history.ts';
import { type Key, keys } from '../table/keys.ts';
import { emit } from '../table/outbox/outbox.ts';
import * as resource from '../table/resource.ts';
import type { Resource } from '../table/resource.ts';
import { nextNumbers } from '../table/single-write.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { shownLink, withContact, withContactLink } from './contact-link.ts';
import { actionDeadline, isActionNotified, REMINDED } from './deadlines.ts';

const KIND = 'ACTION';
const EXTERNAL_REF = 'external_ref of corrective actions';

/** Corrective actions, and what follows from each. */
export const actions: Resource<StoredAction> = {
  noun: 'corrective action',
  keyOf: (caller, { inspection_id, id }) => keys.child(caller, inspection_id, KIND, id),
  unique: { [EXTERNAL_REF]: ({ external_ref }) => external_ref },
  followers: [
    {
      row: keys.reference,
      within: ['ACTION'],
      at: ({ id }) => [['ACTION', id]],
      holds: (_, { inspection_id }) => ({ inspection_id }),
    },
    {
      row: keys.actionAssignment,
      under: 'MEMBER',
      at: ({ id, assignee_id }) => (assignee_id ? [[assignee_id, id]] : []),
      holds: (_, { inspection_id }) => ({ inspection_id }),
    },
    {
      row: keys.actionDue,
      at: ({ id, status, due_at }) =>
        due_at && (status === 'open' || status === 'in_progress') ? [[due_at, id]] : [],
      holds: actionDeadline,
      own: REMINDED,
      mayBeGone: isActionNotified,
    },
    {
      row: keys.actionLink,
      under: 'ISSUE',
      at: ({ id, inspection_id, issue_id }) => (issue_id ? [[issue_id, inspection_id, id]] : []),
      holds: (_, { id, inspection_id }) => ({ inspection_id, corrective_action_id: id }),
    },
  ],
};

type ActionPlace = Pick<StoredAction, 'inspection_id' | 'id'>;

export const actionKey = (caller: Caller, { inspection_id, id }: ActionPlace): Key<StoredAction> =>
  keys.child(caller, inspection_id, KIND, id);

/** What an action shows of its inspection. */
export type ActionSurroundings = Pick<StoredInspection, 'client_account_id' | 'location_id'>;

/**
 * An action as it is sent to clients.
 * @param now the time that decides whether it is overdue, ISO 8601 in UTC
 */
export const toAction = (
  action: StoredAction,
  { client_account_id, location_id }: ActionSurroundings,
  now: string,
): Presented<CorrectiveAction> =>
  present(CorrectiveAction, withContact(action), {
    contact_link: shownLink(action),
    issue_id: action.issue_id ?? null,
    completed_on_site: action.completed_on_site ?? false,
    verified_via_key_id: action.verified_via_key_id ?? null,
    client_account_id,
    location_id: action.location_id ?? location_id,
    is_overdue: isActionOverdue(action, now),
  });

/** An entry of an action's history, without who made it and when. */
export type NewActivity = Pick<Activity, 'kind'> &
  Partial<Pick<Activity, 'from' | 'to' | 'note' | 'contact_name'>>;

/** Adds an entry to an action's history, in the transaction of the change that it describes. */
export const activity = (
  work: Work,
  actionId: string,
  { kind, from = null, to = null, note = '', ...others }: NewActivity,
  id: string = uuidv7(),
): { entry: Presented<Activity>; write: Write } => {
  const entry = {
    id,
    kind,
    actor_id: work.user_id || null,
    ...viaKey(work),
    ...others,
    from,
    to,
    note,
    at: work.now,
  };
  return {
    entry: shownEntry(Activity, entry),
    write: write.create({ ...keys.activity(work, actionId, id), ...entry, updated_at: work.now }),
  };
};

/** The fields that clients edit. The steps have entries of their own. */
type Edited = Exclude<keyof CorrectiveActionChanges, 'status' | 'completed_on_site'>;

type Recorded = readonly [kind: ActivityKind, told: (action: StoredAction) => string | null];

/** The entry of an edit of each field in the history, and how it tells the value; null for a field without entries. */
const RECORDED: Readonly<Record<Edited, Recorded | null>> = {
  title: null,
  description: null,
  priority: null,
  assignee_id: ['assigned', ({ assignee_id }) => assignee_id],
  due_at: ['due_changed', ({ due_at }) => due_at],
  contact: ['contact_changed', ({ contact }) => contactName(contact)],
  evidence_required: null,
  external_ref: null,
  completion_note: null,
};

/** The entries of an edit in the history, except changes of the status. */
export const editActivities = (before: StoredAction, after: StoredAction): NewActivity[] =>
  (Object.keys(RECORDED) as Edited[]).flatMap((field) => {
    const recorded = RECORDED[field];
    if (!recorded || isDeepStrictEqual(before[field], after[field])) return [];
    const [kind, told] = recorded;
    return [{ kind, from: told(before), to: told(after) }];
  });

/** The fields that are given when an action is created. */
type NewActionFields = Pick<StoredAction, 'finding_id' | 'inspection_id' | 'title' | 'location_id'> &
  Partial<StoredAction>;

/** What an action begins with, unless it is given. What only says how to create it is not stored. */
const initialFields = () => {
  const { completed_on_site: _onSite, evidence: _evidence, ...fields } = initialValues(NewCorrectiveAction);
  return { ...fields, issue_id: null, evidence_count: 0 };
};

/**
 * A new action, with its rows and its event. The counters of the finding and the inspection are not included.
 * @param asFar takes the steps that are behind it when it is created
 */
export const newAction = (
  work: Work,
  number: number,
  inspection: ActionSurroundings,
  fields: NewActionFields,
  asFar?: (opened: StoredAction) => StoredAction,
): { action: StoredAction; writes: Write[] } => {
  const opened: StoredAction = newResource(work, {
    ...initialFields(),
    ...fields,
    contact: contactOf(fields.contact),
    number,
    status: 'open' as const,
    completed_at: null,
    completed_by: null,
    completed_by_contact: false,
    verified_at: null,
    verified_by: null,
    verification_note: '',
    reopened_at: null,
    reopen_reason: '',
    reopen_count: 0,
    created_by: work.user_id,
  });
  const { action, mails } = withContactLink(work, undefined, asFar?.(opened) ?? opened);
  const reached = asFar && { to: action.status, note: action.completion_note };
  const { id } = action;
  return {
    action,
    writes: [
      ...resource.create(actions, work, action),
      // The entry has the action's own id, so that an unchanged action can be deleted without reading its history.
      activity(work, id, { kind: 'created', ...reached }, id).write,
      emit(work, 'corrective_action.created', toAction(action, inspection, work.now)),
      ...mails,
    ],
  };
};

/** Takes the next number of the organization's corrective actions. */
export const nextActionNumber = (caller: Caller): Promise<number> => nextActionNumbers(caller, 1);

/** Takes several at once, in one call. @returns the first of them */
export const nextActionNumbers = (caller: Caller, count: number): Promise<number> =>
  nextNumbers(caller, keys.sequence(caller, 'CORRECTIVE_ACTION'), count);

/** The action that a template asks for when an answer fails. */
export type ActionRule = NonNullable<NonNullable<Field['finding']>['corrective_action']>;

/**
 * The id of the action that is created together with a finding. It is derived from the finding's id, so that both can
 * be read at once. It is a UUIDv7 with the finding's time.
 */
const automaticId = (findingId: string): string =>
  uuidv7({
    msecs: Number.parseInt(findingId.replace('-', '').slice(0, 12), 16),
    random: Buffer.from(sha256(findingId), 'hex'),
  });

/** The key of the action that was created together with a finding, if its rule asks for one. */
export const automaticActionKey = (
  caller: Caller,
  inspectionId: string,
  findingId: string,
): Key<StoredAction> => actionKey(caller, { inspection_id: inspectionId, id: automaticId(findingId) });

/** The action that is created together with a finding because the template asks for it. */
export const automaticAction = (
  work: Work,
  number: number,
  {
    id,
    inspection_id,
    created_at,
    location_id,
  }: Pick<StoredFinding, 'id' | 'inspection_id' | 'created_at' | 'location_id'>,
  { rule, title, inspection }: { rule: ActionRule; title: string; inspection: ActionSurroundings },
): { writes: Write[] } =>
  newAction(work, number, inspection, {
    id: automaticId(id),
    finding_id: id,
    inspection_id,
    location_id: location_id ?? null,
    title,
    priority: rule.priority,
    due_at: dueAfter(created_at, rule.due_in_days),
    evidence_required: rule.evidence_required ?? false,
  });

/** Deletes an action that was not changed since it was created. */
export const unchangedActionRemoval = (work: Work, action: StoredAction): Write[] => [
  ...resource.remove(actions, work, action),
  write.drop(keys.activity(work, action.id, action.id)),
];
