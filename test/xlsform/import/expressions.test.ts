import { publishProblems } from '../../../shared/domain/content/publish/publish.ts';
import { exportForm } from '../../../shared/domain/xlsform/export.ts';
import {
  asText,
  attributeOf,
  columnOfAttribute,
  columnsIn,
  type Expression,
  isDynamic,
  namesIn,
  numberOf,
  printExpression,
} from '../../../shared/domain/xlsform/expressions/expression.ts';
import {
  formulaToOdk,
  literalOf,
  odkToFormula,
  replaceLiterals,
} from '../../../shared/domain/xlsform/expressions/literals.ts';
import { expressionIn, parseExpression } from '../../../shared/domain/xlsform/expressions/parse.ts';
import type { Field } from '../../../shared/schemas/templates/content.ts';
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
    ['string-length(${text}) >= 1', { field_id: 'text', op: 'not_empty' }],
    ['0 != string-length(${text})', { field_id: 'text', op: 'not_empty' }],
    ['string-length(${text}) < 1', { field_id: 'text', op: 'empty' }],
    ['count-selected(${many}) = 0', { field_id: 'many', op: 'empty' }],
    ['${text}', { field_id: 'text', op: 'not_empty' }],
    ['${many}', { field_id: 'many', op: 'not_empty' }],
    ['${seen}', { field_id: 'seen', op: 'eq', value: true }],
    ["contains(${text}, 'x')", { field_id: 'text', op: 'contains', value: 'x' }],
    ['contains(${text}, 5)', { field_id: 'text', op: 'contains', value: '5' }],
    ['${sum} = 2', { field_id: 'sum', op: 'in', value: [2, '2'] }],
    ["${sum} != 'true'", { field_id: 'sum', op: 'not_in', value: ['true', true] }],
    ["${sum} = 'false'", { field_id: 'sum', op: 'in', value: ['false', false] }],
    ["${sum} = 'x'", { field_id: 'sum', op: 'eq', value: 'x' }],
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

const printed = (expression: Expression | undefined): string | undefined =>
  expression && printExpression(expression, (name) => `\${${name}}`);

const read = (text: string): Expression => parseExpression(text, true);

