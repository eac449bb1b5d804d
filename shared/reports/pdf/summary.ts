import type { Column, Content, TableCell } from 'pdfmake/interfaces.js';
import { humanize } from '../format.ts';
import type { Score } from '../../schemas/inspection.ts';
import { fieldsOf, isUnanswered, type NumberedSection } from '../shown.ts';
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
const SEVERITIES = ['critical', 'major', 'minor', 'observation'] as const;

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
    const fields = fieldsOf(section).filter((field) => field.type !== 'instruction');
    const failed = fields.filter((field) => field.is_failed).length;
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
        cell(fields.length),
        cell(fields.filter(isUnanswered).length),
        cell(fields.filter((field) => field.is_na).length),
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
export const resultTone = ({ result }: Score): (typeof TONES)['good' | 'bad' | 'neutral'] =>
  result === null ? TONES.neutral : result === 'pass' ? TONES.good : TONES.bad;

/** The percentage as it is written, a dash where nothing could be scored. */
export const percentage = (sheet: Sheet, { percentage }: Score): string =>
  percentage === null ? '—' : sheet.formats.percentage(percentage);

/** The score, large, with the points behind it. */
export const drawScore = (sheet: Sheet, score: Score): Content => {
  const width = sheet.width - 2 * 14;
  const points = `${sheet.formats.number(score.points)} of ${sheet.formats.number(score.max)} points`;
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
                  { text: percentage(sheet, score), fontSize: 24, bold: true, color: tone.ink },
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
                  muted(points),
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
