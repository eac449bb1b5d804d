import { html, type Markup } from '../../base/markup.ts';
import { findingChips, findingTexts, placeOf } from '../presentation/findings.ts';
import type { ReportFinding } from '../presentation/former-payload.ts';
import { SEVERITY_TONES } from '../presentation/theme.ts';
import { chips, paragraph, quiet } from './elements.ts';
import type { Page } from './page.ts';
import { gallery } from './photos.ts';

const findingCard = (page: Page, finding: ReportFinding, photoColumns: number): Markup => {
  const { number, label, severity, media } = finding;
  const place = placeOf(finding);
  return html`<article class="finding" style="--tone:${SEVERITY_TONES[severity].ink}">
    <h3 dir="auto">${label}</h3>
    ${quiet(`Finding ${number}`)} ${place && quiet(place)}${chips(findingChips(finding))}
    ${findingTexts(finding).map(
      ([heading, text]) =>
        text.trim() &&
        html`<h4 class="label">${heading}</h4>
          ${paragraph(text)}`,
    )}
    ${gallery(page, media, photoColumns)}
  </article>`;
};

/** The findings, each with its texts and its photos in rows of so many columns. */
export const findings = (page: Page, photoColumns: number): Markup => {
  const found = page.payload.findings;
  return found.length > 0
    ? html`${found.map((finding) => findingCard(page, finding, photoColumns))}`
    : quiet('No findings were recorded.');
};
