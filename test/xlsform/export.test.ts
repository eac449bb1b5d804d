import fc from 'fast-check';
import { newForm } from '../../infra/demo/form-3a.ts';
import { exportForm } from '../../shared/domain/xlsform/export.ts';
import { isFormSheet } from '../../shared/domain/xlsform/form/columns.ts';
import type { Sheet } from '../../shared/domain/xlsform/form/sheets.ts';
import { importForm } from '../../shared/domain/xlsform/import/import.ts';
import { readWorkbook } from '../../shared/domain/xlsform/workbook/read.ts';
import { writeWorkbook } from '../../shared/domain/xlsform/workbook/write.ts';
import { Content } from '../../shared/schemas/templates/content.ts';
import { runs } from '../support/scale.ts';
import { anyContent, uuid } from './contents.ts';
import { odkFaults, rowsOf } from './odk-rules.ts';
import { sampleBytes, SAMPLES } from './sample-forms.ts';
import { imported } from './small-forms.ts';

const TITLE = { title: 'Guard rails', id: 'guard_rails', version: '3' };

const reimported = async (content: Content) => {
  const bytes = await writeWorkbook(exportForm(content, TITLE), '2026-03-02T10:00:00Z');
  const { sheets, others } = await readWorkbook(bytes, isFormSheet);
  return importForm(sheets, others, { name: 'any' });
};

const contentOf = (...fields: object[]): Content =>
  Content.parse({ sections: [{ id: uuid(1), title: 'Guard rails', fields }] });

/** Whether a column is one of this service's own. */
const isOwn = (column: string) => column.startsWith('inspection__');

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
    const own = ([column]: [string, string]) => !isOwn(column);
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
    const ownOf = (row: object) => Object.entries(row).filter(([column]) => isOwn(column));
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

/** Questions that conditions and formulas refer to. Each has its label as its name in the form. */
const TEXT = uuid(20);
const NUMBER = uuid(21);
const YES_NO = uuid(22);
const ONE = uuid(23);
const MANY = uuid(24);
const CHECKBOX = uuid(25);
const DATE = uuid(26);
const DATETIME = uuid(27);
const TIME = uuid(28);
const FAILING = uuid(29);
const NO_FIELD = uuid(30);
const COLORS = [
  { value: 'red', label: 'Red', is_failed: true, attributes: { size: '3' } },
  { value: 'dark blue', label: 'Blue', is_failed: true },
  { value: 'green', label: 'Green' },
];
const QUESTIONS = [
  { id: TEXT, type: 'text', label: 'Text' },
  { id: NUMBER, type: 'number', label: 'Number' },
  { id: YES_NO, type: 'yes_no', label: 'Yes no' },
  { id: ONE, type: 'single_select', label: 'One', options: COLORS },
  { id: MANY, type: 'multi_select', label: 'Many', options: COLORS },
  { id: CHECKBOX, type: 'checkbox', label: 'Checkbox' },
  { id: DATE, type: 'date', label: 'Date' },
  { id: DATETIME, type: 'datetime', label: 'Datetime' },
  { id: TIME, type: 'time', label: 'Time' },
  {
    id: FAILING,
    type: 'single_select',
    label: 'Failing',
    options: COLORS,
    fail_if: { op: 'eq', value: 'green' },
  },
];

/** The row of a field that stands among `QUESTIONS`. */
const rowAmong = (field: object) => {
  const content = contentOf(...QUESTIONS, { id: uuid(50), type: 'text', label: 'Asked', ...field });
  const sheets = exportForm(content, TITLE);
  expect(odkFaults(sheets)).toEqual([]);
  return rowsOf(sheets, 'survey').find((row) => row['inspection__id'] === uuid(50))!;
};

