import { html, Markup } from '../../base/markup.ts';
import type { ReportPayload } from '../presentation/former-payload.ts';
import type { ImageSource } from '../presentation/images.ts';
import { INK, mix, readable } from '../presentation/theme.ts';
import { block } from './blocks.ts';
import { cover } from './cover.ts';
import { quiet } from './elements.ts';
import { languageOf } from './language.ts';
import { openPage } from './open-page.ts';
import type { Page } from './page.ts';
import { photoDefinitions } from './photos.ts';
import { STYLE } from './style.ts';

export interface RenderedHtml {
  html: string;
  /** One text for each image that could not be shown. */
  warnings: string[];
}

/** Forbids the page to run scripts and to load anything from the network, wherever it is opened. */
const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";

const PAPER = {
  A4: { portrait: 'A4 portrait', landscape: 'A4 landscape' },
  Letter: { portrait: 'letter portrait', landscape: 'letter landscape' },
} as const;

const head = ({ payload: { layout, organization, report, inspection } }: Page): Markup => {
  const title = report.title || inspection.name;
  return html`<head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${POLICY}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${[title, organization.name].join(' – ')}</title>
    <style>
      ${new Markup(`${STYLE}@page{size:${PAPER[layout.page_size][layout.orientation]};margin:18mm 16mm}`)}
    </style>
  </head>`;
};

const footer = ({ payload: { report, inspection }, formats }: Page): Markup =>
  html`<footer>
    ${quiet(`No. ${inspection.number} · ${inspection.name}`)}
    ${quiet(`Generated ${formats.dateTime(report.generated_at)} · version ${report.version}`)}
  </footer>`;

/**
 * Renders a report as one HTML page. The page contains its images, runs no script and loads nothing. The texts of the
 * payload are escaped, so that whatever they contain is shown as text.
 */
export const renderHtml = async (payload: ReportPayload, source: ImageSource): Promise<RenderedHtml> => {
  const { page, warnings } = await openPage(payload, source);
  const { layout, organization } = payload;
  const { lang, dir } = languageOf(organization.locale);
  const color = readable(layout.theme.primary_color);
  const { text } = html`<!doctype html>
    <html lang="${lang}" dir="${dir}">
      ${head(page)}
      <body style="--theme:${color};--tint:${mix(color, INK.white, 0.91)}">
        <main>
          ${cover(page)} ${layout.blocks.map((given, position) => block(page, given, position))}
          ${photoDefinitions(page)}${footer(page)}
        </main>
      </body>
    </html>`;
  return { html: text, warnings };
};
