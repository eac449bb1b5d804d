import {
  AlignmentType,
  Document,
  Footer,
  Header,
  Packer,
  PageNumber,
  PageOrientation,
  TextRun,
  convertMillimetersToTwip,
} from 'docx';
import type { ReportDocument } from '../document/document.ts';
import type { EmbeddedImage } from '../presentation/images.ts';
import { drawBlock, drawClosing, drawCover } from './blocks.ts';
import { type Content, SIZE, type Turned, Word } from './word.ts';

/** Millimetres, short side first. */
const PAGE_SIZES = { A4: [210, 297], Letter: [215.9, 279.4] } as const;
const MARGIN = 20;

/** The most pixels of a side of a photo in the appendix, by the photos of a page. */
const PHOTO_SIDES = { 4: 290, 6: 215 } as const;

/** "Page {page} of {pages}" with the fields that Word counts. */
const pageNumbers = (pageOf: string): TextRun[] =>
  pageOf
    .split(/(\{pages?\})/)
    .filter((part) => part !== '')
    .map(
      (part) =>
        new TextRun({
          size: SIZE.small,
          ...(part === '{page}'
            ? { children: [PageNumber.CURRENT] }
            : part === '{pages}'
              ? { children: [PageNumber.TOTAL_PAGES] }
              : { text: part }),
        }),
    );

/** Pages that lie the same way, one after the other. */
interface Run {
  isTurned: boolean;
  children: Content[];
}

/** The runs of pages: content that is turned begins a new one, and so does what follows it. */
const runsOf = (pieces: readonly (Content | Turned)[]): Run[] => {
  const runs: Run[] = [];
  for (const piece of pieces) {
    const isTurned = 'turned' in piece;
    const children = isTurned ? piece.turned : [piece];
    const last = runs.at(-1);
    if (last?.isTurned === isTurned) last.children.push(...children);
    else runs.push({ isTurned, children });
  }
  return runs;
};

const heading = (color: string, size: number) => ({ run: { bold: true, size, color: color.slice(1) } });

/**
 * Draws a report for Word and LibreOffice: headings, tables, photos and links are the program's own, so that a person
 * can go on working with the text.
 * @param images the images that could be opened, by reference
 */
export const renderDocx = async (
  document: ReportDocument,
  images: ReadonlyMap<string, EmbeddedImage>,
): Promise<Buffer> => {
  const word = new Word(document, images);
  const { running, draft, page, color, language } = document;
  const [width, height] = PAGE_SIZES[page.size].map((side) => convertMillimetersToTwip(side)) as [
    number,
    number,
  ];
  const margin = convertMillimetersToTwip(MARGIN);
  const draftMark = draft === null ? [] : word.runs(`   ${draft}`, { bold: true, color: word.ink.bad });
  const pieces = [
    ...drawCover(word, document),
    ...document.blocks.flatMap((block) => drawBlock(word, block)),
    ...(document.appendix
      ? [
          word.heading(document.appendix.heading, 1),
          ...word.gallery(document.appendix, 2, PHOTO_SIDES[document.appendix.perPage]),
        ]
      : []),
    ...drawClosing(word, document.closing),
  ];
  const headers = {
    default: new Header({
      children: [
        word.paragraph([
          ...word.runs(`${running.head.start}   ·   ${running.head.end}`, {
            size: SIZE.small,
            color: word.ink.muted,
          }),
          ...draftMark,
        ]),
      ],
    }),
    first: new Header({ children: draft === null ? [] : [word.paragraph(draftMark)] }),
  };
  const footers = Object.fromEntries(
    ['default', 'first'].map((kind) => [
      kind,
      new Footer({
        children: [
          word.paragraph(
            [
              ...word.runs(`${running.foot}   ·   `, { size: SIZE.small, color: word.ink.muted }),
              ...pageNumbers(running.pageOf),
            ],
            { alignment: AlignmentType.START },
          ),
        ],
      }),
    ]),
  );
  const file = new Document({
    title: document.title,
    subject: document.subject,
    creator: document.author,
    lastModifiedBy: document.author,
    styles: {
      default: {
        document: {
          run: { font: 'Calibri', size: SIZE.text, language: { value: language, bidirectional: language } },
        },
        heading1: heading(color, 32),
        heading2: heading(color, 26),
        heading3: heading(color, 23),
        heading4: heading(color, 21),
        heading5: heading(color, 20),
      },
    },
    sections: runsOf(pieces).map(({ isTurned, children }, index) => ({
      properties: {
        titlePage: index === 0,
        page: {
          // The library turns the sides itself for a landscape page.
          size: {
            width,
            height,
            orientation:
              isTurned || page.orientation === 'landscape'
                ? PageOrientation.LANDSCAPE
                : PageOrientation.PORTRAIT,
          },
          margin: { top: margin, bottom: margin, left: margin, right: margin },
        },
      },
      // Further sections go on with those of the first.
      ...(index === 0 && { headers, footers }),
      children,
    })),
  });
  return Packer.toBuffer(file);
};