describe('parseExpression', () => {
  test.each([
    ['1', '1'],
    [' 1.5 ', '1.5'],
    ['1.', '1.'],
    ['.5', '.5'],
    ['12e3', '12e3'],
    ['1E-5', '1E-5'],
    ['1e+10', '1e+10'],
    ['""', "''"],
    [`"it's"`, `"it's"`],
    [`'a "b"'`, `'a "b"'`],
    ['${a}', '${a}'],
    ['{a}', '${a}'],
    [' ${ a.b-c } ', '${a.b-c}'],
    ['../a', '${a}'],
    ['../../a.b-c_d', '${a.b-c_d}'],
    ['current()/../a', '${a}'],
    ['.', '.'],
    [' . = 1', '. = 1'],
    ['--1', '--1'],
    ['! true()', 'not(true())'],
    ['((1))', '1'],
    ['f()', 'f()'],
    ['f( )', 'f()'],
    ['f ( 1 , 2,3 )', 'f(1, 2, 3)'],
    ['Count_Selected_At(.)', 'count-selected-at(.)'],
    ['jr:choice-name(a, b)', 'jr:choice-name(a, b)'],
    ['a', 'a'],
    ['\u00e9tat-2.x', '\u00e9tat-2.x'],
    ['_a = 1', '_a = 1'],
  ])('reads the operand %j as %j', (text, expected) => {
    expect(printed(read(text))).toBe(expected);
  });

  test.each([
    ['1||2', '1 or 2'],
    ['1 && 2', '1 and 2'],
    ['1 == 2', '1 = 2'],
    ['1 <> 2', '1 != 2'],
    ['1 / 2', '1 div 2'],
    ['1 % 2', '1 mod 2'],
    ['1 OR 2 And 3', '1 or 2 and 3'],
    ['1 Div 2 MOD 3', '1 div 2 mod 3'],
    ['1<=2', '1 <= 2'],
    ['1>=2', '1 >= 2'],
    ['1!=2', '1 != 2'],
    ['(1 or 2) and 3', '(1 or 2) and 3'],
    ['1 or (2 and 3)', '1 or 2 and 3'],
    ['(1 and 2) = 3', '(1 and 2) = 3'],
    ['1 and (2 = 3)', '1 and 2 = 3'],
    ['(1 = 2) < 3', '(1 = 2) < 3'],
    ['1 != (2 > 3)', '1 != 2 > 3'],
    ['(1 < 2) + 3', '(1 < 2) + 3'],
    ['(1 >= 2) - 3', '(1 >= 2) - 3'],
    ['1 <= (2 - 3)', '1 <= 2 - 3'],
    ['(1 + 2) * 3', '(1 + 2) * 3'],
    ['(1 - 2) div 3', '(1 - 2) div 3'],
    ['1 + (2 mod 3)', '1 + 2 mod 3'],
    ['1 - (2 - 3)', '1 - (2 - 3)'],
    ['(1 - 2) - 3', '1 - 2 - 3'],
    ['-(1 * 2)', '-(1 * 2)'],
    ['-1 * -2', '-1 * -2'],
    ['f(1 or 2)', 'f(1 or 2)'],
  ])('reads the operators of %s as %s', (text, expected) => {
    expect(printed(read(text))).toBe(expected);
  });

  test.each([
    ['', 'the expression is not complete'],
    ['  ', 'the expression is not complete'],
    ['1 +', 'the expression is not complete'],
    ['(1', 'the expression is not complete'],
    ['f(1', 'the expression is not complete'],
    ['f(1,', 'the expression is not complete'],
    ['1 2 ', '"2" cannot be read'],
    ['(1, 2)', '", 2)" cannot be read'],
    ['f(1 2)', '"2)" cannot be read'],
    ['f(1,)', '")" cannot be read'],
    ['1, 2', '", 2" cannot be read'],
    ['1)', '")" cannot be read'],
    ['$ {a}', '"$ {a}" cannot be read'],
    ['1 and2', '"and2" cannot be read'],
    ['1 or_2', '"or_2" cannot be read'],
    ['1 divide 2', '"divide 2" cannot be read'],
    ['1 modulo 2', '"modulo 2" cannot be read'],
    ['1.5.2', '"1.5.2" cannot be read'],
    ['1a', '"1a" cannot be read'],
    ['..', '".." cannot be read'],
    ['./a', '"./a" cannot be read'],
    ['.a', '".a" cannot be read'],
    ['../a/b', '"../a/b" cannot be read'],
    ['../a(1)', '"../a(1)" cannot be read'],
    ['../a[1]', '"../a[1]" cannot be read'],
    ['/a', '"/a" cannot be read'],
    ["'a", `"'a" cannot be read`],
    ['${a b}', '"${a b}" cannot be read'],
    ['2f(1)', '"2f(1)" cannot be read'],
    ['a:b', '"a:b" cannot be read'],
    [`#${'x'.repeat(40)}`, `"#${'x'.repeat(39)}" cannot be read`],
  ])('refuses %j: %s', (text, why) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ name: 'ExpressionError', message: why }));
  });

  test('reads a name by itself only where there are columns', () => {
    expect(read('name')).toEqual({ kind: 'column', name: 'name' });
    expect(() => parseExpression('name')).toThrow('"name" cannot be read');
    expect(() => expressionIn('name')).toThrow('"name" cannot be read');
    expect(printed(expressionIn('name = ‘a’', true))).toBe("name = 'a'");
  });

  test('replaces typographic quotes only where the expression cannot be read with them', () => {
    expect(printed(expressionIn('${a} = “b”'))).toBe("${a} = 'b'");
    expect(printed(expressionIn('${a} = ’b‘'))).toBe("${a} = 'b'");
    expect(printed(expressionIn("${a} = 'b’s “c”'"))).toBe("${a} = 'b’s “c”'");
  });

  test('reads 50 levels and 1,000 operands, and refuses more', () => {
    const nested = (levels: number) => `${'('.repeat(levels)}1${')'.repeat(levels)}`;
    expect(printed(read(nested(50)))).toBe('1');
    expect(() => read(nested(51))).toThrow('the expression is nested more than 50 levels deep');
    expect(() => read(`${'-'.repeat(51)}1`)).toThrow('50 levels');
    expect(() => read(`${'!'.repeat(51)}1`)).toThrow('50 levels');
    expect(() => read(`${'f('.repeat(51)}1${')'.repeat(51)}`)).toThrow('50 levels');
    const chain = (operands: number) => Array.from({ length: operands }, () => '(1)').join('+');
    expect(printed(read(chain(500)))).toBe(chain(500).replaceAll('(1)', '1').replaceAll('+', ' + '));
    const plain = (operands: number) => Array.from({ length: operands }, () => '1').join(' + ');
    expect(printed(read(plain(1_000)))).toBe(plain(1_000));
    expect(() => read(plain(1_001))).toThrow('the expression has more than 1000 operands');
  });
});

