import { isDeepStrictEqual } from 'node:util';
import { v7 as uuidv7 } from 'uuid';
import { viaKey } from '../../base/caller.ts';
import { own } from '../../base/fields.ts';
import { innermostIndexOf } from '../../domain/content/instance-paths.ts';
import { OPEN } from '../../domain/inspections/workflow.ts';
import type { Revision } from '../../schemas/inspections/correction.ts';
import { type FieldFor, fieldsFor } from '../../schemas/inspections/fields.ts';
import type { Work } from '../../table/change.ts';
import { type Condition, hasValues, oneOf } from '../../table/conditions.ts';
import type { StoredFinding, StoredInspection, StoredRevision } from '../../table/entities/inspections.ts';
import { keys } from '../../table/keys.ts';
import type { Row } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';

/**
 * Fields that a stored revision leaves out when they are null: the key through which a person acted, and the times,
 * which only revisions of answers have.
 */
type LeftOut = 'acted_via_key_id' | 'previous_client_answered_at' | 'client_answered_at';

/** A revision as it is stored. */
type WrittenRevision = Omit<Revision, LeftOut> & Partial<Pick<Revision, LeftOut>>;

/** A revision with the record or start answer before it, which is needed to undo it. */
interface RecordedRevision<Kept = Revision> {
  revision: Kept;
  before: unknown;
}

/** Adds these changes to the open correction, in this order. Their numbers continue from its last one. */
export const revisionWrites = (
  work: Work,
  { id, active_correction_id, correction_revisions }: StoredInspection,
  changes: readonly {
    revision: Omit<WrittenRevision, 'id' | 'sequence' | 'changed_by' | 'acted_via_key_id' | 'changed_at'>;
    before: unknown;
  }[],
): Write[] =>
  changes.map(({ revision, before }, position) => {
    const sequence = correction_revisions + position + 1;
    const recorded: RecordedRevision<WrittenRevision> = {
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
  const { revision, before } = JSON.parse(body) as RecordedRevision<WrittenRevision>;
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

/** The correction has the stage and the number of changes that were read. */
export const isCorrectionUnchanged = ({
  active_correction_id,
  correction_stage,
  correction_revisions,
}: StoredInspection): Condition =>
  hasValues({ active_correction_id, correction_stage, correction_revisions, status: 'completed' });

/**
 * The inspection still accepts answers, as it did when it was read. If it does not, the change is decided again, and
 * that decision throws the error.
 */
export const stillAcceptsAnswers = (inspection: StoredInspection): Condition =>
  inspection.correction_stage === null ? oneOf('status', OPEN) : isCorrectionUnchanged(inspection);

/** The fields of an inspection that a correction can change. */
type Correctable = Pick<StoredInspection, FieldFor<'correction'> | 'version'>;

/** A change of one field or start answer, as a revision records it. */
const setupRevision = (
  answer_source: Exclude<Revision['answer_source'], 'body'>,
  field_id: string,
  version: number,
  was: unknown,
  is: unknown,
) => ({
  revision: {
    answer_source,
    field_id,
    section_id: null,
    instance_index: 0,
    instance_path: '',
    previous_value: was ?? null,
    value: is ?? null,
    previous_note: '',
    note: '',
    previous_is_na: false,
    is_na: false,
    version,
  },
  before: was,
});

/** The changes of an inspection by a correction: one for each field of the setup and for each start answer. */
export const setupRevisions = (
  before: Correctable,
  after: Correctable,
): ReturnType<typeof setupRevision>[] => {
  const changes = (
    source: 'setup' | 'start',
    names: Iterable<string>,
    was: Readonly<Record<string, unknown>>,
    is: Readonly<Record<string, unknown>>,
  ) =>
    [...names]
      .filter((name) => !isDeepStrictEqual(own(was, name), own(is, name)))
      .map((name) => setupRevision(source, name, before.version + 1, own(was, name), own(is, name)));
  const [was, is] = [before.start_answers, after.start_answers];
  const fields = fieldsFor('correction').filter((name) => name !== 'start_answers');
  return [
    ...changes('setup', fields, before, after),
    ...changes('start', new Set([...Object.keys(was), ...Object.keys(is)]), was, is),
  ];
};

/** The `field_id` of a revision that adds or removes a finding. */
export const FINDING_FIELD = 'finding';

/** A finding that a correction adds, or that is deleted when the correction is taken back, as a revision records it. */
export const findingRevision = (
  { id, number, label, severity, section_id, field_id, instance_path, version }: StoredFinding,
  act: 'add' | 'remove',
) => {
  const shown = { id, number, label, severity, field_id };
  return {
    revision: {
      answer_source: 'setup' as const,
      field_id: FINDING_FIELD,
      section_id,
      instance_index: innermostIndexOf(instance_path),
      instance_path,
      previous_value: act === 'add' ? null : shown,
      value: act === 'add' ? shown : null,
      previous_note: '',
      note: '',
      previous_is_na: false,
      is_na: false,
      version,
    },
    before: null,
  };
};

/** The id of the finding that a revision adds; undefined for any other revision. */
export const addedFindingId = ({ answer_source, field_id, value }: Revision): string | undefined =>
  answer_source === 'setup' && field_id === FINDING_FIELD
    ? ((value as { id: string } | null)?.id ?? undefined)
    : undefined;
