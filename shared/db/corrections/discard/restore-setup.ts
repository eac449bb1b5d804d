import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../../base/caller.ts';
import { shownDocuments, withoutDocuments } from '../../../domain/content/shown-documents.ts';
import { references } from '../../../domain/content/values/references.ts';
import { correctedField } from '../../../schemas/inspections/fields.ts';
import { LoadedRows } from '../../answers/batch/loaded-rows.ts';
import { inspectionEvent, inspectionChange } from '../../inspection-core/inspection-record.ts';
import { revisionWrites, setupRevisions } from '../../inspection-core/revisions.ts';
import { changeStartAnswers } from '../../inspections/setup/start-answers.ts';
import { changeInParts, type Part, takeWhatFits } from '../../table/change-in-parts.ts';
import type { Work } from '../../table/change.ts';
import { nextVersion } from '../../table/collection.ts';
import type { StoredInspection } from '../../table/entities.ts';
import type { Key } from '../../table/keys.ts';
import { answerReferences } from '../../table/references.ts';
import { getRows } from '../../table/rows.ts';
import type { Write } from '../../table/writes.ts';
import { contentOf } from '../../templates/content.ts';
import { type OriginalField, originals, withOriginals } from '../originals.ts';
import { readCorrection } from '../record.ts';
import { deletedDocuments } from './restore-answers.ts';

/** Writes of one transaction for restored fields. Those of the inspection itself come on top of them. */
const MAX_WRITES = 80;

/** The key of the resource that a field of the setup names; undefined where it names none. */
const keyNamedIn = (caller: Caller, { source, name, before }: OriginalField): Key | undefined => {
  const field = source === 'setup' ? correctedField(name) : undefined;
  return field && answerReferences(caller, name, references(field, before))[0]?.key;
};

/** What the fields were, without resources and documents that do not exist any more. */
const restorable = async (caller: Caller, fields: readonly OriginalField[]): Promise<OriginalField[]> => {
  const deleted = await deletedDocuments(
    caller,
    new LoadedRows(caller),
    fields.map(({ before }) => before),
  );
  const named = fields.map((field) => keyNamedIn(caller, field));
  const rows = await getRows(caller, named);
  return fields.map((field, position) => {
    const { source, before } = field;
    if (source === 'start') return { ...field, before: withoutDocuments(before, deleted) };
    return { ...field, before: named[position] && !rows[position] ? null : before };
  });
};

const currentOf = (inspection: StoredInspection, { source, name }: OriginalField): unknown =>
  source === 'start' ? (inspection.start_answers[name] ?? null) : inspection[name as keyof StoredInspection];

const isRestored = (inspection: StoredInspection, field: OriginalField): boolean =>
  isDeepStrictEqual(currentOf(inspection, field), field.before);

/** The maximum number of writes by which a field is restored: its revision, and the rows that depend on it. */
const maxWritesOf = (inspection: StoredInspection, field: OriginalField): number => {
  const current = currentOf(inspection, field);
  if (field.source === 'setup' && field.name === 'participants')
    return 1 + (current as []).length + (field.before as []).length;
  return 5 + shownDocuments([current, field.before]).size;
};

/** Restores these fields. A client or location that is deleted meanwhile makes the change stale. */
const restoringWrites = async (
  work: Work,
  current: StoredInspection,
  fields: readonly OriginalField[],
): Promise<Write[]> => {
  const target = withOriginals(current, fields);
  const index = await contentOf(work, current.template_id, current.content_hash);
  const start = await changeStartAnswers(work, index, target.start_answers, current, current.id);
  const revisions = setupRevisions(current, target);
  const after = nextVersion(work, current, {
    ...target,
    ...start.fields,
    correction_revisions: current.correction_revisions + revisions.length,
  });
  return [
    ...inspectionChange(work, current, after, { withAnswers: true }).map((each) => ({
      ...each,
      otherwise: () => 'stale' as const,
    })),
    ...start.writes,
    ...revisionWrites(work, current, revisions),
    inspectionEvent(work, after),
  ];
};

/**
 * Brings the setup and the start answers that a correction has changed back to what they were, in as many transactions
 * as it takes.
 * @throws ApiError 404
 */
export const restoreSetup = (caller: Caller, inspectionId: string, id: string): Promise<void> =>
  changeInParts(caller, () => async (work): Promise<Part> => {
    const { inspection } = await readCorrection(work, inspectionId, id);
    // Another request has ended the correction meanwhile.
    if (inspection.active_correction_id !== id) return { writes: [], isLast: true };
    const { fields } = await originals(work, inspectionId, id);
    const wanted = await restorable(work, fields);
    const some: OriginalField[] = [];
    let writes = 0;
    const { isAll } = takeWhatFits(
      wanted.filter((field) => !isRestored(inspection, field)),
      (field) => writes + maxWritesOf(inspection, field) <= MAX_WRITES,
      (field) => {
        writes += maxWritesOf(inspection, field);
        some.push(field);
      },
    );
    if (some.length === 0) return { writes: [], isLast: true };
    return { writes: await restoringWrites(work, inspection, some), isLast: isAll };
  });
