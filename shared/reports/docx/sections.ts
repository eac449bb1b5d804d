import type { IRunOptions } from 'docx';
import type { FileLink, BeforeAnswer, DocumentItem, ItemTable, Section } from '../document/document.ts';
import { type Content, SIZE, type Turned, type Word } from './word.ts';

/** Files that are no pictures, by their names. */
export const drawFiles = (word: Word, files: readonly FileLink[]): Content[] =>
  files.map(({ name, kind, caption, href }) =>
    word.paragraph([
      ...word.words([{ text: name, ...(href !== null && { href }) }]),
      ...word.runs(
        [kind, caption]
          .filter(Boolean)
          .map((part) => ` · ${part}`)
          .join(''),
        {
          size: SIZE.small,
          color: word.ink.muted,
        },
      ),
    ]),
  );

const numbered = (number: string, text: string): string => (number === '' ? text : `${number} ${text}`);

/** The answer's words, behind a square in the colour of the chosen option. */
const drawAnswer = (word: Word, { answer, swatch }: DocumentItem, style: IRunOptions): Content[] => [
  ...answer
    .slice(0, 1)
    .map((paragraph) =>
      word.paragraph([
        ...(swatch === null ? [] : word.runs('■ ', { color: swatch.slice(1) })),
        ...word.words(paragraph, style),
      ]),
    ),
  ...word.paragraphs(answer.slice(1), style),
];

/** The answer of the earlier inspection, behind its label. */
const drawBefore = (word: Word, before: BeforeAnswer, photoColumns: number): Content[] => {
  const style = { size: SIZE.small, color: before.isFailed ? word.ink.bad : word.ink.muted };
  const [first = [], ...others] = before.answer;
  return [
    word.paragraph([
      ...word.runs(`${before.label}: `, { ...style, bold: true }),
      ...word.words(first, style),
    ]),
    ...word.paragraphs([...others, ...before.note], style),
    ...word.photos(before.photos, photoColumns),
  ];
};

const drawItem = (word: Word, item: DocumentItem, photoColumns: number): Content[] => {
  const { anchor, number, question, help, isInstruction, isUnanswered, isFailed } = item;
  const quiet = { size: SIZE.small, color: word.ink.muted };
  if (isInstruction) {
    return [
      word.paragraph([word.marked(anchor, word.runs(question, { italics: true }))]),
      ...note(word, item),
    ];
  }
  const style = isUnanswered
    ? { color: word.ink.muted, italics: true }
    : isFailed
      ? { bold: true, color: word.ink.bad }
      : {};
  return [
    word.paragraph(
      [word.marked(anchor, word.runs(numbered(number, question), { bold: true })), ...word.chips(item.chips)],
      { keepNext: true, spacing: { before: 120, after: 20 } },
    ),
    ...(help === '' ? [] : [word.quiet(help, { keepNext: true })]),
    ...drawAnswer(word, item, style),
    ...(item.signature === null
      ? []
      : [word.paragraph(word.picture(item.signature, question, { width: 240, height: 90 }))]),
    ...note(word, item),
    ...(item.before === null ? [] : drawBefore(word, item.before, photoColumns)),
    ...(item.findings.length > 0 ? [word.paragraph(word.words(item.findings, quiet))] : []),
    ...(item.answeredBy === null ? [] : [word.quiet(item.answeredBy)]),
    ...word.photos(item.photos, photoColumns),
    ...drawFiles(word, item.files),
  ];
};

const note = (word: Word, { note: given }: DocumentItem): Content[] =>
  given
    ? given.paragraphs.map((paragraph, index) =>
        word.paragraph([
          ...(index === 0 ? word.runs(`${given.label} `, { bold: true, size: SIZE.small }) : []),
          ...word.words(paragraph),
        ]),
      )
    : [];

/** Columns above which a table is set in small type. */
const MANY_COLUMNS = 6;

const drawTable = (
  word: Word,
  { anchor, title, columns, rows }: ItemTable,
  photoColumns: number,
  isTitled: boolean,
): Content[] => [
  ...(isTitled
    ? [word.paragraph([word.marked(anchor, word.runs(title, { bold: true }))], { keepNext: true })]
    : []),
  word.table(
    columns,
    rows.map((row) => [
      [
        word.paragraph([word.marked(row.anchor, word.runs(row.title, { bold: true }))]),
        ...word.paragraphs(row.remarks, { size: SIZE.small }),
      ],
      ...row.cells.map(({ text, photos, isFailed, isUnanswered }) => [
        ...photos.flatMap((photo) => word.thumbnail(photo, columns.length)),
        word.paragraph(
          word.words(text, {
            // As small as many columns need it.
            ...(columns.length > MANY_COLUMNS && { size: SIZE.small }),
            ...(isFailed ? { bold: true, color: word.ink.bad } : isUnanswered && { color: word.ink.muted }),
          }),
        ),
      ]),
    ]),
    columns.map((_, index) => (index === 0 && columns.length <= MANY_COLUMNS ? 2 : 1)),
  ),
  ...word.photos(
    rows.flatMap(({ photos }) => photos),
    photoColumns,
  ),
];

const isWide = ({ parts }: Section): boolean => parts.some((part) => 'rows' in part && part.isWide);

/** A section with its items, tables and the sections inside it; turned where it has a table too wide for an upright page. */
export const drawSection = (word: Word, section: Section, photoColumns: number): (Content | Turned)[] => {
  const pieces = [
    word.heading(
      { anchor: section.anchor, text: numbered(section.number, section.title) },
      section.level + 1,
      word.runs(section.counts === '' ? '' : `   ${section.counts}`, {
        size: SIZE.small,
        color: word.ink.muted,
        bold: false,
      }),
    ),
    ...word.paragraphs(section.description),
    ...(section.answeredBy === null ? [] : [word.quiet(section.answeredBy, { keepNext: true })]),
    ...section.parts.flatMap((part) => {
      if ('question' in part) return drawItem(word, part, photoColumns);
      if ('rows' in part) return drawTable(word, part, photoColumns, part.title !== section.title);
      return drawSection(word, part, photoColumns);
    }),
  ];
  if (!isWide(section)) return pieces;
  return [{ turned: pieces.flatMap((piece) => ('turned' in piece ? piece.turned : [piece])) }];
};
