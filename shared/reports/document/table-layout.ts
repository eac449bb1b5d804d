import type { ReportAnswer, ReportField, ReportSection } from '../../schemas/reports/report-answer.ts';
import type { ReportLayoutContent } from '../../schemas/reports/report-layout-content.ts';

/** Columns that a page holds beside that of the instance's title. */
const MAX_COLUMNS = { portrait: 5, landscape: 8 };

/** Characters of a cell. */
const MAX_CELL = 60;

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
  'photo',
  'video',
  'audio',
  'file',
  'drawing',
  'signature',
  'address',
  'location',
  'geo_point',
  'instruction',
]);

const fitsCell = ({ type, label, answer }: ReportField): boolean => {
  if (WIDE.has(type) || label.length > MAX_HEAD) return false;
  if (answer === null) return true;
  if (answer.kind === 'text') return answer.text.length <= MAX_CELL && !answer.text.includes('\n');
  if (answer.kind === 'options')
    return answer.options.reduce((length, { label: chosen }) => length + chosen.length + 2, 0) <= MAX_CELL;
  return SHORT.has(answer.kind);
};

/** The field whose answer is the title of each instance, by the first instance that has one; undefined without one. */
export const titleField = ({ instances }: Pick<ReportSection, 'instances'>): ReportField | undefined => {
  const named = instances?.find(({ label }) => label !== null);
  const text = JSON.stringify(named?.label);
  return named?.fields.find(({ answer }) => answer !== null && JSON.stringify(answer) === text);
};

/** Whether the instances of a repeat are the rows of one table: their fields fit, and nothing is inside them. */
export const isTable = (
  section: Pick<ReportSection, 'instances'>,
  { orientation }: Pick<ReportLayoutContent, 'orientation'>,
): boolean => {
  const { instances } = section;
  if (instances === null || instances.length < MIN_ROWS) return false;
  const columns = new Set(instances.flatMap(({ fields }) => fields.map(({ id }) => id)));
  columns.delete(titleField(section)?.id ?? '');
  return (
    columns.size > 0 &&
    columns.size <= MAX_COLUMNS[orientation] &&
    instances.every(({ fields, sections }) => sections.length === 0 && fields.every(fitsCell))
  );
};
