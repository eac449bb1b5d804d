import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../base/caller.ts';
import type { InspectionEvent } from '../../schemas/event-data.ts';
import type { Inspection } from '../../schemas/inspections/inspection.ts';
import { inspectionRecords, toInspection, transition, inspectionEvent } from '../inspection-core/record.ts';
import { change } from '../table/change.ts';
import { nextVersion } from '../table/collection.ts';
import type { StoredInspection } from '../table/entities.ts';
import { withoutKeys } from '../table/rows.ts';
import type { Write } from '../table/writes.ts';
import { notices } from './notices.ts';

/** The decided change of an inspection. */
export interface Edit {
  fields: Partial<StoredInspection>;
  writes?: Write[];
  /** What the change is to whoever follows events; by default, `inspection.updated`. */
  event?: InspectionEvent;
  /** Whether the decision depends on the answers: the change fails when one was saved since they were read. */
  withAnswers?: boolean;
}

type Decide = (current: StoredInspection) => Promise<Edit> | Edit;

/**
 * One change of an inspection: it is read, decided and written, and again when another writer was faster.
 * @param replyOf the operation's reply, from the changed inspection
 * @throws ApiError 404
 */
export const editAndReply = <Reply>(
  caller: Caller,
  id: string,
  decide: Decide,
  replyOf: (inspection: StoredInspection) => Reply,
): Promise<Reply> =>
  change(caller, async () => {
    const current = withoutKeys(await inspectionRecords.get(caller, id));
    const { fields, writes = [], event, withAnswers } = await decide(current);
    if (writes.length === 0 && isDeepStrictEqual({ ...current, ...fields }, current)) {
      return { writes: [], reply: replyOf(current) };
    }
    const next = nextVersion(current, fields);
    return {
      writes: [
        ...transition(caller, current, next, { withAnswers }),
        ...writes,
        inspectionEvent(caller, next, event),
        ...(await notices(caller, current, next)),
      ],
      reply: replyOf(next),
    };
  });

/** The same with the inspection as the reply. */
export const editInspection = (caller: Caller, id: string, decide: Decide): Promise<Inspection> =>
  editAndReply(caller, id, decide, toInspection);
