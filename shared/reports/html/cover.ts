import { html, type Markup } from '../../base/markup.ts';
import { detailsOf, logoOf } from '../presentation/cover.ts';
import { picture, quiet } from './elements.ts';
import type { Page } from './page.ts';
import { scoreTiles } from './score.ts';

/** The head of the report: logo, title and details; with a cover, the score too. */
export const cover = (page: Page): Markup => {
  const { payload, formats, images } = page;
  const { organization, report, inspection, layout, summary } = payload;
  const logo = images.get(logoOf(payload) ?? '');
  const title = report.title || inspection.name;
  return html`<header class="${layout.cover && 'cover'}">
    <p class="owner" dir="auto">${logo ? picture(logo, organization.name) : organization.name}</p>
    <h1 dir="auto">${title}</h1>
    ${title !== inspection.name && quiet(inspection.name)}
    ${layout.cover && summary.score && scoreTiles(page, summary.score)}
    <dl class="details">
      ${detailsOf(payload, formats).map(
        ({ name, value }) =>
          html`<div>
            <dt>${name}</dt>
            <dd dir="auto">${value}</dd>
          </div>`,
      )}
    </dl>
  </header>`;
};
