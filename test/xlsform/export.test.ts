import fc from 'fast-check';
import { newForm } from '../../infra/demo/form-3a.ts';
import { Content } from '../../shared/schemas/templates/content.ts';
import { exportForm } from '../../shared/xlsform/export.ts';
import { isFormSheet } from '../../shared/xlsform/form/columns.ts';
import type { Sheet } from '../../shared/xlsform/form/sheets.ts';
import { importForm } from '../../shared/xlsform/import.ts';
import { readWorkbook, writeWorkbook } from '../../shared/xlsform/workbook.ts';
import { anyContent, uuid } from './contents.ts';
import { odkFaults, rowsOf } from './odk-rules.ts';
import { sampleBytes, SAMPLES } from './sample-forms.ts';
import { imported } from './small-forms.ts';

const TITLE = { title: 'Guard rails', id: 'guard_rails', version: '3' };

const reimported = async (content: Content) => {
  const bytes = await writeWorkbook(exportForm(content, TITLE));
  const { sheets, others } = await readWorkbook(bytes, isFormSheet);
  return importForm(sheets, others, { name: 'any' });
};

const contentOf = (...fields: object[]): Content =>
  Content.parse({ sections: [{ id: uuid(1), title: 'Guard rails', fields }] });

const GATE = { id: uuid(2), type: 'yes_no', label: 'Is the gate shut?' };