describe('exportForm: conditions', () => {
  const LONG = 'long, '.repeat(800);

  test.each<[string, string, unknown, string | undefined]>([
    [TEXT, 'empty', undefined, "${text} = ''"],
    [TEXT, 'not_empty', undefined, "${text} != ''"],
    [TEXT, 'eq', 'a', "${text} = 'a'"],
    [TEXT, 'eq', "it's", '${text} = "it\'s"'],
    [TEXT, 'eq', '', undefined],
    [TEXT, 'eq', ['a'], undefined],
    [TEXT, 'eq', '${number}', undefined],
    [TEXT, 'ne', 'a', "${text} != 'a'"],
    [TEXT, 'in', ['a'], "${text} = 'a'"],
    [TEXT, 'in', ['a', 'b'], "${text} = 'a' or ${text} = 'b'"],
    [TEXT, 'in', ['a', 1e30], undefined],
    [TEXT, 'not_in', ['a', 'b'], "not(${text} = 'a' or ${text} = 'b')"],
    [TEXT, 'not_in', [1e30], undefined],
    [TEXT, 'in', [LONG, LONG, LONG, LONG, LONG, LONG, LONG], undefined],
    [TEXT, 'contains', 'a', "contains(${text}, 'a')"],
    [TEXT, 'contains', ['a'], "contains(${text}, 'a')"],
    [TEXT, 'contains', ['a', 'b'], undefined],
    [TEXT, 'contains', [1], undefined],
    [TEXT, 'failed', undefined, undefined],
    [NUMBER, 'eq', 2, '${number} = 2'],
    [NUMBER, 'ne', 2, '${number} != 2'],
    [NUMBER, 'gt', 2, '${number} > 2'],
    [NUMBER, 'gte', 2.5, '${number} >= 2.5'],
    [NUMBER, 'lt', -2, '${number} < -2'],
    [NUMBER, 'lte', 0, '${number} <= 0'],
    [NUMBER, 'lte', 1e30, undefined],
    [NUMBER, 'in', [1, 2], '${number} = 1 or ${number} = 2'],
    [YES_NO, 'eq', true, "${yes_no} = 'yes'"],
    [YES_NO, 'ne', false, "${yes_no} != 'no'"],
    [CHECKBOX, 'eq', true, "${checkbox} = 'OK'"],
    [CHECKBOX, 'eq', false, "${checkbox} = ''"],
    [DATE, 'gte', '2026-03-02', "${date} >= date('2026-03-02')"],
    [DATETIME, 'lt', '2026-03-02T10:00:00Z', "${datetime} < date-time('2026-03-02T10:00:00Z')"],
    [TIME, 'gt', '10:00', "${time} > '10:00'"],
    [ONE, 'eq', 'dark blue', "${one} = 'dark_blue'"],
    [ONE, 'ne', 'other', "${one} != 'other'"],
    [ONE, 'failed', undefined, "${one} = 'red' or ${one} = 'dark_blue'"],
    [FAILING, 'failed', undefined, undefined],
    [ONE, 'contains', 'dark blue', "contains(${one}, 'dark blue')"],
    [MANY, 'empty', undefined, "${many} = ''"],
    [MANY, 'eq', 'red', "${many} = 'red'"],
    [MANY, 'ne', 'red', "${many} != 'red'"],
    [MANY, 'gt', 'red', "selected(${many}, 'red')"],
    [MANY, 'in', ['red', 'dark blue'], "selected(${many}, 'red') or selected(${many}, 'dark_blue')"],
    [MANY, 'not_in', ['red'], "not(selected(${many}, 'red'))"],
    [MANY, 'contains', 'red', "selected(${many}, 'red')"],
    [MANY, 'contains', ['red', 'dark blue'], "selected(${many}, 'red') and selected(${many}, 'dark_blue')"],
    [MANY, 'contains', ['red', 1e30], undefined],
    [MANY, 'failed', undefined, "selected(${many}, 'red') or selected(${many}, 'dark_blue')"],
    [NO_FIELD, 'not_empty', undefined, undefined],
  ])('writes the comparison %s %s %j', (field_id, op, value, relevant) => {
    expect(rowAmong({ visible_if: { field_id, op, value } })['relevant']).toBe(relevant);
  });

  const IS_RED = { field_id: ONE, op: 'eq', value: 'red' };
  const HAS_TEXT = { field_id: TEXT, op: 'not_empty' };

  test.each([
    [{ all: [IS_RED] }, "${one} = 'red'"],
    [{ all: [IS_RED, HAS_TEXT] }, "${one} = 'red' and ${text} != ''"],
    [{ any: [IS_RED, HAS_TEXT] }, "${one} = 'red' or ${text} != ''"],
    [{ all: [{ any: [IS_RED, HAS_TEXT] }, HAS_TEXT] }, "(${one} = 'red' or ${text} != '') and ${text} != ''"],
    [{ any: [{ all: [IS_RED, HAS_TEXT] }, HAS_TEXT] }, "${one} = 'red' and ${text} != '' or ${text} != ''"],
    [{ all: [{ field_id: NO_FIELD, op: 'empty' }, IS_RED] }, undefined],
    [{ any: [IS_RED, { field_id: NO_FIELD, op: 'empty' }] }, undefined],
  ])('joins conditions %#', (visible_if, relevant) => {
    expect(rowAmong({ visible_if })['relevant']).toBe(relevant);
  });

  test('writes when an answer is required', () => {
    const required_if = IS_RED;
    expect(rowAmong({ required_if })['required']).toBe("${one} = 'red'");
    expect(rowAmong({ required_if, required: true })['required']).toBe('yes');
    expect(rowAmong({})['required']).toBeUndefined();
    expect(rowAmong({ required_if, required: true, type: 'instruction' })['required']).toBeUndefined();
    expect(rowAmong({ required: true, type: 'calculated' })['required']).toBeUndefined();
  });
});

