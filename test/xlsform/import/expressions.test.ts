import { publishProblems } from '../../../shared/domain/content/publish/publish.ts';
import type { Field } from '../../../shared/schemas/templates/content.ts';
import { exportForm } from '../../../shared/xlsform/export.ts';
import { rowsOf } from '../odk-rules.ts';
import { ASKED, imported, labelled, lost, spoken } from '../small-forms.ts';

const conditionOf = (relevant: string): unknown => {
  const form = imported([...ASKED, { type: 'text', name: 'last', label: 'last', relevant }]);
  expect(lost(form)).toEqual([]);
  return spoken(form.content, labelled(form, 'last').visible_if);
};

describe('importForm: expressions', () => {
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
    ['${number} != ${sum}', "not({number} = {sum} or {number} = '' and {sum} = '')"],
    ['${number} = 5 or ${number} + 1 != 7', '{number} = 5 or not({number} + 1 = 7)'],
    ["${seen} = 'OK' and ${number} + 1 > 2", '{seen} = true() and {number} + 1 > 2'],
  ])('adds a calculated field for the relevance %s', (relevant, formula) => {
    const form = imported([...ASKED, { type: 'text', name: 'last', label: 'last', relevant }]);
    const helper = labelled(form, 'Whether last');
    expect(spoken(form.content, helper.formula)).toBe(formula);
    expect(helper.report.visible).toBe(false);
    expect(labelled(form, 'last').visible_if).toEqual({ field_id: helper.id, op: 'eq', value: true });
    expect(form.remarks).toMatchObject([{ severity: 'note', column: 'relevant', name: 'last' }]);
  });

  test("puts the calculated field for a section's relevance outside that section", () => {
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
    ['today() > ${day}', /today\(\) is not available/],
    ["instance('x')/root/item[name = 1]", /cannot be read/],
    ['${number} >', /the expression is not complete/],
    ['regex(${text}, "a")', /^this question is now always shown: the function regex\(\) is not available$/],
    ["${device} = 'x'", /uses "device", which was not imported \(inspections do not record the device\)$/],
    ["${group} = 'x'", /uses "group", which is a group/],
    ["${last-saved#text} = 'x'", /uses "last-saved#text", and the form has no question of this name/],
  ])('makes a remark on the relevance %s, which cannot be imported', (relevant, why) => {
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
    ['decimal', '. > 0', { constraint: '{A} > 0' }, []],
    ['text', "regex(., '^[A-Z]{2}$')", { pattern: '^[A-Z]{2}$' }, []],
    ['text', String.raw`regex(., '\w+\@\w+')`, { pattern: String.raw`\w+@\w+` }, []],
    ['text', 'string-length(.) <= 20', { max_length: 20 }, []],
    ['text', 'string-length(.) = 8', { pattern: String.raw`[\s\S]{8}` }, []],
    ['integer', '. >= 0 and . < ${number}', { min: 0, constraint: '{A} < {number}' }, []],
    ['integer', '. = 1 or . = 3', { constraint: '{A} = 1 or {A} = 3' }, []],
    ['integer', '. <= ${number} and . > ${sum}', { constraint: '{A} <= {number} and {A} > {sum}' }, []],
    ['date', '. <= today()', { constraint: '{A} <= today()' }, []],
    ['date', '. >= today() - 30 and . <= now()', { constraint: '{A} >= today() - 30 and {A} <= now()' }, []],
    ['date', ". > date('2026-01-01')", { constraint: "{A} > '2026-01-01'" }, []],
    ['date', '(today() - .) div 365.25 >= 18', { constraint: '(today() - {A}) div 365.25 >= 18' }, []],
    [
      'select_multiple yes_no',
      "not(selected(., 'yes') and count-selected(.) > 1)",
      { constraint: "not(selected({A}, 'yes') and count-selected({A}) > 1)" },
      [],
    ],
    [
      'text',
      'string-length() < 5 or . != ${text}',
      {
        constraint: "string-length({A}) < 5 or not({A} = {text} or {A} = '' and {text} = '')",
      },
      [],
    ],
    [
      'integer',
      ". < ${number} and pulldata('a', 'b', 'c', .) = 1",
      { constraint: '{A} < {number}' },
      ["constraint: not checked: pulldata('a', 'b', 'c', .) = 1 (the function pulldata() is not available)"],
    ],
  ])('reads for the type %s the constraint %s', (type, constraint, limits, left) => {
    const form = imported([...ASKED, { type, name: 'a', label: 'A', constraint }]);
    const none = { min: null, max: null, pattern: null, max_length: null };
    const field = labelled(form, 'A');
    expect({ ...field, constraint: spoken(form.content, field.constraint ?? null) }).toMatchObject({
      ...none,
      constraint: null,
      ...limits,
    });
    expect(lost(form)).toEqual(left);
  });

  test('leaves out a pattern with a back-reference, with a remark', () => {
    const form = imported([{ type: 'text', name: 'a', label: 'A', constraint: "regex(., '(a+)\\1')" }]);
    expect(labelled(form, 'A').pattern).toBeNull();
    expect(lost(form)).toEqual([expect.stringMatching(/^constraint: /)]);
  });

  test('imports calculations, with a remark on those that use something that was not imported', () => {
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
      { type: 'calculate', name: 'pieces', label: 'pieces', calculation: 'count(${length})' },
      { type: 'calculate', name: 'known', label: 'known', calculation: 'count-non-empty(${length})' },
      { type: 'calculate', name: 'wrong', calculation: '${length} + 1' },
      { type: 'calculate', name: 'root', calculation: 'sqrt(${number})' },
      { type: 'calculate', name: 'half', calculation: '${root} div 2' },
      { type: 'text', name: 'filled', label: 'filled', calculation: "concat(${text}, '!')" },
    ]);
    expect(spoken(form.content, labelled(form, 'total').formula)).toBe(
      'round(sum({length}) div {number}, 2)',
    );
    expect(spoken(form.content, labelled(form, 'pieces').formula)).toBe('count-instances({length})');
    expect(spoken(form.content, labelled(form, 'known').formula)).toBe('count({length})');
    const sheets = exportForm(form.content, { title: 'Rails', id: 'rails', version: '1' });
    expect(rowsOf(sheets, 'survey').map(({ calculation }) => calculation)).toEqual(
      expect.arrayContaining(['count(${length})', 'count-non-empty(${length})']),
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

  test('advises to ask for the date where an expression depends on the day on which it is read', () => {
    const dob = { type: 'date', name: 'dob', label: 'Born' };
    const age = (today: string) => `int((${today} - \${dob}) div 365.25)`;
    const form = imported([dob, { type: 'calculate', name: 'age', calculation: age('today()') }]);
    expect(lost(form)).toEqual([
      'calculation: this calculation was left out: today() is not available: its result changes even when no answer does. Add a row of type today, and use its answer: it is the date of the inspection',
    ]);
    const advised = imported([
      { type: 'today', name: 'day' },
      dob,
      { type: 'calculate', name: 'age', calculation: age('${day}') },
    ]);
    expect(lost(advised)).toEqual([]);
    expect(spoken(advised.content, labelled(advised, 'age').formula)).toMatch(
      /^int\(\(\{day\} - \{Born\}\) div 365.25\)$/,
    );
  });
});
