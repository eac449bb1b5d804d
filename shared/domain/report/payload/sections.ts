import type { ReportSection } from '../../../schemas/reports/report-payload.ts';
import type { Section } from '../../../schemas/templates/content.ts';
import { isRepeat } from '../../content/content-index.ts';
import { instanceWithin } from '../../content/instance-paths.ts';
import {
  answerAt,
  type EvaluatedSources,
  fieldOf,
  isShown,
  shownText,
  startAnswer,
  textOf,
} from './fields.ts';

/** The title of an instance: the answer to the field that the section names for it, else its number from 1. */
const instanceLabel = (
  sources: EvaluatedSources,
  { repeat }: Section,
  path: string,
  position: number,
): string => {
  const place = repeat?.label_field_id ? sources.index.fields.get(repeat.label_field_id) : undefined;
  const answer = place && isShown(sources, place, path) ? answerAt(sources, place, path) : undefined;
  return (place && answer && textOf(sources, place.field, answer.value)) || `#${position + 1}`;
};

/**
 * A section in one instance.
 * @returns `[]` when everything in it is hidden; a section without any fields and sections is shown
 */
const sectionAt = (
  sources: EvaluatedSources,
  section: Section,
  path: string,
  instance: string | null,
): ReportSection[] => {
  const fields = section.fields
    .filter(({ report }) => report.visible)
    .map(({ id }) => sources.index.fields.get(id)!)
    .filter((place) => isShown(sources, place, path))
    .map((place) => fieldOf(sources, place.field, place.field.id, answerAt(sources, place, path), path));
  const sections = sectionsWithin(sources, section.sections, path);
  const isHidden =
    fields.length + sections.length === 0 && section.fields.length + section.sections.length > 0;
  const { id } = section;
  const shown = (text: string | null) =>
    shownText(sources, text ?? '', { repeats: sources.index.sections.get(id)!.repeats, path });
  const [title, description] = [shown(section.title), shown(section.description)];
  return isHidden ? [] : [{ id, title, description, instance, fields, sections }];
};

/** Sections with each of their instances. @param outer the path of the instance around them */
const sectionsWithin = (
  sources: EvaluatedSources,
  sections: readonly Section[],
  outer: string,
): ReportSection[] =>
  sections.flatMap((section) => {
    if (!isRepeat(section)) return sectionAt(sources, section, outer, null);
    return sources.evaluation.instances.of(section, outer).flatMap((position) => {
      const path = instanceWithin(outer, section.id, position);
      return sectionAt(sources, section, path, instanceLabel(sources, section, path, position));
    });
  });

/** The start fields as a section; `[]` when none is shown. */
const startSection = (sources: EvaluatedSources): ReportSection[] => {
  const fields = sources.index.content.start.fields
    .filter((field) => sources.evaluation.startStandingOf(field) !== 'hidden')
    .map((field) => fieldOf(sources, field, field.key, startAnswer(sources, field.key)));
  if (fields.length === 0) return [];
  return [{ id: 'start', title: 'Start', description: '', instance: null, fields, sections: [] }];
};

/** Every section with each of its instances, and every field with its answer. */
export const reportSections = (sources: EvaluatedSources): ReportSection[] => [
  ...startSection(sources),
  ...sectionsWithin(sources, sources.index.content.sections, ''),
];
