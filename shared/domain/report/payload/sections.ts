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
import { instanceLabel } from './places.ts';
import { answerAt, type EvaluatedSources, isShown, startAnswer } from './sources.ts';

/** The content of a section in one instance, without the parts that conditions hide. */
const contentAt = (
  sources: EvaluatedSources,
  section: Section,
  path: string,
): Pick<ReportSection, 'fields' | 'sections'> => ({
  fields: section.fields
    .filter(({ report }) => report.visible)
    .map(({ id }) => sources.index.fields.get(id)!)
    .filter((place) => isShown(sources, place, path))
    .map((place) => fieldOf(sources, place.field, place.field.id, path, answerAt(sources, place, path))),
  sections: sectionsWithin(sources, section.sections, path),
});

/** Whether everything in a section is hidden; one without any fields and sections is shown. */
const isHidden = (section: Section, { fields, sections }: Pick<ReportSection, 'fields' | 'sections'>) =>
  fields.length + sections.length === 0 && section.fields.length + section.sections.length > 0;

const instancesWithin = (
  sources: EvaluatedSources,
  section: RepeatSection,
  outer: string,
): ReportSectionInstance[] =>
  sources.evaluation.instances.of(section, outer).flatMap((index, n) => {
    const path = instanceWithin(outer, section.id, index);
    const content = contentAt(sources, section, path);
    if (isHidden(section, content)) return [];
    const label = instanceLabel(sources, section, path);
    return [{ label, position: n + 1, instance_path: path, ...content }];
  });

/** @param outer the path of the instance around them */
const sectionsWithin = (
  sources: EvaluatedSources,
  sections: readonly Section[],
  outer: string,
): ReportSection[] =>
  sections.flatMap((section): ReportSection[] => {
    const { id, title, description } = section;
    const stand = titleStand(sources.index.sections.get(id)!, outer);
    const named = {
      id,
      title: shownText(sources, title, stand),
      description: shownText(sources, description ?? '', stand),
    };
    if (isRepeat(section)) {
      const instances = instancesWithin(sources, section, outer);
      return instances.length > 0 ? [{ ...named, fields: [], sections: [], instances }] : [];
    }
    const content = contentAt(sources, section, outer);
    return isHidden(section, content) ? [] : [{ ...named, ...content, instances: null }];
  });

/** The start fields that no condition hides. */
export const reportStart = (sources: EvaluatedSources): ReportField[] =>
  sources.index.content.start.fields
    .filter((field) => sources.evaluation.startStandingOf(field) !== 'hidden')
    .map((field) => fieldOf(sources, field, field.key, '', startAnswer(sources, field.key)));

/** Every section with each of its instances, and every field with its answer. */
export const reportSections = (sources: EvaluatedSources): ReportSection[] =>
  sectionsWithin(sources, sources.index.content.sections, '');
