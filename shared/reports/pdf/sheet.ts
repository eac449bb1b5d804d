import type { Content, ContentImage, ContentText, CustomTableLayout, TableCell } from 'pdfmake/interfaces.js';
import type { Formats } from '../presentation/format.ts';
import type { ReportPayload } from '../presentation/former-payload.ts';
import { type Chip, INK } from '../presentation/theme.ts';
import type { Inline, Typesetter } from './typesetter.ts';

/** An image by its name in the document; width and height in pixels. */
export interface Picture {
  name: string;
  width: number;
  height: number;
}

/** Everything that the parts of a report are drawn from. */
export interface Sheet {
  payload: ReportPayload;
  type: Typesetter;
  formats: Formats;
  /** The theme's colour, dark enough to be readable on white, and a pale tint of it. */
  color: string;
  tint: string;
  /** The size of the area between the margins, in points. */
  width: number;
  height: number;
  /** The images that could be opened, by document id or storage key. */
  images: ReadonlyMap<string, Picture>;
}

/** The left and right margin, in points. */
export const MARGIN = 48;
/** Font sizes in points. */
export const SIZE = { title: 26, heading: 16, subheading: 11, text: 9, small: 7.5, tiny: 6.5 } as const;

/** The line height of Noto Sans, in ems. */
export const LINE_HEIGHT = 1.362;

/** An empty table cell. pdfmake needs one for each further column that a wide cell spans. */
export const SPANNED: TableCell = {};

export const muted = (text: Inline, size: number = SIZE.small): ContentText => ({
  text,
  fontSize: size,
  color: INK.muted,
});

/** The small label above a value. */
export const label = (text: string): Content => ({
  text: text.toUpperCase(),
  fontSize: 6,
  bold: true,
  color: INK.muted,
  characterSpacing: 0.5,
});

/** Keeps a node on the same page as the first `space` points of what follows it. */
export const keptWithNext = (node: Content, space: number): Content => ({
  stack: [node, { canvas: [], margin: [0, 0, 0, space] }],
  unbreakable: true,
  margin: [0, 0, 0, -space],
});

/** The heading of a block, with its bookmark: on a new page, below the previous block, or at the top of the first. */
export const blockHeading = (
  sheet: Sheet,
  title: string,
  id: string,
  place: 'page' | 'below' | 'top',
): Content => {
  const text = sheet.type.clip(title, { width: sheet.width, size: SIZE.heading }, 2);
  const heading: Content = {
    stack: [
      { text, fontSize: SIZE.heading, bold: true, color: sheet.color, ...outline(sheet, title, id) },
      rule(sheet.width, sheet.color, 1.2),
    ],
    margin: [0, 0, 0, 12],
  };
  return place === 'page'
    ? { ...heading, pageBreak: 'before' }
    : keptWithNext({ stack: [heading], margin: [0, place === 'top' ? 0 : 22, 0, 0] }, 140);
};

/** The properties that make a text node a bookmark. */
export const outline = (
  sheet: Sheet,
  title: string,
  id: string,
  parent?: string,
): { outline: true; outlineText: string; id: string; outlineExpanded: true; outlineParentId?: string } => ({
  id,
  outline: true,
  outlineText: sheet.type.clean(title).replaceAll('\n', ' ').slice(0, 200).toWellFormed() || '—',
  outlineExpanded: true,
  ...(parent !== undefined && { outlineParentId: parent }),
});

/** An invisible bookmark, for a title that is drawn again on each page. */
export const bookmark = (sheet: Sheet, title: string, id: string, parent: string): Content => ({
  text: ' ',
  fontSize: 0.1,
  lineHeight: 0.1,
  ...outline(sheet, title, id, parent),
});

/** An image scaled down to fit the room (in points); it is never enlarged. */
export const fitted = (
  { name, width, height }: Picture,
  room: { width: number; height: number },
): ContentImage & { height: number } => {
  const scale = Math.min(room.width / width, room.height / height, 1);
  return { image: name, width: width * scale, height: height * scale };
};

export const rule = (width: number, color: string, weight: number): Content => ({
  canvas: [{ type: 'line', x1: 0, y1: 4, x2: width, y2: 4, lineWidth: weight, lineColor: color }],
});

const CHIP = { height: 12, padding: 5, size: 6.5, gap: 4, radius: 3 } as const;

/** Labels on rounded backgrounds, beside each other. The node around them must not break across pages. */
export const chips = (sheet: Sheet, words: readonly Chip[]): Content => {
  let x = 0;
  const placed = words.map(({ text, tone }) => {
    const capitals = text.toUpperCase();
    const width = sheet.type.width(capitals, CHIP.size) + capitals.length * 0.3 + 2 * CHIP.padding;
    const chip = { text: capitals, tone, x, width };
    x += width + CHIP.gap;
    return chip;
  });
  return {
    stack: [
      {
        canvas: placed.map((chip) => ({
          type: 'rect',
          x: chip.x,
          y: 0,
          w: chip.width,
          h: CHIP.height,
          r: CHIP.radius,
          color: chip.tone.tint,
        })),
      },
      ...placed.map((chip): Content => ({
        text: chip.text,
        fontSize: CHIP.size,
        bold: true,
        characterSpacing: 0.3,
        noWrap: true,
        color: chip.tone.ink,
        relativePosition: { x: chip.x + CHIP.padding, y: -CHIP.height + 1.5 },
      })),
    ],
  };
};

/** A bar that is filled from the left by a share from 0 to 1. */
export const bar = (width: number, height: number, share: number, color: string): Content => ({
  canvas: [
    { type: 'rect', x: 0, y: 0, w: width, h: height, r: height / 2, color: INK.line },
    ...(share > 0
      ? [
          {
            type: 'rect' as const,
            x: 0,
            y: 0,
            w: Math.max(height, width * Math.min(1, share)),
            h: height,
            r: height / 2,
            color,
          },
        ]
      : []),
  ],
});

/** The rows of a table from its columns; a shorter column ends in empty cells. */
export const zipped = (...columns: Content[][]): TableCell[][] =>
  Array.from({ length: Math.max(0, ...columns.map((column) => column.length)) }, (_, row) =>
    columns.map((column) => column[row] ?? { text: '' }),
  );

export const PADDING = { x: 6, y: 4 } as const;

/** The layout of a table: no lines except those in `lines`. */
export const tableLayout = (lines: Partial<CustomTableLayout> = {}): CustomTableLayout => ({
  hLineWidth: () => 0,
  vLineWidth: () => 0,
  hLineColor: () => INK.line,
  paddingLeft: () => PADDING.x,
  paddingRight: () => PADDING.x,
  paddingTop: () => PADDING.y,
  paddingBottom: () => PADDING.y,
  ...lines,
});

/**
 * A table whose header repeats on each page. No row breaks across pages, and the header is never alone on a page.
 * Widths are in points, without the padding.
 */
export const repeatingTable = (
  widths: number[],
  header: TableCell[][],
  rows: TableCell[][],
  { keptRows = 1, ...lines }: Partial<CustomTableLayout> & { keptRows?: number } = {},
): Content => ({
  table: {
    widths,
    headerRows: header.length,
    keepWithHeaderRows: keptRows,
    dontBreakRows: true,
    body: [...header, ...rows],
  },
  layout: tableLayout(lines),
});

/** The header row with the small labels of the columns. */
export const columnLabels = (...names: string[]): TableCell[] =>
  names.map((name) => ({ stack: [label(name)], fillColor: INK.panel }));