describe('exportForm', () => {
  test('writes what ODK knows in the columns of ODK', () => {
    const content = Content.parse({
      start: { fields: [{ key: 'guide', type: 'member', label: 'Guide' }] },
      sections: [
        {
          id: uuid(1),
          title: 'Guard rails',
          fields: [
            { ...GATE, required: true, help_text: 'Push it' },
            {
              id: uuid(3),
              type: 'number',
              label: 'Height of the rails',
              step: 1,
              min: 0,
              max: 120,
              visible_if: {
                all: [
                  { field_id: uuid(2), op: 'eq', value: true },
                  { start_key: 'guide', op: 'not_empty' },
                ],
              },
            },
            { id: uuid(4), type: 'calculated', label: 'In metres', formula: `{${uuid(3)}} / 100` },
            { id: uuid(5), type: 'multi_select', label: 'Marks', response_set_id: uuid(9) },
            { id: uuid(6), type: 'long_text', label: 'Height of the rails', max_length: 50 },
          ],
          sections: [
            {
              id: uuid(7),
              title: 'Posts',
              repeat: { min: 2, max: 2 },
              fields: [{ id: uuid(8), type: 'signature', label: 'By' }],
            },
          ],
        },
      ],
      response_sets: [
        {
          id: uuid(9),
          name: 'Marks',
          options: [
            { value: 'red', label: 'Red' },
            { value: 'dark blue', label: 'Blue' },
          ],
        },
      ],
    });
    const sheets = exportForm(content, TITLE);
    const own = ([column]: [string, string]) => !column.startsWith('inspection__');
    expect(
      rowsOf(sheets, 'survey').map((row) => Object.fromEntries(Object.entries(row).filter(own))),
    ).toEqual([
      { type: 'begin group', name: 'start_of_inspection', label: 'Start' },
      { type: 'text', name: 'guide', label: 'Guide' },
      { type: 'end group' },
      { type: 'begin group', name: 'guard_rails', label: 'Guard rails' },
      {
        type: 'select_one yes_no',
        name: 'is_the_gate_shut',
        label: 'Is the gate shut?',
        hint: 'Push it',
        required: 'yes',
      },
      {
        type: 'integer',
        name: 'height_of_the_rails',
        label: 'Height of the rails',
        relevant: "${is_the_gate_shut} = 'yes' and ${guide} != ''",
        constraint: '. >= 0 and . <= 120',
      },
      {
        type: 'calculate',
        name: 'in_metres',
        label: 'In metres',
        calculation: '${height_of_the_rails} div 100',
      },
      { type: 'select_multiple Marks', name: 'marks', label: 'Marks' },
      {
        type: 'text',
        name: 'height_of_the_rails_2',
        label: 'Height of the rails',
        constraint: 'string-length(.) <= 50',
        appearance: 'multiline',
      },
      { type: 'begin repeat', name: 'posts', label: 'Posts', repeat_count: '2' },
      { type: 'image', name: 'by', label: 'By', appearance: 'signature' },
      { type: 'end repeat' },
      { type: 'end group' },
    ]);
    expect(rowsOf(sheets, 'choices')).toEqual([
      expect.objectContaining({
        list_name: 'Marks',
        name: 'red',
        label: 'Red',
        inspection__list_id: uuid(9),
      }),
      { list_name: 'Marks', name: 'dark_blue', label: 'Blue', inspection__value: 'dark blue' },
      expect.objectContaining({ list_name: 'yes_no', name: 'yes', label: 'Yes' }),
      { list_name: 'yes_no', name: 'no', label: 'No' },
    ]);
    expect(rowsOf(sheets, 'settings')).toEqual([
      { form_title: 'Guard rails', form_id: 'guard_rails', version: '3', inspection__made_id: 'guard_rails' },
    ]);
  });

  const TRANSLATED = Content.parse({
    ...contentOf({ ...GATE, type: 'single_select', options: [{ value: 'shut', label: 'Shut' }] }),
    language: 'en',
    translations: [
      {
        language: 'French (fr)',
        texts: [
          { id: uuid(1), title: 'Rambardes' },
          {
            id: uuid(2),
            label: 'Fermée ?',
            help_text: 'Poussez',
            options: [{ value: 'shut', label: 'Oui' }],
          },
        ],
      },
    ],
  });

  test('has a column for each language', () => {
    const sheets = exportForm(TRANSLATED, TITLE);
    expect(rowsOf(sheets, 'survey')).toMatchObject([
      { 'label::en': 'Guard rails', 'label::French (fr)': 'Rambardes' },
      { 'label::en': 'Is the gate shut?', 'label::French (fr)': 'Fermée ?', 'hint::French (fr)': 'Poussez' },
      { type: 'end group' },
    ]);
    expect(rowsOf(sheets, 'choices')).toMatchObject([{ 'label::en': 'Shut', 'label::French (fr)': 'Oui' }]);
    expect(rowsOf(sheets, 'settings')).toEqual([
      expect.objectContaining({ form_id: 'guard_rails', default_language: 'en' }),
    ]);
  });

  test('imports an edited translation beside one that cells cannot hold', () => {
    const [french] = TRANSLATED.translations;
    const [section, gate] = french!.texts;
    const content = {
      ...TRANSLATED,
      translations: [{ ...french!, texts: [{ ...section!, title: 'Ram\tbardes\u0001' }, gate!] }],
    };
    const edited = exportForm(content, TITLE).map((sheet) => ({
      ...sheet,
      rows: sheet.rows.map(({ number, cells }) => ({
        number,
        cells: new Map([...cells].map(([at, text]) => [at, text === 'Fermée ?' ? 'Close ?' : text])),
      })),
    }));
    expect(importForm(edited, [], { name: 'any' }).content.translations).toEqual([
      { ...french!, texts: [content.translations[0]!.texts[0]!, { ...gate!, label: 'Close ?' }] },
    ]);
  });

  test('writes its own columns only for what ODK has no columns for', () => {
    const content = contentOf(GATE, {
      id: uuid(3),
      type: 'text',
      label: 'Why not?',
      weight: 2,
      note_required_on: ['failed'],
      visible_if: { field_id: uuid(2), op: 'in', value: [false] },
    });
    const [, gate, why] = rowsOf(exportForm(content, TITLE), 'survey');
    const ownOf = (row: object) =>
      Object.entries(row).filter(([column]) => column.startsWith('inspection__'));
    expect(ownOf(gate!)).toEqual([
      ['inspection__id', uuid(2)],
      ['inspection__type', 'yes_no'],
      ['inspection__name', 'null'],
      ['inspection__options', 'null'],
    ]);
    expect(ownOf(why!)).toEqual([
      ['inspection__id', uuid(3)],
      ['inspection__name', 'null'],
      ['inspection__visible_if', `{"field_id":"${uuid(2)}","op":"in","value":[false]}`],
      ['inspection__weight', '2'],
      ['inspection__note_required_on', '["failed"]'],
    ]);
  });
});

