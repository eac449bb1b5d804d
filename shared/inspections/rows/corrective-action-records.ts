import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { parse as uuidBytes, stringify as uuidOf, v7 as uuidv7 } from 'uuid';
import { type Caller, viaKey } from '../../base/caller.ts';
import { sha256 } from '../../base/encoding.ts';
import { mailWindow } from '../../base/mail-window.ts';
import { fold } from '../../base/text.ts';
import { keptFrom, timeAfter } from '../../base/time.ts';
import {
  awaitsWork,
  contactName,
  contactOf,
  isActionOverdue,
  linkAfter,
} from '../../domain/corrective-actions.ts';
import { actionPriority, type ActionRule, dueDate, type PlaceCalendar } from '../../domain/due-dates.ts';
import { labelsOf } from '../../domain/labels.ts';
import { progressOf, sentAt } from '../../domain/mail/progress.ts';
import {
  Activity,
  type ActivityKind,
  type ContactLink,
  CorrectiveAction,
  type CorrectiveActionChanges,
  NewCorrectiveAction,
} from '../../schemas/corrective-action.ts';
import type { Happening } from '../../schemas/event-data.ts';
import { present, type Presented } from '../../schemas/projection.ts';
import { initialValues } from '../../schemas/resource.ts';
import type { Work } from '../../table/change.ts';
import { newResource, nextVersion } from '../../table/collection.ts';
import type {
  StoredAction,
  StoredContactLink,
  StoredFinding,
  StoredInspection,
} from '../../table/entities/inspections.ts';
import { type Key, keys } from '../../table/keys.ts';
import { shownEntry } from '../../table/listing.ts';
import { aboutOf, emit, enqueue } from '../../table/outbox/outbox.ts';
import * as resource from '../../table/resource.ts';
import type { Resource } from '../../table/resource.ts';
import { nextNumbers } from '../../table/single-write.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { actionDeadline, isActionNotified, REMINDED } from './deadlines.ts';
import { contactLabel, listedLabels, listedUnder, listIndex } from './listed.ts';

const KIND = 'ACTION';
export const EXTERNAL_REF = 'external_ref of corrective actions';

/** What of an action lists find it by. */
const actionLabels = ({ listed_under, contact, ...action }: StoredAction): string[] => [
  ...listedLabels(listed_under),
  ...(contact?.email ? [contactLabel(contact.email)] : []),
  ...labelsOf(action),
];

/** Corrective actions, and what follows from each. */
export const actionRecords: Resource<StoredAction> = {
  noun: 'corrective action',
  moves: 'moves',
  keyOf: (caller, { inspection_id, id }) => keys.child(caller, inspection_id, KIND, id),
  index: (caller, { status, priority, listed_under }) =>
    listIndex(caller, KIND, [status, priority], listed_under),
  unique: { [EXTERNAL_REF]: ({ external_ref }) => external_ref },
  followers: [
    {
      row: keys.reference,
      what: 'action by its own id',
      within: ['ACTION'],
      at: ({ id }) => [['ACTION', id]],
      holds: (_, { inspection_id }) => ({ inspection_id }),
    },
    {
      row: keys.actionAssignment,
      what: 'assignment of an action',
      under: 'MEMBER',
      at: ({ id, assignee_id }) => (assignee_id ? [[assignee_id, id]] : []),
      holds: (_, { inspection_id }) => ({ inspection_id }),
    },
    {
      row: keys.actionDue,
      what: 'due action',
      at: ({ id, status, due_at }) => (due_at && awaitsWork({ status }) ? [[due_at, id]] : []),
      holds: actionDeadline,
      own: REMINDED,
      mayBeGone: isActionNotified,
    },
    {
      row: keys.contactTask,
      what: 'task of a contact',
      at: ({ id, status, contact_link }) =>
        contact_link?.address && awaitsWork({ status }) ? [[contact_link.address, id]] : [],
      holds: (_, { inspection_id }) => ({ inspection_id }),
    },
    {
      row: keys.actionLink,
      what: 'what an issue led to',
      under: 'ISSUE',
      at: ({ id, inspection_id, issue_id }) => (issue_id ? [[issue_id, inspection_id, id]] : []),
      holds: (_, { id, inspection_id }) => ({ inspection_id, corrective_action_id: id }),
    },
    {
      row: keys.actionWith,
      what: 'action by label',
      at: (action) => actionLabels(action).map((label) => [label, action.id]),
      holds: (_, { inspection_id }) => ({ inspection_id }),
    },
  ],
};

