import type { Content, ContentText, TDocumentDefinitions } from 'pdfmake/interfaces.js';
import type { ReportBlock, ReportPayload } from '../schemas/reports/report-payload.ts';
import { GENERAL } from './fonts.ts';
import { formatsOf } from './format.ts';
import { type ImageSource, openImages } from './images.ts';
import { drawCover, drawMasthead } from './pdf/cover.ts';
import { drawCorrectiveActions, drawFindings } from './pdf/findings.ts';
import { photoRows } from './pdf/photos.ts';
import { languageOf, languageOfLocale } from './pdf/scripts.ts';
import type { EastAsian } from './pdf/scripts.ts';
import { drawSections } from './pdf/sections.ts';
import { blockHeading, MARGIN, muted, SIZE, tableLayout } from './pdf/sheet.ts';
import type { Sheet } from './pdf/sheet.ts';
import { drawSignatures } from './pdf/signatures.ts';
import { drawScore, drawSummary } from './pdf/summary.ts';
import { INK, mix, readable } from './pdf/theme.ts';
import { printer, Typefaces } from './pdf/typefaces.ts';
import { Typesetter } from './pdf/typesetter.ts';
import { type NumberedSection, numberedSections, photosOf } from './shown.ts';

export interface RenderedPdf {
  pdf: Buffer;
  pageCount: number;
  /** What the reader will miss: characters without a glyph, images that could not be shown. */
  warnings: string[];
}

/** Thrown where a report has more pages than there is time for. */
export class OutOfTime extends Error {
  override name = 'OutOfTime';
}

const PAGE_SIZES = { A4: [595.28, 841.89], Letter: [612, 792] } as const;
const TOP = 60;
const BOTTOM = 52;

const drawBlock = (
  sheet: Sheet,
  { kind, options }: ReportBlock,
  sections: NumberedSection[],
  id: string,
  isFirst: boolean,
): Content[] => {
  const { payload, type } = sheet;
  const titled = (title: string, content: Content[], place: 'page' | 'below' = 'below'): Content[] =>
    content.length > 0
      ? [blockHeading(sheet, options.title ?? title, id, isFirst ? 'top' : place), ...content]
      : [];
  switch (kind) {
    case 'summary':
      return titled('Summary', drawSummary(sheet, sections));
    case 'score':
      return payload.summary.score ? drawScore(sheet, payload.summary.score) : [];
    case 'findings':
      return payload.findings.length > 0
        ? titled('Findings', drawFindings(sheet, id, options.photo_columns ?? 3), 'page')
        : titled('Findings', [muted('No findings were recorded.', SIZE.text)]);
    case 'corrective_actions':
      return payload.corrective_actions.length > 0
        ? titled('Corrective actions', [drawCorrectiveActions(sheet)])
        : [];
    case 'sections':
      return titled('Inspection record', drawSections(sheet, sections, id), 'page');
    case 'media':
      return titled('Photos', drawGallery(sheet, sections, options.photo_columns ?? 2), 'page');
    case 'signatures':
      return payload.signatures.length > 0 ? titled('Signatures', [drawSignatures(sheet)]) : [];
    case 'text': {
      const pieces = type.pieces(options.text ?? '', { width: sheet.width, size: SIZE.text });
      const paragraphs = pieces.map((text): Content => ({ text, lineHeight: 1.15 }));
      return options.title ? titled(options.title, paragraphs) : paragraphs;
    }
  }
};

const drawGallery = (sheet: Sheet, sections: NumberedSection[], columns: number): Content[] => {
  const rows = photoRows(sheet, [...photosOf(sheet.payload, sections).values()], sheet.width, columns);
  return rows.length === 0
    ? []
    : [
        {
          table: { widths: [sheet.width], dontBreakRows: true, body: rows.map((row) => [{ stack: [row] }]) },
          layout: tableLayout({ paddingLeft: () => 0, paddingRight: () => 0 }),
        },
      ];
};

/** In which language a report's Han characters are read: its organization's, else that of the letters in it. */
const languageOfReport = (payload: ReportPayload): EastAsian =>
  languageOfLocale(payload.organization.locale) ?? languageOf(JSON.stringify(payload)) ?? 'Chinese';

