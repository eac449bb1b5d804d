import { numberedLabel } from '../../domain/report/payload/labels.ts';
import type {
  ReportAnswer,
  ReportField,
  ReportSection,
  ReportMedia,
} from '../../schemas/reports/report-answer.ts';
import type { ReportLayoutContent, ReportInclude } from '../../schemas/reports/report-layout-content.ts';
import type { ReportPayload } from '../../schemas/reports/report-payload.ts';

/** Columns that a page holds beside that of the instance's title, and those that it holds when all are short. */
const MAX_COLUMNS = { portrait: 5, landscape: 8 };
const MAX_SHORT_COLUMNS = 10;

/** Instances from which a table of many columns is worth a landscape page of its own in an upright report. */
const MIN_WIDE_ROWS = 8;

/** Characters of a cell, and of one that is short. */
const MAX_CELL = 60;
const MAX_SHORT_CELL = 24;

/** Characters of a question that heads a column. */
const MAX_HEAD = 60;

/** Instances from which a table is easier to read than blocks. */
const MIN_ROWS = 2;

/** Kinds of answers whose words are short. */
const SHORT = new Set<ReportAnswer['kind']>([
  'number',
  'yes_no',
  'options',
  'date',
  'time',
  'datetime',
  'member',
  'client_account',
  'reference',
]);

/** Types that need more than a cell, even without an answer. */
const WIDE = new Set([
  'long_text',
  'video',
  'audio',
  'file',
  'signature',
  'address',
  'location',
  'geo_point',
  'instruction',
]);

const isPicture = ({ mime_type }: ReportMedia): boolean => mime_type.startsWith('image/');

/** @param most characters */
const fitsCell = ({ type, label, answer, media }: ReportField, most: number): boolean => {
  if (WIDE.has(type) || label.length > MAX_HEAD || !media.every(isPicture)) return false;
  if (answer === null) return true;
  if (answer.kind === 'text') return answer.text.length <= most && !answer.text.includes('\n');
  if (answer.kind === 'options')
    return answer.options.reduce((length, { label: chosen }) => length + chosen.length + 2, 0) <= most;
  // Its pictures stand below the row.
  return answer.kind === 'media' || SHORT.has(answer.kind);
};

/**
 * The field whose answer is the title of each instance, found by the first instance with a title; undefined without
 * one.
 */
export const titleField = ({ instances }: Pick<ReportSection, 'instances'>): ReportField | undefined => {
  const named = instances?.find(({ label }) => label !== null);
  const text = JSON.stringify(named?.label);
  return named?.fields.find(({ answer }) => answer !== null && JSON.stringify(answer) === text);
};

type Page = Pick<ReportLayoutContent, 'orientation'>;

/** Whether a table with so many columns beside that of the title needs a landscape page of its own. */
export const isWideTable = (columns: number, { orientation }: Page): boolean =>
  orientation === 'portrait' && columns > MAX_COLUMNS.portrait;

/**
 * Whether the instances of a repeat are the rows of one table: their fields fit, and they have no sections.
 * @param path the instance around it. A table within another instance has no page of its own.
 */
export const isTable = (section: Pick<ReportSection, 'instances'>, path: string, page: Page): boolean => {
  const { instances } = section;
  if (instances === null || instances.length < MIN_ROWS) return false;
  const columns = new Set(instances.flatMap(({ fields }) => fields.map(({ id }) => id)));
  columns.delete(titleField(section)?.id ?? '');
  const fit = (most: number): boolean =>
    instances.every(
      ({ fields, sections }) => sections.length === 0 && fields.every((field) => fitsCell(field, most)),
    );
  if (columns.size === 0 || columns.size > MAX_SHORT_COLUMNS) return false;
  if (columns.size <= MAX_COLUMNS[page.orientation]) return fit(MAX_CELL);
  const mayBeWide = path === '' && instances.length >= MIN_WIDE_ROWS;
  return (mayBeWide || page.orientation === 'landscape') && fit(MAX_SHORT_CELL);
};

/** The anchors of the parts of a document, to which other parts link. A part that is not shown has none. */
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

/** Whether the question does not apply: it is marked as such, or the chosen option is. */
export const isNa = ({ is_na, answer }: ReportField): boolean =>
  is_na || (answer?.kind === 'options' && answer.options.every((option) => option.is_na));

type Content = Pick<ReportSection, 'fields' | 'sections'>;

/** A section with only what the layout includes; undefined when nothing is left. */
const includedContent = <Part extends Content>(part: Part, include: ReportInclude): Part | undefined => {
  const fields = includedFields(part.fields, include);
  const sections = includedSections(part.sections, include);
  const hadAny = part.fields.length + part.sections.length > 0;
  return hadAny && fields.length + sections.length === 0 ? undefined : { ...part, fields, sections };
};

/** Sections with only what the layout includes. A section that was empty from the start is shown. */
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
 * The numbers of siblings: their own numbers if one of them has one, else 1, 2, 3 … below the number of their parent.
 * @param around the number of the parent; empty at the top; null for a parent without a number
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
          addContent(instance, instance.instance_path, isTable(section, path, layout));
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

const mediaWithin = ({ fields, sections }: Pick<ReportSection, 'fields' | 'sections'>): ReportMedia[] => [
  ...fields.flatMap(({ media, before }) => [...media, ...(before?.media ?? [])]),
  ...sections.flatMap((section) => (section.instances ?? [section]).flatMap(mediaWithin)),
];

/** The media that the document of a report shows, each as often as it is shown; none if the layout excludes media. */
export const shownMedia = ({ layout, start, sections, findings }: ReportPayload): ReportMedia[] => {
  const { include, blocks } = layout;
  const shows = (...kinds: string[]) => blocks.some(({ kind }) => kinds.includes(kind));
  if (!include.media) return [];
  return [
    ...(shows('findings', 'summary') ? findings.flatMap(({ media }) => media) : []),
    ...(shows('findings')
      ? findings.flatMap(({ corrective_actions }) =>
          corrective_actions.flatMap(({ before, after }) => [...before, ...after]),
        )
      : []),
    ...(shows('sections')
      ? mediaWithin({ fields: includedFields(start, include), sections: includedSections(sections, include) })
      : []),
  ];
};
