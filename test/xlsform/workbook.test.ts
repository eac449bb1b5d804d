import { type CellValue, writeXlsx } from 'hucre/xlsx';
import { printExpression } from '../../shared/domain/xlsform/expressions/expression.ts';
import { answerValue, odkLiteral } from '../../shared/domain/xlsform/expressions/literals.ts';
import { readWorkbook } from '../../shared/domain/xlsform/workbook/read.ts';
import { dateStylesIn, dateText } from '../../shared/domain/xlsform/workbook/sheet.ts';
import { writeWorkbook } from '../../shared/domain/xlsform/workbook/write.ts';
import { WorkbookError } from '../../shared/domain/xlsform/workbook/zip.ts';
import { useClock } from '../support/clock.ts';
import { inline, sheetXml, workbookParts, zipOf } from '../support/workbooks.ts';

const read = async (bytes: Uint8Array) => (await readWorkbook(bytes, () => true)).sheets;

const CHANGED_AT = '2026-03-02T10:00:00Z';
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
    [
      'a text that is too long before it is decoded',
      sheetXml(`<row>${inline('x'.repeat(229_370))}</row>`),
      /32767 characters/,
    ],
    ['a row 0', sheetXml('<row r="0"><c><v>1</v></c></row>'), /damaged/],
    ['a row that is no number', sheetXml('<row r="x"><c><v>1</v></c></row>'), /damaged/],
    ['a row between two', sheetXml('<row r="1.5"><c><v>1</v></c></row>'), /damaged/],
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

describe('cells of a workbook', () => {
  const rowsIn = async (rows: string, shared = '<sst/>') => {
    const [sheet] = await read(zipOf(workbookParts({ sheets: { survey: sheetXml(rows) }, shared })));
    return [{ number: 0, cells: sheet!.header }, ...sheet!.rows].map(({ number, cells }) => [
      number,
      Object.fromEntries(cells),
    ]);
  };

  test.each<[xml: string, text: string | undefined]>([
    ['<c t="str"><v>007</v></c>', '007'],
    ['<c t="e"><v>1E3</v></c>', '1E3'],
    ['<c t="e"><v>#N/A</v></c>', '#N/A'],
    ['<c t="d"><v>2026-03-02</v></c>', '2026-03-02'],
    ['<c><v>1E3</v></c>', '1000'],
    ['<c><v> 12 </v></c>', '12'],
    ['<c><v>  </v></c>', undefined],
    ['<c><v>abc</v></c>', 'abc'],
    ['<c><v>0.30000000000000004</v></c>', '0.3'],
    ['<c><v>123456789012345.67</v></c>', '123456789012346'],
    ['<c t="b"><v>1</v></c>', 'TRUE'],
    ['<c t="b"><v>True</v></c>', 'TRUE'],
    ['<c t="b"><v>0</v></c>', 'FALSE'],
    ['<c t="b"><v>false</v></c>', 'FALSE'],
    ['<c t="s"><v>0</v></c>', 'first'],
    ['<c t="s"><v>1</v></c>', 'second part'],
    ['<c t="s"><v>2</v></c>', 'third'],
    ['<c t="s"><v>3</v></c>', undefined],
    ['<c s="7"><v>46083</v></c>', '46083'],
    ['<c><f>1+1</f><v>2</v></c>', '2'],
    ['<c><f>1+1</f></c>', undefined],
    ['<c><v><a>1</a>2</v></c>', '2'],
    ['<c><a><v>2</v></a></c>', undefined],
    [inline(' a '), 'a'],
    [inline('_x0041__x00e9__X00E9_x_x41_'), 'Aééx_x41_'],
    ['<c t="inlineStr"><is><r><t>one</t></r><r><t> two</t></r><rPh><t>no</t></rPh></is></c>', 'one two'],
    ['<c t="inlineStr"><other><t>no</t></other></c>', undefined],
  ])('%s is %j', async (xml, text) => {
    const shared = [
      '<sst><si><t>first</t></si><si><r><t>second</t></r><r><t> part</t></r></si>',
      '<si><t><a>no</a>thi</t><a>no</a><r><a>no</a><t>rd</t></r><a><t>no</t></a></si><a>no</a></sst>',
    ].join('');
    const cells = text === undefined ? { 0: '1' } : { 0: '1', 1: text };
    expect(await rowsIn(`<row><c><v>1</v></c>${xml}</row>`, shared)).toEqual([[0, cells]]);
  });

  test('stand where their references say, or else one after the other', async () => {
    const cell = (reference?: string) => `<c${reference ? ` r="${reference}"` : ''}><v>1</v></c>`;
    expect(
      await rowsIn(
        `<row r="9">${cell('aa9')}</row><row>${cell()}${cell('C10')}${cell()}</row>` +
          `<row r="4">${cell('Z4')}${cell('B4')}${cell('9')}</row><row/><row>${cell()}</row>`,
      ),
    ).toEqual([
      [0, { 25: '1', 1: '1', 2: '1' }],
      [6, { 0: '1' }],
      [9, { 26: '1' }],
      [10, { 0: '1', 2: '1', 3: '1' }],
    ]);
  });

  test('stand in the data of the sheet and nowhere else', async () => {
    const row = '<row><c><v>1</v></c></row>';
    const sheet = `<worksheet><cols>${row}</cols><sheetData/></worksheet>`;
    expect(await read(zipOf(workbookParts({ sheets: { survey: sheet } })))).toEqual([
      { name: 'survey', header: new Map(), rows: [] },
    ]);
  });

  test('may be as long, as many and as deep as the limits say', async () => {
    expect(await rowsIn(`<row>${inline('x'.repeat(32_767))}</row>`)).toEqual([
      [0, { 0: 'x'.repeat(32_767) }],
    ]);
    expect(await rowsIn(`<row>${inline('_x0041_'.repeat(32_767))}</row>`)).toEqual([
      [0, { 0: 'A'.repeat(32_767) }],
    ]);
    expect(await rowsIn('<row><c><v>1</v></c></row>'.repeat(60_000))).toHaveLength(60_000);
    // The sheet and its data are two levels.
    expect(await rowsIn('<a>'.repeat(48) + '</a>'.repeat(48))).toHaveLength(1);
    const deep = sheetXml('<a>'.repeat(49) + '</a>'.repeat(49));
    expect(await refusal(zipOf(workbookParts({ sheets: { survey: deep } })))).toMatch(/50 levels deep/);
  });
});

