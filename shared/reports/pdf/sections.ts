import type { Content, ContentStack, TableCell } from 'pdfmake/interfaces.js';
import { answerChips, answeredBy, answerText, isUnanswered } from '../presentation/answers.ts';
import type { ReportField } from '../presentation/former-payload.ts';
import { countsOf, countsText, type NumberedSection } from '../presentation/sections.ts';
import { INK, TONES } from '../presentation/theme.ts';
import { photoRows } from './photos.ts';
import {
  bookmark,
  chips,
  columnLabels,
  label,
  muted,
  PADDING,
  repeatingTable,
  SIZE,
  SPANNED,
  zipped,
} from './sheet.ts';
import type { Sheet } from './sheet.ts';
import type { Inline } from './typesetter.ts';

/** The width of a question's number, in points. */
const NUMBER_WIDTH = 18;
/** How much of the width beside the number the answer takes. */
const ANSWER_SHARE = 0.36;
/** The width of the red bar beside a failed answer, in points. */
const FAILED_BAR = 2;
const FAILED_TINT = '#fff7f6';

interface Row {
  cells: TableCell[];
  isFailed: boolean;
  /** The first row of a question; a line separates it from the previous question. */
  isFirst: boolean;
}

const plainRow = (node: Content): Row => ({
  cells: [{ stack: [node], colSpan: 3 }, SPANNED, SPANNED],
  isFailed: false,
  isFirst: true,
});

/** Widths in points. */
interface Columns {
  label: number;
  answer: number;
  /** Label and answer together, with the padding between them. */
  both: number;
}

const columnsOf = (sheet: Sheet): Columns => {
  const room = sheet.width - FAILED_BAR - 6 * PADDING.x - NUMBER_WIDTH;
  const answer = Math.floor(room * ANSWER_SHARE);
  return { label: room - answer, answer, both: room + 2 * PADDING.x };
};

const answerCells = (sheet: Sheet, field: ReportField, width: number): Content[] => {
  if (field.type === 'instruction') return [];
  if (isUnanswered(field)) return [{ text: '—', color: INK.muted }];
  const pieces = sheet.type
    .pieces(answerText(field), { width, size: SIZE.text })
    .map((text): Content => ({ text, bold: true, color: field.is_failed ? TONES.bad.ink : INK.text }));
  const labels = answerChips(field);
  const signed = answeredBy(field, sheet.formats);
  const [first = '', ...others] = pieces;
  const head: ContentStack = {
    stack: [...(pieces.length > 0 ? [first] : []), ...(labels.length > 0 ? [chips(sheet, labels)] : [])],
  };
  if (signed) {
    const text = sheet.type.clip(signed, { width, size: SIZE.tiny }, 2);
    head.stack.push({ text, fontSize: SIZE.tiny, color: INK.muted });
  }
  return [head, ...others];
};

const labelCells = (sheet: Sheet, field: ReportField, width: number): Content[] => {
  const isInstruction = field.type === 'instruction';
  const piece = (text: string, size: number, lines: number): Inline[] =>
    sheet.type.pieces(text, { width, size }, lines);
  const [first = '—', ...others] = piece(field.label, SIZE.text, 10);
  const [help, ...moreHelp] = piece(field.help ?? '', SIZE.small, 8);
  const style = { color: isInstruction ? INK.muted : INK.text };
  const helped = help !== undefined && others.length === 0;
  return [
    { stack: [{ text: first, ...style }, ...(helped ? [muted(help)] : [])] },
    ...others.map((text): Content => ({ text, ...style })),
    ...(help !== undefined && !helped ? [muted(help)] : []),
    ...moreHelp.map((text) => muted(text)),
  ];
};

const fieldRows = (sheet: Sheet, field: ReportField, number: number, columns: Columns): Row[] => {
  const { include } = sheet.payload.layout;
  const wide = (node: Content): TableCell[] => [{ text: '' }, { stack: [node], colSpan: 2 }, SPANNED];
  const notes = include.notes ? sheet.type.pieces(field.note, { width: columns.both, size: SIZE.text }) : [];
  const cells: TableCell[][] = [
    ...zipped(
      [muted(String(number))],
      labelCells(sheet, field, columns.label),
      answerCells(sheet, field, columns.answer),
    ),
    ...notes.map((text, index) => wide({ stack: [...(index === 0 ? [label('Note')] : []), { text }] })),
    ...(include.media ? photoRows(sheet, field.media, columns.both, 4) : []).map(wide),
  ];
  return cells.map((row, index) => ({ cells: row, isFailed: field.is_failed, isFirst: index === 0 }));
};

