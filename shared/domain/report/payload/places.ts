import type { ReportAnswer, ReportInstance } from '../../../schemas/reports/report-answer.ts';
import type { ReportFinding } from '../../../schemas/reports/report-payload.ts';
import { isRepeat, type RepeatSection } from '../../content/content-index.ts';
import { instanceWithin, readSegment, segmentsOf } from '../../content/instance-paths.ts';
import { titleStand } from '../../content/piping.ts';
import { typedAnswer } from './answers.ts';
import { shownText, shownTitle } from './fields.ts';
import { numberedLabel } from './labels.ts';
import { answerAt, type EvaluatedMaterial, isShown } from './material.ts';

/** The answer that names an instance, to the `label_field_id` of its section. Null when it is hidden or not given. */
export const instanceLabel = (
  material: EvaluatedMaterial,
  { repeat }: Pick<RepeatSection, 'repeat'>,
  path: string,
): ReportAnswer | null => {
  const place = repeat.label_field_id ? material.index.fields.get(repeat.label_field_id) : undefined;
  const answer = place && isShown(material, place, path) ? answerAt(material, place, path) : undefined;
  return place && answer && !answer.is_na ? typedAnswer(material, place.field, answer.value) : null;
};

/** The instances that a path leads through, outermost first. A section that the content lacks is left out. */
export const instancesAlong = (material: EvaluatedMaterial, path: string): ReportInstance[] => {
  let outer = '';
  return segmentsOf(path).flatMap((text) => {
    const segment = readSegment(text);
    const place = segment && material.index.sections.get(segment.sectionId);
    if (!place || !isRepeat(place.section)) return [];
    const { section } = place;
    // A gap in the indexes, which a deleted instance leaves, is no gap in the report.
    const known = material.evaluation.instances.of(section, outer).indexOf(segment.index);
    outer = instanceWithin(outer, section.id, segment.index);
    return [
      {
        section_id: section.id,
        section_title: shownText(material, section.title, titleStand(place, outer)),
        label: instanceLabel(material, section, outer),
        position: (known === -1 ? segment.index : known) + 1,
      },
    ];
  });
};

export type QuestionPlace = Pick<
  ReportFinding,
  'section_id' | 'section_title' | 'field_id' | 'field_number' | 'field_label' | 'instance_path' | 'instances'
>;

/** The position of a question, or of a section when no field is named. */
export const questionPlace = (
  material: EvaluatedMaterial,
  sectionId: string | null,
  fieldId: string | null,
  path: string,
): QuestionPlace => {
  const field = material.index.fields.get(fieldId ?? '')?.field;
  const { number, label } = numberedLabel(
    shownText(material, field?.label ?? '', {
      repeats: material.index.fields.get(fieldId ?? '')?.repeats ?? [],
      path,
    }),
  );
  return {
    section_id: sectionId,
    section_title: shownTitle(material, sectionId ?? '', path),
    field_id: field ? fieldId : null,
    field_number: number,
    field_label: field ? label : null,
    instance_path: path,
    instances: instancesAlong(material, path),
  };
};
