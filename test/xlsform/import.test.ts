import fc from 'fast-check';
import { sectionsOf } from '../../shared/domain/content/content-index.ts';
import { publishProblems, structureProblems } from '../../shared/domain/content/publish/publish.ts';
import type { Content, Field } from '../../shared/schemas/templates/content.ts';
import type { FormRow } from '../../shared/schemas/templates/xlsform.ts';
import { FormError, type Imported, importForm } from '../../shared/xlsform/import.ts';
import { sheetOfRows } from '../../shared/xlsform/rows.ts';
import type { Sheet } from '../../shared/xlsform/sheets.ts';
import { isFormSheet } from '../../shared/xlsform/table.ts';
import { readWorkbook } from '../../shared/xlsform/workbook.ts';
import { sampleBytes, SAMPLES } from './sample-forms.ts';

const YES_NO = [
  { list_name: 'yes_no', name: 'yes', label: 'Yes' },
  { list_name: 'yes_no', name: 'no', label: 'No' },
];

interface Form {
  choices?: FormRow[];
  settings?: FormRow;
  language?: string;
}

const sheetsOf = (survey: FormRow[], { choices = YES_NO, settings = {} }: Form = {}): Sheet[] => [
  sheetOfRows('survey', survey),
  sheetOfRows('choices', choices),
  sheetOfRows('settings', [settings]),
];

const imported = (survey: FormRow[], form: Form = {}): Imported =>
  importForm(sheetsOf(survey, form), [], { name: 'Cranes', language: form.language });

const fieldsOf = (content: Content): Field[] =>
  [...sectionsOf(content)].flatMap(({ section }) => section.fields);

/** The field of a label. */
const labelled = ({ content }: Imported, label: string): Field =>
  fieldsOf(content).find((field) => field.label === label)!;

const problemsOf = (survey: FormRow[], form: Form = {}) => {
  try {
    imported(survey, form);
  } catch (error) {
    if (error instanceof FormError)
      return error.problems.map(({ sheet, row, column, message }) => `${sheet} ${row} ${column}: ${message}`);
    throw error;
  }
  throw new Error('the form was imported');
};

const lost = ({ remarks }: Imported) =>
  remarks.filter(({ severity }) => severity === 'lost').map(({ column, message }) => `${column}: ${message}`);

/** One question of each kind that expressions refer to. */
const ASKED: FormRow[] = [
  { type: 'text', name: 'text', label: 'text' },
  { type: 'integer', name: 'number', label: 'number' },
  { type: 'select_one yes_no', name: 'one', label: 'one' },
  { type: 'select_multiple yes_no', name: 'many', label: 'many' },
  { type: 'date', name: 'day', label: 'day' },
  { type: 'acknowledge', name: 'seen', label: 'seen' },
  { type: 'calculate', name: 'sum', label: 'sum', calculation: '${number} + 1' },
];

/** What of a condition is the same for every form: labels for ids. */
const spoken = (content: Content, value: unknown): unknown => {
  const labels = new Map(fieldsOf(content).map(({ id, label }) => [id, label]));
  return JSON.parse(
    JSON.stringify(value).replaceAll(
      /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g,
      (id) => labels.get(id) ?? id,
    ),
  );
};

const conditionOf = (relevant: string): unknown => {
  const form = imported([...ASKED, { type: 'text', name: 'last', label: 'last', relevant }]);
  expect(lost(form)).toEqual([]);
  return spoken(form.content, labelled(form, 'last').visible_if);
};

const sampleSheets = async (name: (typeof SAMPLES)[number]) => {
  const { sheets, others } = await readWorkbook(sampleBytes(name), isFormSheet);
  return { others, sheets };
};