describe('parts of a workbook', () => {
  const parts = workbookParts({ sheets: { survey: SHEET } });
  const HEADER = new Map([[0, 'type']]);
  const headerIn = async (bytes: Uint8Array) => (await read(bytes))[0]!.header;
  /** The parts with another text in one of them. */
  const changed = (name: string, from: string, to: string) =>
    zipOf(parts.map(([part, xml]) => [part, part === name ? xml.replace(from, to) : xml]));

  test('are read where they are stored, and behind them a comment', async () => {
    const long = `<a b="${'x'.repeat(200_000)}"/>`;
    const stored = workbookParts({ sheets: { survey: sheetXml(`${long}<row>${inline('type')}</row>`) } });
    expect(await headerIn(zipOf(stored, { method: 0 }))).toEqual(HEADER);
    expect(await headerIn(zipOf(parts, { comment: 'x'.repeat(65_535) }))).toEqual(HEADER);
    expect(await refusal(Buffer.concat([zipOf(parts), Buffer.from('x')]))).toBe(
      'the file is not an .xlsx workbook',
    );
  });

  test('are read in chunks that may end within a character', async () => {
    for (const before of ['', 'x', 'xx']) {
      const text = before + '€'.repeat(30_000);
      const stored = workbookParts({ sheets: { survey: sheetXml(`<row>${inline(text)}</row>`) } });
      expect(await headerIn(zipOf(stored, { method: 0 }))).toEqual(new Map([[0, text]]));
    }
  });

  test('are read without those that are not needed', async () => {
    const rels = 'xl/_rels/workbook.xml.rels';
    const alone = parts
      .filter(([name]) => name !== 'xl/sharedStrings.xml')
      .map(([name, xml]): [string, string] => [
        name,
        name === rels
          ? xml.replace('/sharedStrings"', '/other"')
          : xml.replace('</row>', '<c t="s"><v>0</v></c></row>'),
      ]);
    const others = ['xl/myvbaProject.bin', 'vbaProject.bin.txt', 'xl/workbook.bin.txt', 'a/xl/workbook.bin'];
    const bytes = zipOf([...alone, ...others.map((name): [string, string] => [name, ''])]);
    expect(await headerIn(bytes)).toEqual(HEADER);
  });

  test('may be 2,000', async () => {
    const many = Array.from({ length: 2_000 - parts.length }, (_, i): [string, string] => [`part${i}`, '']);
    expect(await headerIn(zipOf([...parts, ...many]))).toEqual(HEADER);
  });

  test('are refused where they are encrypted, or compressed in another way', async () => {
    expect(await refusal(zipOf(parts, { flags: 1 }))).toBe(
      'the workbook is encrypted: save it without a password',
    );
    expect(await refusal(zipOf(parts, { method: 12 }))).toBe(
      'the workbook is compressed in a way that cannot be read',
    );
  });

  test('are found by relative and by absolute targets', async () => {
    const rels = 'xl/_rels/workbook.xml.rels';
    expect(await headerIn(changed(rels, 'worksheets/sheet1.xml', '/xl/worksheets/sheet1.xml'))).toEqual(
      HEADER,
    );
    expect(await headerIn(changed(rels, 'worksheets/sheet1.xml', '../xl/./worksheets/sheet1%2Exml'))).toEqual(
      HEADER,
    );
  });

  test.each<[what: string, bytes: Uint8Array, why: string]>([
    ['without a list of types', zipOf(parts.slice(1)), 'the file is not an .xlsx workbook'],
    [
      'with a list of types of another name',
      zipOf([['[Content_Types].xml.bak', ''], ['a[Content_Types].xml', ''], ...parts.slice(1)]),
      'the file is not an .xlsx workbook',
    ],
    [
      'behind other bytes',
      Uint8Array.from([0, ...zipOf(parts).subarray(1)]),
      'the file is not an .xlsx workbook',
    ],
    ['without a directory', zipOf(parts, { directoryOffset: 0 }), 'the workbook is damaged'],
    [
      'with an address that is none',
      changed('xl/_rels/workbook.xml.rels', 'worksheets/sheet1.xml', 'http://['),
      'the workbook cannot be read: Invalid URL',
    ],
    ['that is binary', zipOf([...parts, ['xl/workbook.bin', '']]), 'the file is not an .xlsx workbook'],
    [
      'that is another document',
      changed('_rels/.rels', '/officeDocument"', '/other"'),
      'the file is not an .xlsx workbook',
    ],
    [
      'whose main part is elsewhere',
      changed('_rels/.rels', 'Target=', 'TargetMode="External" Target='),
      'the file is not an .xlsx workbook',
    ],
    [
      'whose main part is missing',
      changed('_rels/.rels', 'workbook.xml', 'other.xml'),
      'the workbook has no part xl/_rels/other.xml.rels',
    ],
    [
      'with a sheet that refers to nothing',
      changed('xl/workbook.xml', 'r:id="rId1"', ''),
      'the workbook has no worksheet "survey"',
    ],
    [
      'with a sheet that is a chart',
      changed('xl/_rels/workbook.xml.rels', '/worksheet"', '/chartsheet"'),
      'the workbook has no worksheet "survey"',
    ],
    [
      'whose sheet is missing',
      changed('xl/_rels/workbook.xml.rels', 'sheet1.xml', 'sheet2.xml'),
      'the workbook has no part xl/worksheets/sheet2.xml',
    ],
    [
      'with 1,001 sheets',
      changed('xl/workbook.xml', '</sheets>', `${'<sheet/>'.repeat(1_000)}</sheets>`),
      'the workbook has more than 1000 sheets',
    ],
    [
      'with macros',
      zipOf([...parts, ['xl/vbaProject.bin', '']]),
      'the workbook has macros: save it as .xlsx',
    ],
  ])('are refused of a workbook %s', async (_, bytes, why) => {
    expect(await refusal(bytes)).toBe(why);
  });

  test('may be 1,000 sheets', async () => {
    const more = Array.from({ length: 999 }, (_, i) => `<sheet name="s${i}"/>`).join('');
    const bytes = changed('xl/workbook.xml', '</sheets>', `${more}</sheets>`);
    const { sheets, others } = await readWorkbook(bytes, (name) => name === 'survey');
    expect([sheets.length, others.length]).toEqual([1, 999]);
  });

  test.each([
    ['', '00:00:00'],
    ['<workbookPr date1904="0"/>', '00:00:00'],
    ['<workbookPr date1904="1"/>', '1904-01-01'],
    ['<workbookPr date1904="true"/>', '1904-01-01'],
  ])('say from which day on days are counted: %j', async (properties, text) => {
    const dated = workbookParts({ sheets: { survey: sheetXml('<row><c s="0"><v>0</v></c></row>') } }).map(
      ([name, xml]): [string, string] => [
        name,
        name === 'xl/workbook.xml'
          ? xml.replace('<sheets>', `${properties}<sheets>`)
          : xml.replace(/("[^"]*)sharedStrings" Target="sharedStrings/, '$1styles" Target="styles'),
      ],
    );
    const styles = '<styleSheet><cellXfs><xf numFmtId="14"/></cellXfs></styleSheet>';
    expect(await headerIn(zipOf([...dated, ['xl/styles.xml', styles]]))).toEqual(new Map([[0, text]]));
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
    expect(await read(await writeWorkbook([sheet], CHANGED_AT))).toEqual([sheet]);
  });
});

