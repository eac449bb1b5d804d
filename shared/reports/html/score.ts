import { html, type Markup } from '../../base/markup.ts';
import type { Score } from '../../schemas/inspections/inspection.ts';
import { humanize } from '../presentation/format.ts';
import type { ReportSectionScore } from '../presentation/former-payload.ts';
import { passingScoreText, percentageText, pointsText, resultTone } from '../presentation/summary.ts';
import { bar, columns, quiet, tiles } from './elements.ts';
import type { Page } from './page.ts';

/** The percentage and, where a passing score was set, the result. */
export const scoreTiles = ({ formats }: Page, total: Score): Markup => {
  const { ink: color } = resultTone(total);
  return tiles([
    { name: 'Score', value: percentageText(total, formats), color },
    ...(total.result ? [{ name: 'Result', value: humanize(total.result), color }] : []),
  ]);
};

const sectionRow = ({ formats }: Page, section: ReportSectionScore): Markup => {
  const { title, depth, result } = section;
  const { ink } = resultTone(section);
  return html`<tr>
    <th scope="row" dir="auto" style="padding-inline-start:${depth * 0.75 - 0.25}rem">${title}</th>
    <td>${bar(section.percentage, result ? ink : 'var(--theme)')}</td>
    <td class="count">${percentageText(section, formats)}</td>
    <td class="count quiet">${section.percentage !== null && pointsText(section, formats)}</td>
    <td class="count" style="color:${ink}">
      ${[result ? humanize(result) : '', passingScoreText(section, formats)].filter(Boolean).join(', ')}
    </td>
  </tr>`;
};

/** A table of the sections' scores; false for a single section, whose score is the total. */
const sectionScores = (page: Page): Markup | false => {
  const { section_scores } = page.payload.summary;
  return (
    section_scores.length > 1 &&
    html`<table class="rows">
      <caption class="hidden">
        Score of each section
      </caption>
      ${columns(['Section'], [''], ['Score', 'count'], ['Points', 'count'], ['Result', 'count'])}
      <tbody>
        ${section_scores.map((section) => sectionRow(page, section))}
      </tbody>
    </table>`
  );
};

/** The total score and the sections' scores; false for an inspection without a score. */
export const score = (page: Page): Markup | false => {
  const { score: total } = page.payload.summary;
  return (
    total !== null &&
    html`<div class="score">
        ${scoreTiles(page, total)} ${bar(total.percentage, resultTone(total).ink)}
        ${quiet(pointsText(total, page.formats))}
      </div>
      ${sectionScores(page)}`
  );
};