const REFERRING = [
  { type: 'begin group', name: 'Rails', label: 'Guard rails' },
  { type: 'select_one Firm-list', name: 'isFirm', label: 'Are they firm?' },
  {
    type: 'text',
    name: 'why.not',
    label: 'Why is it ${isFirm}?',
    relevant: "${isFirm} = 'No'",
    required: "${isFirm} = 'No'",
  },
  { type: 'decimal', name: 'length', label: 'Length' },
  { type: 'calculate', name: 'inMetres', calculation: '${length} div 100' },
  { type: 'text', name: 'remark', label: 'Remark' },
  { type: 'begin repeat', name: 'Posts', label: 'Posts' },
  { type: 'text', name: 'remark', label: 'Remark' },
  { type: 'end repeat' },
  { type: 'today', name: 'Day' },
  { type: 'end group' },
];
const FIRM = [
  { list_name: 'Firm-list', name: 'Yes', label: 'Yes' },
  { list_name: 'Firm-list', name: 'No', label: 'No, because of ${isFirm}' },
  { list_name: 'Firm-list', name: 'no', label: 'no' },
];

describe('exportForm of importForm', () => {
  const settings = { form_id: 'guard-rails', form_title: 'Guard rails' };
  const { content } = imported(REFERRING, { choices: FIRM, settings });
  const sheets = exportForm(content, { title: 'Guard rails', id: 'any', version: '1' });

  test('keeps the names of rows, lists and choices and the id of the form', () => {
    const survey = rowsOf(sheets, 'survey').filter(({ type }) => !type!.startsWith('end '));
    expect(survey.map(({ type, name }) => `${type} ${name}`)).toEqual([
      'begin group start_of_inspection',
      'date Day',
      'begin group Rails',
      'select_one Firm-list isFirm',
      'text why.not',
      'decimal length',
      'calculate inMetres',
      'text remark',
      'begin repeat Posts',
      'text remark',
    ]);
    expect(rowsOf(sheets, 'choices').map(({ list_name, name }) => `${list_name} ${name}`)).toEqual([
      'Firm-list Yes',
      'Firm-list No',
      'Firm-list no',
    ]);
    expect(rowsOf(sheets, 'settings')).toEqual([
      { form_title: 'Guard rails', form_id: 'guard-rails', version: '1' },
    ]);
  });

  test('lets expressions and labels refer to the rows by their names', () => {
    const row = rowsOf(sheets, 'survey').find(({ name }) => name === 'why.not');
    expect(row).toMatchObject({
      label: 'Why is it ${isFirm}?',
      relevant: "${isFirm} = 'No'",
      required: "${isFirm} = 'No'",
    });
    expect(odkFaults(sheets)).toEqual([]);
  });

  test('gives the same content when it is imported again', () => {
    expect(importForm(sheets, [], { name: 'any' }).content).toEqual(content);
  });

  test('renames a row that something refers to if another row has its name', () => {
    const [section] = content.sections;
    const [firm, ...others] = section!.fields;
    const ambiguous = {
      ...content,
      sections: [{ ...section!, fields: [firm!, ...others, { ...firm!, id: uuid(5) }] }],
    };
    const again = exportForm(ambiguous, TITLE);
    expect(odkFaults(again)).toEqual([]);
    expect(rowsOf(again, 'survey').map(({ name }) => name)).toEqual(
      expect.arrayContaining(['isFirm', 'isFirm_2']),
    );
    expect(importForm(again, [], { name: 'any' }).content).toEqual(ambiguous);
  });

  test('takes a name that has been edited', () => {
    const edited = sheets.map((sheet) => ({
      ...sheet,
      rows: sheet.rows.map(({ number, cells }) => ({
        number,
        cells: new Map(
          [...cells].map(([at, text]) => [
            at,
            text.replace(/^isFirm$/, 'firm').replace('${isFirm}', '${firm}'),
          ]),
        ),
      })),
    }));
    const { content: again } = importForm(edited, [], { name: 'any' });
    expect(again.sections[0]!.fields[0]!.name).toBe('firm');
  });
});

