import { type Caller, seesOnlyOwn } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { pick } from '../../base/fields.ts';
import { fold } from '../../base/text.ts';
import { awaitsWork, isActionOverdue } from '../../domain/corrective-actions.ts';
import { hasLabels, wanted as wantedLabels } from '../../domain/labels.ts';
import { Priority } from '../../schemas/common.ts';
import {
  Activity,
  type AllCorrectiveActionsQuery,
  type CorrectiveAction,
  type CorrectiveActionQuery,
  CorrectiveActionStatus,
  ListedCorrectiveAction,
  type MyCorrectiveActionQuery,
} from '../../schemas/corrective-action.ts';
import { present } from '../../schemas/projection.ts';
import { countFilters } from '../../table/candidates.ts';
import type { StoredAction } from '../../table/entities/inspections.ts';
import { keys } from '../../table/keys.ts';
import { withLabels } from '../../table/labels.ts';
import { listHistory, type Listing, listing, type ListQuery, readCursor } from '../../table/listing.ts';
import { countRows, getRow, queryRows, withRows } from '../../table/rows.ts';
import { actionKey, EXTERNAL_REF, toAction } from '../rows/corrective-action-records.ts';
import { inspectionRecords, readChild } from '../rows/inspection-records.ts';
import { contactLabel, standingPartition } from '../rows/listed.ts';
import { listWithCurrentNames, withCurrentNames } from '../rows/names-then.ts';
import {
  beginsWith,
  findParts,
  type FoundPart,
  isIn,
  type ListedUnder,
  partByExternalRef,
  type PartSource,
  withSurroundings,
} from '../rows/part-lists.ts';

const KIND = 'ACTION';

/** The number of rows that a page needs: one more than its limit, to know whether another page follows. */
export const rowsOfPage = ({ limit }: ListQuery): number | undefined => limit && limit + 1;

/** @throws ApiError 404 */
export const expectAction = async (caller: Caller, id: string): Promise<void> => {
  if (!(await getRow(caller, keys.reference(caller, KIND, id)))) throw errors.notFound('corrective action');
};

/** @throws ApiError 404, also for one that the caller may not see */
export const get = async (caller: Caller, id: string): Promise<CorrectiveAction> => {
  const { child, inspection } = await readChild(caller, KIND, id);
  if (seesOnlyOwn(caller) && child.assignee_id !== caller.user_id) throw errors.notFound('corrective action');
  const [action] = await withCurrentNames(caller, [child]);
  return toAction(action!, inspection, new Date().toISOString());
};

/** How many open actions of the organization are overdue. @param most where counting ends */
export const countOverdue = (caller: Caller, most: number): Promise<number> =>
  countRows(caller, { partition: keys.actionDue.partition(caller), upTo: new Date().toISOString() }, most);

/** The actions of one inspection, in creation order. @throws ApiError 404 */
export const list = async (
  caller: Caller,
  inspectionId: string,
  query: CorrectiveActionQuery,
): Promise<Listing<CorrectiveAction>> => {
  const name = `${KIND} ${inspectionId}`;
  const after = readCursor(caller, name, query);
  const inspection = await inspectionRecords.get(caller, inspectionId);
  const now = new Date().toISOString();
  const { status, finding_id, assignee_id, external_ref } = query;
  const only = (value: string | undefined) => (value === undefined ? undefined : [value]);
  const found = queryRows(caller, {
    ...keys.parts(caller, 'INSPECTION', inspectionId, KIND),
    after,
    updatedSince: query.updated_since,
    where: {
      status,
      finding_id: only(finding_id),
      assignee_id,
      external_ref: only(external_ref),
    },
  });
  return listing(
    caller,
    name,
    query,
    listWithCurrentNames(caller, withLabels(found, query), rowsOfPage(query)),
    ({ sk }) => sk,
    (row) => toAction(row, inspection, now),
  );
};

/** The actions that are assigned to the caller and pass the filters, in creation order. */
const assignedActions = async function* (
  caller: Caller,
  query: MyCorrectiveActionQuery,
  after: string | undefined,
): AsyncGenerator<CorrectiveAction> {
  const now = new Date().toISOString();
  const { status, asset_id, is_overdue, external_ref, updated_since } = query;
  const isFiltered = countFilters(query) > 0;
  const labels = wantedLabels(query);
  const count = rowsOfPage(query);
  const assignments = queryRows(caller, {
    partition: keys.actionAssignment.partition(caller, caller.user_id),
    after,
    pageSize: isFiltered ? undefined : count,
  });
  const read = withRows(
    caller,
    assignments,
    ({ sk, inspection_id }) => [
      actionKey(caller, { inspection_id, id: sk }),
      inspectionRecords.key(caller, inspection_id),
    ],
    count,
  );
  for await (const [, [action, inspection]] of read) {
    if (!action || !inspection) continue;
    const shown = toAction(action, inspection, now);
    if (
      // The action may have been assigned to someone else after the list was read.
      shown.assignee_id === caller.user_id &&
      (status?.includes(shown.status) ?? true) &&
      (asset_id === undefined || (shown.asset_id !== null && asset_id.includes(shown.asset_id))) &&
      (is_overdue === undefined || shown.is_overdue === is_overdue) &&
      (external_ref === undefined || shown.external_ref === external_ref) &&
      hasLabels(shown, labels) &&
      (updated_since === undefined || shown.updated_at >= updated_since)
    ) {
      yield shown;
    }
  }
};

