import { publishProblems } from '../../../../shared/domain/content/publish/publish.ts';
import { Content } from '../../../../shared/schemas/templates/content.ts';
import { contentWith, field, section, uuid } from '../../../support/content.ts';
import { calculated, needs } from './fixtures.ts';

/** What each problem says: a `value_error` by its message alone, any other with its type and context. */
const said = (content: object, previous?: object) =>
  publishProblems(Content.parse(content), previous ? Content.parse(previous) : null).map(
    ({ type, msg, ctx }) => (type === 'value_error' && !ctx ? msg : { type, msg, ...(ctx && { ctx }) }),
  );

const of = (n: number) => `{${uuid(n)}}`;
const options = [{ value: 'a', label: 'A', attributes: { state: 'x' } }];
const select = { options };
const missing = (msg: string) => ({ type: 'missing', msg });
const unknown = (msg: string) => ({ type: 'extra_forbidden', msg });
const repeated = section(11, [field(12, 'number')], { repeat: {} });

/** A content with two fields: one to refer to, and one with these settings. */
const withField = (type: string, more: object, ...others: object[]) => {
  const content = contentWith(field(2), field(3, type, more));
  content.sections.push(...(others as typeof content.sections));
  return content;
};
const shownIf = (condition: object, type = 'text', more: object = {}) =>
  contentWith(field(2, type, more), field(3, 'text', { visible_if: condition }));
const compared = (type: string, op: string, value?: unknown, more: object = {}) =>
  shownIf({ field_id: uuid(2), op, ...(value !== undefined && { value }) }, type, more);

