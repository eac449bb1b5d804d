import type { Caller } from '../base/caller.ts';
import { newsOf } from '../domain/schedules/problems.ts';
import { notify } from '../notices/notify.ts';
import * as members from '../organizations/members/members.ts';
import type { Work } from '../table/change.ts';
import type { StoredSchedule } from '../table/entities/schedules.ts';
import { getRow } from '../table/rows.ts';
import type { Write } from '../table/writes.ts';

/** Admins who are told in the place of a creator. One transaction tells them of every kind of problem. */
const MAX_ADMINS = 10;

/** Who looks after a schedule: the person who created it, or admins after that person has left or for an API key. */
const ownersOf = async (caller: Caller, { created_by }: StoredSchedule): Promise<string[]> => {
  const creator = await getRow(caller, members.key(caller, created_by));
  if (creator?.status === 'active' && creator.role !== 'api') return [created_by];
  return (await members.adminsOf(caller)).slice(0, MAX_ADMINS);
};

/**
 * The notifications of problems that a schedule did not have before. A schedule that creates nothing at all concerns
 * every admin, the others its owner.
 * @param names of what is missing, by its ids
 * @param isUnapproved whether its inspections need an approval, and nobody who is named for it is left: admins hear of
 *   it as well, because they can approve
 */
export const newProblems = async (
  work: Work,
  before: StoredSchedule,
  schedule: StoredSchedule,
  names: ReadonlyMap<string, string>,
  isUnapproved = false,
): Promise<Write[]> => {
  const { stop, missing, isUnassigned } = newsOf(before, schedule);
  const stopped = stop
    ? notify(work, 'scheduleStopped', {
        schedule,
        problem: stop,
        user_ids: [schedule.created_by, ...(await members.adminsOf(work))],
      })
    : [];
  if (missing.size === 0) return stopped;
  const owners = await ownersOf(work, schedule);
  const admins = missing.has('approver_left') && isUnapproved ? await members.adminsOf(work) : [];
  const approving = [...new Set([...owners, ...admins.slice(0, MAX_ADMINS)])];
  const incomplete = [...missing].flatMap(([kind, ids]) =>
    notify(work, 'scheduleIncomplete', {
      schedule,
      kind,
      names: ids.flatMap((id) => names.get(id) ?? []),
      isUnassigned,
      user_ids: kind === 'approver_left' ? approving : owners,
    }),
  );
  return [...stopped, ...incomplete];
};
