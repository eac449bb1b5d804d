import { numberedLabel } from '../../domain/report/payload/labels.ts';
import type { ReportField, ReportSection } from '../../schemas/reports/report-answer.ts';
import type { ReportInclude } from '../../schemas/reports/report-layout-content.ts';
import type { ReportPayload } from '../../schemas/reports/report-payload.ts';
import { isTable } from './table-layout.ts';

/** Where the parts of a document stand, so that every other part can link to them. A part that is not shown has none. */
export interface Anchors {
  item: (fieldId: string | null, path: string) => string | null;
  /** @param path the instance around it; empty for a section outside repeats */
  section: (id: string | null, path?: string) => string | null;
  finding: (position: number) => string | null;
  correction: (position: number) => string | null;
}

/** Whether a question has no answer. An instruction asks nothing. */
export const isUnanswered = ({ type, is_na, answer }: ReportField): boolean =>
  type !== 'instruction' && !is_na && answer === null;

/** The fields that the layout includes. */
export const includedFields = (fields: readonly ReportField[], include: ReportInclude): ReportField[] =>
  fields.filter((field) => (include.unanswered || !isUnanswered(field)) && (include.na || !isNa(field)));

/** Whether the question does not apply: it is marked so, or the chosen option says so. */
export const isNa = ({ is_na, answer }: ReportField): boolean =>
  is_na || (answer?.kind === 'options' && answer.options.every((option) => option.is_na));

type Content = Pick<ReportSection, 'fields' | 'sections'>;

/** A section without what the layout leaves out; undefined when nothing is left of it. */
const includedContent = <Part extends Content>(part: Part, include: ReportInclude): Part | undefined => {
  const fields = includedFields(part.fields, include);
  const sections = includedSections(part.sections, include);
  const hadAny = part.fields.length + part.sections.length > 0;
  return hadAny && fields.length + sections.length === 0 ? undefined : { ...part, fields, sections };
};

/** Sections without what the layout leaves out. One that was empty from the start is shown. */
export const includedSections = (
  sections: readonly ReportSection[],
  include: ReportInclude,
): ReportSection[] =>
  sections.flatMap((section) => {
    if (section.instances === null) return includedContent(section, include) ?? [];
    const instances = section.instances.flatMap((instance) => includedContent(instance, include) ?? []);
    return instances.length > 0 ? [{ ...section, instances }] : [];
  });

/**
 * The numbers of siblings: their own where they bring any, else 1, 2, 3 … below the number of what is around them.
 * @param around empty at the top; null where what is around them has no number
 */
export const numbersOf = (own: readonly (string | null)[], around: string | null, first = 1): string[] => {
  const bringsOwn = own.some((number) => number !== null);
  return own.map((number, n) => {
    if (bringsOwn || around === null) return number ?? '';
    return around === '' ? String(first + n) : `${around}.${first + n}`;
  });
};

/** A section's title without the number that it may bring. */
export const titleOf = ({ title }: Pick<ReportSection, 'title'>) => numberedLabel(title);

const key = (id: string, path: string): string => `${id} ${path}`;

export const anchorsOf = ({ layout, sections, findings, corrections, start }: ReportPayload): Anchors => {
  const items = new Map<string, string>();
  const places = new Map<string, string>();
  const shows = (kind: string) => layout.blocks.some((block) => block.kind === kind);
  let [itemCount, sectionCount] = [0, 0];
  const addContent = ({ fields, sections: inner }: Content, path: string, isRow: boolean): void => {
    const row = isRow ? `item-${(itemCount += 1)}` : null;
    if (row) items.set(key('row', path), row);
    for (const field of fields)
      items.set(key(field.id, field.instance_path), row ?? `item-${(itemCount += 1)}`);
    addSections(inner, path);
  };
  const addSections = (added: readonly ReportSection[], path: string): void => {
    for (const section of added) {
      places.set(key(section.id, path), `section-${(sectionCount += 1)}`);
      if (section.instances === null) addContent(section, path, false);
      else
        for (const instance of section.instances) {
          places.set(key(section.id, instance.instance_path), `section-${(sectionCount += 1)}`);
          addContent(instance, instance.instance_path, isTable(section, layout));
        }
    }
  };
  if (shows('sections')) {
    addContent({ fields: includedFields(start, layout.include), sections: [] }, '', false);
    addSections(includedSections(sections, layout.include), '');
  }
  return {
    item: (fieldId, path) => (fieldId === null ? null : (items.get(key(fieldId, path)) ?? null)),
    section: (id, path = '') => (id === null ? null : (places.get(key(id, path)) ?? null)),
    finding: (position) => (shows('findings') && position <= findings.length ? `finding-${position}` : null),
    correction: (position) =>
      shows('corrections') && position <= corrections.length ? `correction-${position}` : null,
  };
};