type ActionIds = Pick<StoredAction, 'inspection_id' | 'id'>;

export const actionKey = (caller: Caller, { inspection_id, id }: ActionIds): Key<StoredAction> =>
  keys.child(caller, inspection_id, KIND, id);

/** The fields of its inspection that an action shows, or is found by. */
export type ActionSurroundings = Pick<
  StoredInspection,
  'client_account_id' | 'location_id' | 'template_family_id' | 'asset_id'
>;

/**
 * An action as it is sent to clients.
 * @param now the time that decides whether it is overdue, ISO 8601 in UTC
 */
export const toAction = (
  action: StoredAction,
  { client_account_id, location_id, asset_id }: ActionSurroundings,
  now: string,
): Presented<CorrectiveAction> =>
  present(CorrectiveAction, action, {
    contact_link: shownLink(action),
    completed_on_site: action.completed_on_site ?? false,
    client_account_id,
    location_id: action.location_id ?? location_id,
    asset_id,
    is_overdue: isActionOverdue(action, now),
  });

/** The event of a change of an action, whose data is the action. */
export const actionEvent = (
  work: Work,
  what: Exclude<Happening<'corrective_action'>, 'commented'>,
  action: StoredAction,
  inspection: ActionSurroundings,
): Write =>
  emit(work, `corrective_action.${what}`, toAction(action, inspection, work.now), {
    about: aboutOf(inspection),
  });

/** The event of a comment on an action, whose data is the comment. */
export const commentEvent = (
  work: Work,
  action: StoredAction,
  inspection: ActionSurroundings,
  comment: Presented<Activity>,
): Write => {
  const about = aboutOf({ ...inspection, location_id: action.location_id ?? inspection.location_id });
  return emit(
    work,
    'corrective_action.commented',
    { ...comment, corrective_action_id: action.id },
    { about },
  );
};

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

type FieldEntry = readonly [kind: ActivityKind, textOf: (action: StoredAction) => string | null];

/** For each edited field, the kind of its entry in the history and the text of a value; null for no entry. */
const ENTRIES: Readonly<Record<Edited, FieldEntry | null>> = {
  title: null,
  description: null,
  priority: null,
  assignee_id: ['assigned', ({ assignee_id }) => assignee_id],
  due_at: ['due_changed', ({ due_at }) => due_at],
  contact: ['contact_changed', ({ contact }) => contactName(contact)],
  escalation: null,
  evidence_required: null,
  external_ref: null,
  tags: null,
  metadata: null,
  completion_note: null,
};

/** The entries of an edit in the history, except changes of the status. */
export const editActivities = (before: StoredAction, after: StoredAction): NewActivity[] =>
  (Object.keys(ENTRIES) as Edited[]).flatMap((field) => {
    const entry = ENTRIES[field];
    if (!entry || isDeepStrictEqual(before[field], after[field])) return [];
    const [kind, textOf] = entry;
    return [{ kind, from: textOf(before), to: textOf(after) }];
  });

/** The fields that are given when an action is created. */
type NewActionFields = Pick<StoredAction, 'title'> & Partial<StoredAction>;

/** The initial values of an action. Fields that only say how to create it are not stored. */
const initialFields = () => {
  const { completed_on_site: _onSite, evidence: _evidence, ...fields } = initialValues(NewCorrectiveAction);
  return { ...fields, issue_id: null, evidence_count: 0, due_basis: null, names_then: null };
};

/**
 * A new action, with its rows and its event. The counters of the finding and the inspection are not included.
 * @param takeSteps takes the first steps of an action that is created further than `open`
 */
