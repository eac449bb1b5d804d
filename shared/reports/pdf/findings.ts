import type { Content, TableCell } from 'pdfmake/interfaces.js';
import { actionChips, findingChips, findingTexts, placeOf } from '../presentation/findings.ts';
import type { ReportFinding } from '../presentation/former-payload.ts';
import { INK, SEVERITY_TONES, TONES } from '../presentation/theme.ts';
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
  zipped,
} from './sheet.ts';
import type { Sheet } from './sheet.ts';

/** The width of the coloured edge on the left of a finding, in points. */
const EDGE = 3;
/** The width of "Finding 12" beside the title, in points. */
const NAME_WIDTH = 64;

const findingCard = (
  sheet: Sheet,
  finding: ReportFinding,
  parent: string,
  id: string,
  columns: number,
): Content => {
  const width = sheet.width - EDGE - 2 * PADDING.x;
  const tone = SEVERITY_TONES[finding.severity];
  const name = `Finding ${finding.number}`;
  const room = { width: width - NAME_WIDTH, size: SIZE.subheading };
  const title = sheet.type.clip(finding.label, room, 3);
  const place = placeOf(finding);
  const paragraphs = (heading: string, text: string): Content[] =>
    sheet.type
      .pieces(text, { width, size: SIZE.text })
      .map((piece, index) => ({ stack: [...(index === 0 ? [label(heading)] : []), { text: piece }] }));
  const rows: Content[] = [
    {
      stack: [
        bookmark(sheet, `${finding.number} ${finding.label}`, id, parent),
        chips(sheet, findingChips(finding)),
        ...(place
          ? [
              {
                stack: [muted(sheet.type.clip(place, { width, size: SIZE.small }, 2))],
                margin: [0, 4, 0, 0] as [number, number, number, number],
              },
            ]
          : []),
      ],
    },
    ...findingTexts(finding).flatMap(([heading, text]) => paragraphs(heading, text)),
    ...(sheet.payload.layout.include.media ? photoRows(sheet, finding.media, width, columns) : []),
  ];
  const header: TableCell[] = [
    {
      columns: [
        { text: title, fontSize: SIZE.subheading, bold: true, width: room.width },
        {
          text: name,
          fontSize: SIZE.small,
          color: INK.muted,
          alignment: 'right',
          width: NAME_WIDTH,
          margin: [0, 3, 0, 0],
        },
      ],
      fillColor: INK.panel,
    },
  ];
  return {
    stack: [
      repeatingTable(
        [width],
        [header],
        rows.map((row) => [{ stack: [row] }]),
        {
          vLineWidth: (index) => (index === 0 ? EDGE : 0),
          vLineColor: () => tone.ink,
        },
      ),
    ],
    margin: [0, 0, 0, 16],
  };
};

/** The findings, each with its description, root cause, recommendation and photos. */
export const drawFindings = (sheet: Sheet, parent: string, columns: number): Content[] =>
  sheet.payload.findings.map((finding, index) =>
    findingCard(sheet, finding, parent, `${parent}/${index}`, columns),
  );

/** The corrective actions as a table: what, who and by when. */
export const drawCorrectiveActions = (sheet: Sheet): Content => {
  const { corrective_actions } = sheet.payload;
  const fixed = { number: 26, assignee: 86, due: 74 };
  const action = sheet.width - 8 * PADDING.x - fixed.number - fixed.assignee - fixed.due;
  const rows = corrective_actions.map((row) => {
    const text = { width: action, size: SIZE.text };
    const [title = '—', ...moreTitle] = sheet.type.pieces(row.title, text, 8);
    const facts: Content = {
      stack: [
        { text: title, bold: true },
        {
          stack: [chips(sheet, actionChips(row))],
          margin: [0, 2, 0, 0],
        },
      ],
    };
    const done = row.completion_note.trim() ? `Done: ${row.completion_note}` : '';
    const dates = [
      row.due_at ? sheet.formats.date(row.due_at) : '—',
      ...(row.is_overdue ? ['Overdue'] : []),
      ...(row.verified_at ? [`Verified ${sheet.formats.date(row.verified_at)}`] : []),
    ];
    return zipped(
      [muted(String(row.number))],
      [
        facts,
        ...moreTitle.map((piece): Content => ({ text: piece, bold: true })),
        ...[row.description, done]
          .flatMap((paragraph) => sheet.type.pieces(paragraph, text))
          .map((piece): Content => ({ text: piece })),
      ],
      [{ text: sheet.type.clip(row.assignee_name ?? '—', { width: fixed.assignee, size: SIZE.text }, 3) }],
      [
        {
          text: sheet.type.clip(dates.join('\n'), { width: fixed.due, size: SIZE.text }, 6),
          color: row.is_overdue ? TONES.bad.ink : INK.text,
        },
      ],
    );
  });
  const starts = new Set<number>();
  let next = 1;
  for (const row of rows) {
    starts.add(next);
    next += row.length;
  }
  return repeatingTable(
    [fixed.number, action, fixed.assignee, fixed.due],
    [columnLabels('No.', 'Action', 'Assigned to', 'Due')],
    rows.flat(),
    {
      hLineWidth: (index) => (starts.has(index) && index > 1 ? 0.5 : 0),
      paddingTop: (index) => (index === 0 || starts.has(index) ? PADDING.y : 1),
    },
  );
};
