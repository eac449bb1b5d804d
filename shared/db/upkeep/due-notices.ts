import { type Caller, serviceOf } from '../../base/caller.ts';
import { unsubmitted } from '../../domain/inspections/workflow.ts';
import { actionKey, type StoredAction } from '../inspection-core/corrective-action-record.ts';
import type { Deadline } from '../inspection-core/deadlines.ts';
import { rows as inspections, type StoredInspection } from '../inspection-core/record.ts';
import { audienceOf } from '../notifications/audiences.ts';
import { notify } from '../notifications/notifications.ts';
import { change } from '../table/change.ts';
import { dueAt, dueRows } from '../table/due.ts';
import { getRow, getRows, type Row } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';

/** Dates that have come, or come within a day, and are not told of. */
export const dueDeadlines = (now: Date): Promise<Row<Deadline>[]> => dueRows('DEADLINE', now);

/** That an inspection is overdue, to those who have not handed their part in; the row stays and is counted. */
const overdueNotice = async (caller: Caller, row: Row<Deadline>): Promise<Write[]> => {
  const { by_due: _due, by_due_at: _at, ...deadline } = row;
  const { version } = deadline;
  const inspection = await inspections.find(caller, deadline.inspection_id);
  const told = write.replace({ ...deadline, version: version + 1 }, version);
  if (!inspection) return [told];
  const { template_family_id, participants, created_by } = inspection;
  const { user_ids, emails } = await audienceOf(caller, template_family_id, 'on_overdue');
  const open = unsubmitted(participants).map(({ user_id }) => user_id);
  const notice = {
    event: 'overdue',
    inspection,
    user_ids: [...open, created_by, ...user_ids],
    emails,
  } as const;
  return [told, ...notify(caller, notice)];
};

/** That an action is due within a day, or now, to its assignee and to whoever made it. */
const actionNotice = async (caller: Caller, row: Row<Deadline>, now: string): Promise<Write[]> => {
  const { inspection_id, corrective_action_id: id, due_at, version } = row;
  const [found, inspection] = await getRows<object>(caller, [
    actionKey(caller, { inspection_id, id: id! }),
    inspections.key(caller, inspection_id),
  ]);
  const isDue = due_at <= now;
  const told = isDue
    ? write.remove({ pk: row.pk, sk: row.sk }, version)
    : write.replace({ ...row, ...dueAt('DEADLINE', id!, due_at), version: version + 1 }, version);
  const action = found as Row<StoredAction> | undefined;
  const of = inspection as Row<StoredInspection> | undefined;
  if (!action || !of || of.status === 'archived') return [told];
  return [
    told,
    ...notify(caller, {
      event: isDue ? 'corrective_action_due' : 'corrective_action_due_soon',
      inspection: of,
      action,
      user_ids: [action.assignee_id, action.created_by],
    }),
  ];
};

/**
 * Tells of one date, and takes note of that in the same transaction: however often and by however many it is
 * found, it is told of once.
 */
export const tellOf = async ({ pk, sk, org_id }: Row<Deadline>, now: Date): Promise<void> => {
  const caller = serviceOf(org_id);
  await change(caller, async () => {
    const row = await getRow<Deadline>(caller, { pk, sk });
    const isToTell = row?.by_due_at !== undefined && row.by_due_at <= now.toISOString();
    if (!isToTell) return { writes: [], reply: undefined };
    const writes = row.corrective_action_id
      ? await actionNotice(caller, row, now.toISOString())
      : await overdueNotice(caller, row);
    return { writes, reply: undefined };
  });
};
