import type { Column, Content, TableCell } from 'pdfmake/interfaces.js';
import type { Score } from '../../schemas/inspections/inspection.ts';
import { humanize } from '../presentation/format.ts';
import type { ReportSectionScore } from '../presentation/former-payload.ts';
import { countsOf, type NumberedSection } from '../presentation/sections.ts';
import {
  type Figure,
  passingScoreText,
  percentageText,
  pointsText,
  resultTone,
  severityChips,
  summaryFigures,
} from '../presentation/summary.ts';
import { INK, TONES } from '../presentation/theme.ts';
import {
  bar,
  chips,
  columnLabels,
  label,
  muted,
  PADDING,
  repeatingTable,
  SIZE,
  tableLayout,
} from './sheet.ts';
import type { Sheet } from './sheet.ts';

/** The space between two tiles, in points. */
const GAP = 8;

const tiles = (sheet: Sheet, figures: readonly Figure[]): Content => ({
  columns: figures.map(({ name, value, color }): Column => {
    const width = (sheet.width - GAP * (figures.length - 1)) / figures.length;
    return {
      width,
      table: {
        widths: [width - 20],
        body: [
          [{ stack: [label(name), { text: value, fontSize: 18, bold: true, color }], fillColor: INK.panel }],
        ],
      },
      layout: tableLayout({
        paddingLeft: () => 10,
        paddingRight: () => 10,
        paddingTop: () => 8,
        paddingBottom: () => 6,
      }),
    };
  }),
  columnGap: GAP,
});

/** The numbers of the whole inspection, the findings by severity, and the numbers of each section. */
export const drawSummary = (sheet: Sheet, sections: NumberedSection[]): Content[] => {
  const severities = severityChips(sheet.payload);
  return [
    tiles(sheet, summaryFigures(sheet.payload)),
    ...(severities.length > 0
      ? [{ stack: [chips(sheet, severities)], margin: [0, 8, 0, 0], unbreakable: true } satisfies Content]
      : []),
    ...(sections.length > 0
      ? [{ stack: [sectionTable(sheet, sections)], margin: [0, 14, 0, 0] } satisfies Content]
      : []),
  ];
};

const sectionTable = (sheet: Sheet, sections: NumberedSection[]): Content => {
  const figure = 52;
  const title = sheet.width - 10 * PADDING.x - 4 * figure;
  const flat = (section: NumberedSection, depth: number): TableCell[][] => {
    const { items, unanswered, na, failed } = countsOf(section);
    const cell = (value: number, color: string = INK.text): TableCell => ({
      text: value === 0 ? '–' : String(value),
      alignment: 'right',
      color: value === 0 ? INK.faint : color,
    });
    const text = sheet.type.clip(
      `${section.number}  ${section.title}`,
      { width: title - depth * 10, size: SIZE.text },
      2,
    );
    return [
      [
        { stack: [{ text, bold: depth === 0, margin: [depth * 10, 0, 0, 0] }] },
        cell(items),
        cell(unanswered),
        cell(na),
        cell(failed, TONES.bad.ink),
      ],
      ...section.sections.flatMap((nested) => flat(nested, depth + 1)),
    ];
  };
  const header = columnLabels('Section', 'Items', 'Unanswered', 'N/A', 'Failed').map((cell, index) =>
    index === 0 ? cell : { ...(cell as object), alignment: 'right' as const },
  ) as TableCell[];
  return repeatingTable(
    [title, figure, figure, figure, figure],
    [header],
    sections.flatMap((section) => flat(section, 0)),
    { hLineWidth: (index) => (index > 1 ? 0.5 : 0) },
  );
};

/** The width of a section's bar, in points. */
const SECTION_BAR = 90;

/** A row for each scored section: its bar, its score and, where it has a passing score, its result. */
const sectionScores = (sheet: Sheet): Content => {
  const { section_scores } = sheet.payload.summary;
  const figures = [SECTION_BAR, 46, 84, 76];
  const title =
    sheet.width - 2 * PADDING.x * (figures.length + 1) - figures.reduce((sum, width) => sum + width);
  const row = (section: ReportSectionScore): TableCell[] => {
    const { depth, percentage, result } = section;
    const indent = (depth - 1) * 10;
    const text = sheet.type.clip(section.title, { width: title - indent, size: SIZE.text }, 2);
    const color = result ? resultTone(section).ink : undefined;
    return [
      { stack: [{ text, bold: depth === 1, margin: [indent, 0, 0, 0] }] },
      {
        stack: [bar(SECTION_BAR, 6, (percentage ?? 0) / 100, color ?? sheet.color)],
        margin: [0, 3.5, 0, 0],
      },
      {
        text: sheet.type.inline(percentageText(section, sheet.formats)),
        bold: true,
        alignment: 'right',
        color: color ?? INK.text,
      },
      {
        ...muted(percentage === null ? '' : sheet.type.inline(pointsText(section, sheet.formats))),
        alignment: 'right',
      },
      {
        text: [
          ...(result ? [{ text: `${humanize(result)}  `, color: color ?? INK.text }] : []),
          muted(sheet.type.inline(passingScoreText(section, sheet.formats))),
        ],
        alignment: 'right',
      },
    ];
  };
  return repeatingTable([title, ...figures], [], section_scores.map(row), {
    hLineWidth: (line) => (line > 0 && line < section_scores.length ? 0.5 : 0),
  });
};

/** The total score with its points; below it the sections' scores, where there is more than one. */
export const drawScore = (sheet: Sheet, score: Score): Content[] => [
  total(sheet, score),
  ...(sheet.payload.summary.section_scores.length > 1
    ? [{ stack: [sectionScores(sheet)], margin: [0, 8, 0, 0] } satisfies Content]
    : []),
];

const total = (sheet: Sheet, score: Score): Content => {
  const width = sheet.width - 2 * 14;
  const tone = resultTone(score);
  const left = 130;
  return {
    table: {
      widths: [width],
      dontBreakRows: true,
      body: [
        [
          {
            columns: [
              {
                width: left,
                stack: [
                  label('Score'),
                  {
                    text: sheet.type.inline(percentageText(score, sheet.formats)),
                    fontSize: 24,
                    bold: true,
                    color: tone.ink,
                  },
                ],
              },
              {
                width: width - left,
                stack: [
                  ...(score.result ? [chips(sheet, [{ text: humanize(score.result), tone }])] : []),
                  {
                    stack: [bar(width - left, 6, (score.percentage ?? 0) / 100, tone.ink)],
                    margin: [0, 7, 0, 3],
                  },
                  muted(sheet.type.inline(pointsText(score, sheet.formats))),
                ],
              },
            ],
            fillColor: INK.panel,
          },
        ],
      ],
    },
    layout: tableLayout({
      paddingLeft: () => 14,
      paddingRight: () => 14,
      paddingTop: () => 10,
      paddingBottom: () => 8,
    }),
    margin: [0, 14, 0, 0],
  };
};
