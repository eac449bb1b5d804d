import { v7 as uuidv7 } from 'uuid';
import { viaKey } from '../../base/caller.ts';
import { OPEN } from '../../domain/inspections/workflow.ts';
import type { Revision } from '../../schemas/inspections/correction.ts';
import type { Work } from '../table/change.ts';
import { type Condition, hasValues, oneOf } from '../table/conditions.ts';
import type { StoredInspection, StoredRevision } from '../table/entities.ts';
import { keys } from '../table/keys.ts';
import type { Row } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';

/**
 * What a revision lacks where it is null: the key through which a person acted, and the times that only the revisions of
 * answers have, and lack where they are older than it.
 */
type MayLack = 'acted_via_key_id' | 'previous_client_answered_at' | 'client_answered_at';

/** A revision as it is recorded. */
type Recorded = Omit<Revision, MayLack> & Partial<Pick<Revision, MayLack>>;

/** A revision with the record or start answer before it, which is needed to undo it. */
export interface RecordedRevision<Kept = Revision> {
  revision: Kept;
  before: unknown;
}

/** Adds these changes to the open correction, in this order. Their numbers continue from its last one. */
export const revisionWrites = (
  work: Work,
  { id, active_correction_id, correction_revisions }: StoredInspection,
  changes: readonly {
    revision: Omit<Recorded, 'id' | 'sequence' | 'changed_by' | 'acted_via_key_id' | 'changed_at'>;
    before: unknown;
  }[],
): Write[] =>
  changes.map(({ revision, before }, position) => {
    const sequence = correction_revisions + position + 1;
    const recorded: RecordedRevision<Recorded> = {
      revision: {
        ...revision,
        id: uuidv7(),
        sequence,
        changed_by: work.user_id,
        ...viaKey(work),
        changed_at: work.now,
      },
      before: before ?? null,
    };
    return write.create({
      ...keys.revision(work, id, active_correction_id!, sequence),
      id: recorded.revision.id,
      sequence,
      answer_source: revision.answer_source,
      body: JSON.stringify(recorded),
    } satisfies Row<StoredRevision>);
  });

/** The revision in a row. */
export const revisionOf = ({ body }: StoredRevision): RecordedRevision => {
  const { revision, before } = JSON.parse(body) as RecordedRevision<Recorded>;
  return {
    revision: {
      acted_via_key_id: null,
      previous_client_answered_at: null,
      client_answered_at: null,
      ...revision,
    },
    before,
  };
};

/** The correction is in the stage, and has the number of changes, that was read. */
export const isCorrectionUnchanged = ({
  active_correction_id,
  correction_stage,
  correction_revisions,
}: StoredInspection): Condition =>
  hasValues({ active_correction_id, correction_stage, correction_revisions, status: 'completed' });

/**
 * The inspection accepts answers, as it did when it was read. When it does not, the change is decided again, and the
 * decision throws the error.
 */
export const stillAcceptsAnswers = (inspection: StoredInspection): Condition =>
  inspection.correction_stage === null ? oneOf('status', OPEN) : isCorrectionUnchanged(inspection);