const describe = (
  sheet: Sheet,
  pageSize: { width: number; height: number },
  content: Content[],
): TDocumentDefinitions => {
  const { inspection, organization, report, layout } = sheet.payload;
  const half = { width: sheet.width / 2 - 6, size: SIZE.small };
  const plain = (text: string): string => sheet.type.clean(text).replaceAll('\n', ' ');
  const head = sheet.type.clip(`No. ${inspection.number} · ${inspection.name}`, {
    ...half,
    width: sheet.width * 0.62,
  });
  const owner = sheet.type.clip(organization.name, { ...half, width: sheet.width * 0.36 });
  const generated = `Generated ${sheet.formats.dateTime(report.generated_at)} · version ${report.version}`;
  const foot = sheet.type.clip(generated, half);
  const ends = (left: ContentText, right: ContentText & { width?: number }): Content => ({
    columns: [left, right],
    columnGap: 12,
  });
  return {
    pageSize,
    pageMargins: [MARGIN, TOP, MARGIN, BOTTOM],
    version: '1.7',
    language: plain(organization.locale),
    displayTitle: true,
    info: {
      title: plain(report.title || inspection.name) || 'Inspection report',
      author: plain(organization.name),
      subject: plain(`No. ${inspection.number} · ${inspection.name}`),
      creator: 'inspection-service',
      producer: 'pdfmake',
      creationDate: new Date(report.generated_at),
    },
    defaultStyle: { font: GENERAL[0], fontSize: SIZE.text, color: INK.text },
    content,
    background: (page) =>
      page === 1 && layout.cover
        ? [{ canvas: [{ type: 'rect', x: 0, y: 0, w: 10, h: pageSize.height, color: sheet.color }] }]
        : [],
    header: (page) =>
      page === 1
        ? ''
        : {
            stack: [
              ends(muted(head), { ...muted(owner), width: sheet.width * 0.36, alignment: 'right' }),
              {
                canvas: [
                  { type: 'line', x1: 0, y1: 5, x2: sheet.width, y2: 5, lineWidth: 0.5, lineColor: INK.line },
                ],
              },
            ],
            margin: [MARGIN, 26, MARGIN, 0],
          },
    footer: (page, pages) => ({
      stack: [
        ends(muted(foot), {
          text: `Page ${page} of ${pages}`,
          fontSize: SIZE.small,
          color: INK.muted,
          alignment: 'right',
        }),
      ],
      margin: [MARGIN, 20, MARGIN, 0],
    }),
  };
};

/**
 * Draws a report. A payload's text cannot harm it: whatever the strings hold, they are drawn as text, and neither the
 * file system nor the network is reachable from them. An image that cannot be opened is a box and a warning.
 * @throws OutOfTime beyond the source's limits, and what loading the fonts throws
 */
export const renderPdf = async (payload: ReportPayload, source: ImageSource): Promise<RenderedPdf> => {
  const { layout } = payload;
  const [short, long] = PAGE_SIZES[layout.page_size];
  const [width, height] = layout.orientation === 'portrait' ? [short, long] : [long, short];
  const sections = numberedSections(payload.sections, layout.include);
  const imageWarnings: string[] = [];
  const images = await openImages(payload, sections, source, imageWarnings);
  const color = readable(layout.theme.primary_color);
  const sheet: Sheet = {
    payload,
    type: new Typesetter(await Typefaces.open(), languageOfReport(payload)),
    formats: formatsOf(payload.organization),
    color,
    tint: mix(color, INK.white, 0.91),
    width: width - 2 * MARGIN,
    height: height - TOP - BOTTOM,
    images: new Map(
      images
        .entries()
        .map(([reference, { width, height }], index) => [
          reference,
          { name: `image-${index}`, width, height },
        ]),
    ),
  };
  const blocks: Content[] = [];
  for (const [index, block] of layout.blocks.entries()) {
    blocks.push(...drawBlock(sheet, block, sections, `block-${index}`, blocks.length === 0));
  }
  const content: Content[] = layout.cover
    ? [drawCover(sheet), ...(blocks.length > 0 ? [{ stack: blocks, pageBreak: 'before' as const }] : [])]
    : [drawMasthead(sheet), ...blocks];
  const definition = describe(sheet, { width, height }, content);
  if (sheet.type.missing.size > 0) {
    content.push({
      ...muted("[U+…] stands for a character that this report's typeface does not have."),
      margin: [0, 16, 0, 0],
    });
  }
  let pageCount = 0;
  const { background, footer } = definition;
  const pdf = await printer()
    .createPdf({
      ...definition,
      images: Object.fromEntries(
        images
          .values()
          .map(({ mime, data }, index) => [
            `image-${index}`,
            `data:${mime};base64,${data.toString('base64')}`,
          ]),
      ),
      // Asked for with each new page.
      background: (page, size) => {
        if (Date.now() > (source.limits?.layoutUntil ?? Number.POSITIVE_INFINITY)) throw new OutOfTime();
        return typeof background === 'function' ? background(page, size) : undefined;
      },
      footer: (page, pages, size) => {
        pageCount = pages;
        return typeof footer === 'function' ? footer(page, pages, size) : '';
      },
    })
    .getBuffer();
  return { pdf, pageCount, warnings: [...sheet.type.warnings, ...imageWarnings] };
};