export const newAction = (
  work: Work,
  number: number,
  inspection: ActionSurroundings,
  finding: Pick<StoredFinding, 'id' | 'inspection_id' | 'location_id' | 'field_id'>,
  fields: NewActionFields,
  takeSteps?: (opened: StoredAction) => StoredAction,
): { action: StoredAction; writes: Write[] } => {
  const opened: StoredAction = newResource(work, {
    ...initialFields(),
    ...fields,
    finding_id: finding.id,
    inspection_id: finding.inspection_id,
    location_id: finding.location_id ?? null,
    listed_under: listedUnder(inspection, finding),
    contact: contactOf(fields.contact),
    number,
    status: 'open' as const,
    completed_at: null,
    completed_by: null,
    completed_by_contact: false,
    contact_link: null,
    verified_at: null,
    verified_by: null,
    verified_via_key_id: null,
    verification_note: '',
    reopened_at: null,
    reopen_reason: '',
    reopen_count: 0,
    created_by: work.user_id,
  });
  const { action, mails } = withContactLink(work, undefined, takeSteps?.(opened) ?? opened);
  const reached = takeSteps && { to: action.status, note: action.completion_note };
  const { id } = action;
  return {
    action,
    writes: [
      ...resource.create(actionRecords, work, action),
      // The entry has the action's own id, so that an unchanged action can be deleted without reading its history.
      activity(work, id, { kind: 'created', ...reached }, id).write,
      actionEvent(work, 'created', action, inspection),
      ...mails,
    ],
  };
};

/** Takes the next number of the organization's corrective actions. */
export const nextActionNumber = (caller: Caller): Promise<number> => nextActionNumbers(caller, 1);

/** Takes several at once, in one call. @returns the first of them */
export const nextActionNumbers = (caller: Caller, count: number): Promise<number> =>
  nextNumbers(caller, keys.sequence(caller, 'CORRECTIVE_ACTION'), count);

/** The byte of a UUIDv7 whose first six bits end what orders the ids of a process: the time, and a number that ascends. */
const LAST_OF_ORDER = 10;

/**
 * The id of the action that is created together with a finding. It is derived from the finding's id, so that both can
 * be read at once. It is a UUIDv7 that stands among those of other actions where the finding's stands among findings.
 */
const automaticId = (findingId: string): string => {
  const id = uuidBytes(findingId);
  const derived = Buffer.from(sha256(findingId), 'hex');
  const [ordering, free] = [id[LAST_OF_ORDER]! & 0b1111_1100, derived[LAST_OF_ORDER]! & 0b11];
  id.set([ordering | free, ...derived.subarray(LAST_OF_ORDER + 1, id.length)], LAST_OF_ORDER);
  return uuidOf(id);
};

/** The key of the action that was created together with a finding, if its rule asks for one. */
export const automaticActionKey = (
  caller: Caller,
  inspectionId: string,
  findingId: string,
): Key<StoredAction> => actionKey(caller, { inspection_id: inspectionId, id: automaticId(findingId) });

/** What the rule of an automatic action counts with. */
export interface ActionOrigin {
  rule: ActionRule;
  /** When the failed answer was given, ISO 8601 in UTC. */
  visited_at: string;
  /** That of the place; undefined only for a rule that does not count by it. */
  calendar: PlaceCalendar | undefined;
}

type FoundBy = Pick<
  StoredFinding,
  'id' | 'inspection_id' | 'created_at' | 'location_id' | 'field_id' | 'severity'
>;

/** The fields of an automatic action that depend on the severity of its finding. */
export const gradedFields = (
  { created_at, severity }: Pick<FoundBy, 'created_at' | 'severity'>,
  { rule, visited_at, calendar }: ActionOrigin,
) => ({
  priority: actionPriority(rule, severity),
  ...dueDate(rule, severity, { visited_at, created_at }, calendar),
});

/** The action that is created together with a finding because the template asks for it. */
export const automaticAction = (
  work: Work,
  number: number,
  finding: FoundBy,
  { title, inspection, ...origin }: ActionOrigin & { title: string; inspection: ActionSurroundings },
): { writes: Write[] } =>
  newAction(work, number, inspection, finding, {
    id: automaticId(finding.id),
    title,
    ...gradedFields(finding, origin),
    evidence_required: origin.rule.evidence_required ?? false,
  });

/**
 * Changes an action that nobody has worked on, after its answer gave the finding another severity. It has no entry in
 * the history, so that the action can still be deleted without reading it.
 */
