import { isUnanswered } from './answers.ts';
import type { ReportField, ReportInclude, ReportSection } from './former-payload.ts';

/** A section with its number ("2.1") and only the fields that the layout includes. */
export interface NumberedSection {
  number: string;
  title: string;
  description: string;
  fields: ReportField[];
  sections: NumberedSection[];
}

/**
 * The sections that a report shows. A section is left out if the layout excludes everything in it; a section that was
 * empty from the start is shown.
 * @param prefix the number of the outer section with a point after it ("2."), empty at the top
 */
export const numberedSections = (
  sections: ReportSection[],
  include: ReportInclude,
  prefix = '',
): NumberedSection[] => {
  const isShown = (field: ReportField): boolean =>
    (include.unanswered || !isUnanswered(field)) && (include.na || !field.is_na);
  return sections.flatMap((section, index) => {
    const number = `${prefix}${index + 1}`;
    const fields = section.fields.filter(isShown);
    const nested = numberedSections(section.sections, include, `${number}.`);
    const isEmptied =
      fields.length + nested.length === 0 && section.fields.length + section.sections.length > 0;
    const title = section.instance ? `${section.title} – ${section.instance}` : section.title;
    return isEmptied ? [] : [{ number, title, description: section.description, fields, sections: nested }];
  });
};

/** All fields of a section: its own first, then those of the sections inside it. */
export const fieldsOf = (section: NumberedSection): ReportField[] => [
  ...section.fields,
  ...section.sections.flatMap(fieldsOf),
];

/** How many questions a section has. */
export interface SectionCounts {
  items: number;
  unanswered: number;
  na: number;
  failed: number;
}

/** Counts the questions of a section and of all sections inside it; instructions do not count. */
export const countsOf = (section: NumberedSection): SectionCounts => {
  const fields = fieldsOf(section).filter(({ type }) => type !== 'instruction');
  return {
    items: fields.length,
    unanswered: fields.filter(isUnanswered).length,
    na: fields.filter(({ is_na }) => is_na).length,
    failed: fields.filter(({ is_failed }) => is_failed).length,
  };
};

/** The counts as they stand beside a section's title: "12 items · 1 failed". */
export const countsText = ({ items, failed }: SectionCounts): string =>
  [`${items} ${items === 1 ? 'item' : 'items'}`, ...(failed > 0 ? [`${failed} failed`] : [])].join(' · ');
