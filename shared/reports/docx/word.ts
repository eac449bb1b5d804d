import {
  AlignmentType,
  Bookmark,
  BorderStyle,
  type ParagraphChild,
  ExternalHyperlink,
  HeadingLevel,
  ImageRun,
  InternalHyperlink,
  type IParagraphOptions,
  type IRunOptions,
  Paragraph,
  ShadingType,
  Table,
  TableCell,
  TableRow,
  TextRun,
  WidthType,
} from 'docx';
import type {
  Chip,
  Gallery,
  Heading,
  Paragraph as Words,
  Photo,
  ReportDocument,
  Span,
} from '../document/document.ts';
import type { EmbeddedImage } from '../presentation/images.ts';
import { qrGif } from '../qr-code.ts';

/** What a document consists of. */
export type Content = Paragraph | Table;

/** What stands on landscape pages of its own in an upright document. */
export interface Turned {
  turned: Content[];
}

/** Half points, as Word measures type. */
export const SIZE = { small: 16, text: 20, large: 24 } as const;

const INK = { muted: '667085', line: 'D0D5DD', bad: 'B42318' } as const;

/** Pixels (1/96 inch) of the usual text width of a portrait page, which pictures have to fit in. */
const TEXT_WIDTH = 620;
const TWIPS_PER_PIXEL = 15;

/** Pixels of a side of a QR code. */
const CODE_SIDE = 92;

const HEADINGS = [
  HeadingLevel.HEADING_1,
  HeadingLevel.HEADING_2,
  HeadingLevel.HEADING_3,
  HeadingLevel.HEADING_4,
  HeadingLevel.HEADING_5,
] as const;

const NO_BORDER = { style: BorderStyle.NONE, size: 0, color: 'auto' } as const;
const LINE = { style: BorderStyle.SINGLE, size: 4, color: INK.line } as const;

const bare = (color: string): string => color.slice(1);

/** Draws the pieces that a report consists of, as Word knows them. */
export class Word {
  readonly #isRightToLeft: boolean;
  readonly #images: ReadonlyMap<string, EmbeddedImage>;
  readonly #marks = new Map<string, string>();

  constructor({ direction }: Pick<ReportDocument, 'direction'>, images: ReadonlyMap<string, EmbeddedImage>) {
    this.#isRightToLeft = direction === 'rtl';
    this.#images = images;
  }

