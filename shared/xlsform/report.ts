import { sectionsOf } from '../domain/content/content-index.ts';
import type { Content } from '../schemas/templates/content.ts';
import type { ImportReport } from '../schemas/templates/xlsform.ts';
import type { Remark } from './table.ts';

/** More would not fit into a reply; the last says how many there are. */
const MOST_ROWS = 5_000;

/** What an import tells of a content, and of the form that it was. */
export const importReport = (content: Content, remarks: readonly Remark[]): ImportReport => {
  const sections = [...sectionsOf(content)];
  const lost = remarks.filter(({ severity }) => severity === 'lost').length;
  const shown = remarks.slice(0, MOST_ROWS);
  const left = remarks.length - shown.length;
  const rest = {
    sheet: 'survey',
    row: null,
    column: null,
    name: null,
    severity: 'lost' as const,
    message: `${left} more cells are told of in counts alone`,
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
