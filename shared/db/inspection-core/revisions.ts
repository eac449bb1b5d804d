import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../../base/caller.ts';
import type { Revision } from '../../schemas/inspections/correction.ts';
import { type Condition, hasValues } from '../table/conditions.ts';
import { keys } from '../table/keys.ts';
import type { Row } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import type { StoredInspection } from './record.ts';

/** As stored: what it says is text, since documents that it names are not shown by it. */
export interface StoredRevision {
  id: string;
  sequence: number;
  answer_source: Revision['answer_source'];
  body: string;
}

/** A revision with what it takes to take it back: the record or start answer as it was before. */
export interface Recorded {
  revision: Revision;
  before: unknown;
}

/** The rows of changes, in the order in which they are given; a number counts on from the session's last. */
export const revisionWrites = (
  caller: Caller,
  { id, active_correction_id, correction_revisions }: StoredInspection,
  changes: readonly {
    revision: Omit<Revision, 'id' | 'sequence' | 'changed_by' | 'changed_at'>;
    before: unknown;
  }[],
): Write[] =>
  changes.map(({ revision, before }, position) => {
    const sequence = correction_revisions + position + 1;
    const recorded: Recorded = {
      revision: {
        ...revision,
        id: uuidv7(),
        sequence,
        changed_by: caller.user_id,
        changed_at: new Date().toISOString(),
      },
      before: before ?? null,
    };
    return write.create({
      ...keys.revision(caller, id, active_correction_id!, sequence),
      id: recorded.revision.id,
      sequence,
      answer_source: revision.answer_source,
      body: JSON.stringify(recorded),
    } satisfies Row<StoredRevision>);
  });

/** What a revision's row tells. */
export const recordedIn = ({ body }: StoredRevision): Recorded => JSON.parse(body) as Recorded;

/** That a correction is in this stage, with as many changes as were read. */
export const correctionStands = ({
  active_correction_id,
  correction_stage,
  correction_revisions,
}: StoredInspection): Condition =>
  hasValues({ active_correction_id, correction_stage, correction_revisions, status: 'completed' });
