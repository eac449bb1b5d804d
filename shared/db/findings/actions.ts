import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { isActionOpen } from '../../domain/corrective-actions.ts';
import type { StoredAction, StoredFinding } from '../table/entities.ts';
import { keys } from '../table/keys.ts';
import { queryRows, type Row } from '../table/rows.ts';

/** The actions of a finding. */
export const actionsOf = (
  caller: Caller,
  { id, inspection_id }: Pick<StoredFinding, 'id' | 'inspection_id'>,
): Promise<Row<StoredAction>[]> =>
  Array.fromAsync(
    queryRows(caller, {
      ...keys.parts(caller, 'INSPECTION', inspection_id, 'ACTION'),
      where: { finding_id: [id] },
    }),
  );

/** The actions of a finding, which must all be closed. @throws ApiError 409 naming one that is open */
export const closedActions = async (caller: Caller, finding: StoredFinding): Promise<Row<StoredAction>[]> => {
  const actions = await actionsOf(caller, finding);
  const open = actions.find(({ status }) => isActionOpen(status));
  if (open) throw errors.correctiveActionOpen(open.number, open.title, open.status);
  return actions;
};
