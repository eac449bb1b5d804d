import { writeXlsx } from 'hucre/xlsx';
import * as errors from '../../../shared/base/errors.ts';
import { patchedContent } from '../../../shared/http/request/patched-content.ts';
import { importedTemplate } from '../../../shared/http/request/xlsform.ts';
import { Content } from '../../../shared/schemas/templates/content.ts';
import { FormImport } from '../../../shared/schemas/templates/xlsform.ts';
import { contentWith, field } from '../../support/content.ts';

const CONTENT = Content.parse(contentWith(field(2), field(3)));

describe('patchedContent', () => {
  const patched = (...operations: Parameters<typeof patchedContent>[1]) =>
    patchedContent(CONTENT, operations);

  test('gives the content that the patch makes, and leaves the given one as it was', () => {
    const before = structuredClone(CONTENT);
    const { sections } = patched({ op: 'replace', path: '/sections/0/title', value: 'Rails' });
    expect(sections).toEqual([{ ...before.sections[0], title: 'Rails' }]);
    expect(CONTENT).toEqual(before);
  });

  test('is 409 for a test that fails', () => {
    expect(() => patched({ op: 'test', path: '/sections/0/title', value: 'x' })).toThrow(
      errors.patchTestFailed(0, 'the value at this path is a different one'),
    );
  });

  test('is 422 with the place of an operation that cannot be applied', () => {
    const remove = { op: 'remove', path: '/sections/0/no' } as const;
    expect(() => patched({ op: 'remove', path: '/sections/0/fields/0' }, remove)).toThrow(
      expect.objectContaining({
        status: 422,
        detail: [
          {
            loc: ['body', 'operations', '1', 'path'],
            type: 'value_error',
            msg: 'Value error, there is no value at this path',
          },
        ],
      }),
    );
  });

  test('is 422 with the places in the content where the result is not valid', () => {
    expect(() => patched({ op: 'replace', path: '/sections/0/title', value: 5 })).toThrow(
      expect.objectContaining({
        status: 422,
        code: 'content_invalid',
        detail: [
          {
            loc: ['content', 'sections', '0', 'title'],
            type: 'string_type',
            msg: 'Input should be a valid string',
            input: 5,
          },
        ],
      }),
    );
  });

  test('is a bug in any other way', () => {
    const broken = { sections: [() => {}] } as never;
    expect(() => patchedContent(broken, [])).toThrow(expect.objectContaining({ name: 'DataCloneError' }));
  });
});