describe('importForm of forms that there are', () => {
  test.each(SAMPLES)('makes of %s a content that can be published', async (name) => {
    const { sheets, others } = await sampleSheets(name);
    const { content } = importForm(sheets, others, { name });
    expect(publishProblems(content)).toEqual([]);
  });

  /** What says nothing that would not be so without it. */
  const REDUNDANT = /^(no|false)$/i;

  test.each(SAMPLES)('leaves no cell of %s out in silence', async (name) => {
    const { sheets, others } = await sampleSheets(name);
    const outcome = (given: Sheet[]): string => {
      try {
        return JSON.stringify(importForm(given, others, { name }));
      } catch (error) {
        return (error as Error).message;
      }
    };
    const whole = outcome(sheets);
    const replaced = (at: Sheet, rows: Sheet['rows']) =>
      sheets.map((sheet) => (sheet === at ? { ...sheet, rows } : sheet));
    const cells = sheets.flatMap((sheet) =>
      sheet.rows.flatMap((row) => [...row.cells].map(([position, text]) => ({ sheet, row, position, text }))),
    );
    // Of a large form a part of them, all over it.
    const examined = cells.filter((_, i) => i % Math.ceil(cells.length / 80) === 0);
    const silent = examined.filter(({ sheet, row, position, text }) => {
      const changed = { ...row, cells: new Map([...row.cells, [position, `${text}x`]]) };
      const without = { ...row, cells: new Map([...row.cells].filter(([at]) => at !== position)) };
      return [changed, without].every(
        (other) =>
          outcome(
            replaced(
              sheet,
              sheet.rows.map((each) => (each === row ? other : each)),
            ),
          ) === whole,
      );
    });
    expect(
      silent.filter(({ text }) => !REDUNDANT.test(text)).map(({ row, text }) => [row.number, text]),
    ).toEqual([]);
  });
});

