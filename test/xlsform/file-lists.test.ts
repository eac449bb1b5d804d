import { publishProblems } from '../../shared/domain/content/publish/publish.ts';
import { exportForm } from '../../shared/domain/xlsform/export.ts';
import { readCsv } from '../../shared/domain/xlsform/workbook/read.ts';
import type { FormRow } from '../../shared/schemas/templates/xlsform.ts';
import { effort } from '../support/effort.ts';
import { rowsOf } from './odk-rules.ts';
import { imported, labelled, lost, spoken } from './small-forms.ts';

const SITE: FormRow = { type: 'select_one_from_file sites.csv', name: 'site', label: 'Site' };
const SITES = 'name,label,region\nnorth,North yard,n\nsouth,"South, the ""old"" yard",s\n';

const formWith = (text: string, row: FormRow = {}) =>
  imported([{ ...SITE, ...row }], { files: { 'sites.csv': text } });

/** The options of the only response set that comes from a file: their values and labels. */
const optionsOf = ({ content }: ReturnType<typeof imported>) =>
  content.response_sets
    .filter(({ name }) => name.startsWith('sites'))
    .flatMap(({ options }) => options.map(({ value, label }) => [value, label]));

/** What is lost, by the sheet. */
const lostIn = ({ remarks }: ReturnType<typeof imported>, name: string) =>
  remarks.flatMap(({ sheet, message }) => (sheet === name ? [message] : []));

describe('importForm: options in a file', () => {
  test.each([
    ['select_one_from_file sites.csv', 'single_select'],
    ['select_multiple_from_file sites.csv', 'multi_select'],
  ])('makes a response set of the file, %s', (type, fieldType) => {
    const form = formWith(SITES, { type });
    const set = form.content.response_sets.find(({ name }) => name === 'sites')!;
    expect(labelled(form, 'Site')).toMatchObject({ type: fieldType, response_set_id: set.id });
    expect(optionsOf(form)).toEqual([
      ['north', 'North yard'],
      ['south', 'South, the "old" yard'],
    ]);
    expect(lost(form)).toEqual([
      'region: not imported, because no choice_filter that is imported asks for this column',
    ]);
    expect(publishProblems(form.content)).toEqual([]);
  });

  test('gives the options the columns that a choice_filter asks for', () => {
    const form = imported(
      [
        { type: 'text', name: 'wanted', label: 'Wanted' },
        { ...SITE, choice_filter: 'region = ${wanted}' },
        { type: 'text', name: 'why', label: 'Why', relevant: "${site} = 'north'" },
      ],
      { files: { 'sites.csv': SITES } },
    );
    const set = form.content.response_sets.find(({ name }) => name === 'sites')!;
    expect(set.options.map(({ attributes }) => attributes)).toEqual([{ region: 'n' }, { region: 's' }]);
    expect(spoken(form.content, labelled(form, 'Site').choice_filter)).toBe('{option.region} = {Wanted}');
    expect(labelled(form, 'Why').visible_if).toMatchObject({ op: 'eq', value: 'north' });
    expect(lost(form)).toEqual([]);
  });

  test('takes names and labels from the columns that the parameters name', () => {
    const rows = 'name,code,title\nx,a,First\ny,b,Second\n';
    const form = formWith(rows, { parameters: 'value=code, label=title' });
    expect(optionsOf(form)).toEqual([
      ['a', 'First'],
      ['b', 'Second'],
    ]);
    expect(lost(form).map((message) => message.split(':')[0])).toEqual(['name']);
    const filtered = formWith(rows, { parameters: 'value=code label=title', choice_filter: "name = 'x'" });
    expect(lost(filtered)[0]).toMatch(/choice_filter: .* named by code, not by name/);
    const two = imported([SITE, { ...SITE, name: 'b', label: 'B', parameters: 'value=code label=title' }], {
      files: { 'sites.csv': rows },
    });
    expect(two.content.response_sets.map(({ name }) => name)).toEqual([
      'yes_no',
      'sites',
      'sites (code, title)',
    ]);
    expect(lost(two)).toEqual([]);
  });

  test.each<[string, FormRow, Record<string, string>, RegExp]>([
    ['that was not sent', {}, {}, /sites\.csv, which was not sent: send it .* a part named media/],
    ['of a map', { type: 'select_one_from_file sites.geojson' }, {}, /only CSV files are read/],
    ['in XML', { type: 'select_multiple_from_file sites.xml' }, {}, /only CSV files are read/],
    ['without the column', {}, { 'sites.csv': 'code,label\na,A\n' }, /no column named name/],
    ['that is blank', {}, { 'sites.csv': '\n\n' }, /no column named name/],
  ])('becomes a text field for a file %s', (_, row, files, why) => {
    const form = imported([{ ...SITE, ...row }], { files });
    expect(labelled(form, 'Site')).toMatchObject({ type: 'text', response_set_id: null });
    expect(lost(form).filter((message) => message.startsWith('type'))).toEqual([expect.stringMatching(why)]);
    expect(publishProblems(form.content)).toEqual([]);
  });

  test('makes a remark on a file that no question uses', () => {
    const form = imported([SITE], { files: { 'sites.csv': SITES, 'Sites.csv': SITES } });
    expect(lostIn(form, 'Sites.csv')).toEqual(['this file was not imported, because no question uses it']);
  });

  const names = (count: number) =>
    `name,label\n${Array.from({ length: count }, (_, i) => `n${i},Place ${i}`).join('\n')}\n`;

  test('takes 1,000 options, and becomes a text field with more', () => {
    expect(optionsOf(formWith(names(1_000)))).toHaveLength(1_000);
    expect(lost(formWith(names(1_001)))).toEqual([
      'type: this question becomes a text field, because the list has 1001 options and the maximum is 1000',
    ]);
  });

  test('reads no more than 10,000 of 100,000 rows, in little time', () => {
    const text = names(100_000);
    const begin = effort();
    expect(lost(formWith(text))).toEqual([
      'type: this question becomes a text field, because the file sites.csv has more than 10000 rows, and that is the maximum',
    ]);
    expect(effort() - begin).toBeLessThan(300);
  });

  test('makes one remark on each kind of row that is no option', () => {
    const long = 'x'.repeat(201);
    const form = formWith(
      `name,label\na,A\n,B\n${long},C\n,D\na,A\na,Other\nl,${'y'.repeat(600)}\nonly\n"two words",E\n`,
    );
    expect(optionsOf(form).map(([value]) => value)).toEqual(['a', 'l', 'only', 'two words']);
    expect(optionsOf(form)[1]![1]).toHaveLength(500);
    expect(lostIn(form, 'sites.csv')).toEqual([
      'choices were left out, because they have no name (2 rows, the first is line 3)',
      'choices were left out, because their names are longer than 200 characters (1 row, the first is line 4)',
      'choices were left out, because the list already has choices of the same names, with other labels (1 row, the first is line 7)',
      'only the first 500 characters of long labels are imported (1 row, the first is line 8)',
    ]);
    expect(publishProblems(form.content)).toEqual([]);
  });

  test('keeps texts that a spreadsheet would run, and exports them as ordinary choices', () => {
    const formula = '=HYPERLINK("http://a","b")';
    const form = formWith(`name,label\n=1+1,"${formula.replaceAll('"', '""')}"\n__proto__,@SUM(A1)\n`);
    expect(optionsOf(form)).toEqual([
      ['=1+1', formula],
      ['__proto__', '@SUM(A1)'],
    ]);
    const sheets = exportForm(form.content, { title: 'Sites', id: 'sites', version: '1' });
    const rows = rowsOf(sheets, 'choices').filter(({ list_name }) => list_name === 'sites');
    expect(rows.map(({ label }) => label)).toEqual([formula, '@SUM(A1)']);
    expect(rowsOf(sheets, 'survey').map(({ type }) => type)).toContain('select_one sites');
  });
});

