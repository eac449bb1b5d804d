import { buffer } from 'node:stream/consumers';
import { readXlsx } from 'hucre/xlsx';
import { type Cell, type Sheet, workbook } from '../../../shared/reports/formats/workbook.ts';

const AT = new Date('2027-03-01T10:00:00.000Z');

const SHEETS: readonly Sheet[] = [
  {
    name: 'One',
    columns: [
      ['Name', 20],
      ['Value', 10],
    ],
  },
  { name: 'Two & more', columns: [['Name', 20]] },
];

const made = (rows: readonly { sheet: number; cells: readonly Cell[] }[], sheets = SHEETS): Promise<Buffer> =>
  buffer(
    workbook(
      sheets,
      (async function* () {
        yield* rows;
      })(),
      AT,
    ),
  );

describe('a workbook', () => {
  it('has its sheets with typed cells, whatever the order of the rows', async () => {
    const { sheets } = await readXlsx(
      await made([
        { sheet: 1, cells: ['last'] },
        { sheet: 0, cells: ['text', 4.5] },
        { sheet: 0, cells: [null, true] },
        { sheet: 0, cells: ['day', { days: 46_447, hasTime: false }] },
      ]),
    );
    expect(sheets.map(({ name }) => name)).toEqual(['One', 'Two & more']);
    const [header, ...rows] = sheets[0]!.rows;
    expect(header).toEqual(['Name', 'Value']);
    expect(rows.slice(0, 2)).toEqual([
      ['text', 4.5],
      [null, true],
    ]);
    expect(new Date(rows[2]![1] as never).toISOString().slice(0, 10)).toBe('2027-03-01');
    expect(sheets[1]!.rows).toEqual([['Name'], ['last']]);
  });

  it.each([
    '=HYPERLINK("https://evil.example")',
    '+1+1',
    '-2+3',
    '@SUM(A1)',
    '\t=1',
    '<b>&amp;</b>',
    '_x0041_ stays',
    '  spaces  ',
    'ends\nlines',
    '👩‍🚒 العربية',
  ])('keeps %j as a text', async (text) => {
    const { sheets } = await readXlsx(await made([{ sheet: 1, cells: [text] }]));
    expect(sheets[1]!.rows[1]).toEqual([text]);
  });

  it('cuts a text at the length that a cell can have', async () => {
    const { sheets } = await readXlsx(await made([{ sheet: 1, cells: [`${'x'.repeat(32_766)}👩‍🚒`] }]));
    expect(sheets[1]!.rows[1]).toEqual(['x'.repeat(32_766)]);
  });

  it('has the same bytes for the same rows', async () => {
    const rows = [{ sheet: 0, cells: ['a', 1] as Cell[] }];
    expect((await made(rows)).equals(await made(rows))).toBe(true);
  });

  it('fails when the rows do', async () => {
    const rows = (async function* () {
      yield { sheet: 0, cells: ['a'] };
      throw new Error('no more rows');
    })();
    await expect(buffer(workbook(SHEETS, rows, AT))).rejects.toThrow('no more rows');
  });
});
