import { html, type Markup } from '../../base/markup.ts';
import { countsOf, type NumberedSection } from '../presentation/sections.ts';
import { severityChips, summaryFigures } from '../presentation/summary.ts';
import { chips, columns, tiles } from './elements.ts';
import type { Page } from './page.ts';

/** A section's row, and below it those of the sections inside it. */
const countRows = (section: NumberedSection): Markup => {
  const { items, unanswered, na, failed } = countsOf(section);
  return html`<tr>
      <th scope="row" dir="auto">${`${section.number} ${section.title}`}</th>
      ${[items, unanswered, na].map((count) => html`<td class="count">${count}</td>`)}
      <td class="count ${failed > 0 && 'bad'}">${failed}</td>
    </tr>
    ${section.sections.map(countRows)}`;
};

const countTable = (sections: readonly NumberedSection[]): Markup =>
  html`<table class="rows">
    <caption class="hidden">
      Number of items in each section
    </caption>
    ${columns(['Section'], ['Items', 'count'], ['Unanswered', 'count'], ['N/A', 'count'], ['Failed', 'count'])}
    <tbody>
      ${sections.map(countRows)}
    </tbody>
  </table>`;

/** The numbers of the whole inspection, the findings by severity, and the numbers of each section. */
export const summary = ({ payload, sections }: Page): Markup => {
  const severities = severityChips(payload);
  const severityLabels = severities.length > 0 && chips(severities);
  return html`${tiles(summaryFigures(payload))}${severityLabels}${sections.length > 0 && countTable(sections)}`;
};
