import { sectionsOf } from '../../../domain/content/content-index.ts';
import type { Content } from '../../../schemas/templates/content.ts';
import type { ImportReport } from '../../../schemas/templates/xlsform.ts';
import type { Remark } from '../diagnostics.ts';

/** The most remarks of a report, because a reply has a maximum size. A last row says how many more there are. */
const MAX_ROWS = 5_000;

/** The report of an import: the remarks on the form and the size of the content. */
export const importReport = (content: Content, remarks: readonly Remark[]): ImportReport => {
  const sections = [...sectionsOf(content)];
  const lost = remarks.filter(({ severity }) => severity === 'lost').length;
  const shown = remarks.slice(0, MAX_ROWS);
  const left = remarks.length - shown.length;
  const rest = {
    sheet: 'survey',
    row: null,
    column: null,
    name: null,
    severity: 'lost' as const,
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