describe('exportForm: formulas', () => {
  test.each([
    [`{${NUMBER}} / 2`, '${number} div 2'],
    [`{${NUMBER.toUpperCase()}} + 1`, '${number} + 1'],
    [`{${ONE}} = 'dark blue'`, "${one} = 'dark_blue'"],
    [`{${ONE.toUpperCase()}} = 'dark blue'`, "${one} = 'dark_blue'"],
    [`selected({${MANY}}, 'dark blue')`, "selected(${many}, 'dark_blue')"],
    [`{${YES_NO}} = true()`, "${yes_no} = 'yes'"],
    [`count({${NUMBER}})`, 'count-non-empty(${number})'],
    [`count(if({${DATE}} < '2026-03-02', 1, 2))`, "count-non-empty(if(${date} < date('2026-03-02'), 1, 2))"],
    [`{${DATE}} < '2026-03-02'`, "${date} < date('2026-03-02')"],
    [`{${DATE}} <= '2026-03-02'`, "${date} <= date('2026-03-02')"],
    [`'2026-03-02' > {${DATE}}`, "date('2026-03-02') > ${date}"],
    [`{${DATE}} >= '2026-03-02T10:00:00.5+01:00'`, "${date} >= date-time('2026-03-02T10:00:00.5+01:00')"],
    [`{${DATE}} = '2026-03-02'`, "${date} = '2026-03-02'"],
    [`{${DATE}} != '2026-03-02'`, "${date} != '2026-03-02'"],
    [`{${TEXT}} < 'on 2026-03-02'`, "${text} < 'on 2026-03-02'"],
    [`{${TEXT}} < '2026-03-02 or later'`, "${text} < '2026-03-02 or later'"],
    [`{${TEXT}} < '2026-03-02T'`, "${text} < '2026-03-02T'"],
    [`{${TEXT}} < '12026-03-02'`, "${text} < '12026-03-02'"],
    [
      `{${NUMBER}} + 1 < 2 and ({${DATE}} > '2026-03-02')`,
      "${number} + 1 < 2 and ${date} > date('2026-03-02')",
    ],
    [`concat({${TEXT}}, '\${number}')`, "''"],
    [`{${NO_FIELD}} + {${NUMBER}}`, "''"],
    [`{${NUMBER}} + {${NO_FIELD}}`, "''"],
    [`{${NUMBER}} + `, "''"],
    ['', "''"],
    [null, "''"],
  ])('writes the formula %s', (formula, calculation) => {
    expect(rowAmong({ type: 'calculated', formula })['calculation']).toBe(calculation);
  });

  test('writes no calculation for a question that has no formula', () => {
    expect(rowAmong({})['calculation']).toBeUndefined();
  });

  test.each([
    [{ constraint: `{${uuid(50)}} != {${TEXT}}` }, '. != ${text}'],
    [{ constraint: `{${uuid(50).toUpperCase()}} > 2` }, '. > 2'],
    [{ constraint: `{${uuid(50)}} > ` }, undefined],
    [{ constraint: `{${uuid(50)}} != '\${number}'` }, undefined],
    [{ constraint: `{${uuid(50)}} > '2026-03-02'`, type: 'date' }, ". > date('2026-03-02')"],
    [{ constraint: `{${TEXT}} = 'a'`, type: 'instruction' }, undefined],
    [{ max_length: 5, constraint: `{${uuid(50)}} != 'a'` }, "string-length(.) <= 5 and . != 'a'"],
    [{ max_length: 5, constraint: 'now(' }, 'string-length(.) <= 5'],
    [{ max_length: 5, constraint: `{${uuid(50)}} != '\${number}'` }, 'string-length(.) <= 5'],
    [{ pattern: 'a+' }, "regex(., 'a+')"],
    [{ pattern: "[']" }, 'regex(., "[\']")'],
    [{ pattern: '["]' }, "regex(., '[\"]')"],
    [{ pattern: `['"]` }, undefined],
    [{ pattern: 'a+', max_length: 5, type: 'barcode' }, "regex(., 'a+') and string-length(.) <= 5"],
    [{ pattern: 'a+', max_length: 5, type: 'number' }, undefined],
    [{ min: 1, max: 2, type: 'text' }, undefined],
    [{ min: 1, type: 'number' }, '. >= 1'],
    [{ max: 2, type: 'temperature' }, '. <= 2'],
    [{ min: -1.5, max: 2, type: 'number' }, '. >= -1.5 and . <= 2'],
    [{ min: 1e-9, max: 2, type: 'number' }, '. <= 2'],
    [{ min: 1, max: 1e30, type: 'number' }, '. >= 1'],
  ])('writes the constraint of %j', (field, constraint) => {
    expect(rowAmong(field)['constraint']).toBe(constraint);
  });

  test.each([
    [`{option.size} = {${NUMBER}}`, 'size = ${number}', { size: '3' }],
    [`{option.size} = 3 or {option.nothing} = 4`, 'size = 3 or nothing = 4', { size: '3' }],
    [`{option.value} != {${TEXT}}`, 'name != ${text}', {}],
    ['{option.label} = 1', undefined, {}],
    ['{option.label} = 1 or {option.size} = 1', undefined, {}],
    [`{option.size} = {${NO_FIELD}}`, undefined, {}],
    [`{option.size} = '\${number}'`, undefined, {}],
    ['{option.size', undefined, {}],
  ])('writes the choice filter %s and the columns that it asks for', (choice_filter, cell, columns) => {
    const field = { id: uuid(50), type: 'single_select', label: 'Asked', options: COLORS, choice_filter };
    const sheets = exportForm(contentOf(...QUESTIONS, field), TITLE);
    expect(rowsOf(sheets, 'survey').find(({ name }) => name === 'asked')!['choice_filter']).toBe(cell);
    const { list_name, name, label, ...others } = rowsOf(sheets, 'choices').find(
      (row) => row['list_name'] === 'asked',
    )!;
    expect([list_name, name, label]).toEqual(['asked', 'red', 'Red']);
    expect(Object.fromEntries(Object.entries(others).filter(([column]) => !isOwn(column)))).toEqual(columns);
  });
});

