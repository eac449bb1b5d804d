import type { Content, ContentText, TDocumentDefinitions } from 'pdfmake/interfaces.js';
import { GENERAL } from '../fonts.ts';
import { formatsOf } from '../presentation/format.ts';
import type { ReportBlock, ReportPayload } from '../presentation/former-payload.ts';
import { type ImageSource, openImages } from '../presentation/images.ts';
import { photosOf } from '../presentation/media.ts';
import { type NumberedSection, numberedSections } from '../presentation/sections.ts';
import { INK, mix, readable } from '../presentation/theme.ts';
import { drawCover, drawMasthead } from './cover.ts';
import { drawCorrectiveActions, drawFindings } from './findings.ts';
import { photoRows } from './photos.ts';
import { languageOf, languageOfLocale } from './scripts.ts';
import type { EastAsian } from './scripts.ts';
import { drawSections } from './sections.ts';
import { blockHeading, MARGIN, muted, SIZE, tableLayout } from './sheet.ts';
import type { Sheet } from './sheet.ts';
import { drawSignatures } from './signatures.ts';
import { drawScore, drawSummary } from './summary.ts';
import { printer, Typefaces } from './typefaces.ts';
import { Typesetter } from './typesetter.ts';

export interface RenderedPdf {
  pdf: Buffer;
  pageCount: number;
  /** One text for each character that the fonts lack and each image that could not be shown. */
  warnings: string[];
}

/** The layout of the pages did not end before its time limit. */
export class OutOfTime extends Error {
  override name = 'OutOfTime';
}

/** Points, short side first. */
const PAGE_SIZES = { A4: [595.28, 841.89], Letter: [612, 792] } as const;
/** The margins above and below the content, in points; header and footer stand in them. */
const TOP = 60;
const BOTTOM = 52;

/** A block of the layout under its title; empty where it has nothing to show. */
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
    // Shown only by what is drawn from the report document.
    case 'corrections':
      return [];
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

/**
 * The language whose forms of Han characters the report uses: that of the organization's locale, or else that of the
 * letters in the payload.
 */
const languageOfReport = (payload: ReportPayload): EastAsian =>
  languageOfLocale(payload.organization.locale) ?? languageOf(JSON.stringify(payload)) ?? 'Chinese';

/** The document for pdfmake: page, metadata, header and footer. Texts are cut off to fit on one line. */
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
 * Renders a report as a PDF. The texts of the payload are drawn as text, whatever they contain, and can reach neither
 * the file system nor the network. An image that cannot be opened becomes a box and a warning.
 * @throws OutOfTime when the time limit of the source passes; Error when a font cannot be loaded
 */
export const renderPdf = async (payload: ReportPayload, source: ImageSource): Promise<RenderedPdf> => {
  const { layout } = payload;
  const [short, long] = PAGE_SIZES[layout.page_size];
  const [width, height] = layout.orientation === 'portrait' ? [short, long] : [long, short];
  const sections = numberedSections(payload.sections, layout.include);
  const { images, warnings: imageWarnings } = await openImages(payload, sections, source);
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
      ...muted('[U+…] stands for a character that is missing from the fonts of this report.'),
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
      // pdfmake calls this for each new page, so the time limit is checked here.
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