  /** The bookmark of an anchor. Word allows 40 letters, digits and underscores. */
  #mark(anchor: string): string {
    const mark = this.#marks.get(anchor) ?? `mark_${this.#marks.size + 1}`;
    this.#marks.set(anchor, mark);
    return mark;
  }

  /** A text whose \n are line breaks. */
  runs(text: string, style: IRunOptions = {}): TextRun[] {
    return text.split('\n').map(
      (line, index) =>
        new TextRun({
          ...style,
          text: line,
          rightToLeft: this.#isRightToLeft,
          ...(index > 0 && { break: 1 }),
        }),
    );
  }

  #span({ text, href, to }: Span, style: IRunOptions): ParagraphChild[] {
    if (href !== undefined)
      return [
        new ExternalHyperlink({ link: href, children: this.runs(text, { ...style, style: 'Hyperlink' }) }),
      ];
    if (to !== undefined)
      return [new InternalHyperlink({ anchor: this.#mark(to), children: this.runs(text, style) })];
    return this.runs(text, style);
  }

  words(words: Words, style: IRunOptions = {}): ParagraphChild[] {
    return words.flatMap((span) => this.#span(span, style));
  }

  paragraph(children: readonly ParagraphChild[], options: IParagraphOptions = {}): Paragraph {
    return new Paragraph({
      spacing: { after: 80 },
      ...options,
      bidirectional: this.#isRightToLeft,
      children,
    });
  }

  text(text: string, style: IRunOptions = {}, options: IParagraphOptions = {}): Paragraph {
    return this.paragraph(this.runs(text, style), options);
  }

  paragraphs(
    paragraphs: readonly Words[],
    style: IRunOptions = {},
    options: IParagraphOptions = {},
  ): Paragraph[] {
    return paragraphs.map((words) => this.paragraph(this.words(words, style), options));
  }

  /** Small grey text. */
  quiet(text: string, options: IParagraphOptions = {}): Paragraph {
    return this.text(text, { size: SIZE.small, color: INK.muted }, options);
  }

  /** @param level from 1; below the fifth, a heading looks like the fifth */
  heading({ anchor, text }: Heading, level: number, more: readonly ParagraphChild[] = []): Paragraph {
    return this.paragraph([this.marked(anchor, this.runs(text)), ...more], {
      heading: HEADINGS[Math.min(level, HEADINGS.length) - 1]!,
      keepNext: true,
      spacing: { before: level === 1 ? 360 : 200, after: 100 },
    });
  }

  /** Content that a link can lead to. */
  marked(anchor: string, children: readonly ParagraphChild[]): Bookmark {
    return new Bookmark({ id: this.#mark(anchor), children: [...children] });
  }

  chips(chips: readonly Chip[]): TextRun[] {
    return chips.flatMap(({ text, tone }) => [
      new TextRun({ text: '  ' }),
      new TextRun({
        text: ` ${text} `,
        bold: true,
        size: SIZE.small,
        color: bare(tone.ink),
        rightToLeft: this.#isRightToLeft,
        shading: { type: ShadingType.CLEAR, color: 'auto', fill: bare(tone.tint) },
      }),
    ]);
  }

  /**
   * A table with lines. The first row is repeated on every page.
   * @param widths how wide each column is in relation to the others
   */
  table(
    columns: readonly string[],
    rows: readonly (readonly (readonly Content[])[])[],
    widths: readonly number[] = columns.map(() => 1),
  ): Table {
    const header = columns.map((name) => [
      this.text(name, { bold: true, size: SIZE.small, color: INK.muted }, { keepNext: true }),
    ]);
    return this.#grid(
      [header, ...rows].map((cells, index) => ({ cells, isHeader: index === 0 })),
      widths,
      LINE,
    );
  }

  /**
   * Cells beside each other without lines.
   * @param widths of the cells in a row, in relation to each other; or how many in a row there are
   */
  grid(cells: readonly (readonly Content[])[], widths: number | readonly number[]): Table[] {
    const relative = typeof widths === 'number' ? Array.from({ length: widths }, () => 1) : widths;
    const columns = relative.length;
    if (cells.length === 0) return [];
    const rows = Array.from({ length: Math.ceil(cells.length / columns) }, (_, row) => ({
      cells: Array.from(
        { length: columns },
        (__, column) => cells[row * columns + column] ?? [this.text('')],
      ),
      isHeader: false,
    }));
    return [this.#grid(rows, relative, NO_BORDER)];
  }

  #grid(
    rows: readonly { cells: readonly (readonly Content[])[]; isHeader: boolean }[],
    widths: readonly number[],
    border: typeof LINE | typeof NO_BORDER,
  ): Table {
    const sum = widths.reduce((total, width) => total + width, 0);
    return new Table({
      width: { size: 100, type: WidthType.PERCENTAGE },
      // LibreOffice takes the widths from here, Word from the cells.
      columnWidths: widths.map((width) => Math.round((width / sum) * TEXT_WIDTH * TWIPS_PER_PIXEL)),
      visuallyRightToLeft: this.#isRightToLeft,
      borders: {
        top: border,
        bottom: border,
        left: NO_BORDER,
        right: NO_BORDER,
        insideHorizontal: border,
        insideVertical: NO_BORDER,
      },
      rows: rows.map(
        ({ cells, isHeader }) =>
          new TableRow({
            tableHeader: isHeader,
            cantSplit: true,
            children: cells.map(
              (children, column) =>
                new TableCell({
                  width: { size: ((widths[column] ?? 0) / sum) * 100, type: WidthType.PERCENTAGE },
                  margins: { top: 60, bottom: 60, left: 80, right: 80 },
                  children: [...children],
                }),
            ),
          }),
      ),
    });
  }

  /** An image of at most this size in pixels; empty where it could not be opened. */
  picture(reference: string, alt: string, most: { width: number; height: number }): ImageRun[] {
    const image = this.#images.get(reference);
    if (!image) return [];
    const scale = Math.min(1, most.width / image.width, most.height / image.height);
    return [
      new ImageRun({
        type: image.mime === 'image/png' ? 'png' : 'jpg',
        data: image.data,
        transformation: {
          width: Math.max(1, Math.round(image.width * scale)),
          height: Math.max(1, Math.round(image.height * scale)),
        },
        altText: { name: reference, title: alt, description: alt },
      }),
    ];
  }

  /** A QR code. */
  code(text: string): ImageRun {
    return new ImageRun({
      type: 'gif',
      data: qrGif(text),
      transformation: { width: CODE_SIDE, height: CODE_SIDE },
      altText: { name: 'code', title: text, description: text },
    });
  }

  /** A photo with its caption. A photo that could not be opened has only the caption. @param label with its link */
  #photo(
    { reference, alt, caption, details }: Photo,
    label: readonly ParagraphChild[],
    most: { width: number; height: number },
  ): Paragraph[] {
    return [
      this.paragraph(this.picture(reference, alt, most), { keepNext: true }),
      this.paragraph(
        [
          ...label,
          ...this.runs(caption === '' ? '' : ` ${caption}`, { size: SIZE.small }),
          ...this.runs(details.length === 0 ? '' : '\n', { size: SIZE.small }),
          ...this.words(details, { size: SIZE.small, color: INK.muted }),
        ],
        { alignment: AlignmentType.START },
      ),
    ];
  }

  #label({ label }: Photo, to: string): ParagraphChild[] {
    return this.words([{ text: label, to }], { bold: true, size: SIZE.small });
  }

  /**
   * A photo with its caption, and a link to the large one.
   * @param columns how many photos share the width of the page
   */
  photo(photo: Photo, columns: number): Paragraph[] {
    const most = { width: Math.floor(TEXT_WIDTH / columns) - 20, height: 260 };
    return this.#photo(photo, this.#label(photo, photo.anchor), most);
  }

  /** A photo with its number in a cell of a table; one that stands further up is only a link. */
  thumbnail(photo: Photo, columns: number): Paragraph[] {
    const most = { width: Math.floor(TEXT_WIDTH / (columns + 1)) - 20, height: 80 };
    return [
      ...(photo.isRepeated ? [] : [this.paragraph(this.picture(photo.reference, photo.alt, most))]),
      this.paragraph(this.#label(photo, photo.anchor)),
    ];
  }

  /**
   * The place of the photos, to which all links to them lead, each with a link to where it is first shown.
   * @param side the most pixels of a side of a photo
   */
  gallery({ photos, elsewhere }: Gallery, columns: number, side: number): Content[] {
    const label = (photo: Photo) => [this.marked(photo.anchor, this.#label(photo, photo.from))];
    const most = { width: Math.min(side, Math.floor(TEXT_WIDTH / columns) - 20), height: side };
    return [
      ...elsewhere.map((photo) =>
        this.paragraph([...label(photo), ...this.runs(` ${photo.caption}`, { size: SIZE.small })], {
          keepNext: true,
        }),
      ),
      ...this.grid(
        photos.map((photo) => this.#photo(photo, label(photo), most)),
        columns,
      ),
    ];
  }

  /** Photos with their captions, so many in a row. Those that stand further up are only links. */
  photos(photos: readonly Photo[], columns: number): Content[] {
    const repeated = photos.filter(({ isRepeated }) => isRepeated);
    return [
      ...this.grid(
        photos.filter(({ isRepeated }) => !isRepeated).map((photo) => this.photo(photo, columns)),
        columns,
      ),
      ...(repeated.length > 0
        ? [
            this.paragraph(
              repeated.flatMap((photo, n) => [
                ...this.runs(n > 0 ? ', ' : ''),
                ...this.#label(photo, photo.anchor),
              ]),
            ),
          ]
        : []),
    ];
  }

  readonly ink = INK;
}