describe('exportForm: questions', () => {
  test.each([
    [{ type: 'slider' }, 'range', 'start=0 end=100 step=1'],
    [{ type: 'slider', min: -5, max: 5, step: 2.5 }, 'range', 'start=-5 end=5 step=2.5'],
    [{ type: 'slider', min: 1, max: 3, step: 2 }, 'range', 'start=1 end=3 step=2'],
    [{ type: 'rating' }, 'range', 'start=1 end=5 step=1'],
    [{ type: 'rating', max: 10 }, 'range', 'start=1 end=10 step=1'],
    [{ type: 'number', min: 1, max: 3, step: 1 }, 'integer', undefined],
  ])('writes %j with its parameters', (field, type, parameters) => {
    const row = rowAmong(field);
    expect([row['type'], row['parameters']]).toEqual([type, parameters]);
    expect(row['appearance']).toBe(field.type === 'rating' ? 'rating' : undefined);
    expect(row['constraint']).toBe(field.type === 'number' ? '. >= 1 and . <= 3' : undefined);
  });

  test.each([
    [{ type: 'slider', min: 1, max: 3, step: 2.5 }, '. >= 1 and . <= 3'],
    [{ type: 'slider', min: 0, max: 3, step: 0 }, '. >= 0 and . <= 3'],
    [{ type: 'slider', min: 0, max: 3, step: -1 }, '. >= 0 and . <= 3'],
    [{ type: 'slider', min: 3, max: 1 }, '. >= 3 and . <= 1'],
    [{ type: 'rating', min: 2, max: 2 }, '. >= 2 and . <= 2'],
  ])('writes %j as a decimal, whose range ODK would refuse', (field, constraint) => {
    const { type, ...row } = rowAmong(field);
    expect(type).toBe('decimal');
    expect(row).toMatchObject({ constraint });
    expect(row).not.toHaveProperty('parameters');
    expect(row).not.toHaveProperty('appearance');
  });

  test.each([
    [{ type: 'number', step: 1 }, 'integer'],
    [{ type: 'number', step: 1, min: 2 }, 'integer'],
    [{ type: 'number', step: 1, min: 0.5 }, 'decimal'],
    [{ type: 'number', step: 2 }, 'decimal'],
    [{ type: 'number' }, 'decimal'],
    [{ type: 'temperature', step: 1 }, 'decimal'],
    [{ type: 'single_select', options: COLORS }, 'select_one asked'],
    [{ type: 'multi_select', options: COLORS }, 'select_multiple asked'],
    [{ type: 'yes_no_na' }, 'select_one yes_no_na'],
    [{ type: 'pass_fail_na' }, 'select_one pass_fail_na'],
    [{ type: 'yes_no' }, 'select_one yes_no'],
    [{ type: 'yes_no_na', options: COLORS }, 'select_one asked'],
    [{ type: 'single_select' }, 'select_one asked'],
    [{ type: 'text', options: COLORS }, 'text'],
  ])('writes the type of %j', (field, type) => {
    expect(rowAmong(field)['type']).toBe(type);
  });

  test.each([
    ['text', 'text', undefined],
    ['long_text', 'text', 'multiline'],
    ['barcode', 'barcode', undefined],
    ['checkbox', 'acknowledge', undefined],
    ['date', 'date', undefined],
    ['time', 'time', undefined],
    ['datetime', 'dateTime', undefined],
    ['photo', 'image', undefined],
    ['video', 'video', undefined],
    ['audio', 'audio', undefined],
    ['file', 'file', undefined],
    ['drawing', 'image', 'draw'],
    ['signature', 'image', 'signature'],
    ['geo_point', 'geopoint', undefined],
    ['address', 'text', 'multiline'],
    ['member', 'text', undefined],
    ['client_account', 'text', undefined],
    ['location', 'text', undefined],
    ['reference', 'text', undefined],
    ['calculated', 'calculate', undefined],
    ['instruction', 'note', undefined],
  ])('writes a %s as %s', (type, plain, appearance) => {
    const row = rowAmong({ type });
    expect([row['type'], row['appearance']]).toEqual([plain, appearance]);
  });

  test.each([
    [{ type: 'text', default_value: 'ok' }, 'ok'],
    [{ type: 'text', default_value: 'today()' }, undefined],
    [{ type: 'text', default_value: ['a'] }, undefined],
    [{ type: 'number', default_value: 2.5 }, '2.5'],
    [{ type: 'number', default_value: 0 }, '0'],
    [{ type: 'date', default_value: '2026-03-02' }, '2026-03-02'],
    [{ type: 'checkbox', default_value: true }, 'OK'],
    [{ type: 'checkbox', default_value: false }, undefined],
    [{ type: 'checkbox', default_value: 'yes' }, undefined],
    [{ type: 'yes_no', default_value: true }, 'yes'],
    [{ type: 'yes_no', default_value: false }, 'no'],
    [{ type: 'geo_point', default_value: { lat: 1.5, lng: -2 } }, '1.5 -2 0 0'],
    [{ type: 'geo_point', default_value: { lat: 1.5, lng: -2, accuracy_m: 4 } }, '1.5 -2 0 4'],
    [{ type: 'geo_point', default_value: 'here' }, 'here'],
    [{ type: 'text', default_value: { lat: 1.5, lng: -2 } }, undefined],
    [{ type: 'single_select', options: COLORS, default_value: 'dark blue' }, 'dark_blue'],
    [{ type: 'single_select', options: COLORS, default_value: 'other' }, undefined],
    [{ type: 'multi_select', options: COLORS, default_value: ['red', 'dark blue'] }, 'red dark_blue'],
    [{ type: 'yes_no_na', default_value: 'na' }, 'na'],
    [
      { type: 'single_select', options: [{ value: 'now()', label: 'Now' }], default_value: 'now()' },
      undefined,
    ],
    [{ type: 'instruction', default_value: 'a' }, undefined],
    [{ type: 'calculated', default_value: 1 }, undefined],
  ])('writes the default of %j', (field, cell) => {
    expect(rowAmong(field)['default']).toBe(cell);
  });

  test('filters no options of a question that has none, nor takes an attribute for the name of an option', () => {
    const choice_filter = `{option.value} != {${TEXT}}`;
    expect(rowAmong({ choice_filter })).not.toHaveProperty('choice_filter');
    const options = [{ value: 'red', label: 'Red', attributes: { name: 'blue' } }];
    const field = { id: uuid(50), type: 'single_select', label: 'Asked', options, choice_filter };
    const content = contentOf(...QUESTIONS, field);
    const sheets = exportForm(content, TITLE);
    expect(rowsOf(sheets, 'choices').find(({ list_name }) => list_name === 'asked')).toMatchObject({
      name: 'red',
      inspection__attributes: '{"name":"blue"}',
    });
    expect(importForm(sheets, [], { name: 'any' }).content).toEqual(content);
  });

  test('writes the messages of a question that is asked', () => {
    const messages = { constraint_message: 'Not ${x}', required_message: `As \${${TEXT}}` };
    const cells = { constraint_message: 'Not $ {x}', required_message: 'As ${text}' };
    expect(rowAmong(messages)).toMatchObject(cells);
    expect(rowAmong({ ...messages, type: 'instruction' })).not.toMatchObject({
      constraint_message: expect.anything(),
    });
  });
});