describe('printExpression', () => {
  test.each([
    ['plain', "'plain'"],
    ["it's", `"it's"`],
    ['a "b"', `'a "b"'`],
    [`it's "b"`, `concat('it', "'", 's "b"')`],
    [`''"`, `concat("'", "'", '"')`],
  ])('writes the text %j as %s', (text, expected) => {
    expect(printed(asText(text))).toBe(expected);
  });

  test.each([
    [5, '5'],
    [0, '0'],
    [-2.5, '-2.5'],
    [1e20, '100000000000000000000'],
    [1e21, undefined],
    [1e-7, undefined],
  ])('writes the number %s as %s', (value, expected) => {
    expect(printed(numberOf(value))).toBe(expected);
  });
});

describe('the parts of an expression', () => {
  test('lists each column once, wherever it stands', () => {
    expect(columnsIn(read("a = 1 and f(b, -c, (a + d)) != ${e} and . = 'g'"))).toEqual(['a', 'b', 'c', 'd']);
  });

  test('lists the answers that a text refers to', () => {
    expect(namesIn('${a} and ${ b.c } but not {d}, ${}, ${e f} or $ {g}; ${a}')).toEqual(['a', 'b.c', 'a']);
  });

  test.each([
    ['name', 'option.value'],
    ['district', 'option.district'],
  ])('asks for the column %s of an option as %s', (column, attribute) => {
    expect([attributeOf(column), columnOfAttribute(attribute)]).toEqual([attribute, column]);
  });

  test.each([
    ['today()', true],
    ["jr:choice-name('a',\n'b')", true],
    ['5 + ${a}', true],
    ['plain', false],
    ['(5)', false],
    ['a b()', false],
    ['f() and more', false],
    ['$ {a}', false],
  ])('takes the default %j for an expression: %s', (text, expected) => {
    expect(isDynamic(text)).toBe(expected);
  });
});

describe('literals of an expression', () => {
  test.each<[string, unknown]>([
    ["'5'", '5'],
    ['5', 5],
    ['-5', -5],
    ["-'5'", undefined],
    ['true()', true],
    ['false()', false],
    ["date('2026-03-02')", '2026-03-02'],
    ["date-time('2026-03-02T09:00')", '2026-03-02T09:00'],
    ['string(5)', 5],
    ['number(-5)', -5],
    ['number()', undefined],
    ['int(5)', undefined],
    ['date(today())', undefined],
    ['1 + 1', undefined],
    ['${a}', undefined],
    ['.', undefined],
    ['a', undefined],
  ])('%s is the literal %j', (text, value) => {
    expect(literalOf(read(text))).toBe(value);
  });

  const TARGETS: Record<string, [type: string, options?: { name: string; value: string }[]]> = {
    one: [
      'single_select',
      [
        { name: 'north', value: 'The north' },
        { name: 'same', value: 'same' },
      ],
    ],
    seen: ['checkbox'],
    firm: ['yes_no'],
    size: ['number'],
    text: ['text'],
  };
  const targetOf = (name: string) => {
    const [type, options = []] = TARGETS[name] ?? [];
    return type === undefined ? undefined : ({ type, options } as never);
  };

  test.each([
    ["${one} = 'north'", "${one} = 'The north'"],
    ["'north' != ${one}", "'The north' != ${one}"],
    ["selected(${one}, 'north')", "selected(${one}, 'The north')"],
    ["${one} = 'same'", undefined],
    ["${one} = ''", undefined],
    ['${one} = true()', undefined],
    ["${one} > 'north'", undefined],
    ["contains(${one}, 'north')", undefined],
    ['selected(${one})', undefined],
    ["${seen} = 'OK'", '${seen} = true()'],
    ["${firm} = 'no'", '${firm} = false()'],
    ["${firm} = 'maybe'", undefined],
    ["${text} = 'north'", undefined],
    ['${size} = 5', undefined],
    ["${other} = 'north'", undefined],
    ['${one} = ${seen}', undefined],
    ["'a' = 'b'", undefined],
  ])('a form’s %s is the formula %s', (text, expected) => {
    expect(printed(replaceLiterals(read(text), targetOf, odkToFormula))).toBe(expected);
  });

  test.each([
    ["${one} = 'The north'", "${one} = 'north'"],
    ["selected(${one}, 'The north')", "selected(${one}, 'north')"],
    ['${seen} != true()', "${seen} != 'OK'"],
    ['false() = ${firm}', "'no' = ${firm}"],
    ['${size} = 5', undefined],
    ["${text} = 'a'", undefined],
  ])('a formula’s %s is %s in a form', (text, expected) => {
    expect(printed(replaceLiterals(read(text), targetOf, formulaToOdk))).toBe(expected);
  });
});
