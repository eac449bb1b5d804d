import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { type InspectionStep, isStepAllowed, stepEvent, stepFields } from '../domain/inspections/workflow.ts';
import { audienceNeeded } from '../domain/notifications/notices.ts';
import { audienceOf, notify } from '../notices/notify.ts';
import type { InspectionEvent } from '../schemas/event-data.ts';
import type { Inspection } from '../schemas/inspections/inspection.ts';
import { change, type Work } from '../table/change.ts';
import { nextVersion } from '../table/collection.ts';
import type { StoredInspection } from '../table/entities/inspections.ts';
import { withoutKeys } from '../table/rows.ts';
import type { Write } from '../table/writes.ts';
import { standInsOf } from './approvers.ts';
import {
  type ChangeOptions,
  inspectionChange,
  inspectionEvent,
  inspectionRecords,
  toInspection,
} from './rows/inspection-records.ts';

/**
 * The notifications about a change of an inspection, for the transaction of that change. A completion takes one more
 * call, because the template family names further people to notify, and so does a request for approval.
 * @param before undefined for a new inspection
 */
export const notices = async (
  work: Work,
  before: StoredInspection | undefined,
  inspection: StoredInspection,
): Promise<Write[]> => {
  const isAwaited = inspection.status === 'pending_approval' && before?.status !== inspection.status;
  const stand_ins = isAwaited ? await standInsOf(work, inspection) : [];
  const facts = { inspection, before, stand_ins };
  const needed = audienceNeeded('inspectionChanged', facts);
  const audience = await audienceOf(work, inspection.template_family_id, needed);
  return notify(work, 'inspectionChanged', facts, audience);
};

/** The decided change of an inspection. */
export interface InspectionEdit extends ChangeOptions {
  fields: Partial<StoredInspection>;
  writes?: Write[];
  /** The event of the change; `inspection.updated` when left out. */
  event?: InspectionEvent;
}

/** The inspection after an edit, and the writes of the edit with its event. The notices are the caller's. */
export const editWrites = (
  work: Work,
  before: StoredInspection,
  { fields, event }: Pick<InspectionEdit, 'fields' | 'event'>,
): { after: StoredInspection; writes: Write[] } => {
  const after = nextVersion(work, before, fields);
  return { after, writes: [...inspectionChange(work, before, after), inspectionEvent(work, after, event)] };
};

type Decide = (current: StoredInspection, work: Work) => Promise<InspectionEdit> | InspectionEdit;

/**
 * One change of an inspection: it is read, decided and written. All of this is repeated when another writer was faster.
 * @param replyOf the operation's reply, from the changed inspection and the time of the change
 * @throws ApiError 404
 */
export const editAndReply = <Reply>(
  caller: Caller,
  id: string,
  decide: Decide,
  replyOf: (inspection: StoredInspection, now: string) => Reply,
): Promise<Reply> =>
  change(caller, async (work) => {
    const current = withoutKeys(await inspectionRecords.get(work, id));
    const { fields, writes = [], event, ...options } = await decide(current, work);
    if (writes.length === 0 && isDeepStrictEqual({ ...current, ...fields }, current)) {
      return { writes: [], reply: replyOf(current, work.now) };
    }
    const next = nextVersion(work, current, fields);
    return {
      writes: [
        ...inspectionChange(work, current, next, options),
        ...writes,
        ...(options.isApproval ? [inspectionEvent(work, next, 'inspection.approved')] : []),
        inspectionEvent(work, next, event),
        ...(await notices(work, current, next)),
      ],
      reply: replyOf(next, work.now),
    };
  });

/** The same with the inspection as the reply. */
export const editInspection = (caller: Caller, id: string, decide: Decide): Promise<Inspection> =>
  editAndReply(caller, id, decide, toInspection);

/**
 * The change of a step, and its event.
 * @param fields other fields that the step changes, beside the status and its times
 * @throws ApiError 409 when the step is not allowed
 */
export const takeStep = (
  work: Work,
  step: InspectionStep,
  current: StoredInspection,
  fields: Partial<StoredInspection> = {},
): InspectionEdit => {
  const { status } = current;
  if (!isStepAllowed(step, status)) throw errors.inspectionStatus(status);
  const next = stepFields(step, current, work.now);
  return { fields: { ...next, ...fields }, event: stepEvent(step, next.status) };
};
