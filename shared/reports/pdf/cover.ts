import type { Content } from 'pdfmake/interfaces.js';
import { detailsOf, logoOf } from '../presentation/cover.ts';
import { humanize } from '../presentation/format.ts';
import { percentageText, resultTone } from '../presentation/summary.ts';
import { INK } from '../presentation/theme.ts';
import { fitted, label, rule, SIZE, tableLayout } from './sheet.ts';
import type { Sheet } from './sheet.ts';

const detailTable = (sheet: Sheet): Content => {
  const width = (sheet.width - 24) / 2;
  const cells = detailsOf(sheet.payload, sheet.formats).map(({ name, value }): Content => ({
    stack: [label(name), { text: sheet.type.clip(value, { width, size: 10 }, 5), fontSize: 10 }],
  }));
  return {
    table: {
      widths: [width, width],
      dontBreakRows: true,
      body: Array.from({ length: Math.ceil(cells.length / 2) }, (_, row) => [
        cells[2 * row] ?? '',
        cells[2 * row + 1] ?? '',
      ]),
    },
    layout: tableLayout({
      paddingLeft: (column) => (column === 0 ? 0 : 24),
      paddingRight: () => 0,
      paddingTop: () => 7,
      paddingBottom: () => 7,
      hLineWidth: (index) => (index === 0 ? 0 : 0.5),
    }),
  };
};

const logo = (sheet: Sheet, height: number): Content[] => {
  const key = logoOf(sheet.payload);
  const image = key === null ? undefined : sheet.images.get(key);
  if (!image) {
    const name = sheet.type.clip(sheet.payload.organization.name, { width: sheet.width, size: 13 });
    return [{ text: name, fontSize: 13, bold: true, color: sheet.color }];
  }
  return [fitted(image, { width: 200, height })];
};

const titles = (sheet: Sheet, size: number): Content => {
  const { inspection, report } = sheet.payload;
  return {
    stack: [
      {
        text: sheet.type.clip(report.title || inspection.name, { width: sheet.width, size }, 3),
        fontSize: size,
        bold: true,
        color: INK.text,
      },
      ...(report.title && report.title !== inspection.name
        ? [
            {
              text: sheet.type.clip(inspection.name, { width: sheet.width, size: 12 }, 2),
              fontSize: 12,
              color: INK.muted,
            },
          ]
        : []),
    ],
  };
};

/** The cover page: logo, title, score and the facts about the inspection. */
export const drawCover = (sheet: Sheet): Content[] => {
  const { score } = sheet.payload.summary;
  const isTall = sheet.height > sheet.width;
  const room = isTall ? 120 : 20;
  const tone = score && resultTone(score);
  return [
    { stack: logo(sheet, 60), margin: [0, 0, 0, room] },
    titles(sheet, SIZE.title),
    { stack: [rule(64, sheet.color, 3)], margin: [0, 10, 0, isTall ? 26 : 12] },
    ...(score && tone
      ? [
          {
            columns: [
              {
                width: 'auto',
                stack: [
                  label('Score'),
                  {
                    text: sheet.type.inline(percentageText(score, sheet.formats)),
                    fontSize: 30,
                    bold: true,
                    color: tone.ink,
                  },
                ],
              },
              ...(score.result
                ? [
                    {
                      width: 'auto' as const,
                      stack: [
                        label('Result'),
                        { text: humanize(score.result), fontSize: 30, bold: true, color: tone.ink },
                      ],
                    },
                  ]
                : []),
            ],
            columnGap: 40,
            margin: [0, 0, 0, isTall ? 26 : 8],
          } satisfies Content,
        ]
      : []),
    detailTable(sheet),
  ];
};

/** The head of a report without a cover page: logo, title and the facts about the inspection. */
export const drawMasthead = (sheet: Sheet): Content[] => [
  { stack: logo(sheet, 40), margin: [0, 0, 0, 14] },
  titles(sheet, 20),
  { stack: [rule(64, sheet.color, 2)], margin: [0, 6, 0, 10] },
  { stack: [detailTable(sheet)], margin: [0, 0, 0, 18] },
];
