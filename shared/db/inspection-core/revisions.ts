import { v7 as uuidv7 } from 'uuid';
import { type Caller, viaKey } from '../../base/caller.ts';
import type { Revision } from '../../schemas/inspections/correction.ts';
import { type Condition, hasValues } from '../table/conditions.ts';
import type { StoredInspection, StoredRevision } from '../table/entities.ts';
import type { Recorded } from '../table/entities/recorded.ts';
import { shownEntry } from '../table/history.ts';
import { keys } from '../table/keys.ts';
import type { Row } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';

/** A revision with the record or start answer before it, which is needed to undo it. */
export interface RecordedRevision {
  revision: Revision;
  before: unknown;
}

/** The same in its row, which names the key through which a person acted only if there was one. */
interface StoredChange {
  revision: Recorded<Revision>;
  before: unknown;
}

/** Adds these changes to the open correction, in this order. Their numbers continue from its last one. */
export const revisionWrites = (
  caller: Caller,
  { id, active_correction_id, correction_revisions }: StoredInspection,
  changes: readonly {
    revision: Omit<Revision, 'id' | 'sequence' | 'changed_by' | 'acted_via_key_id' | 'changed_at'>;
    before: unknown;
  }[],
): Write[] =>
  changes.map(({ revision, before }, position) => {
    const sequence = correction_revisions + position + 1;
    const recorded: StoredChange = {
      revision: {
        ...revision,
        id: uuidv7(),
        sequence,
        changed_by: caller.user_id,
        ...viaKey(caller),
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

/** The revision in a row. */
export const revisionOf = ({ body }: StoredRevision): RecordedRevision => {
  const { revision, before } = JSON.parse(body) as StoredChange;
  return { revision: shownEntry<Revision>(revision), before };
};

/** The correction is in the stage, and has the number of changes, that was read. */
export const isCorrectionUnchanged = ({
  active_correction_id,
  correction_stage,
  correction_revisions,
}: StoredInspection): Condition =>
  hasValues({ active_correction_id, correction_stage, correction_revisions, status: 'completed' });