describe('readCsv', () => {
  const read = (text: string | Uint8Array) => readCsv(Buffer.from(text));

  test.each<[string, string | Uint8Array, RegExp]>([
    ['in UTF-16', Buffer.from('\ufeffname,label\n', 'utf16le'), /not in UTF-8: save it/],
    ['in Latin-1', Buffer.from('name,label\na,Müller\n', 'latin1'), /not in UTF-8: save it/],
    ['with an open quote', 'name,label\na,"A\nb,B\n', /not a CSV file .* line/],
    ['with a quote within a text', 'name,label\na,A "b"\n', /not a CSV file/],
    ['with more texts than columns', 'name,label\na,A,b\n', /not a CSV file .* line 2/],
    ['with a control character', 'name,label\na,A\nb,x\u0000y\n', /control character in line 3/],
    ['with 2,001 columns', 'a,'.repeat(2_000), /more than 2000 columns/],
    ['with a long name of a column', `name,${'x'.repeat(201)}\n`, /longer than 200 characters/],
    ['that is a workbook', 'PK\u0003\u0004\u0000', /control character|not a CSV file/],
  ])('refuses a file %s', (_, text, why) => expect(() => read(text)).toThrow(why));

  test('reads line ends of every system, a byte order mark, and rows that are short or blank', () => {
    expect(read('\ufeffname,label\r\na,"A\r\nB"\r\n\r\n,\r\nb\r\n')).toEqual({
      columns: ['name', 'label'],
      rows: [
        { number: 3, texts: ['a', 'A\nB'] },
        { number: 6, texts: ['b'] },
      ],
      isCut: false,
    });
    expect(read('name,label\ra,A').rows).toEqual([{ number: 2, texts: ['a', 'A'] }]);
    expect(read('name,name,\na,b,c\n')).toMatchObject({ columns: ['name', '', ''] });
    expect(read('\n\nname\n\na\n')).toMatchObject({ columns: ['name'], rows: [{ number: 5, texts: ['a'] }] });
    expect(read('')).toEqual({ columns: [], rows: [], isCut: false });
  });

  test('reads 2,000 columns, names of 200 characters and 10,000 rows, and says where there are more', () => {
    expect(read(`${'a,'.repeat(1_999)}b\n`).columns).toHaveLength(2_000);
    expect(read(`${'x'.repeat(200)}\n`).columns).toEqual(['x'.repeat(200)]);
    const rows = (count: number) => read(`name\n${'a\n'.repeat(count)}`);
    expect(rows(10_000)).toMatchObject({ rows: { length: 10_000 }, isCut: false });
    expect(rows(10_001)).toMatchObject({ rows: { length: 10_000 }, isCut: true });
    expect(() => read('na\u0000me\n')).toThrow('file has a control character in line 1');
  });

  test('takes little time for a megabyte of quotes, commas or line ends', () => {
    for (const text of [
      '"'.repeat(1_000_000),
      ','.repeat(1_000_000),
      '\n'.repeat(1_000_000),
      'a,b\n'.repeat(250_000),
    ]) {
      const begin = effort();
      try {
        read(text);
      } catch (error) {
        expect(error).toHaveProperty('name', 'WorkbookError');
      }
      expect(effort() - begin).toBeLessThan(300);
    }
  });
});
