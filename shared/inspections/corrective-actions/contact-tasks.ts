import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { byDueDate, type TaskLine } from '../../domain/contact-tasks.ts';
import { awaitsWork, isActionOverdue, lacksEvidence } from '../../domain/corrective-actions.ts';
import { localDate } from '../../domain/recurrence/index.ts';
import { createLink } from '../../organizations/links/links.ts';
import { pathsOf } from '../../places/locations/tree.ts';
import type { StoredAction, StoredContactLink, StoredInspection } from '../../table/entities/inspections.ts';
import type { LinkTargets, StoredOrganization } from '../../table/entities/organization.ts';
import { keys } from '../../table/keys.ts';
import { getRow, getRows, queryRows, readRows, withRows } from '../../table/rows.ts';
import { actionKey, addressOf } from '../rows/corrective-action-records.ts';
import { inspectionRecords } from '../rows/inspection-records.ts';
import type { OpenedAction } from './contact.ts';

/** Tasks of one address that are read at once. */
export const MAX_TASKS = 1_000;

/** A task that waits for the contact who has the link to it. */
export interface ContactTask {
  action: StoredAction & { contact_link: StoredContactLink };
  inspection: StoredInspection;
}

/**
 * The task that an action is for an address; undefined where it is none: the action is done, its link has ended or
 * belongs to another address, or the inspection is archived. A row that leads to an action may be out of date, so
 * everything is looked at again.
 */
const taskFor = (
  address: string,
  action: StoredAction | undefined,
  inspection: StoredInspection | undefined,
  now: string,
): ContactTask | undefined => {
  const link = action?.contact_link;
  if (!link || !inspection || inspection.status === 'archived') return undefined;
  if (link.expires_at <= now || addressOf(action) !== address || !awaitsWork(action)) return undefined;
  return { action: { ...action, contact_link: link }, inspection };
};

/**
 * The open tasks of an address in this organization, the oldest first. The cost grows with these tasks alone: a Query,
 * and a call for 50 of them.
 * @param now ISO 8601 in UTC
 */
export const openTasks = async (
  caller: Caller,
  address: string,
  now: string,
): Promise<{ tasks: ContactTask[]; isCut: boolean }> => {
  const rows = withRows(caller, queryRows(caller, keys.contactTask.range(caller, address)), (row) => [
    actionKey(caller, { inspection_id: row.inspection_id, id: row.sk.split('#')[1]! }),
    inspectionRecords.key(caller, row.inspection_id),
  ]);
  const tasks: ContactTask[] = [];
  for await (const [, [action, inspection]] of rows) {
    const task = taskFor(address, action, inspection, now);
    if (!task) continue;
    if (tasks.length === MAX_TASKS) return { tasks, isCut: true };
    tasks.push(task);
  }
  return { tasks, isCut: false };
};

/** The open tasks of the address that has a link, of which its own is one however many there are. */
export const tasksOfLink = async (
  caller: Caller,
  { action, inspection }: Pick<OpenedAction, 'action' | 'inspection'>,
  now: string,
): Promise<{ tasks: ContactTask[]; isCut: boolean }> => {
  const { tasks, isCut } = await openTasks(caller, addressOf(action), now);
  const own = taskFor(addressOf(action), action, inspection, now);
  return {
    tasks: own && tasks.every((each) => each.action.id !== action.id) ? [own, ...tasks] : tasks,
    isCut,
  };
};

/** The tasks as their list shows them, in its order. A call for 100 findings, and about two for 100 places. */
export const taskLines = async (
  caller: Caller,
  tasks: readonly ContactTask[],
  organization: Pick<StoredOrganization, 'timezone'>,
  now: string,
): Promise<TaskLine[]> => {
  const placeIn = ({ action, inspection }: ContactTask) => action.location_id ?? inspection.location_id;
  const placeIds = [...new Set(tasks.map(placeIn))].filter((id) => id !== null);
  const findingKeys = tasks.map(({ action }) =>
    keys.child(caller, action.inspection_id, 'FINDING', action.finding_id),
  );
  const placeKeys = placeIds.map((id) => keys.one(caller, 'LOCATION', id));
  const rowsOf = await readRows(caller, [...findingKeys, ...placeKeys]);
  const places = rowsOf(placeKeys).filter((place) => place !== undefined);
  const paths = await pathsOf(caller, places);
  const placeById = new Map(places.map((place) => [place.id, place]));
  const findings = rowsOf(findingKeys);
  return tasks
    .map((task, position): TaskLine => {
      const { action } = task;
      const { id, number, title, description, status, priority, due_at, evidence_count } = action;
      const place = placeById.get(placeIn(task) ?? '');
      const timezone = place?.timezone ?? organization.timezone;
      const { label = '', severity = 'minor' } = findings[position] ?? {};
      return {
        id,
        number,
        title,
        description,
        status,
        priority,
        due_at,
        evidence_count,
        is_overdue: isActionOverdue(action, now),
        place: place ? paths.get(place.id)! : [],
        timezone,
        due_day: due_at && localDate(due_at, timezone),
        finding: { label, severity },
        needs_photo: lacksEvidence({ ...action, status: 'pending_verification' }),
      };
    })
    .toSorted(byDueDate);
};

type OfLink = Pick<OpenedAction, 'action'>;

/** An action of the address that has a link, whatever its status. @throws ApiError 404 for one of another address */
const actionOfAddress = async (caller: Caller, { action: opened }: OfLink, id: string) => {
  const reference = await getRow(caller, keys.reference(caller, 'ACTION', id));
  if (!reference) throw errors.notFound('task');
  const { inspection_id } = reference;
  const [action, inspection] = await getRows(caller, [
    actionKey(caller, { inspection_id, id }),
    inspectionRecords.key(caller, inspection_id),
  ]);
  if (!action?.contact_link || addressOf(action) !== addressOf(opened)) throw errors.notFound('task');
  const target = { inspection_id, action_id: id, link_id: action.contact_link.id };
  return { action, inspection, target };
};

/**
 * What the link to an action of the same address leads to, and the action's title.
 * @throws ApiError 404 for an action that is none of the address
 */
export const targetOfTask = async (
  caller: Caller,
  opened: OfLink,
  id: string,
): Promise<{ title: string; target: LinkTargets['action'] }> => {
  const { action, target } = await actionOfAddress(caller, opened, id);
  return { title: action.title, target };
};

/** Makes a link to a task. It ends with the link that the task has. @returns its token */
export const newTaskLink = (
  caller: Caller,
  { action: { inspection_id, id: action_id, contact_link } }: Pick<ContactTask, 'action'>,
): Promise<string> => {
  const target = { inspection_id, action_id, link_id: contact_link.id };
  return createLink(caller, 'action', target, Date.parse(contact_link.expires_at));
};

/**
 * Makes a link to another task of the address that has a link.
 * @param now ISO 8601 in UTC
 * @returns its token
 * @throws ApiError 404 for an action that is no open task of the address
 */
export const linkToTask = async (
  caller: Caller,
  opened: OfLink,
  id: string,
  now: string,
): Promise<string> => {
  const { action, inspection } = await actionOfAddress(caller, opened, id);
  const task = taskFor(addressOf(opened.action), action, inspection, now);
  if (!task) throw errors.notFound('task');
  return newTaskLink(caller, task);
};