describe('a workbook that is written', () => {
  const clock = useClock();

  test('is the same at any time', async () => {
    const sheet = { name: 'survey', header: new Map([[0, 'type']]), rows: [] };
    const before = await writeWorkbook([sheet], CHANGED_AT);
    clock.pass(86_400);
    expect(await writeWorkbook([sheet], CHANGED_AT)).toEqual(before);
  });
});

describe('dates of a workbook', () => {
  test('are numbers whose style shows a date or a time, by Excel’s own formats or by one of the workbook', async () => {
    const ids = [13, 14, 22, 23, 26, 27, 36, 37, 44, 45, 47, 48, 49, 50, 58, 59, 164, 165, 166];
    const xml = [
      '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy-mm"/><numFmt numFmtId="165" formatCode="0.00"/></numFmts>',
      `<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${ids.map((id) => `<xf numFmtId="${id}"><a numFmtId="14"/></xf>`).join('')}</cellXfs></styleSheet>`,
    ].join('');
    const styles = await dateStylesIn(
      (async function* () {
        yield Buffer.from(xml);
      })(),
    );
    expect(ids.filter((_, position) => styles[position])).toEqual([14, 22, 27, 36, 45, 47, 50, 58, 164]);
    expect(styles).toHaveLength(ids.length);
  });

  test.each([
    [46_083, false, '2026-03-02'],
    [46_083.5, false, '2026-03-02 12:00:00'],
    [1, false, '1900-01-01'],
    [0.5, false, '12:00:00'],
    [0, false, '00:00:00'],
    [0, true, '1904-01-01'],
    [44_621, true, '2026-03-02'],
    [46_083.999_999, false, '2026-03-03'],
    [2_958_465, false, '9999-12-31'],
    [2_958_466, false, ''],
    [-1, false, ''],
    [1e12, false, ''],
    [Number.NaN, false, ''],
  ])('%s, since 1904: %s, is %j', (days, isSince1904, text) => {
    expect(dateText(days, isSince1904)).toBe(text);
  });
});

