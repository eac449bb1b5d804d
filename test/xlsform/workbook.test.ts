import { type CellValue, writeXlsx } from 'hucre/xlsx';
import { readWorkbook, WorkbookError, writeWorkbook } from '../../shared/xlsform/workbook.ts';

const read = async (bytes: Uint8Array) => (await readWorkbook(bytes, () => true)).sheets;

const workbookOf = (...rows: CellValue[][]): Promise<Uint8Array> =>
  writeXlsx({ sheets: [{ name: 'survey', columns: rows[0]!.map(() => ({})), rows }] });

const refusal = async (bytes: Uint8Array): Promise<string> => {
  const error: unknown = await read(bytes).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(WorkbookError);
  return (error as Error).message;
};

/** The positions of the records of a zip's central directory. */
const recordsOf = (bytes: Uint8Array): number[] => {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return Array.from({ length: bytes.length - 46 }, (_, at) => at).filter(
    (at) => view.getUint32(at, true) === 0x02_01_4b_50,
  );
};

describe('readWorkbook', () => {
  test('reads dates, numbers, booleans and white space as texts', async () => {
    const style = { numFmt: 'yyyy-mm-dd hh:mm' };
    const bytes = await writeXlsx({
      sheets: [
        {
          name: 'survey',
          rows: [['type'], [], [' a\u00a0 b\r\nc ', 5, 0.1 + 0.2, true, false], [], [null, null]],
          cells: new Map([
            ['5,0', { value: new Date(Date.UTC(2026, 2, 2)), type: 'date', style }],
            ['5,1', { value: new Date(Date.UTC(2026, 2, 2, 9, 30)), type: 'date', style }],
          ]),
        },
      ],
    });
    const [sheet] = await read(bytes);
    expect(sheet!.header).toEqual(new Map([[0, 'type']]));
    expect(sheet!.rows.map(({ number, cells }) => [number, ...cells.values()])).toEqual([
      [3, 'a  b\nc', '5', '0.3', 'TRUE', 'FALSE'],
      [6, '2026-03-02', '2026-03-02 09:30:00'],
    ]);
  });

  test('reads only the wanted sheets, and returns the names of the others', async () => {
    const bytes = await writeXlsx({
      sheets: ['survey', 'Notes'].map((name) => ({ name, rows: [['a'], [name]] })),
    });
    const { sheets, others } = await readWorkbook(bytes, (name) => name === 'survey');
    expect([sheets.map(({ name }) => name), others]).toEqual([['survey'], ['Notes']]);
  });

  test('refuses bytes that are not a workbook', async () => {
    expect(await refusal(Buffer.from('type,name\ntext,a'))).toMatch(/not an \.xlsx workbook/);
    expect(await refusal(new Uint8Array())).toMatch(/not an \.xlsx workbook/);
    const bytes = await workbookOf(['type'], ['text']);
    expect(await refusal(bytes.slice(0, bytes.length - 30))).toMatch(/not an \.xlsx workbook/);
    const broken = Uint8Array.from(bytes);
    broken.fill(7, 60, 400);
    expect(await refusal(broken)).toMatch(/cannot be read/);
  });

  test('refuses an encrypted workbook, and one with macros', async () => {
    const sheets = [{ name: 'survey', rows: [['type']] }];
    const encrypted = await writeXlsx({ sheets, encryption: { password: 'p', spinCount: 1 } });
    expect(await refusal(encrypted)).toMatch(/encrypted/);
    const macros = await writeXlsx({ sheets, vbaProject: new Uint8Array([1, 2, 3]) });
    expect(await refusal(macros)).toMatch(/macros/);
  });

  test('refuses a workbook that is too large unpacked, and one without sizes', async () => {
    const bytes = await workbookOf(['type'], ['text']);
    const claiming = (size: number): Uint8Array => {
      const changed = Uint8Array.from(bytes);
      for (const at of recordsOf(changed)) new DataView(changed.buffer).setUint32(at + 24, size, true);
      return changed;
    };
    expect(await refusal(claiming(50_000_000))).toMatch(/larger than 64 MB when it is unpacked/);
    expect(await refusal(claiming(0))).toMatch(/does not say how large/);
    // Unpacking a part stops at the size that it claims.
    expect(await refusal(claiming(10))).toMatch(/cannot be read/);
  });

  test('refuses a sheet with very many rows and columns, though nearly all cells are empty', async () => {
    const bytes = await writeXlsx({
      sheets: [
        { name: 'survey', rows: [['type']], cells: new Map([['999999,99', { value: 'x', type: 'string' }]]) },
      ],
    });
    expect(await refusal(bytes)).toMatch(/1000000 rows x 100 columns/);
  });
});

describe('writeWorkbook', () => {
  test('writes texts that reading returns unchanged', async () => {
    const texts = [
      '_x0041_',
      '=1+1',
      'a\nb',
      '12',
      'TRUE',
      '<&">',
      '2026-03-02',
      'é😀',
      '#REF!',
      "'a",
      '_x005F_x0041_',
    ];
    const header = new Map(texts.map((_, i) => [i, `column ${i}`]));
    const sheet = { name: 'survey', header, rows: [{ number: 2, cells: new Map(texts.entries()) }] };
    expect(await read(await writeWorkbook([sheet]))).toEqual([sheet]);
  });
});