describe('exportForm: names', () => {
  const namesIn = (labels: object[], section: object = {}) => {
    const fields = labels.map((label, i) => ({ id: uuid(50 + i), type: 'text', ...label }));
    const content = Content.parse({
      sections: [{ id: uuid(1), title: 'Guard rails', ...section, fields }],
    });
    const sheets = exportForm(content, TITLE);
    expect(odkFaults(sheets)).toEqual([]);
    return rowsOf(sheets, 'survey').flatMap(({ name }) => name ?? []);
  };

  test.each([
    ['Guard rails', 'guard_rails_2'],
    ['Geländer', 'gelander'],
    ['  A -- b!! ', 'a_b'],
    ['2nd of 3', 'nd_of_3'],
    ['_9_ lives_', 'lives'],
    ['護欄', 'text'],
    ['abcd '.repeat(10), 'abcd_abcd_abcd_abcd_abcd_abcd_abcd_abcd'],
    ['a'.repeat(60), 'a'.repeat(40)],
    ['Meta', 'meta_2'],
    ['Data', 'data_2'],
    ['InstanceID', 'instanceid_2'],
    ['Start of inspection', 'start_of_inspection_2'],
  ])('makes a name of the label %s', (label, name) => {
    expect(namesIn([{ label }])).toEqual(['guard_rails', name]);
  });

  test('counts labels that occur again, and keeps names in the content', () => {
    expect(
      namesIn([
        { label: 'Gate' },
        { label: 'Gate' },
        { label: 'Gate' },
        { label: 'Post', name: 'GATE_2' },
        { label: 'Rail', name: 'GATE_2' },
      ]),
    ).toEqual(['guard_rails', 'gate', 'gate_3', 'gate_4', 'GATE_2', 'GATE_2_2']);
  });

  test('names a section whose title has no letters', () => {
    expect(namesIn([], { title: '護欄' })).toEqual(['section']);
  });
});

describe('exportForm: names of parts', () => {
  const section = (n: number, name: string, more: object = {}) => ({
    id: uuid(n),
    name,
    title: name,
    ...more,
  });
  const text = (n: number, name: string) => ({ id: uuid(n), type: 'text', name, label: name });
  const survey = (content: object) => {
    const sheets = exportForm(Content.parse(content), TITLE);
    expect(odkFaults(sheets)).toEqual([]);
    return rowsOf(sheets, 'survey').flatMap(({ name }) => name ?? []);
  };
  const TWICE = { repeat: { min: 2, max: 2 } };

  test('keeps a name that other groups have, unless something refers to its part', () => {
    const sections = (...others: object[]) => [
      section(1, 'Rails', { fields: [text(2, 'a')] }),
      section(3, 'Posts', { fields: [text(4, 'a'), ...others] }),
    ];
    const referring = (part: object) => ({ ...text(5, 'b'), ...part });
    const kept = ['Rails', 'a', 'Posts', 'a'];
    const renamed = ['Rails', 'a_2', 'Posts', 'a', 'b'];
    expect(survey({ sections: sections() })).toEqual(kept);
    for (const part of [
      { visible_if: { field_id: uuid(2), op: 'empty' } },
      { required_if: { all: [{ field_id: uuid(2), op: 'empty' }] } },
      { type: 'calculated', formula: `{ ${uuid(2).toUpperCase()} } + 1` },
      { constraint: `{${uuid(5)}} != {${uuid(2)}}` },
      { type: 'single_select', options: [], choice_filter: `{option.value} = {${uuid(2)}}` },
      { help_text: `As \${${uuid(2)}}` },
    ])
      expect(survey({ sections: sections(referring(part)) })).toEqual(renamed);
  });

  test('keeps the key of a start field, unless another part has it as its name', () => {
    const start = { fields: [{ key: 'guide', type: 'text', label: 'G' }] };
    const sections = (part: object) => [section(1, 'Rails', { fields: [{ ...text(2, 'guide'), ...part }] })];
    expect(survey({ start, sections: sections({}) })).toEqual([
      'start_of_inspection',
      'guide',
      'Rails',
      'guide',
    ]);
    expect(
      survey({ start, sections: sections({ visible_if: { start_key: 'guide', op: 'empty' } }) }),
    ).toEqual(['start_of_inspection', 'guide_2', 'Rails', 'guide']);
  });

  test.each([
    ['two rows of a group', { fields: [text(2, 'a'), text(3, 'a')] }, ['a', 'a_2']],
    ['a row called meta', { fields: [text(2, 'meta')] }, ['meta_2']],
    ['a row called data', { fields: [text(2, 'data')] }, ['data']],
    ['a repeat called data', { sections: [section(2, 'data', TWICE)] }, ['data_2']],
    ['a group called data', { sections: [section(2, 'data')] }, ['data']],
    [
      'two repeats of one name',
      {
        sections: [section(2, 'a', { sections: [section(3, 'a', { repeat: { min: 0 } })] }), section(4, 'c')],
      },
      ['a', 'a', 'c'],
    ],
    [
      'two repeats of one name in each other',
      {
        sections: [
          section(2, 'a', { repeat: { min: 0 }, sections: [section(3, 'a', { repeat: { min: 0 } })] }),
        ],
      },
      ['a', 'a_2'],
    ],
    [
      'the hidden question that counts a repeat',
      { fields: [text(2, 'a_count')], sections: [section(3, 'a', TWICE)] },
      ['a_count', 'a_2'],
    ],
    [
      'no hidden question, where the number of instances is open',
      { fields: [text(2, 'a_count')], sections: [section(3, 'a', { repeat: { min: 1, max: 2 } })] },
      ['a_count', 'a'],
    ],
    [
      'a row in a repeat, whose label is that of its hidden question',
      {
        sections: [
          {
            id: uuid(2),
            title: 'Posts',
            ...TWICE,
            fields: [{ id: uuid(3), type: 'text', label: 'Posts count' }],
          },
        ],
      },
      ['posts', 'posts_count_2'],
    ],
    [
      'the hidden question of a repeat without a name',
      { fields: [text(2, 'posts_count')], sections: [{ id: uuid(3), title: 'Posts', ...TWICE }] },
      ['posts_count', 'posts_2'],
    ],
  ])('gives different names to %s', (_, parts, names) => {
    expect(survey({ sections: [section(1, 'Rails', parts)] })).toEqual(['Rails', ...names]);
  });

  test('renames a reserved name that something refers to', () => {
    const visible_if = { field_id: uuid(2), op: 'empty' };
    expect(
      survey({
        sections: [section(1, 'Rails', { fields: [text(2, 'instanceID'), { ...text(3, 'b'), visible_if }] })],
      }),
    ).toEqual(['Rails', 'instanceID_2', 'b']);
  });

  test.each([
    [[text(2, 'a')], 'Not ${a}'],
    [[text(2, 'A')], 'Not $ {a}'],
    [[{ ...text(2, 'a'), name: undefined }], 'Not $ {a}'],
    [[text(2, 'meta')], 'Not $ {a}'],
  ])('lets the label of an option refer to a name that the content gives', (fields, label) => {
    const options = [{ value: 'x', label: 'Not ${a}' }];
    const asked = { id: uuid(9), type: 'single_select', label: 'Asked', options };
    const sheets = exportForm(contentOf(...fields, asked), TITLE);
    expect(rowsOf(sheets, 'choices')).toMatchObject([{ name: 'x', label }]);
  });

  test('lets no label of an option refer to a name that two rows have', () => {
    const options = [{ value: 'x', label: 'Not ${a}' }];
    const asked = { id: uuid(9), type: 'single_select', label: 'Asked', options };
    const content = Content.parse({
      sections: [
        section(1, 'Rails', { fields: [text(2, 'a'), asked] }),
        section(3, 'Posts', { fields: [text(4, 'a')] }),
      ],
    });
    const sheets = exportForm(content, TITLE);
    expect(odkFaults(sheets)).toEqual([]);
    expect(rowsOf(sheets, 'choices')).toMatchObject([{ name: 'x', label: 'Not $ {a}' }]);
  });
});

