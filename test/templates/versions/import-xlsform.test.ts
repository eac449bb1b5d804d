import { writeXlsx } from 'hucre/xlsx';
import * as errors from '../../../shared/base/errors.ts';
import { locs } from '../../support/call.ts';
import { newPerson, type Person } from '../../support/people.ts';
import { formUpload, sampleForm } from '../../xlsform/sample-forms.ts';
import { CONTENT, draftedFamily, publishedFamily } from '../fixtures.ts';

const SURVEY = [
  { type: 'begin group', name: 'rails', label: 'Guard rails' },
  { type: 'select_one firm', name: 'firm', label: 'Firm?', required: true, 'media::image': 'rail.jpg' },
  { type: 'text', name: 'why', label: 'What is loose?', relevant: "${firm} = 'no'" },
  { type: 'end group' },
];
const CHOICES = [
  { list_name: 'firm', name: 'yes', label: 'Yes' },
  { list_name: 'firm', name: 'no', label: 'No' },
];
const FORM = { survey: SURVEY, choices: CHOICES, settings: { form_title: 'Crane', form_id: 'crane' } };

describe('POST /templates/import', () => {
  let person: Person;

  beforeAll(async () => {
    person = await newPerson('Importer');
  });

  const post = (body: object, query = {}) => person.try.versions.importXlsform({ body, query });
  const upload = (form: FormData, query = {}) => person.try.versions.importXlsform({ form, query });
  const contentOf = async (templateId: string) =>
    (await person.versions.getTemplate({ params: { template_id: templateId } })).content;
  const families = async () => (await person.families.list()).length as number;

  test('201 for a workbook, with a family, its draft and a report', async () => {
    const { status, body } = await upload(sampleForm('UCL_Biomass_Plot_Form.xlsx', { language: 'en' }));
    expect(status).toBe(201);
    expect(body.family).toMatchObject({ name: 'UCL_Biomass_Plot_Form', draft_version_id: body.template.id });
    expect(body.template).toMatchObject({ status: 'draft', version_number: 1, family_id: body.family.id });
    expect(body.template).not.toHaveProperty('content');
    const content = await contentOf(body.template.id);
    expect(content.sections[0]).toMatchObject({ title: 'Introduction' });
    const { counts, rows } = body.report;
    expect(counts).toMatchObject({ fields: 59, sections: 13, notes: expect.any(Number) });
    expect(counts.notes + counts.lost).toBe(rows.length);
    expect(rows).toContainEqual({
      sheet: 'survey',
      row: 16,
      column: 'type',
      name: 'region_id',
      severity: 'lost',
      message:
        'this question becomes a text field, because its options are in the file UCL_regions.csv, which was not sent: send it with the form as a part named media, in multipart/form-data',
    });
  });

  test('201 for a file without a name whose form has no title either', async () => {
    const bytes = Uint8Array.from(
      await writeXlsx({
        sheets: [
          {
            name: 'survey',
            rows: [
              ['type', 'name', 'label'],
              ['text', 'a', 'A'],
            ],
          },
        ],
      }),
    );
    const { status, body } = await upload(formUpload(bytes, {}, '.xlsx'));
    expect([status, body.name]).toEqual([201, 'Imported form']);
  });

  test('201 for rows in JSON, with the name that the request gives', async () => {
    const { status, body } = await post({ ...FORM, name: 'Tower crane' });
    expect([status, body.name, body.family.name]).toEqual([201, 'Tower crane', 'Tower crane']);
    const [section] = (await contentOf(body.template.id)).sections;
    const [firm, why] = section.fields;
    expect(firm).toMatchObject({ type: 'single_select', required: true });
    expect(why.visible_if).toEqual({ field_id: firm.id, op: 'eq', value: 'no' });
    expect(body.report.rows).toEqual([
      {
        sheet: 'survey',
        row: 1,
        column: 'media::image',
        name: 'firm',
        severity: 'lost',
        message: 'not imported, because questions and choices show no media of their own',
      },
    ]);
  });

  test('201 for a content, which is stored unchanged', async () => {
    const { status, body } = await post({ name: 'Crane', content: CONTENT });
    expect([status, body.report.rows]).toEqual([201, []]);
    expect((await contentOf(body.template.id)).sections).toMatchObject(CONTENT.sections);
  });

  test('201 with a new draft of an existing family, in which known questions keep their field ids', async () => {
    const first = await post(FORM);
    const { id } = await publishedFamily(person.key, { content: await contentOf(first.body.template.id) });
    const second = await post({
      ...FORM,
      survey: SURVEY.toSpliced(2, 0, { type: 'note', name: 'n', label: 'N' }),
      family_id: id,
    });
    expect(second.status).toBe(201);
    expect(second.body.family).toMatchObject({ id, draft_version_id: second.body.template.id });
    expect(second.body.template).toMatchObject({ version_number: 2, name: 'Crane' });
    const idsOf = async (templateId: string) =>
      (await contentOf(templateId)).sections[0].fields.map(({ id }: { id: string }) => id);
    const [firm, , why] = await idsOf(second.body.template.id);
    expect([firm, why]).toEqual(await idsOf(first.body.template.id));
  });

  test('200 for a dry run, with the content that would be stored; nothing changes', async () => {
    const before = await families();
    const { status, body } = await post(FORM, { dry_run: true });
    expect(status).toBe(200);
    expect(body).toMatchObject({ family: null, template: null, name: 'Crane' });
    expect(body.content.sections[0].fields).toHaveLength(2);
    expect(await families()).toBe(before);
  });

  test('409 for a family that has a draft', async () => {
    const { id } = await draftedFamily(person.key);
    expect((await post({ ...FORM, family_id: id })).status).toBe(409);
  });

  test('400 for a family of another organization', async () => {
    const { id } = await publishedFamily((await newPerson('Stranger')).key);
    const { status, body } = await post({ ...FORM, family_id: id });
    expect([status, body.detail]).toEqual([400, errors.referenceNotFound('family_id').detail]);
  });

  test('422 with every problem of a form', async () => {
    const survey = [
      { type: 'txt', name: 'a' },
      { type: 'text', name: 'b', relevant: '${c} = 1' },
    ];
    const answer = await post({ survey });
    expect(answer.status).toBe(422);
    expect(locs(answer)).toEqual(['body.survey.0.type', 'body.survey.1.relevant']);
    const rows = [
      ['type', 'name', 'relevant'],
      ...survey.map(({ type, name, relevant }) => [type, name, relevant ?? null]),
    ];
    const bytes = Uint8Array.from(await writeXlsx({ sheets: [{ name: 'Survey', rows }] }));
    const uploaded = await upload(formUpload(bytes));
    expect(locs(uploaded)).toEqual(['body.file.survey.2.type', 'body.file.survey.3.relevant']);
  });

  test('422 for a file that is not a form', async () => {
    const bytes = Uint8Array.from(await writeXlsx({ sheets: [{ name: 'Sheet1', rows: [['a']] }] }));
    expect(locs(await upload(formUpload(bytes)))).toEqual(['body.file.survey']);
    for (const file of ['type,name', 'PK\u0003\u0004 and so on'])
      expect(locs(await upload(formUpload(file)))).toEqual(['body.file']);
  });

  describe('with a question whose options are in a file', () => {
    const workbook = async () =>
      Uint8Array.from(
        await writeXlsx({
          sheets: [
            {
              name: 'survey',
              rows: [
                ['type', 'name', 'label'],
                ['select_one_from_file sites.csv', 'site', 'Site'],
              ],
            },
          ],
        }),
      );
    const withFiles = async (...files: [name: string, bytes: string | Buffer][]) => {
      const form = formUpload(await workbook());
      for (const [name, bytes] of files)
        form.append('media', new Blob([Uint8Array.from(Buffer.from(bytes))]), name);
      return upload(form);
    };

    test('201 with the file as a part of the form: its rows become options', async () => {
      const { status, body } = await withFiles([
        'sites.csv',
        'name,label\nnorth,North yard\nsouth,South yard\n',
      ]);
      expect([status, body.report.rows]).toEqual([201, []]);
      const { sections, response_sets } = await contentOf(body.template.id);
      expect(response_sets).toMatchObject([
        { name: 'sites', options: [{ value: 'north', label: 'North yard' }, { value: 'south' }] },
      ]);
      expect(sections[0].fields).toMatchObject([
        { type: 'single_select', response_set_id: response_sets[0].id },
      ]);
    });

    test('201 without the file: the question becomes a text field, and the report says what to send', async () => {
      const { status, body } = await withFiles();
      expect([status, body.report.counts.lost]).toEqual([201, 1]);
      expect(body.report.rows[0].message).toBe(
        'this question becomes a text field, because its options are in the file sites.csv, which was not sent: send it with the form as a part named media, in multipart/form-data',
      );
    });

    test('422 for each file that is not in UTF-8, not CSV, sent twice or too large; 400 for 21 files', async () => {
      const answer = await withFiles(
        ['sites.csv', Buffer.from('name,label\na,Müller\n', 'latin1')],
        ['map.geojson', '{}'],
        ['a.csv', 'name\na\n'],
        ['a.csv', 'name\na\n'],
      );
      expect([answer.status, locs(answer)]).toEqual([422, ['body.media.0', 'body.media.1', 'body.media.3']]);
      const large = await withFiles(['sites.csv', 'a'.repeat(1024 * 1024 + 1)]);
      expect([large.status, locs(large)]).toEqual([422, ['body.media.0']]);
      const many = await withFiles(
        ...Array.from({ length: 21 }, (_, i): [string, string] => [`${i}.csv`, 'name\na\n']),
      );
      expect(many.status).toBe(400);
    });
  });

  test('422 for neither a form nor a content, for both, and for a language that the form does not have', async () => {
    expect(locs(await post({ name: 'Crane' }))).toEqual(['body.survey']);
    expect(locs(await post({ survey: SURVEY, content: CONTENT }))).toEqual(['body.survey']);
    expect(locs(await post({ ...FORM, language: 'fr' }))).toEqual(['body.language']);
    expect(locs(await post({ survey: [{ type: ['text'] }] }))).toEqual(['body.survey.0.type']);
  });
});