describe('importedTemplate', () => {
  type Body = Parameters<typeof importedTemplate>[0];
  const fromJson = (body: object) => importedTemplate(FormImport.parse(body));
  const SURVEY = [{ type: 'select_one firm', name: 'a', label: 'A' }];
  const CHOICES = ['yes', 'no'].map((name) => ({ list_name: 'firm', name, label: name }));
  const FORM = { survey: SURVEY, choices: CHOICES };
  const detailOf = async (imported: Promise<unknown>): Promise<{ loc: string[]; msg: string }[]> => {
    const error = await imported.then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(error).toMatchObject({ status: 422 });
    return (error as { detail: { loc: string[]; msg: string }[] }).detail;
  };

  const workbook = async (
    rows: (string | null)[][],
    {
      name = 'crane.v2.xlsx',
      media = [],
      ...fields
    }: { name?: string; media?: object[]; language?: string } = {},
  ) => {
    const bytes = await writeXlsx({ sheets: [{ name: 'survey', rows }] });
    return { file: { name, bytes }, media, ...fields } as Body;
  };
  const HEADER = ['type', 'name', 'label'];
  const TEXT = ['text', 'a', 'A'];
  const csv = (name: string, text: string | Buffer) => ({ name, bytes: Buffer.from(text) });

  test('takes a content as it is', async () => {
    const { name, content, report } = await fromJson({ name: 'Crane', content: CONTENT });
    expect([name, content, report.rows]).toEqual(['Crane', CONTENT, []]);
    expect((await fromJson({ content: CONTENT })).name).toBe('Imported form');
  });

  test('takes the sheets of a form', async () => {
    const { name, content, report } = await fromJson(FORM);
    expect([name, report.rows]).toEqual(['Imported form', []]);
    expect(content.sections[0]!.fields).toMatchObject([{ type: 'single_select', label: 'A' }]);
    expect(content.response_sets).toMatchObject([{ options: [{ value: 'yes' }, { value: 'no' }] }]);
    const [region, area] = ['region', 'area'].map((list_name) => ({ list_name, name: 'x', label: 'X' }));
    const external = await fromJson({
      survey: [{ type: 'select_one_external area', name: 'b', label: 'B' }],
      choices: [region],
      external_choices: [area],
    });
    expect(external.content.response_sets).toMatchObject([
      { name: 'region' },
      { name: 'area', options: [{ value: 'x' }] },
    ]);
  });

  test('says of sheets of other programs that they are not imported', async () => {
    const sheet = [{ list_name: 'x' }];
    const ofSheets = async (more: object) =>
      (await fromJson({ ...FORM, ...more })).report.rows.map(({ sheet }) => sheet);
    expect(await ofSheets({ entities: sheet })).toEqual(['entities']);
    expect(await ofSheets({ osm: sheet })).toEqual(['osm']);
  });

  test.each<[string, object, string]>([
    ['the name of the request', { name: 'Tower', settings: { form_title: 'Crane' } }, 'Tower'],
    ['the title of the form', { settings: { form_title: 'Crane' } }, 'Crane'],
    ['the title without control characters', { settings: { form_title: ' A\u0001\u001f\u007fB\n' } }, 'A B'],
    ['the title, cut', { settings: { form_title: `${'a'.repeat(199)} b` } }, 'a'.repeat(199)],
    ['a title of 200 characters', { settings: { form_title: 'a'.repeat(200) } }, 'a'.repeat(200)],
    ['a name of ours where there is none', {}, 'Imported form'],
  ])('has %s', async (_, more, name) => {
    expect((await fromJson({ ...FORM, ...more })).name).toBe(name);
  });

  test('has the name of its file where it has no title', async () => {
    expect((await importedTemplate(await workbook([HEADER, TEXT]))).name).toBe('crane.v2');
    expect((await importedTemplate(await workbook([HEADER, TEXT], { name: '.xlsx' }))).name).toBe(
      'Imported form',
    );
  });

  test('has the texts of the language that the request names', async () => {
    const rows = [
      ['type', 'name', 'label::English (en)', 'label::French (fr)'],
      ['text', 'a', 'House', 'Maison'],
    ];
    const fields = async (language: string) => {
      const { content } = await importedTemplate(await workbook(rows, { language }));
      return content.sections[0]!.fields.map(({ label }) => label);
    };
    expect([await fields('fr'), await fields('English (en)')]).toEqual([['Maison'], ['House']]);
    const inJson = await fromJson({
      survey: [{ type: 'text', name: 'a', label: { 'English (en)': 'House', 'French (fr)': 'Maison' } }],
      language: 'fr',
    });
    expect(inJson.content.sections[0]!.fields).toMatchObject([{ label: 'Maison' }]);
  });

  test('is 422 with the place of every problem, in JSON and in a file', async () => {
    const survey = [{ type: 'txt', name: 'a' }];
    expect(await detailOf(fromJson({ survey }))).toEqual([
      expect.objectContaining({
        loc: ['body', 'survey', '0', 'type'],
        type: 'value_error',
        msg: expect.stringMatching(/^Value error, .*txt/),
      }),
    ]);
    expect(await detailOf(importedTemplate(await workbook([HEADER, ['txt', 'a', 'A']])))).toEqual([
      expect.objectContaining({ loc: ['body', 'file', 'survey', '2', 'type'] }),
    ]);
    expect(await detailOf(fromJson({ ...FORM, language: 'fr' }))).toEqual([
      expect.objectContaining({ loc: ['body', 'language'] }),
    ]);
  });

  test('is 422 with a thousand problems at most', async () => {
    const survey = Array.from({ length: 1_001 }, (_, i) => ({ type: 'txt', name: `a${i}` }));
    expect(await detailOf(fromJson({ survey }))).toHaveLength(1_000);
  });

  test('is 422 for a file that is no workbook', async () => {
    const body = { file: csv('a.xlsx', 'no workbook'), media: [] } as unknown as Body;
    expect(await detailOf(importedTemplate(body))).toEqual([
      {
        loc: ['body', 'file'],
        type: 'value_error',
        msg: 'Value error, the file is not an .xlsx workbook',
      },
    ]);
  });

  test('is 422 with each file of options that cannot be read', async () => {
    const media = [
      csv('a.csv.txt', 'name\na\n'),
      csv('b.CSV', 'name\na\n'),
      csv('b.CSV', 'name\na\n'),
      csv('c.csv', Buffer.from([0xff])),
    ];
    const refused = (position: string, why: string) => ({
      loc: ['body', 'media', position],
      type: 'value_error',
      msg: `Value error, ${why}`,
    });
    expect(await detailOf(importedTemplate(await workbook([HEADER, TEXT], { media })))).toEqual([
      refused('0', 'file is not a CSV file: its name must end with .csv'),
      refused('2', 'another file has the same name'),
      refused('3', 'file is not in UTF-8: save it as "CSV UTF-8"'),
    ]);
  });

  test('has the options of a file that was sent with it', async () => {
    const rows = [HEADER, ['select_one_from_file sites.csv', 'site', 'Site']];
    const media = [csv('sites.csv', 'name,label\nnorth,North yard\n')];
    const { content, report } = await importedTemplate(await workbook(rows, { media }));
    expect(report.rows).toEqual([]);
    expect(content.response_sets).toMatchObject([{ options: [{ value: 'north', label: 'North yard' }] }]);
  });

  test('is 422 with the cell of a text that cannot be stored', async () => {
    const inCell = await workbook([HEADER, ['text', 'a', '_x0007_A']]);
    expect(await detailOf(importedTemplate(inCell))).toEqual([
      {
        loc: ['body', 'file', 'survey', '2', 'label'],
        type: 'value_error',
        msg: 'Value error, the cell contains a control character or is not valid Unicode: type its text again',
      },
    ]);
  });
});