describe('exportForm: lists', () => {
  const choices = (response_sets: object[], ...fields: object[]) => {
    const content = Content.parse({ ...contentOf(...fields), response_sets });
    const sheets = exportForm(content, TITLE);
    expect(odkFaults(sheets)).toEqual([]);
    return rowsOf(sheets, 'choices');
  };
  const OPTIONS = [{ value: 'x', label: 'X' }];

  test.each([
    ['Marks', 'Marks'],
    ['Firm-list', 'Firm-list'],
    ['Firm marks', 'firm_marks'],
    ['護欄 2', 'list'],
    ['marks.csv', 'marks_csv'],
    ['marks.XML', 'marks_xml'],
    ['marks.geojson', 'marks_geojson'],
    ['marks.csv.old', 'marks.csv.old'],
    ['marksxcsv', 'marksxcsv'],
  ])('names the list of the response set %s', (name, list_name) => {
    const sheet = choices([{ id: uuid(9), name, options: OPTIONS }]);
    expect(sheet).toEqual([
      {
        list_name,
        name: 'x',
        label: 'X',
        inspection__list_id: uuid(9),
        ...(name === list_name ? {} : { inspection__list: name }),
      },
    ]);
  });

  test('names lists of the same name differently', () => {
    const set = (n: number, name: string) => ({ id: uuid(n), name, options: OPTIONS });
    expect(
      choices([set(7, 'gate'), set(8, 'Gate'), set(9, 'yes_no')], GATE, {
        id: uuid(3),
        type: 'single_select',
        label: 'Gate',
        options: OPTIONS,
      }).map(({ list_name, name, inspection__list }) => [list_name, name, inspection__list]),
    ).toEqual([
      ['gate', 'x', undefined],
      ['Gate_2', 'x', 'Gate'],
      ['yes_no', 'x', undefined],
      ['yes_no_2', 'yes', undefined],
      ['yes_no_2', 'no', undefined],
      ['gate_3', 'x', undefined],
    ]);
  });

  test('writes the list of a type once, for all questions that have it', () => {
    const sheet = choices(
      [],
      { ...GATE, type: 'yes_no_na' },
      { id: uuid(3), type: 'yes_no_na', label: 'Is it firm?' },
      { id: uuid(4), type: 'pass_fail_na', label: 'Is it high?' },
    );
    expect(sheet).toEqual([
      { list_name: 'yes_no_na', name: 'yes', label: 'Yes', inspection__list_id: '-' },
      { list_name: 'yes_no_na', name: 'no', label: 'No' },
      { list_name: 'yes_no_na', name: 'na', label: 'N/A' },
      { list_name: 'pass_fail_na', name: 'pass', label: 'Pass', inspection__list_id: '-' },
      { list_name: 'pass_fail_na', name: 'fail', label: 'Fail' },
      { list_name: 'pass_fail_na', name: 'na', label: 'N/A' },
    ]);
  });

  test.each([
    [{ type: 'single_select', response_set_id: uuid(9) }, 'select_one Marks'],
    [{ type: 'yes_no_na', response_set_id: uuid(9) }, 'select_one Marks'],
    [{ type: 'yes_no', response_set_id: uuid(9) }, 'select_one yes_no'],
    [{ type: 'single_select', response_set_id: uuid(9), options: OPTIONS }, 'select_one asked'],
    [{ type: 'single_select', response_set_id: uuid(8) }, 'select_one asked'],
    [{ type: 'text', response_set_id: uuid(9) }, 'text'],
  ])('chooses the list of %j', (field, type) => {
    const content = Content.parse({
      ...contentOf({ id: uuid(2), label: 'Asked', ...field }),
      response_sets: [{ id: uuid(9), name: 'Marks', options: OPTIONS }],
    });
    expect(rowsOf(exportForm(content, TITLE), 'survey')[1]).toMatchObject({ type });
  });

  test('names options by their values, where ODK accepts them', () => {
    const values = ['red', 'Red', 'dark blue', 'dark_blue', 'a\u0001', 'a', '護 欄', '護欄', ' ', 'red'];
    const options = values.map((value) => ({ value, label: 'Any' }));
    const sheet = choices([], { ...GATE, type: 'single_select', options });
    expect(sheet.map(({ name }) => name)).toEqual([
      'red',
      'Red',
      'dark_blue_2',
      'dark_blue',
      'a_2',
      'a',
      'option',
      '護欄',
      'option_2',
      'red_2',
    ]);
    expect(sheet.map(({ inspection__value }) => inspection__value)).toEqual([
      undefined,
      undefined,
      'dark blue',
      undefined,
      String.raw`"a\u0001"`,
      undefined,
      '護 欄',
      undefined,
      '" "',
      'red',
    ]);
  });

  test('gives a list without options a row', () => {
    const sheet = choices([{ id: uuid(9), name: 'Marks', options: [], source_id: uuid(90) }], {
      ...GATE,
      type: 'single_select',
      options: [],
    });
    expect(sheet).toEqual([
      {
        list_name: 'Marks',
        name: 'none',
        label: '–',
        inspection__empty: 'true',
        inspection__list_id: uuid(9),
        inspection__list_source: uuid(90),
      },
      {
        list_name: 'is_the_gate_shut',
        name: 'none',
        label: '–',
        inspection__empty: 'true',
        inspection__list_id: '""',
      },
    ]);
  });
});

