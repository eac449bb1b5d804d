import { numberedLabel } from '../../domain/report/payload/labels.ts';
import type { ReportInstance } from '../../schemas/reports/report-answer.ts';
import type { ReportFinding } from '../../schemas/reports/report-finding.ts';
import { titleOf } from './anchors.ts';
import { answerLine } from './answers.ts';
import type { Context } from './context.ts';
import type { Paragraph } from './document.ts';
import { linkTo } from './spans.ts';

/** The title of an instance: the answer that names it, else its number. */
export const instanceTitle = (
  context: Context,
  { label, position }: Pick<ReportInstance, 'label' | 'position'>,
): string => {
  const title = label ? answerLine(context, label) : '';
  return title || String(position);
};

/** An instance with its section: "Extinguisher EXT-1004"; the section's title only once, if the answer repeats it. */
export const instanceName = (context: Context, instance: ReportInstance): string => {
  const section = titleOf({ title: instance.section_title }).label;
  const title = instanceTitle(context, instance);
  return title.toLowerCase().startsWith(section.toLowerCase()) ? title : `${section} ${title}`;
};

type Place = Pick<
  ReportFinding,
  'section_id' | 'section_title' | 'field_id' | 'field_number' | 'field_label' | 'instance_path' | 'instances'
>;

/** A question with its number: "4.2 Floors are clean". */
export const questionOf = ({ field_number, field_label }: Pick<Place, 'field_number' | 'field_label'>) =>
  [field_number, field_label].filter(Boolean).join(' ');

/** The title of a finding, without the number of its question: a finding has a number of its own. */
export const findingTitle = ({
  label,
  field_number,
}: Pick<ReportFinding, 'label' | 'field_number'>): string => {
  const { number, label: title } = numberedLabel(label);
  return number !== null && number === field_number ? title : label;
};

/** Where something stands: "Extinguisher EXT-1004 › Seal intact". Empty where that is not known. */
export const placeWords = (context: Context, place: Place): string => {
  const { section_id, section_title, instances } = place;
  // The innermost instance names its section already.
  const isNamed = instances.at(-1)?.section_id === section_id;
  const section = section_title === null || isNamed ? '' : titleOf({ title: section_title }).label;
  return [...instances.map((each) => instanceName(context, each)), section, questionOf(place)]
    .filter((part) => part !== '')
    .join(' › ')
    .replaceAll(/\s*\n\s*/g, ' ');
};

/** The same as a link to the item or, where that is not shown, to its section. */
export const placeLink = (context: Context, place: Place): Paragraph => {
  const { item, section } = context.anchors;
  const to =
    item(place.field_id, place.instance_path) ??
    section(place.section_id, place.instance_path) ??
    section(place.section_id);
  return linkTo(to, placeWords(context, place));
};
