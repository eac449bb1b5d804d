import type {
  ReportField,
  ReportSection,
  ReportSectionInstance,
} from '../../../schemas/reports/report-answer.ts';
import type { Section } from '../../../schemas/templates/content.ts';
import { isRepeat, type RepeatSection } from '../../content/content-index.ts';
import { instanceWithin } from '../../content/instance-paths.ts';
import { titleStand } from '../../content/piping.ts';
import { fieldOf, shownText } from './fields.ts';
import { answerAt, type EvaluatedMaterial, isShown, startAnswer } from './material.ts';
import { instanceLabel } from './places.ts';

/** The content of a section in one instance, without the parts that conditions hide. */
const contentAt = (
  material: EvaluatedMaterial,
  section: Section,
  path: string,
): Pick<ReportSection, 'fields' | 'sections'> => ({
  fields: section.fields
    .filter(({ report }) => report.visible)
    .map(({ id }) => material.index.fields.get(id)!)
    .filter((place) => isShown(material, place, path))
    .map((place) => fieldOf(material, place.field, place.field.id, path, answerAt(material, place, path))),
  sections: sectionsWithin(material, section.sections, path),
});

/** Whether everything in a section is hidden; one without any fields and sections is shown. */
const isHidden = (section: Section, { fields, sections }: Pick<ReportSection, 'fields' | 'sections'>) =>
  fields.length + sections.length === 0 && section.fields.length + section.sections.length > 0;

const instancesWithin = (
  material: EvaluatedMaterial,
  section: RepeatSection,
  outer: string,
): ReportSectionInstance[] =>
  material.evaluation.instances.of(section, outer).flatMap((index, n) => {
    const path = instanceWithin(outer, section.id, index);
    const content = contentAt(material, section, path);
    if (isHidden(section, content)) return [];
    const label = instanceLabel(material, section, path);
    return [{ label, position: n + 1, instance_path: path, ...content }];
  });

/** @param outer the path of the instance around them */
const sectionsWithin = (
  material: EvaluatedMaterial,
  sections: readonly Section[],
  outer: string,
): ReportSection[] =>
  sections.flatMap((section): ReportSection[] => {
    const { id, title, description } = section;
    const stand = titleStand(material.index.sections.get(id)!, outer);
    const named = {
      id,
      title: shownText(material, title, stand),
      description: shownText(material, description ?? '', stand),
    };
    if (isRepeat(section)) {
      const instances = instancesWithin(material, section, outer);
      return instances.length > 0 ? [{ ...named, fields: [], sections: [], instances }] : [];
    }
    const content = contentAt(material, section, outer);
    return isHidden(section, content) ? [] : [{ ...named, ...content, instances: null }];
  });

/** The start fields that no condition hides. */
export const reportStart = (material: EvaluatedMaterial): ReportField[] =>
  material.index.content.start.fields
    .filter((field) => material.evaluation.startStandingOf(field) !== 'hidden')
    .map((field) => fieldOf(material, field, field.key, '', startAnswer(material, field.key)));

/** Every section with each of its instances, and every field with its answer. */
export const reportSections = (material: EvaluatedMaterial): ReportSection[] =>
  sectionsWithin(material, material.index.content.sections, '');