describe('exportForm: sheets', () => {
  const headerOf = (content: Content, name: string) => [
    ...exportForm(content, TITLE)
      .find((sheet) => sheet.name === name)!
      .header.values(),
  ];

  test('has the columns of XLSForm in the usual order', () => {
    const content = contentOf(GATE);
    expect(exportForm(content, TITLE).map(({ name }) => name)).toEqual(['survey', 'choices', 'settings']);
    expect(headerOf(content, 'survey').slice(0, 14)).toEqual([
      'type',
      'name',
      'label',
      'hint',
      'required',
      'relevant',
      'constraint',
      'calculation',
      'default',
      'appearance',
      'parameters',
      'repeat_count',
      'inspection__id',
      'inspection__start',
    ]);
    expect(headerOf(content, 'choices')).toEqual([
      'list_name',
      'name',
      'label',
      'inspection__list_id',
      'inspection__list',
    ]);
    expect(headerOf(content, 'settings')).toEqual([
      'form_title',
      'form_id',
      'version',
      'inspection__made_id',
    ]);
  });

  test('has the texts of each language beside those of the first', () => {
    const content = Content.parse({
      ...contentOf(GATE),
      language: 'en',
      translations: [
        { language: 'fr', texts: [] },
        { language: 'default', texts: [] },
      ],
    });
    expect(headerOf(content, 'survey').slice(0, 10)).toEqual([
      'type',
      'name',
      'label::en',
      'label::fr',
      'label::Default',
      'hint::en',
      'hint::fr',
      'hint::Default',
      'required',
      'relevant',
    ]);
    expect(headerOf(content, 'choices').slice(0, 5)).toEqual([
      'list_name',
      'name',
      'label::en',
      'label::fr',
      'label::Default',
    ]);
  });

  test('numbers rows as a workbook does', () => {
    expect(exportForm(contentOf(GATE), TITLE).map(({ rows }) => rows.map(({ number }) => number))).toEqual([
      [2, 3, 4],
      [2, 3],
      [2],
    ]);
  });

  test('writes sections and the group of the start', () => {
    const content = Content.parse({
      start: {
        fields: [{ key: 'meta', type: 'text', label: 'M', visible_if: { start_key: 'x', op: 'empty' } }],
      },
      sections: [
        {
          id: uuid(1),
          title: 'Guard rails ${x}',
          description: `As \${${uuid(2)}}`,
          visible_if: { start_key: 'meta', op: 'not_empty' },
          fields: [GATE],
          sections: [
            { id: uuid(3), title: 'Open', repeat: { min: 0, max: 5 } },
            { id: uuid(4), title: 'Fixed', repeat: { min: 3, max: 3 } },
          ],
        },
      ],
    });
    const sheets = exportForm(content, TITLE);
    const rows = rowsOf(sheets, 'survey');
    expect(rows.filter((_, i) => i !== 1 && i !== 4)).toEqual([
      { type: 'begin group', name: 'start_of_inspection', label: 'Start', inspection__start: 'true' },
      { type: 'end group' },
      {
        type: 'begin group',
        name: 'guard_rails_x',
        label: 'Guard rails $ {x}',
        hint: 'As ${is_the_gate_shut}',
        relevant: "${meta_2} != ''",
        inspection__id: uuid(1),
        inspection__name: 'null',
        inspection__title: String.raw`"Guard rails \u0024{x}"`,
      },
      expect.objectContaining({ type: 'begin repeat', name: 'open', label: 'Open', inspection__id: uuid(3) }),
      { type: 'end repeat' },
      expect.objectContaining({ type: 'begin repeat', name: 'fixed', repeat_count: '3' }),
      { type: 'end repeat' },
      { type: 'end group' },
    ]);
    expect(rows[5]).not.toHaveProperty('repeat_count');
    expect(rows[1]).toMatchObject({ type: 'text', name: 'meta_2', label: 'M', inspection__key: 'meta' });
    expect(rows[1]).not.toHaveProperty('inspection__id');
    expect(rows[4]).not.toHaveProperty('inspection__key');
    const guide = { key: 'guide', type: 'text', label: 'Guide' };
    const [, start] = rowsOf(
      exportForm(Content.parse({ ...content, start: { fields: [guide] } }), TITLE),
      'survey',
    );
    expect(start).toMatchObject({ name: 'guide' });
    expect(start).not.toHaveProperty('inspection__key');
  });

  test.each([
    [{}, {}],
    [{ scoring: { enabled: true } }, { inspection__scoring: expect.stringContaining('"enabled":true') }],
    [{ language: 'en' }, { default_language: 'en' }],
    [{ form_id: 'rails' }, { form_id: 'rails', inspection__made_id: undefined }],
  ])('writes the settings of %j', (more, cells) => {
    const content = Content.parse({ ...contentOf(GATE), ...more });
    const expected = {
      form_title: 'Costs $ {x}',
      form_id: 'guard_rails',
      version: '3',
      inspection__made_id: 'guard_rails',
      ...cells,
    };
    const [settings] = rowsOf(exportForm(content, { ...TITLE, title: 'Costs ${x}' }), 'settings');
    expect(settings).toEqual(expected);
  });

  test('writes the texts of each language in its columns', () => {
    const messages = { constraint_message: 'Plus haut', required_message: `Comme \${${uuid(2)}}` };
    const content = Content.parse({
      ...contentOf(
        { ...GATE, constraint_message: 'Higher', required_message: 'Please' },
        { id: uuid(3), type: 'instruction', label: 'Look' },
      ),
      start: { fields: [{ key: 'guide', type: 'text', label: 'Guide' }] },
      response_sets: [
        {
          id: uuid(9),
          name: 'Marks',
          options: [
            { value: 'x', label: 'X' },
            { value: 'y', label: 'Y' },
          ],
        },
      ],
      language: 'en',
      translations: [
        {
          language: 'fr',
          texts: [
            { id: uuid(1), title: 'Rambardes', description: 'Toutes' },
            { id: uuid(2), label: 'Fermée ?', help_text: 'Poussez ${x}', ...messages },
            { id: uuid(3), label: 'Regardez', ...messages },
            { id: 'guide', label: 'Accompagnateur' },
            { id: uuid(9), options: [{ value: 'y', label: 'Ÿ ${x}' }] },
          ],
        },
      ],
    });
    const sheets = exportForm(content, TITLE);
    const french = (row: object) =>
      Object.entries(row).flatMap(([column, text]) => (column.endsWith('::fr') ? [[column, text]] : []));
    expect(rowsOf(sheets, 'survey').map(french)).toEqual([
      [],
      [['label::fr', 'Accompagnateur']],
      [],
      [
        ['label::fr', 'Rambardes'],
        ['hint::fr', 'Toutes'],
      ],
      [
        ['label::fr', 'Fermée ?'],
        ['hint::fr', 'Poussez $ {x}'],
        ['constraint_message::fr', 'Plus haut'],
        ['required_message::fr', 'Comme ${is_the_gate_shut}'],
      ],
      [['label::fr', 'Regardez']],
      [],
    ]);
    expect(rowsOf(sheets, 'survey')[4]).toMatchObject({
      'label::en': 'Is the gate shut?',
      'constraint_message::en': 'Higher',
      'required_message::en': 'Please',
    });
    expect(rowsOf(sheets, 'choices').map(french)).toEqual([[], [['label::fr', 'Ÿ $ {x}']], [], []]);
    expect(importForm(sheets, [], { name: 'any' }).content).toEqual(content);
  });

  test('has all translations in one cell only where columns cannot say them', () => {
    const settingsOf = (texts: object[]) => {
      const translations = [{ language: 'fr', texts }];
      const content = Content.parse({ ...contentOf(GATE), language: 'en', translations });
      return rowsOf(exportForm(content, TITLE), 'settings')[0]!;
    };
    const gate = { id: uuid(2), label: 'Fermée ?' };
    expect(settingsOf([gate])).not.toHaveProperty('inspection__translations');
    expect(
      JSON.parse(settingsOf([gate, { id: uuid(99), label: 'Nulle part' }])['inspection__translations']!),
    ).toMatchObject([{ language: 'fr', texts: [gate, { id: uuid(99), label: 'Nulle part' }] }]);
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
      { numRuns: runs(15) },
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
        { id: uuid(5), type: 'single_select', label: 'Mark', response_set_id: uuid(9) },
        {
          id: uuid(6),
          type: 'text',
          label: 'Of a mark that is not known yet',
          visible_if: { field_id: uuid(5), op: 'eq', value: 'm1' },
        },
      ),
      response_sets: [{ id: uuid(9), name: 'Marks', options: [], source_id: uuid(90) }],
    });
    expect(odkFaults(exportForm(content, TITLE))).toEqual([]);
    expect((await reimported(content)).content).toEqual(content);
  });

  test.each([
    { options: [{ value: 'shut', label: 'Shut', score: 2 }] },
    { options: [] },
    { response_set_id: uuid(9) },
  ])('restores a yes_no with %j, which only other types need', async (more) => {
    const content = Content.parse({
      ...contentOf({ ...GATE, ...more }),
      response_sets: [{ id: uuid(9), name: 'Marks', options: [{ value: 'x', label: 'X' }] }],
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
