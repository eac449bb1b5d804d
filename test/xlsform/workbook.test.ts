import { type CellValue, writeXlsx } from 'hucre/xlsx';
import { readWorkbook } from '../../shared/xlsform/workbook/read.ts';
import { WorkbookError } from '../../shared/xlsform/workbook/workbook-error.ts';
import { writeWorkbook } from '../../shared/xlsform/workbook/write.ts';
import { inline, sheetXml, workbookParts, zipOf } from '../support/workbooks.ts';

const read = async (bytes: Uint8Array) => (await readWorkbook(bytes, () => true)).sheets;

const SHEET = sheetXml(`<row>${inline('type')}</row>`);

const workbookOf = (...rows: CellValue[][]): Promise<Uint8Array> =>
  writeXlsx({ sheets: [{ name: 'survey', columns: rows[0]!.map(() => ({})), rows }] });

const refusal = async (bytes: Uint8Array): Promise<string> => {
  const error: unknown = await read(bytes).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(WorkbookError);
  return (error as Error).message;
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
    expect(await refusal(broken)).toMatch(/damaged/);
  });

  test('refuses an encrypted workbook, and one with macros', async () => {
    const sheets = [{ name: 'survey', rows: [['type']] }];
    const encrypted = await writeXlsx({ sheets, encryption: { password: 'p', spinCount: 1 } });
    expect(await refusal(encrypted)).toMatch(/encrypted/);
    const macros = await writeXlsx({ sheets, vbaProject: new Uint8Array([1, 2, 3]) });
    expect(await refusal(macros)).toMatch(/macros/);
  });

  test('refuses a workbook of the ZIP64 format', async () => {
    const parts = workbookParts({ sheets: { survey: SHEET } });
    expect(await refusal(zipOf(parts, { directoryOffset: 0xff_ff_ff_ff }))).toMatch(/ZIP64/);
    expect(await refusal(zipOf(parts, { directorySize: 0xff_ff_ff_ff }))).toMatch(/ZIP64/);
    expect(await refusal(zipOf(parts, { count: 0xff_ff }))).toMatch(/ZIP64/);
    expect(await refusal(zipOf(parts, { hasLocator: true }))).toMatch(/ZIP64/);
  });

  test('refuses parts whose sizes or names are not what the directory says', async () => {
    const parts = workbookParts({ sheets: { survey: SHEET } });
    expect(await refusal(zipOf(parts, { unpackedSize: 10 }))).toMatch(/damaged/);
    expect(await refusal(zipOf(parts, { unpackedSize: 0xff_ff_ff_ff }))).toMatch(/damaged/);
    expect(await refusal(zipOf(parts, { checksum: 7 }))).toMatch(/damaged/);
    expect(await refusal(zipOf(parts, { offset: 0xff_ff_ff_00 }))).toMatch(/damaged/);
    expect(await refusal(zipOf([...parts, parts[0]!]))).toMatch(/two parts of the same name/);
    const many = Array.from({ length: 2_001 }, (_, i): [string, string] => [`part${i}`, '']);
    expect(await refusal(zipOf([...parts, ...many]))).toMatch(/more than 2000 parts/);
  });

  test('refuses a workbook that is too large unpacked, whatever its directory says', async () => {
    const sheet = sheetXml(`<a${' '.repeat(60_000)}/>`.repeat(600));
    const parts = workbookParts({ sheets: { survey: sheet } });
    expect(await refusal(zipOf(parts))).toMatch(/larger than 32 MB when it is unpacked/);
    expect(await refusal(zipOf(parts, { unpackedSize: 0 }))).toMatch(/larger than 32 MB/);
  });

  test('reads cells that are far apart, and refuses one beyond the last column', async () => {
    const far = (column: string) => sheetXml(`<row r="1048576"><c r="${column}1048576"><v>1</v></c></row>`);
    const [sheet] = await read(zipOf(workbookParts({ sheets: { survey: far('BXX') } })));
    expect(sheet!.header).toEqual(new Map([[1_999, '1']]));
    expect(await refusal(zipOf(workbookParts({ sheets: { survey: far('BXY') } })))).toMatch(/2000 columns/);
    const row = sheetXml('<row r="1048577"><c><v>1</v></c></row>');
    expect(await refusal(zipOf(workbookParts({ sheets: { survey: row } })))).toMatch(/damaged/);
  });

  test('refuses sheets whose names differ only in case, white space or compatible characters', async () => {
    for (const other of ['SURVEY', 'Survey ', '\uff53urvey']) {
      const bytes = zipOf(workbookParts({ sheets: { survey: SHEET, [other]: SHEET } }));
      expect(await refusal(bytes)).toMatch(/two sheets of the same name/);
    }
  });

  test.each<[string, string, RegExp]>([
    ['too many rows', sheetXml('<row><c><v>1</v></c></row>'.repeat(60_001)), /60000 rows/],
    ['a text that is too long', sheetXml(`<row>${inline('x'.repeat(32_768))}</row>`), /32767 characters/],
    ['elements that are too deep', sheetXml('<a>'.repeat(1_000)), /50 levels deep/],
    ['a tag that is too long', sheetXml(`<row a="${'x'.repeat(2_000_000)}"/>`), /too long/],
    ['XML that is not well formed', sheetXml('<row></c>'), /cannot be read/],
    ['XML that ends too early', '<worksheet><sheetData>', /cannot be read/],
    [
      'an entity of its own',
      `<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]>${sheetXml(`<row>${inline('&c;')}</row>`)}`,
      /cannot be read/,
    ],
  ])('refuses %s', async (_, sheet, why) => {
    expect(await refusal(zipOf(workbookParts({ sheets: { survey: sheet } })))).toMatch(why);
  });

  test('refuses shared texts that make up too many characters', async () => {
    const cells = '<c t="s"><v>0</v></c>'.repeat(1_000);
    const parts = workbookParts({
      sheets: { survey: sheetXml(`<row>${cells}</row>`) },
      shared: `<sst count="1" uniqueCount="4294967295"><si><t>${'x'.repeat(32_767)}</t></si></sst>`,
    });
    expect(await refusal(zipOf(parts))).toMatch(/16000000 characters/);
  });

  test('reads prefixed elements, runs of shared texts without their pronunciation, and cells without references', async () => {
    const parts = workbookParts({
      sheets: {
        survey:
          '<x:worksheet><x:sheetData><x:row><x:c t="s"><x:v>0</x:v></x:c><x:c r="D1" t="b"><x:v>1</x:v></x:c>' +
          '<x:c><x:v><![CDATA[5]]></x:v></x:c></x:row></x:sheetData></x:worksheet>',
      },
      shared: '<sst><si><r><t>one</t></r><r><t> two</t></r><rPh><t>not read</t></rPh></si></sst>',
    });
    const [sheet] = await read(zipOf(parts));
    expect([...sheet!.header]).toEqual([
      [0, 'one two'],
      [3, 'TRUE'],
      [4, '5'],
    ]);
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