describe('importForm of exportForm', () => {
  test('gives the same content for any content, of a form that ODK accepts', async () => {
    await fc.assert(
      fc.asyncProperty(anyContent, async (content) => {
        expect(odkFaults(exportForm(content, TITLE))).toEqual([]);
        const { content: again, title } = await reimported(content);
        expect(again).toEqual(content);
        expect(title).toBe('Guard rails');
      }),
      { numRuns: 60 },
    );
  });

  test('gives the same content for a real form, without remarks', async () => {
    const content = Content.parse(newForm().content);
    const { content: again, remarks } = await reimported(content);
    expect(again).toEqual(content);
    expect(remarks).toEqual([]);
  });

  test.each(SAMPLES)('gives the same content for the import of %s', async (name) => {
    const { sheets, others } = await readWorkbook(sampleBytes(name), isFormSheet);
    const { content } = importForm(sheets, others, { name });
    expect(odkFaults(exportForm(content, TITLE))).toEqual([]);
    const { content: again, remarks } = await reimported(content);
    expect(again).toEqual(content);
    expect(remarks).toEqual([]);
  });

  /** A form as it was exported when own columns were named `inspection::…` and an empty list had no choice. */
  const asBefore = (sheets: readonly Sheet[]): Sheet[] =>
    sheets.map((sheet) => ({
      ...sheet,
      header: new Map(
        [...sheet.header].map(([at, text]) => [
          at,
          text.replace('inspection__', 'inspection::').replace('__', '::'),
        ]),
      ),
    }));

  test('gives the same content for a form that was exported with the former names of columns', () => {
    const value = Array.from({ length: 900 }, (_, i) => `${'long, '.repeat(12)} ${i}`);
    const content = contentOf(
      { ...GATE, visible_if: { field_id: uuid(2), op: 'not_in', value } },
      {
        id: uuid(3),
        type: 'single_select',
        label: 'Mark',
        weight: 2,
        options: [{ value: 'dark blue', label: 'Blue', score: 3 }],
      },
    );
    const former = asBefore(exportForm(content, TITLE));
    expect([...former[0]!.header.values()]).toContain('inspection::visible_if::2');
    const { content: again, remarks } = importForm(former, [], { name: 'any' });
    expect(again).toEqual(content);
    expect(remarks).toEqual([]);
  });

  test('restores texts that pyxform would take for references', async () => {
    const content = Content.parse({
      ...contentOf({
        ...GATE,
        label: 'Costs ${amount} or ${',
        help_text: '${ is_the_gate_shut }',
        unit: '${x}',
      }),
      language: 'en',
      translations: [{ language: 'fr', texts: [{ id: uuid(2), label: 'Coûte ${montant}' }] }],
    });
    const sheets = exportForm(content, TITLE);
    expect(odkFaults(sheets)).toEqual([]);
    expect(rowsOf(sheets, 'survey')[1]).toMatchObject({
      'label::en': 'Costs $ {amount} or $ {',
      'label::fr': 'Coûte $ {montant}',
    });
    expect((await reimported(content)).content).toEqual(content);
  });

  test('restores a list without options, and a calculation that ODK cannot make', async () => {
    const content = Content.parse({
      ...contentOf(
        { ...GATE, type: 'single_select', options: [] },
        { id: uuid(3), type: 'calculated', label: 'Nothing' },
        { id: uuid(4), type: 'slider', label: 'Too wide a step', min: 0, max: 2, step: 5 },
      ),
      response_sets: [{ id: uuid(9), name: 'Marks', options: [] }],
    });
    expect(odkFaults(exportForm(content, TITLE))).toEqual([]);
    expect((await reimported(content)).content).toEqual(content);
  });

  test('restores a value that is longer than a cell', async () => {
    const value = Array.from({ length: 900 }, (_, i) => `${'long, '.repeat(12)} ${i}`);
    const content = contentOf(GATE, {
      id: uuid(3),
      type: 'text',
      label: 'Why not?',
      visible_if: { field_id: uuid(3), op: 'not_in', value },
    });
    expect((await reimported(content)).content).toEqual(content);
  });

  test('uses the columns of ODK that have been edited', () => {
    const content = contentOf(GATE, {
      id: uuid(3),
      type: 'number',
      label: 'Gap',
      min: 0,
      weight: 2,
      visible_if: { field_id: uuid(2), op: 'in', value: [false] },
      required_if: { field_id: uuid(2), op: 'in', value: [true] },
    });
    const sheets = exportForm(content, TITLE);
    const edited = sheets.map((sheet) => ({
      ...sheet,
      rows: sheet.rows.map(({ number, cells }) => ({
        number,
        cells: new Map(
          [...cells].map(([at, text]) => {
            const column = sheet.header.get(at);
            if (column === 'constraint') return [at, '. >= 5'];
            return [at, column === 'relevant' ? "${is_the_gate_shut} = 'yes'" : text];
          }),
        ),
      })),
    }));
    const { content: again, remarks } = importForm(edited, [], { name: 'any' });
    expect(again.sections[0]!.fields[1]).toEqual({
      ...content.sections[0]!.fields[1]!,
      min: 5,
      visible_if: { field_id: uuid(2), op: 'eq', value: true },
    });
    expect(remarks).toMatchObject([{ row: 4, column: 'inspection__visible_if', severity: 'note' }]);
  });
});