/** The actions of all inspections that are assigned to the caller, in creation order. */
export const mine = async (
  caller: Caller,
  query: MyCorrectiveActionQuery,
): Promise<Listing<CorrectiveAction>> => {
  const name = `${KIND} of ${caller.user_id}`;
  return listing(
    caller,
    name,
    query,
    listWithCurrentNames(
      caller,
      assignedActions(caller, query, readCursor(caller, name, query)),
      rowsOfPage(query),
    ),
    ({ id }) => id,
    (action) => action,
  );
};

/** The action's history, oldest first. @throws ApiError 404 */
export const listActivity = (caller: Caller, id: string, query: ListQuery): Promise<Listing<Activity>> =>
  listHistory(caller, Activity, `ACTIVITY ${id}`, keys.parts(caller, 'ACTION', id, 'ACTIVITY'), query, () =>
    expectAction(caller, id),
  );

/** Whether an action passes the filters that are its own, except that by its finding. */
const filterOf = (query: AllCorrectiveActionsQuery, now: string) => {
  const { status, priority, assignee_id, contact, is_overdue, overdue, external_ref, q } = query;
  const labels = wantedLabels(query);
  return ({ part }: FoundPart<typeof KIND>): boolean =>
    (status === undefined || status.includes(part.status)) &&
    (priority === undefined || priority.includes(part.priority)) &&
    (assignee_id === undefined || (part.assignee_id !== null && assignee_id.includes(part.assignee_id))) &&
    (contact === undefined || fold(part.contact?.email ?? '') === fold(contact)) &&
    [is_overdue, overdue].every((wanted) => wanted === undefined || isActionOverdue(part, now) === wanted) &&
    (external_ref === undefined || part.external_ref === external_ref) &&
    isIn(part.due_at, query.due_after, query.due_before) &&
    isIn(part.verified_at, query.closed_after, query.closed_before) &&
    hasLabels(part, labels) &&
    beginsWith(q, part.number, part.title, part.external_ref ?? null);
};

/** The statuses of actions that can be overdue. */
const UNFINISHED = CorrectiveActionStatus.options.filter((status) => awaitsWork({ status }));

/** Where the actions that the filters select are looked for. */
const sourceOf = (caller: Caller, query: AllCorrectiveActionsQuery): PartSource => {
  const { status, priority, assignee_id, contact, external_ref } = query;
  if (external_ref !== undefined) return { few: partByExternalRef(caller, KIND, EXTERNAL_REF, external_ref) };
  const labels = [...(contact === undefined ? [] : [[contactLabel(contact)]]), ...wantedLabels(query)];
  if (labels[0]) return { lists: labels[0].map((label) => keys.actionWith.range(caller, label)) };
  if (assignee_id)
    return {
      lists: [...new Set(assignee_id)].map((id) => ({
        partition: keys.actionAssignment.partition(caller, id),
      })),
    };
  const isOverdue = query.is_overdue ?? query.overdue;
  const statuses = status ?? (isOverdue ? UNFINISHED : priority && CorrectiveActionStatus.options);
  const standings = statuses?.flatMap((each) =>
    (priority ?? Priority.options).map((degree) => standingPartition(caller, KIND, [each, degree])),
  );
  return { standings };
};

/** The actions of all inspections that pass the filters, newest first. @param after the id that the page before ended with */
export const findAll = async function* (
  caller: Caller,
  query: AllCorrectiveActionsQuery,
  after?: string,
): AsyncGenerator<ListedUnder<ListedCorrectiveAction>> {
  const now = new Date().toISOString();
  const { field_id, severity, limit } = query;
  const isPrecise = countFilters(query) <= 1 && !severity && query.q === undefined;
  const source = sourceOf(caller, query);
  const found = findParts(caller, KIND, query, after, source, filterOf(query, now), isPrecise);
  const findingKey = ({ inspection_id, finding_id }: StoredAction) =>
    keys.child(caller, inspection_id, 'FINDING', finding_id);
  const batches = withSurroundings(caller, found, rowsOfPage({ limit }), findingKey);
  for await (const batch of batches)
    for (const { part, inspection, under, surroundings, other } of batch) {
      if (severity && !(other && severity.includes(other.severity))) continue;
      if (field_id && !(other?.field_id && field_id.includes(other.field_id))) continue;
      const shown = present(ListedCorrectiveAction, {
        ...toAction(part, inspection, now),
        ...surroundings,
        finding: other ? pick(other, ['id', 'number', 'label', 'severity', 'field_id']) : null,
      });
      yield { shown, under };
    }
};

/** A page of these. @throws ApiError 422 for a cursor of another list */
export const listAll = async (
  caller: Caller,
  query: AllCorrectiveActionsQuery,
): Promise<Listing<ListedCorrectiveAction>> =>
  listing(
    caller,
    `ALL_${KIND}`,
    query,
    findAll(caller, query, readCursor(caller, `ALL_${KIND}`, query)),
    ({ shown }) => shown.id,
    ({ shown }) => shown,
  );
