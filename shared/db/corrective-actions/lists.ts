import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import {
  Activity,
  type CorrectiveAction,
  type CorrectiveActionQuery,
  type MyCorrectiveActionQuery,
} from '../../schemas/corrective-action.ts';
import { actionKey, toAction } from '../inspection-core/corrective-action-record.ts';
import { inspectionRecords, readChild } from '../inspection-core/inspection-record.ts';
import { listWithCurrentNames, withCurrentNames } from '../inspection-core/names-then.ts';
import { keys } from '../table/keys.ts';
import { listHistory, type Listing, listing, type ListQuery, readCursor } from '../table/listing.ts';
import { countRows, getRow, queryRows, withRows } from '../table/rows.ts';

const KIND = 'ACTION';

/** The number of rows that a page needs: one more than its limit, to know whether another page follows. */
export const rowsOfPage = ({ limit }: ListQuery): number | undefined => limit && limit + 1;

/** @throws ApiError 404 */
export const expectAction = async (caller: Caller, id: string): Promise<void> => {
  if (!(await getRow(caller, keys.reference(caller, KIND, id)))) throw errors.notFound('corrective action');
};

/** @throws ApiError 404 */
export const get = async (caller: Caller, id: string): Promise<CorrectiveAction> => {
  const { child, inspection } = await readChild(caller, KIND, id);
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
      assignee_id: only(assignee_id),
      external_ref: only(external_ref),
    },
  });
  return listing(
    caller,
    name,
    query,
    listWithCurrentNames(caller, found, rowsOfPage(query)),
    ({ sk }) => sk,
    (row) => toAction(row, inspection, now),
  );
};

/** The actions that are assigned to the caller and pass the filters, in creation order. */
const assignedActions = async function* (
  caller: Caller,
  { status, external_ref, updated_since, limit }: MyCorrectiveActionQuery,
  after: string | undefined,
): AsyncGenerator<CorrectiveAction> {
  const now = new Date().toISOString();
  const isFiltered = status ?? external_ref ?? updated_since;
  const count = rowsOfPage({ limit });
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
      (external_ref === undefined || shown.external_ref === external_ref) &&
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
