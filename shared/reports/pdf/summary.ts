import type { Column, Content, TableCell } from 'pdfmake/interfaces.js';
import type { Score } from '../../schemas/inspections/inspection.ts';
import type { ReportSectionScore } from '../../schemas/reports/report-payload.ts';
import { humanize } from '../format.ts';
import { figuresOf, type NumberedSection } from '../shown.ts';
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
import { INK, SEVERITY_TONES, TONES } from './theme.ts';

const GAP = 8;
/** Heaviest first. */
export const SEVERITIES = ['critical', 'major', 'minor', 'observation'] as const;

const tiles = (sheet: Sheet, figures: { name: string; value: string; color?: string }[]): Content => ({
  columns: figures.map(({ name, value, color = INK.text }): Column => {
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

/** The inspection in figures, and its sections with how they went. */
export const drawSummary = (sheet: Sheet, sections: NumberedSection[]): Content[] => {
  const { progress, counts, findings } = sheet.payload.summary;
  const found = SEVERITIES.reduce((sum, severity) => sum + findings[severity], 0);
  const severities = SEVERITIES.filter((severity) => findings[severity] > 0).map((severity) => ({
    text: `${findings[severity]} ${severity}`,
    tone: SEVERITY_TONES[severity],
  }));
  return [
    tiles(sheet, [
      { name: 'Answered', value: `${progress.answered} / ${progress.total}` },
      { name: 'Failed', value: String(counts.failed), ...(counts.failed > 0 && { color: TONES.bad.ink }) },
      { name: 'Not applicable', value: String(counts.na) },
      { name: 'Findings', value: String(found), ...(found > 0 && { color: TONES.warning.ink }) },
    ]),
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
    const { items, unanswered, na, failed } = figuresOf(section);
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

/** What a score is called in words. */
export const resultTone = ({ result }: Pick<Score, 'result'>): (typeof TONES)['good' | 'bad' | 'neutral'] =>
  result === null ? TONES.neutral : result === 'pass' ? TONES.good : TONES.bad;

/** The percentage as it is written, a dash where nothing could be scored. */
export const percentage = (
  { formats }: Pick<Sheet, 'formats'>,
  { percentage }: Pick<Score, 'percentage'>,
): string => (percentage === null ? '—' : formats.percentage(percentage));

/** The points behind a percentage. */
export const pointsOf = (
  { formats }: Pick<Sheet, 'formats'>,
  { points, max }: Pick<Score, 'points' | 'max'>,
): string => `${formats.number(points)} of ${formats.number(max)} points`;

const SECTION_BAR = 90;

/** Each scored section with a bar; where it has a passing score, whether it reached that. */
const sectionScores = (sheet: Sheet): Content => {
  const { section_scores } = sheet.payload.summary;
  const figures = [SECTION_BAR, 46, 84, 76];
  const title =
    sheet.width - 2 * PADDING.x * (figures.length + 1) - figures.reduce((sum, width) => sum + width);
  const row = (section: ReportSectionScore): TableCell[] => {
    const { depth, percentage: reached, passing_score, result } = section;
    const indent = (depth - 1) * 10;
    const text = sheet.type.clip(section.title, { width: title - indent, size: SIZE.text }, 2);
    const color = result ? resultTone(section).ink : undefined;
    const needed = passing_score === null ? '' : `needs ${sheet.formats.percentage(passing_score)}`;
    return [
      { stack: [{ text, bold: depth === 1, margin: [indent, 0, 0, 0] }] },
      {
        stack: [bar(SECTION_BAR, 6, (reached ?? 0) / 100, color ?? sheet.color)],
        margin: [0, 3.5, 0, 0],
      },
      {
        text: sheet.type.inline(percentage(sheet, section)),
        bold: true,
        alignment: 'right',
        color: color ?? INK.text,
      },
      { ...muted(reached === null ? '' : sheet.type.inline(pointsOf(sheet, section))), alignment: 'right' },
      {
        text: [
          ...(result ? [{ text: `${humanize(result)}  `, color: color ?? INK.text }] : []),
          muted(sheet.type.inline(needed)),
        ],
        alignment: 'right',
      },
    ];
  };
  return repeatingTable([title, ...figures], [], section_scores.map(row), {
    hLineWidth: (line) => (line > 0 && line < section_scores.length ? 0.5 : 0),
  });
};

/** The score, large, with the points behind it, and the sections that it is made of. */
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
                    text: sheet.type.inline(percentage(sheet, score)),
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
                  muted(sheet.type.inline(pointsOf(sheet, score))),
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
