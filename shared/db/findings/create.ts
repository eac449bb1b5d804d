import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { evaluate } from '../../domain/content/conditions/evaluate.ts';
import { type ContentIndex, resolveInstance } from '../../domain/content/content-index.ts';
import { unitLocation } from '../../domain/content/new-finding.ts';
import { shownDocuments } from '../../domain/content/shown-documents.ts';
import type { Finding, NewFinding } from '../../schemas/finding.ts';
import type { InspectionStatus } from '../../schemas/inspections/inspection.ts';
import { answerStateKey, knownAnswers } from '../inspection-core/answer-state.ts';
import { addToCounters, placeOf, statusIsNot } from '../inspection-core/parts.ts';
import { inspectionRecords } from '../inspection-core/record.ts';
import { isCorrectionUnchanged, revisionWrites } from '../inspection-core/revisions.ts';
import { audienceIn, notify } from '../notifications/notify.ts';
import { change } from '../table/change.ts';
import type { StoredInspection } from '../table/entities.ts';
import { reference, resolve } from '../table/references.ts';
import { getRow } from '../table/rows.ts';
import { contentOf } from '../templates/content.ts';
import { newFinding, nextFindingNumber, toFinding } from './record.ts';
import { findingRevision } from './revisions.ts';

/** Findings can still be added while an inspection waits for approval or sign-off; later only in a correction. */
const CLOSED: InspectionStatus[] = ['completed', 'archived'];

type Place = Pick<Finding, 'section_id' | 'field_id' | 'instance_path'>;

/** The place of a new finding. @throws ApiError 400 for a place that the content does not have */
const resolvePlace = (index: ContentIndex, { section_id, field_id, instance_path }: NewFinding): Place => {
  if (field_id === null) {
    if (section_id !== null && !index.sections.has(section_id)) {
      throw errors.notInTemplate('section_id is not a section of this inspection');
    }
    return { section_id, field_id, instance_path };
  }
  const { section } = placeOf(index, field_id, section_id);
  const instance = resolveInstance(index, field_id, undefined, instance_path);
  if (Array.isArray(instance)) throw errors.notInTemplate(`instance_path: ${instance[0]!.msg}`);
  return { section_id: section.id, field_id, instance_path: instance.instance_path };
};

/**
 * The location of a place within repeat sections; null where they give none. Calls: none where they have no field for
 * it, else one, and as `knownAnswers`.
 */
const readUnitLocation = async (
  caller: Caller,
  { id, start_answers }: StoredInspection,
  index: ContentIndex,
  { field_id, instance_path }: Place,
): Promise<string | null> => {
  const repeats = index.fields.get(field_id ?? '')?.repeats ?? [];
  if (!repeats.some(({ repeat }) => repeat.location_field_id)) return null;
  const state = await getRow(caller, answerStateKey(caller, id));
  const known = await knownAnswers(caller, id, index, state);
  return unitLocation(evaluate(index, known.values(), start_answers), { repeats }, instance_path);
};

/**
 * A new finding. In a completed inspection it is part of the open correction.
 * @throws ApiError 404; 400 for a place or a document that does not exist; 409 for an archived inspection, and for a
 *   completed one without an open correction
 */
export const create = async (caller: Caller, inspectionId: string, request: NewFinding): Promise<Finding> => {
  let number: number | undefined;
  return change(caller, async (work) => {
    const inspection = await inspectionRecords.get(work, inspectionId);
    const hasPlace = request.section_id !== null || request.field_id !== null;
    const index = hasPlace
      ? await contentOf(work, inspection.template_id, inspection.content_hash)
      : undefined;
    const place = index && resolvePlace(index, request);
    const location_id = place ? await readUnitLocation(work, inspection, index, place) : null;
    const shown = shownDocuments(request.content);
    const [family] = await resolve(work, [
      reference(work, 'template_family_id', 'FAMILY', inspection.template_family_id),
      ...[...shown].map((id) => reference(work, 'content.media', 'DOCUMENT', id)),
    ]);
    const isCorrection = inspection.correction_stage === 'open';
    if (CLOSED.includes(inspection.status) && !isCorrection) {
      throw errors.inspectionLocked(inspection.status);
    }
    number ??= await nextFindingNumber(work);
    const { finding, writes } = newFinding(work, number, {
      ...request,
      ...place,
      location_id,
      inspection_id: inspectionId,
      origin: 'manual',
    });
    return {
      writes: [
        ...writes,
        ...notify(work, 'findingCreated', { inspection, finding }, audienceIn(family, 'on_finding')),
        addToCounters(
          work,
          inspectionId,
          {
            findings_count: 1,
            findings_revision: 1,
            parts_revision: 1,
            correction_revisions: Number(isCorrection),
          },
          isCorrection ? isCorrectionUnchanged(inspection) : statusIsNot(...CLOSED),
        ),
        ...(isCorrection ? revisionWrites(work, inspection, [findingRevision(finding, 'add')]) : []),
      ],
      reply: toFinding(finding),
    };
  });
};