export const regradedAction = (
  work: Work,
  action: StoredAction,
  inspection: ActionSurroundings,
  finding: Pick<FoundBy, 'created_at' | 'severity'>,
  origin: ActionOrigin,
): Write[] => {
  const visited_at = action.due_basis?.from ?? origin.visited_at;
  const fields = gradedFields(finding, { ...origin, visited_at });
  const next = nextVersion(work, action, { ...fields, graded_version: action.version + 1 });
  return [
    ...resource.update(actionRecords, work, action, next),
    actionEvent(work, 'updated', next, inspection),
  ];
};

/** The writes of `regradedAction` at most: the action, its former and its new due row, and the event. */
export const MAX_REGRADING_WRITES = 4;

/**
 * The maximum number of writes that create or delete an automatic action: its row, the first entry of its history, and
 * the rows that follow from it. It has no assignee, no contact and no issue, which leaves room for its event.
 */
export const maxAutomaticWrites = (): number => 1 + actionRecords.followers!.length;

/** Deletes an action that was not changed since it was created. */
export const unchangedActionRemoval = (
  work: Work,
  action: StoredAction,
  inspection: ActionSurroundings,
): Write[] => [
  ...resource.remove(actionRecords, work, action),
  write.drop(keys.activity(work, action.id, action.id)),
  actionEvent(work, 'deleted', action, inspection),
];

/** How long a contact's link works, in milliseconds: 90 days. */
const LINK_MS = 90 * 86_400_000;

/** Random bytes of the secret that signs the forms of a link. */
const SECRET_BYTES = 32;

/** How long a link is known as unsent, in seconds: longer than its mail waits for others. */
const UNSENT_SECONDS = 86_400;

/**
 * A new link for the contact of an action, and its mail, which waits for more links for the same address. The action
 * names the link, so the former one ends with this change. The token is not stored: the mail worker makes it.
 */
export const newContactLink = (
  work: Work,
  { id: action_id, inspection_id, contact }: Pick<StoredAction, 'id' | 'inspection_id' | 'contact'>,
): { link: StoredContactLink; mails: Write[] } => {
  const address = fold(contact?.email ?? '');
  const link = {
    id: uuidv7(),
    address,
    requested_at: work.now,
    expires_at: timeAfter(work.now, LINK_MS),
    form_secret: randomBytes(SECRET_BYTES).toString('base64url'),
  };
  const names = { inspection_id, action_id, link_id: link.id };
  const unsent = keys.unsentLink(work, address, link.id);
  return {
    link,
    mails: [
      write.create({ ...unsent, ...names, ttl: keptFrom(work.now, UNSENT_SECONDS) }),
      enqueue(work, 'mail', { what: 'contact_link', ...names }, mailWindow()),
    ],
  };
};

/** The address that has the link of an action. */
export const addressOf = ({
  contact,
  contact_link,
}: Pick<StoredAction, 'contact' | 'contact_link'>): string =>
  contact_link?.address ?? fold(contact?.email ?? '');

/** An action after a change, with its contact's link, and the mail of a new link. */
export const withContactLink = (
  work: Work,
  before: StoredAction | undefined,
  after: StoredAction,
): { action: StoredAction; mails: Write[] } => {
  const outcome = linkAfter(before, after);
  if (outcome === 'same') return { action: after, mails: [] };
  if (outcome === 'none') return { action: { ...after, contact_link: null }, mails: [] };
  const { link, mails } = newContactLink(work, after);
  return { action: { ...after, contact_link: link }, mails };
};

/** What clients see of the link that the contact has. */
const shownLink = ({
  contact_link: link,
  contact_link_mailed: mailed,
  contact_link_opened: opened,
}: Pick<
  StoredAction,
  'contact_link' | 'contact_link_mailed' | 'contact_link_opened'
>): ContactLink | null => {
  if (!link) return null;
  const { id, requested_at, expires_at } = link;
  const note = mailed?.link_id === id ? mailed : undefined;
  const mail = progressOf(note);
  return {
    requested_at,
    sent_at: sentAt(note),
    error: mail.detail,
    mail,
    last_opened_at: opened?.link_id === id ? opened.at : null,
    expires_at,
  };
};