describe('publishProblems says', () => {
  test.each<[string, object, (string | object)[]]>([
    [
      'that there is nothing to answer',
      contentWith(field(2, 'instruction')),
      [{ type: 'too_short', msg: 'There should be at least 1 field to answer', ctx: { min_length: 1 } }],
    ],
    [
      'that nothing can be scored',
      { ...contentWith(field(2)), scoring: { enabled: true } },
      ['Value error, the content has no field that can be scored'],
    ],
    [
      'which id is used twice',
      contentWith(field(2), field(2)),
      [`Value error, ${JSON.stringify(uuid(2))} is used more than once`],
    ],
    ['that a part has no such setting', withField('text', { min: 1 }), [unknown('a text field has no min')]],
    [
      'that a choice has no options',
      withField('single_select', {}),
      [missing('a choice field needs options or response_set_id')],
    ],
    [
      'that a list of options is empty',
      withField('single_select', { options: [] }),
      [{ type: 'too_short', msg: 'There should be at least 1 option', ctx: { min_length: 1 } }],
    ],
    [
      'that options are given twice, and by a set that does not exist',
      withField('single_select', { ...select, response_set_id: uuid(9) }),
      [
        'Value error, give either options or response_set_id, not both',
        'Value error, the content has no response set with this id',
      ],
    ],
    [
      'that limits exclude each other, and a step leads nowhere',
      withField('number', { min: 2, max: 1, step: 0 }),
      ['Value error, min is greater than max', 'Value error, step should be greater than 0'],
    ],
    ['nothing of equal limits', withField('number', { min: 1, max: 1, step: 1 }), []],
    ['nothing of a lower limit alone', withField('number', { min: 1 }), []],
    [
      'that a formula is missing',
      withField('calculated', {}),
      [missing('A calculated field needs a formula')],
    ],
    ['that a target is missing', withField('reference', {}), [missing('A reference field needs a target')]],
    [
      'that limits of media exclude each other',
      withField('photo', { media: { min: 2, max: 1 } }),
      ['Value error, min is greater than max'],
    ],
    ['nothing of an exact number of media', withField('photo', { media: { min: 2, max: 2 } }), []],
    [
      'that limits of instances exclude each other',
      { sections: [section(1, [field(2)], { repeat: { min: 2, max: 1 } })] },
      ['Value error, min is greater than max'],
    ],
    [
      'that instances cannot be named by a field outside, nor by one that does not exist',
      {
        sections: [
          section(1, [field(2)], { repeat: { label_field_id: uuid(4) } }),
          section(3, [field(4)], { repeat: { label_field_id: uuid(9) } }),
        ],
      },
      Array(2).fill('Value error, the section has no field with this id'),
    ],
    [
      'that a note or media cannot be required on an option that there is not',
      withField('yes_no', { note_required_on: ['true', 'maybe'], media: { required_on: ['failed', 'no'] } }),
      [
        'Value error, "maybe" is not an option of the field',
        'Value error, "no" is not an option of the field',
      ],
    ],
    [
      'that an instruction has no constraint, and a text no choice filter',
      withField(
        'text',
        { choice_filter: 'true()' },
        section(5, [field(6, 'instruction', { constraint: '1' })]),
      ),
      [unknown('a text field has no choice_filter'), unknown('a instruction field has no constraint')],
    ],
    [
      'which attribute no option has',
      withField('single_select', {
        ...select,
        choice_filter: "{option.value} = 'a' or {option.state} = {option.size}",
      }),
      ['Value error, no option of the field has the attribute size'],
    ],
    [
      'why a choice filter does not parse, and nothing else',
      withField('single_select', { ...select, choice_filter: '1 +' }),
      ['Value error, the formula is incomplete, at character 4'],
    ],
    [
      'what a formula refers to in vain',
      contentWith(field(2, 'photo'), calculated(3, `${of(9)} + ${of(2)} + {none}`)),
      [
        `Value error, the content has no field ${of(9)}`,
        `Value error, ${of(2)} is a photo field, whose answers a formula cannot use`,
        'Value error, the content has no field {none}',
      ],
    ],
    [
      'that a formula needs one answer, not one for each instance',
      withField('calculated', { formula: `${of(12)} + count(${of(12)})` }, repeated),
      [
        `Value error, ${of(12)} has an answer for each instance of its section: use it alone in sum, count, min or max`,
      ],
    ],
    [
      'that a condition has no target',
      contentWith(
        field(2, 'text', { visible_if: needs(9) }),
        field(3, 'text', { visible_if: { start_key: 'no', op: 'empty' } }),
      ),
      [
        'Value error, the content has no field with this id',
        'Value error, the content has no start field with this key',
      ],
    ],
    [
      'that an instruction has no answer',
      shownIf(needs(2), 'instruction'),
      ['Value error, an instruction has no answer'],
    ],
    [
      'that an answer cannot fail',
      compared('text', 'failed'),
      ['Value error, an answer to this field cannot fail'],
    ],
    ['that a text has no order', compared('text', 'gt', 1), ['Value error, gt never holds for a text field']],
    [
      'that one answer is no list',
      compared('single_select', 'eq', ['a'], select),
      ['Value error, eq takes a single value for a single_select field, not a list'],
    ],
    [
      'that a value is not among the options, or no possible answer',
      compared('single_select', 'in', ['a', 'b'], select),
      ['Value error, "b" is not an option of the field'],
    ],
    [
      'that a value is no possible answer',
      compared('number', 'eq', 'x'),
      ['Value error, "x" is not a possible answer to a number field'],
    ],
    [
      'that something depends on itself',
      contentWith(field(2, 'text', { visible_if: needs(2) }), calculated(3, of(3))),
      ['Value error, the condition depends on itself', 'Value error, the formula depends on itself'],
    ],
    [
      'that a chain is too long',
      contentWith(
        ...Array.from({ length: 501 }, (_, i) =>
          field(i + 2, 'text', i > 0 ? { visible_if: needs(i + 1) } : {}),
        ),
      ),
      ['Value error, conditions and formulas can depend on each other over at most 500 steps'],
    ],
    [
      'what a text cannot show',
      withField('photo', { label: `\$${of(9)} \$${of(3)} \$${of(12)}` }, repeated),
      [
        `Value error, the content has no field \$${of(9)}`,
        'Value error, a text cannot show the answer to a photo field',
        `Value error, \$${of(12)} has an answer for each instance of its section`,
      ],
    ],
  ])('%s', (_, content, expected) => expect(said(content)).toEqual(expected));

  test('that a text within one repeat section cannot show the answers of another one inside it', () => {
    const inner = section(13, [field(14)], { repeat: {} });
    const outer = section(
      11,
      [field(12, 'text', { label: `\$${of(14)}` }), field(15, 'text', { label: `\$${of(12)}` })],
      {
        repeat: {},
        sections: [inner],
      },
    );
    expect(said({ sections: [outer] })).toEqual([
      `Value error, \$${of(14)} has an answer for each instance of its section`,
    ]);
  });

  test('what is wrong with translations', () => {
    const texts = [
      { id: uuid(9), label: 'Rien' },
      { id: uuid(2), title: 'Titre', options: [{ value: 'b', label: 'B' }] },
      { id: uuid(1), title: `\$${of(12)}` },
      { id: uuid(12), label: `\$${of(12)}` },
    ];
    const content = contentWith(field(2, 'single_select', select));
    content.sections.push(repeated);
    expect(said({ ...content, translations: [{ language: 'fr', texts }] })).toEqual([
      'Value error, the content has no part with this id or key',
      unknown('this part has no title'),
      `Value error, "b" is not one of this part's own options`,
      `Value error, \$${of(12)} has an answer for each instance of its section`,
    ]);
  });

  test('that former answers would no longer be valid, and nothing of a new field', () => {
    const start = (type: string) => ({ start: { fields: [{ key: 'a', type, label: 'A' }] } });
    expect(said(contentWith(field(2, 'number'), field(3)), contentWith(field(2)))).toEqual([
      'Value error, answers to a text field are not valid for a number field: give the field a new id',
    ]);
    expect(said({ ...contentWith(field(2)), ...start('text') }, contentWith(field(2)))).toEqual([]);
  });
});