describe('a literal of an expression', () => {
  const target = (type: string, options: object[] = []) => ({ type, options }) as never;
  const OPTIONS = [
    { name: 'north', value: 'n' },
    { name: '1', value: 'one' },
  ];

  test.each<[string, object[], string | number | boolean, unknown]>([
    ['number', [], '5', 5],
    ['number', [], 'x', undefined],
    ['number', [], ' ', undefined],
    ['checkbox', [], 'OK', true],
    ['checkbox', [], true, true],
    ['checkbox', [], '1', true],
    ['checkbox', [], 'false', false],
    ['checkbox', [], 0, false],
    ['yes_no', [], 'yes', true],
    ['yes_no', [], 'true', true],
    ['yes_no', [], 1, true],
    ['yes_no', [], 'no', false],
    ['yes_no', [], '0', false],
    ['yes_no', [], false, false],
    ['yes_no', [], 'maybe', undefined],
    ['date', [], '2026-03-02', '2026-03-02'],
    ['date', [], 'today', undefined],
    ['date', [], '2026-03-02 or later', undefined],
    ['datetime', [], '2026-03-02T09:00:00.000+02:00', '2026-03-02T09:00:00.000+02:00'],
    ['datetime', [], '2026-03-02t09:00z', '2026-03-02t09:00z'],
    ['time', [], '09:00', '09:00'],
    ['date', [], 5, undefined],
    ['single_select', OPTIONS, 'north', 'n'],
    ['single_select', OPTIONS, 1, 'one'],
    ['single_select', OPTIONS, '01', 'one'],
    ['single_select', OPTIONS, 'x', 'x'],
    ['text', [], 5, '5'],
    ['calculated', [], 5, 5],
    ['photo', [], 'x', undefined],
  ])('for an answer of the type %s among %j: %j is stored as %j', (type, options, literal, value) => {
    expect(answerValue(target(type, options), literal)).toBe(value);
  });

  test.each([
    ['checkbox', true, "'OK'"],
    ['checkbox', false, "''"],
    ['yes_no', true, "'yes'"],
    ['yes_no', false, "'no'"],
    ['calculated', true, 'true()'],
    ['number', 5, '5'],
    ['date', '2026-03-02', "date('2026-03-02')"],
    ['datetime', '2026-03-02T09:00', "date-time('2026-03-02T09:00')"],
    ['single_select', 'n', "'north'"],
    ['single_select', 'x', "'x'"],
  ])('for an answer of the type %s: %j is compared as %s', (type, value, text) => {
    expect(printExpression(odkLiteral(target(type, OPTIONS), value)!, (name) => name)).toBe(text);
  });
});
