import type { Caller } from '../../base/caller.ts';
import { isActionOpen } from '../../domain/corrective-actions.ts';
import type { Work } from '../table/change.ts';
import type { StoredAction, StoredFinding } from '../table/entities.ts';
import { Stale } from '../table/retry.ts';
import { getRow, withoutKeys } from '../table/rows.ts';
import type { Write } from '../table/writes.ts';
import { actionsOf } from './actions.ts';
import { findingChange, findingKey, resolutionOf } from './record.ts';

/** How many actions of a finding are unfinished. One call. @param exceptId one that the same change closes */
export const unfinishedActions = async (
  caller: Caller,
  finding: Pick<StoredFinding, 'id' | 'inspection_id'>,
  exceptId?: string,
): Promise<number> => {
  const actions = await actionsOf(caller, finding);
  return actions.filter(({ id, status }) => id !== exceptId && isActionOpen(status)).length;
};

/** The finding of an action, and how many of its other actions are unfinished. Two calls at the same time. */
export const readFindingOf = async (
  caller: Caller,
  { id, finding_id, inspection_id }: StoredAction,
): Promise<{ finding: StoredFinding; unfinished: number }> => {
  const [row, unfinished] = await Promise.all([
    getRow(caller, findingKey(caller, inspection_id, finding_id)),
    unfinishedActions(caller, { id: finding_id, inspection_id }, id),
  ]);
  // A finding is deleted together with its actions: this action was read before that.
  if (!row) throw new Stale();
  return { finding: withoutKeys(row), unfinished };
};

/** What a finding becomes when a person resolves it. */
export const resolved = (work: Work) => ({ status: 'resolved', ...resolutionOf(work, 'resolved') }) as const;

/**
 * The writes that resolve a finding whose actions are all closed; none when it is resolved already. They conflict with
 * an action that is opened at the same time, as each opening increases the finding's version.
 */
export const resolutionWrites = (work: Work, finding: StoredFinding): Write[] =>
  finding.status === 'resolved' ? [] : findingChange(work, finding, resolved(work)).writes;