describe('importForm', () => {
  test.each<[type: string, row: FormRow, expected: Partial<Field>]>([
    ['text', {}, { type: 'text' }],
    ['string', { appearance: 'multiline' }, { type: 'long_text' }],
    ['text', { parameters: 'rows=5' }, { type: 'long_text' }],
    ['integer', {}, { type: 'number', step: 1 }],
    ['decimal', {}, { type: 'number', step: null }],
    ['range', {}, { type: 'slider', min: 1, max: 10, step: 1 }],
    ['range', { parameters: 'start=0; end=1 step = 0.1' }, { type: 'slider', min: 0, max: 1, step: 0.1 }],
    ['range', { appearance: 'rating' }, { type: 'rating', min: 1, max: 10 }],
    ['percentage', {}, { type: 'number', min: 0, max: 100, unit: '%' }],
    ['phone number', {}, { type: 'text', pattern: String.raw`\d*`, help_text: 'Enter numbers only.' }],
    ['date', { default: '2026-03-02' }, { type: 'date', default_value: '2026-03-02' }],
    ['dateTime', {}, { type: 'datetime' }],
    ['add time prompt', {}, { type: 'time' }],
    [
      'gps',
      { default: '1.5 -2 0 7' },
      { type: 'geo_point', default_value: { lat: 1.5, lng: -2, accuracy_m: 7 } },
    ],
    ['image', {}, { type: 'photo' }],
    ['image', { appearance: 'signature' }, { type: 'signature' }],
    ['photo', { appearance: 'draw' }, { type: 'drawing' }],
    ['audio', {}, { type: 'audio' }],
    ['video', {}, { type: 'video' }],
    ['file', {}, { type: 'file' }],
    ['barcode', {}, { type: 'barcode' }],
    ['note', {}, { type: 'instruction' }],
    ['trigger', { default: 'OK' }, { type: 'checkbox', default_value: true }],
    ['select one from yes_no', { default: 'no' }, { type: 'single_select', default_value: 'no' }],
    [
      'select all that apply from yes_no',
      { default: 'yes no' },
      { type: 'multi_select', default_value: ['yes', 'no'] },
    ],
    [
      'calculate',
      { calculation: '1 + 1' },
      { type: 'calculated', formula: '1 + 1', report: { visible: true } },
    ],
    ['hidden', { default: 'v1' }, { type: 'calculated', formula: "'v1'" }],
  ])('reads a question of type %s (%j)', (type, row, expected) => {
    const form = imported([
      { type, name: 'a', label: 'A', ...row },
      { type: 'text', name: 'b', label: 'B' },
    ]);
    expect(labelled(form, 'A')).toMatchObject(expected);
    expect(lost(form)).toEqual([]);
    expect(publishProblems(form.content)).toEqual([]);
  });

  test('tells of each type that it has nothing like, and asks what can be asked', () => {
    const form = imported([
      { type: 'geotrace', name: 'way', label: 'Way' },
      { type: 'rank yes_no', name: 'order', label: 'Order' },
      { type: 'select_one_from_file sites.csv', name: 'site', label: 'Site' },
      { type: 'deviceid', name: 'device' },
      { type: 'today', name: 'today' },
      { type: 'username', name: 'user' },
      { type: 'text', name: 'a', label: 'A', relevant: "${site} = 'north' and ${today} > '2026-01-01'" },
    ]);
    expect(lost(form).map((message) => message.split(':')[0])).toEqual(['type', 'type', 'type', 'type']);
    expect(fieldsOf(form.content).map(({ type }) => type)).toEqual([
      'long_text',
      'multi_select',
      'text',
      'text',
    ]);
    expect(form.content.start.fields).toMatchObject([{ key: 'today', type: 'date', label: 'Date' }]);
    expect(spoken(form.content, labelled(form, 'A').visible_if)).toEqual({
      all: [
        { field_id: 'Site', op: 'eq', value: 'north' },
        { start_key: 'today', op: 'gt', value: '2026-01-01' },
      ],
    });
  });

  test.each<[expression: string, condition: unknown]>([
    ["${one} = 'yes'", { field_id: 'one', op: 'eq', value: 'yes' }],
    ["'yes'!=${one}", { field_id: 'one', op: 'ne', value: 'yes' }],
    ['${one} = ‘yes’', { field_id: 'one', op: 'eq', value: 'yes' }],
    ["${text} = ''", { field_id: 'text', op: 'empty' }],
    ['"" != ${number}', { field_id: 'number', op: 'not_empty' }],
    ['${number} > 3', { field_id: 'number', op: 'gt', value: 3 }],
    ['-3 >= ${number}', { field_id: 'number', op: 'lte', value: -3 }],
    ["${number} = '5'", { field_id: 'number', op: 'eq', value: 5 }],
    ["selected(${many}, 'yes')", { field_id: 'many', op: 'contains', value: 'yes' }],
    ["selected(${one}, 'yes')", { field_id: 'one', op: 'eq', value: 'yes' }],
    ["not(selected(${one}, 'yes'))", { field_id: 'one', op: 'ne', value: 'yes' }],
    ["${seen} = 'OK'", { field_id: 'seen', op: 'eq', value: true }],
    ["${day} < date('2026-03-02')", { field_id: 'day', op: 'lt', value: '2026-03-02' }],
    ['string-length(${text}) > 0', { field_id: 'text', op: 'not_empty' }],
    ['count-selected(${many}) = 0', { field_id: 'many', op: 'empty' }],
    ['${sum} = 2', { field_id: 'sum', op: 'in', value: [2, '2'] }],
    ['true()', null],
    [
      "${one}='yes' and (${number} > 1 or ${number} < -1)",
      {
        all: [
          { field_id: 'one', op: 'eq', value: 'yes' },
          {
            any: [
              { field_id: 'number', op: 'gt', value: 1 },
              { field_id: 'number', op: 'lt', value: -1 },
            ],
          },
        ],
      },
    ],
    [
      "not(${one} = 'yes' or ${number} > 1)",
      {
        all: [
          { field_id: 'one', op: 'ne', value: 'yes' },
          {
            any: [
              { field_id: 'number', op: 'empty' },
              { field_id: 'number', op: 'lte', value: 1 },
            ],
          },
        ],
      },
    ],
  ])('reads the relevance %s', (expression, condition) => {
    expect(conditionOf(expression)).toEqual(condition);
  });

  test.each([
    ['${number} > ${sum}', '{number} > {sum}'],
    ["not(selected(${many}, 'yes'))", "not(selected({many}, 'yes'))"],
    ['${number} mod 2', 'if({number} mod 2, true(), false())'],
    ["${seen} = 'OK' and ${number} + 1 > 2", '{seen} = true() and {number} + 1 > 2'],
  ])('has a calculated field work out the relevance %s', (relevant, formula) => {
    const form = imported([...ASKED, { type: 'text', name: 'last', label: 'last', relevant }]);
    const helper = labelled(form, 'Whether last');
    expect(spoken(form.content, helper.formula)).toBe(formula);
    expect(helper.report.visible).toBe(false);
    expect(labelled(form, 'last').visible_if).toEqual({ field_id: helper.id, op: 'eq', value: true });
    expect(form.remarks).toMatchObject([{ severity: 'note', column: 'relevant', name: 'last' }]);
  });

  test('keeps what decides on a section out of it', () => {
    const { content } = imported([
      ...ASKED,
      { type: 'begin group', name: 'g', label: 'G', relevant: '${number} > ${sum}' },
      { type: 'text', name: 'a', label: 'A' },
      { type: 'end group' },
    ]);
    const decides = content.sections.find(({ fields }) => fields.some(({ label }) => label === 'Whether g'))!;
    expect(decides.visible_if).toBeNull();
    expect(publishProblems(content)).toEqual([]);
  });

  test.each<[expression: string, why: RegExp]>([
    ['today() > ${day}', /today\(\) changes while no answer does/],
    ["instance('x')/root/item[name = 1]", /cannot be read/],
    ['${number} >', /ends where more should follow/],
    ['regex(${text}, "a")', /no function regex$/],
    ["${device} = 'x'", /"device" is not in the content/],
    ["${group} = 'x'", /"group" is a group/],
    ["${last-saved#text} = 'x'", /no answer of this form/],
  ])('tells of the relevance %s, which no condition says', (relevant, why) => {
    const form = imported([
      ...ASKED,
      { type: 'deviceid', name: 'device' },
      { type: 'begin group', name: 'group', label: 'Group' },
      { type: 'end group' },
      { type: 'text', name: 'last', label: 'last', relevant },
    ]);
    expect(labelled(form, 'last').visible_if).toBeNull();
    expect(form.remarks.find(({ name }) => name === 'last')).toMatchObject({
      sheet: 'survey',
      row: ASKED.length + 3,
      column: 'relevant',
      severity: 'lost',
      message: expect.stringMatching(why),
    });
  });

  test.each<[type: string, constraint: string, limits: Partial<Field>, left: string[]]>([
    ['integer', '. >= 0 and . <= 10', { min: 0, max: 10 }, []],
    ['integer', '. > 0 and 10 > .', { min: 1, max: 9 }, []],
    ['decimal', '.<= 2.5', { max: 2.5 }, []],
    ['decimal', '. > 0', { min: 0 }, ['constraint: not checked: . > 0']],
    ['text', "regex(., '^[A-Z]{2}$')", { pattern: '^[A-Z]{2}$' }, []],
    ['text', String.raw`regex(., '\w+\@\w+')`, { pattern: String.raw`\w+@\w+` }, []],
    ['text', 'string-length(.) <= 20', { max_length: 20 }, []],
    ['text', 'string-length(.) = 8', { pattern: String.raw`[\s\S]{8}` }, []],
    ['integer', '. >= 0 and . < ${number}', { min: 0 }, ['constraint: not checked: . < ${number}']],
    ['integer', '. = 1 or . = 3', {}, ['constraint: not checked: . = 1 or . = 3']],
  ])('reads of a %s the constraint %s', (type, constraint, limits, left) => {
    const form = imported([...ASKED, { type, name: 'a', label: 'A', constraint }]);
    const none = { min: null, max: null, pattern: null, max_length: null };
    expect(labelled(form, 'A')).toMatchObject({ ...none, ...limits });
    expect(lost(form)).toEqual(left);
  });

  test('tells of a pattern that could take too long, and leaves it out', () => {
    const form = imported([{ type: 'text', name: 'a', label: 'A', constraint: "regex(., '(a+)+')" }]);
    expect(labelled(form, 'A').pattern).toBeNull();
    expect(lost(form)).toEqual([expect.stringMatching(/^constraint: .*take too long/)]);
  });

  test.each<[required: string | boolean, expected: Partial<Field>]>([
    ['yes', { required: true, required_if: null }],
    ['true()', { required: true, required_if: null }],
    [true, { required: true, required_if: null }],
    ['no', { required: false, required_if: null }],
  ])('reads required %s', (required, expected) => {
    expect(labelled(imported([{ type: 'text', name: 'a', label: 'A', required }]), 'A')).toMatchObject(
      expected,
    );
  });

  test('reads required as an expression', () => {
    const form = imported([...ASKED, { type: 'text', name: 'a', label: 'A', required: "${one} = 'no'" }]);
    const { required, required_if } = labelled(form, 'A');
    expect([required, spoken(form.content, required_if)]).toEqual([
      false,
      { field_id: 'one', op: 'eq', value: 'no' },
    ]);
  });

  test('carries calculations over, and tells of those that ask for what is lost', () => {
    const form = imported([
      ...ASKED,
      { type: 'begin repeat', name: 'rails', label: 'Rails' },
      { type: 'decimal', name: 'length', label: 'length' },
      { type: 'end repeat' },
      {
        type: 'calculate',
        name: 'total',
        label: 'total',
        calculation: 'round(sum(${length}) div ${number}, 2)',
      },
      { type: 'calculate', name: 'wrong', calculation: '${length} + 1' },
      { type: 'calculate', name: 'root', calculation: 'sqrt(${number})' },
      { type: 'calculate', name: 'half', calculation: '${root} div 2' },
      { type: 'text', name: 'filled', label: 'filled', calculation: "concat(${text}, '!')" },
    ]);
    expect(spoken(form.content, labelled(form, 'total').formula)).toBe(
      'round(sum({length}) div {number}, 2)',
    );
    expect(spoken(form.content, labelled(form, 'filled'))).toMatchObject({
      type: 'calculated',
      formula: "concat({text}, '!')",
    });
    expect(form.remarks.map(({ name, severity }) => `${name} ${severity}`)).toEqual([
      'wrong lost',
      'root lost',
      'half lost',
      'filled note',
    ]);
    expect(publishProblems(form.content)).toEqual([]);
  });

  test('gathers questions outside of groups under the title, and keeps the order', () => {
    const { content } = imported(
      [
        { type: 'text', name: 'a', label: 'a' },
        { type: 'begin group', name: 'g', label: 'G', hint: 'Look up' },
        { type: 'text', name: 'b', label: 'b' },
        { type: 'begin_repeat', name: 'r', label: 'R', repeat_count: 3 },
        { type: 'text', name: 'c', label: 'c' },
        { type: 'end_repeat' },
        { type: 'text', name: 'd', label: 'd' },
        { type: 'end group' },
        { type: 'text', name: 'e', label: 'e' },
      ],
      { settings: { form_title: 'Crane check' } },
    );
    const outline = (sections: Content['sections']): unknown[] =>
      sections.map(({ title, fields, sections }) => [
        title,
        ...fields.map(({ label }) => label),
        ...outline(sections),
      ]);
    expect(outline(content.sections)).toEqual([
      ['Crane check', 'a'],
      ['G', 'b', ['R', 'c'], ['G', 'd']],
      ['Crane check', 'e'],
    ]);
    expect(content.sections[1]).toMatchObject({
      description: 'Look up',
      sections: [{ repeat: { min: 3, max: 3 } }, { repeat: null }],
    });
    expect(fieldsOf(content).map(({ label }) => label)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test('takes groups deeper than five levels into the fifth, with their relevance', () => {
    const open = Array.from({ length: 6 }, (_, i) => ({
      type: 'begin group',
      name: `g${i}`,
      label: `G${i}`,
      ...(i === 5 && { relevant: "${text} = 'deep'" }),
    }));
    const form = imported([
      ...ASKED,
      ...open,
      { type: 'text', name: 'a', label: 'A', relevant: '${number} > 1' },
      ...open.map(() => ({ type: 'end group' })),
    ]);
    expect(spoken(form.content, labelled(form, 'A').visible_if)).toEqual({
      all: [
        { field_id: 'text', op: 'eq', value: 'deep' },
        { field_id: 'number', op: 'gt', value: 1 },
      ],
    });
    expect(lost(form)).toEqual([expect.stringMatching(/^type: sections are at most 5 deep/)]);
    expect(structureProblems(form.content)).toEqual([]);
  });

  test('repeats a loop for each option of its list', () => {
    const { content } = imported([
      { type: 'begin loop over yes_no', name: 'loop', label: 'Loop' },
      { type: 'integer', name: 'count', label: 'How many %(label)s?' },
      { type: 'text', name: 'why', label: 'why', relevant: '${count} > 0' },
      { type: 'end loop' },
    ]);
    const [yes, no] = content.sections[0]!.sections;
    expect(yes!.fields[0]!.label).toBe('How many Yes?');
    expect(no!.fields[1]!.visible_if).toMatchObject({ field_id: no!.fields[0]!.id });
  });

  test('shares lists as response sets, and has or_other ask in words', () => {
    const form = imported([
      { type: 'select_one yes_no', name: 'a', label: 'A' },
      { type: 'select_multiple yes_no or_other', name: 'b', label: 'B' },
      { type: 'text', name: 'c', label: 'C', relevant: "${b_other} != ''" },
    ]);
    const [pure, withOther] = form.content.response_sets;
    expect(pure).toMatchObject({
      name: 'yes_no',
      options: [{ value: 'yes', label: 'Yes' }, { value: 'no' }],
    });
    expect(withOther!.options.map(({ value }) => value)).toEqual(['yes', 'no', 'other']);
    expect(labelled(form, 'A').response_set_id).toBe(pure!.id);
    const other = labelled(form, 'Specify other');
    expect(other.visible_if).toEqual({ field_id: labelled(form, 'B').id, op: 'contains', value: 'other' });
    expect(labelled(form, 'C').visible_if).toEqual({ field_id: other.id, op: 'not_empty' });
  });

  describe('with several languages', () => {
    const survey = [
      {
        type: 'text',
        name: 'a',
        'label::English (en)': 'Rail',
        'label::Português (pt)': 'Corrimão',
        hint: 'x',
      },
      { type: 'text', name: 'b', label: { 'English (en)': 'Rope' } },
    ];
    const labels = (form: Form) => fieldsOf(imported(survey, form).content).map(({ label }) => label);

    test.each<[Form, string]>([
      [{}, 'Rail'],
      [{ settings: { default_language: 'Português (pt)' } }, 'Corrimão'],
      [{ settings: { default_language: 'Português (pt)' }, language: 'english' }, 'Rail'],
      [{ language: 'pt' }, 'Corrimão'],
    ])('takes the one that is asked for, of %j', (form, label) => {
      expect(labels(form)).toEqual([label, 'Rope']);
    });

    test('keeps the others as translations of sections, fields, start fields and lists', () => {
      const form = imported(
        [
          { type: 'today', name: 'today', label: { en: 'Day', fr: 'Jour' } },
          { type: 'begin group', name: 'g', label: { en: 'Rails', fr: 'Rambardes' }, hint: { fr: 'Dehors' } },
          {
            type: 'select_one yes_no',
            name: 'a',
            label: { en: 'Firm?' },
            hint: { en: 'Push', fr: 'Poussez' },
          },
          { type: 'end group' },
        ],
        {
          choices: [
            { list_name: 'yes_no', name: 'yes', label: { en: 'Yes', fr: 'Oui' } },
            { list_name: 'yes_no', name: 'no', label: { en: 'No' } },
          ],
          settings: { default_language: 'en' },
        },
      );
      const none = { title: null, description: null, label: null, help_text: null, options: [] };
      const { sections, response_sets, language, translations } = form.content;
      expect(language).toBe('en');
      expect(translations).toEqual([
        {
          language: 'fr',
          texts: [
            { ...none, id: 'today', label: 'Jour' },
            { ...none, id: sections[0]!.id, title: 'Rambardes', description: 'Dehors' },
            { ...none, id: sections[0]!.fields[0]!.id, help_text: 'Poussez' },
            { ...none, id: response_sets[0]!.id, options: [{ value: 'yes', label: 'Oui' }] },
          ],
        },
      ]);
      expect(lost(form)).toEqual([]);
      expect(publishProblems(form.content)).toEqual([]);
    });

    test('takes a column without a language for the default one', () => {
      const rows = [{ type: 'text', name: 'a', label: 'Rail', 'label::fr': 'Rambarde' }];
      const settings = { default_language: 'en' };
      expect(imported(rows, { settings }).content).toMatchObject({
        language: 'en',
        translations: [{ language: 'fr', texts: [{ label: 'Rambarde' }] }],
      });
      expect(imported(rows, { settings, language: 'fr' }).content).toMatchObject({
        language: 'fr',
        translations: [{ language: 'en', texts: [{ label: 'Rail' }, { options: [{}, {}] }] }],
      });
      expect(imported(rows).content).toMatchObject({ language: null, translations: [{ language: 'fr' }] });
    });

    test('tells once for each column of what it has in one language only, or in one without a name', () => {
      const form = imported(
        [
          {
            type: 'text',
            name: 'a',
            label: { en: 'Rail', fr: 'Rambarde', 'a:b': '?' },
            guidance_hint: { en: 'Push', fr: 'Poussez' },
          },
        ],
        { language: 'en' },
      );
      expect(lost(form)).toEqual([
        'label::a:b: translation a:b of label: a content cannot name its language (rows 0)',
        'guidance_hint::fr: translation fr of guidance_hint: a content has it in one language (rows 0)',
      ]);
    });

    test('fits a translation that is too long, and fills in those of loops', () => {
      const form = imported(
        [
          { type: 'text', name: 'a', label: { en: 'Rail', fr: 'r'.repeat(600) } },
          { type: 'begin loop over yes_no', name: 'each', label: { en: 'Each', fr: 'Chaque' } },
          { type: 'text', name: 'b', label: { en: 'Why %(label)s?', fr: 'Pourquoi %(label)s ?' } },
          { type: 'end loop' },
        ],
        { choices: [{ list_name: 'yes_no', name: 'yes', label: { en: 'Yes', fr: 'Oui' } }] },
      );
      expect(form.content.translations[0]!.texts).toMatchObject([
        { label: `${'r'.repeat(499)}…`, help_text: 'r'.repeat(600) },
        { title: 'Chaque' },
        { title: 'Oui' },
        { label: 'Pourquoi Oui ?' },
        { options: [{ value: 'yes', label: 'Oui' }] },
      ]);
      expect(form.remarks).toMatchObject([{ column: 'label::fr', severity: 'note' }]);
    });

    test('refuses one that the form is not in', () => {
      expect(problemsOf(survey, { language: 'fr' })).toEqual([
        ' null language: the form is not in fr, but in English (en), Português (pt)',
      ]);
    });
  });

  test('knows columns by their other names', () => {
    const form = imported([
      { type: 'integer', name: 'n', label: 'n' },
      {
        Command: 'text',
        Tag: 'a',
        Caption: 'A',
        'bind::relevant': '${n} > 1',
        'Constraint Message': 'no',
        'bind::required': 'yes',
        'media::image': 'a.jpg',
      },
    ]);
    expect(labelled(form, 'A')).toMatchObject({ type: 'text', required: true, visible_if: { op: 'gt' } });
    expect(form.remarks.map(({ column }) => column)).toEqual(['Constraint Message', 'media::image']);
  });

  test('leaves out what is disabled or only comment, and says so', () => {
    const form = imported([
      { type: 'text', name: 'a', label: 'A', disabled: 'yes' },
      { hint: 'Part two' },
      { type: 'text', name: 'b', label: 'B' },
    ]);
    expect(fieldsOf(form.content).map(({ label }) => label)).toEqual(['B']);
    expect(form.remarks).toMatchObject([
      { row: 0, column: 'disabled', name: 'a' },
      { row: 1, column: 'hint' },
    ]);
  });

  test('keeps ids while names stay, whatever else changes', () => {
    const settings = { form_id: 'crane' };
    const first = imported([{ type: 'text', name: 'a', label: 'A' }], { settings });
    const second = imported(
      [
        { type: 'note', name: 'new', label: 'New' },
        { type: 'integer', name: 'a', label: 'Anew' },
        { type: 'begin group', name: 'g', label: 'G' },
        { type: 'text', name: 'a', label: 'Another' },
        { type: 'end group' },
      ],
      { settings },
    );
    const other = imported([{ type: 'text', name: 'a', label: 'A' }], { settings: { form_id: 'hoist' } });
    const { id } = labelled(first, 'A');
    expect(labelled(second, 'Anew').id).toBe(id);
    expect(labelled(second, 'Another').id).not.toBe(id);
    expect(labelled(other, 'A').id).not.toBe(id);
  });

  test('tells everything that is wrong with a form, and where', () => {
    expect(
      problemsOf([
        { type: 'txt', name: 'a', label: 'A' },
        { type: 'constructor', name: 'toString', label: 'A', appearance: 'valueOf', constructor: 'x' },
        { type: 'select_one colours', name: 'b', label: 'B' },
        { name: 'c', label: 'C' },
        { type: 'text', name: 'd', label: 'D', relevant: '${nobody} = 1', constraint: '. < ${nobody}' },
        { type: 'text', name: 'd', label: 'D' },
        { type: 'end group' },
        { type: 'begin group', name: 'g', label: 'G' },
      ]),
    ).toEqual([
      'survey 0 type: there is no question type "txt"',
      'survey 1 type: there is no question type "constructor"',
      'survey 3 type: Field required',
      'survey 5 name: "d" is given twice in one group',
      'survey 6 type: it ends a group that does not begin here',
      'survey 7 type: the group "g" is not ended',
      'survey 4 relevant: no row is named "nobody"',
      'survey 4 constraint: no row is named "nobody"',
      'survey 2 type: there is no list "colours"',
    ]);
    expect(() => importForm([sheetOfRows('choices', YES_NO)], [], { name: 'n' })).toThrow(FormError);
    expect(
      problemsOf([{ type: 'text', name: 'a', label: 'A' }], { choices: [...YES_NO, ...YES_NO] }),
    ).toEqual([
      'choices 2 name: "yes" is given twice in the list "yes_no"',
      'choices 3 name: "no" is given twice in the list "yes_no"',
    ]);
  });

  const EXPRESSIONS = `
    \${a} = 'x' ~ \${b} > 3 ~ selected(\${c}, 'yes') ~ not(selected(\${a}, "x") or \${b}=1) ~ \${a} = \${b} ~ yes
    ~ false() ~ . > 3 ~ . >= 1 and . < 10 ~ regex(., '(a+)+$') ~ string-length(.) < 5 ~ sum(\${b}) ~ today()
    ~ ../a = 1 ~ (( ~ - - -1 ~ if(\${a}='x', 1, 2) ~ 1.5 2.5 0 0 ~ = ~ not()
  `
    .split('~')
    .map((text) => text.trim());
  const TYPES = `
    text, integer, select_one yes_no, select_multiple yes_no or_other, note, calculate, date, range, acknowledge,
    image, today, start, hidden, geopoint, select_one \${a}, start-geopoint, begin group, begin repeat,
    begin loop over yes_no
  `
    .split(',')
    .map((text) => text.trim());
  const expression = fc.oneof(fc.constantFrom(...EXPRESSIONS), fc.string({ maxLength: 8 }));
  const anyRow = fc.record(
    {
      type: fc.constantFrom(...TYPES),
      ends: fc.nat(2),
      label: fc.constantFrom('L', 'L ${a}', 'x'.repeat(600)),
      relevant: expression,
      constraint: expression,
      calculation: expression,
      required: expression,
      default: expression,
      appearance: fc.constantFrom('multiline', 'signature', 'rating', 'minimal'),
      parameters: fc.constantFrom('start=0 end=5 step=0.5', 'rows=3', 'x', 'start=9 end=1'),
      repeat_count: fc.constantFrom('3', '0', '${b}', '500'),
    },
    { requiredKeys: ['type'] },
  );

  test('makes a content that can be published of any form, or says what is wrong with it', () => {
    fc.assert(
      fc.property(fc.array(anyRow, { maxLength: 12 }), (rows) => {
        const open: string[] = [];
        const survey: FormRow[] = ['a', 'b', 'c'].map((name) => ({ type: 'integer', name, label: name }));
        for (const [i, { ends = 0, ...row }] of rows.entries()) {
          survey.push({ ...row, name: `row${i}` });
          const [, control] = row.type.split(' ');
          if (row.type.startsWith('begin')) open.push(control!);
          for (const control of open.splice(open.length - Math.min(ends, open.length)).toReversed())
            survey.push({ type: `end ${control}` });
        }
        for (const control of open.toReversed()) survey.push({ type: `end ${control}` });
        try {
          expect(publishProblems(imported(survey).content)).toEqual([]);
        } catch (error) {
          if (!(error instanceof FormError)) throw error;
        }
      }),
      { numRuns: 400 },
    );
  });

  test.each<[what: string, survey: FormRow[]]>([
    ['parentheses', [{ type: 'text', name: 'a', label: 'A', relevant: '('.repeat(30_000) }]],
    ['signs', [{ type: 'text', name: 'a', label: 'A', relevant: '-'.repeat(30_000) }]],
    ['terms', [{ type: 'text', name: 'a', label: 'A', relevant: `1${' + 1'.repeat(8_000)}` }]],
    ['groups', Array.from({ length: 20_000 }, (_, i) => ({ type: 'begin group', name: `g${i}` }))],
    ['types', [{ type: 'a '.repeat(15_000), name: 'a' }]],
    ['headers', [{ type: 'text', name: 'a', [`label::${'('.repeat(30_000)}`]: 'A' }]],
    [
      'calculations',
      Array.from({ length: 5_000 }, (_, i) => ({
        type: 'calculate',
        name: `q${i}`,
        calculation: `\${q${(i + 1) % 5_000}}`,
      })),
    ],
  ])('takes endless %s without harm', (_, survey) => {
    const started = performance.now();
    try {
      imported(survey);
    } catch (error) {
      expect(error).toBeInstanceOf(FormError);
    }
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
