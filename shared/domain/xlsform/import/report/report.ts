import type { Content } from '../../../../schemas/templates/content.ts';
import type { ImportReport } from '../../../../schemas/templates/xlsform.ts';
import { sectionsOf } from '../../../content/content-index.ts';
import type { Remark } from '../diagnostics.ts';
import { placesOf } from './remarks.ts';

/** The most remarks of a report, because a reply has a maximum size. A last row says how many more there are. */
const MAX_ROWS = 5_000;

/** Joins notes that say the same of several rows. Each loss keeps a row of its own. */
const merged = (remarks: readonly Remark[]): Remark[] => {
  const keyOf = ({ sheet, column, severity, message }: Remark, i: number) =>
    severity === 'note' ? JSON.stringify([sheet, column, message]) : i;
  const groups = Map.groupBy(
    remarks.map((remark, i) => ({ remark, key: keyOf(remark, i) })),
    ({ key }) => key,
  );
  return [...groups.values()].map(([first, ...others]) => {
    if (others.length === 0) return first!.remark;
    const rows = [first!, ...others].flatMap(({ remark }) => remark.row ?? []);
    return {
      ...first!.remark,
      row: null,
      name: null,
      message: `${first!.remark.message} ${placesOf(rows)}`,
    };
  });
};

/** The report of an import: the remarks on the form and the size of the content. */
export const importReport = (content: Content, all: readonly Remark[]): ImportReport => {
  const remarks = merged(all);
  const sections = [...sectionsOf(content)];
  const lost = remarks.filter(({ severity }) => severity === 'lost').length;
  const isWhole = remarks.length <= MAX_ROWS;
  // In a report that is cut, the losses come first.
  const inOrder = isWhole
    ? remarks
    : remarks.toSorted((a, b) => Number(a.severity === 'note') - Number(b.severity === 'note'));
  const shown = inOrder.slice(0, MAX_ROWS);
  const left = remarks.length - shown.length;
  const rest = {
    sheet: 'survey',
    row: null,
    column: null,
    name: null,
    severity: inOrder[MAX_ROWS]?.severity ?? 'note',
    message: `${left} more remarks are not listed, but counted`,
  };
  return {
    rows: left > 0 ? [...shown, rest] : shown,
    counts: {
      sections: sections.length,
      fields: sections.reduce((sum, { section }) => sum + section.fields.length, 0),
      start_fields: content.start.fields.length,
      response_sets: content.response_sets.length,
      notes: remarks.length - lost,
      lost,
    },
  };
};