const fillOf = (sheet: Sheet, depth: number): string => (depth === 0 ? sheet.tint : INK.panel);

const headerCells = (sheet: Sheet, section: NumberedSection, depth: number): TableCell[] => {
  const counts = countsOf(section);
  const size = depth === 0 ? SIZE.subheading : SIZE.text + 0.5;
  const factsWidth = 96;
  const width = sheet.width - FAILED_BAR - 2 * PADDING.x - factsWidth;
  const text = sheet.type.clip(`${section.number}  ${section.title}`, { width, size }, 2);
  return [
    {
      columns: [
        { text, fontSize: size, bold: true, color: sheet.color, width },
        {
          text: countsText(counts),
          fontSize: SIZE.small,
          color: counts.failed > 0 ? TONES.bad.ink : INK.muted,
          alignment: 'right',
          width: factsWidth,
          margin: [0, size * 0.25, 0, 0],
        },
      ],
      colSpan: 3,
      fillColor: fillOf(sheet, depth),
    },
    SPANNED,
    SPANNED,
  ];
};

/**
 * A section and the sections inside it, one table each. A section without rows of its own has no table: its title
 * becomes a header row of the first table inside it. So no title stands alone, and each page repeats the titles of
 * its sections.
 * @param above the sections whose titles are still to be drawn, the outermost first
 */
const sectionTables = (
  sheet: Sheet,
  section: NumberedSection,
  block: string,
  parent = block,
  above: { section: NumberedSection; depth: number; parent: string }[] = [],
  depth = 0,
): Content[] => {
  const columns = columnsOf(sheet);
  const idOf = ({ number }: NumberedSection): string => `${block}/${number}`;
  const titles = [...above, { section, depth, parent }];
  const described = sheet.type
    .pieces(section.description, { width: sheet.width - FAILED_BAR - 2 * PADDING.x, size: SIZE.text })
    .map((text) => plainRow(muted(text, SIZE.text)));
  const answers = section.fields.flatMap((field, index) => fieldRows(sheet, field, index + 1, columns));
  const isBare = section.fields.length + section.sections.length === 0;
  const rows: Row[] = [
    ...described,
    ...answers,
    ...(isBare ? [plainRow(muted('No items in this section.'))] : []),
  ];
  const isOpen = rows.length === 0;
  const nested = section.sections.flatMap((child, index) =>
    sectionTables(sheet, child, block, idOf(section), isOpen && index === 0 ? titles : [], depth + 1),
  );
  if (isOpen) return nested;

  const header = titles.map((title) => headerCells(sheet, title.section, title.depth));
  if (answers.length > 0) header.push(columnLabels('', 'Item', 'Answer'));
  // The header is drawn again on each page, so the bookmarks cannot be in it: they have a row of their own.
  const marks = titles.map((title) =>
    bookmark(sheet, `${title.section.number} ${title.section.title}`, idOf(title.section), title.parent),
  );
  const markRow = header.length;
  const rowAt = (index: number): Row | undefined => rows[index - markRow - 1];
  const edgeColor = (row: number): string => {
    if (row < titles.length) return fillOf(sheet, titles[row]?.depth ?? 0);
    if (row < markRow) return INK.panel;
    return rowAt(row)?.isFailed ? TONES.bad.ink : INK.white;
  };
  const table = repeatingTable(
    [NUMBER_WIDTH, columns.label, columns.answer],
    header,
    [[{ stack: marks, colSpan: 3 }, SPANNED, SPANNED], ...rows.map((row) => row.cells)],
    {
      keptRows: 2,
      paddingTop: (index) =>
        index === markRow ? 0 : index < markRow || rowAt(index)?.isFirst ? PADDING.y : 1,
      paddingBottom: (index) => (index === markRow ? 0 : PADDING.y),
      hLineWidth: (index) => (rowAt(index)?.isFirst && rowAt(index - 1) ? 0.5 : 0),
      vLineWidth: (index) => (index === 0 ? FAILED_BAR : 0),
      vLineColor: (_index, _node, row) => edgeColor(row),
      fillColor: (index) => (rowAt(index)?.isFailed ? FAILED_TINT : null),
    },
  );
  return [{ stack: [table], margin: [0, 0, 0, 16] }, ...nested];
};

/** Every question with its answer, note and photos. */
export const drawSections = (sheet: Sheet, sections: NumberedSection[], block: string): Content[] =>
  sections.flatMap((section) => sectionTables(sheet, section, block));
