import {
  hangsOnStart,
  hasLogic,
  isAskedFor,
  logicOf,
} from '../../../../shared/domain/content/conditions/dependencies.ts';
import { indexContent } from '../../../../shared/domain/content/content-index.ts';
import { Content } from '../../../../shared/schemas/templates/content.ts';
import { field, section, uuid } from '../../../support/content.ts';
import { isTrue } from './fixtures.ts';

const self = (n: number) => `{${uuid(n)}}`;
const indexOf = (...sections: object[]) =>
  indexContent(
    Content.parse({ sections, start: { fields: [{ key: 'kind', type: 'text', label: 'Kind' }] } }),
  );
const onStart = { visible_if: { start_key: 'kind', op: 'eq', value: 'a' } };
const options = [{ value: 'a', label: 'A' }];
const withField = (more: object, type = 'text') => indexOf(section(1, [field(2), field(3, type, more)]));

describe('hasLogic', () => {
  test.each<[string, ReturnType<typeof indexOf>, boolean]>([
    ['questions alone', withField({ required: true }), false],
    ['a condition of a field', withField({ visible_if: isTrue(2) }), true],
    ['a condition of a section', indexOf(section(1, [field(2)], { visible_if: isTrue(9) })), true],
    ['a condition on the start', withField(onStart), true],
    ['a formula without operands', withField({ formula: '1' }, 'calculated'), true],
    ['a repeat section', indexOf(section(1, [field(2)], { repeat: {} }), section(4, [field(5)])), true],
    ['a constraint on the answer itself', withField({ constraint: `${self(3)} != ''` }), false],
    ['a constraint on another answer', withField({ constraint: `${self(3)} != ${self(2)}` }), true],
    ['a constraint on the start', withField({ constraint: `${self(3)} != {kind}` }), true],
  ])('of %s', (_, index, expected) => expect(hasLogic(index)).toBe(expected));
});

describe('isAskedFor', () => {
  test.each<[string, object, string, boolean]>([
    ['a condition', { visible_if: isTrue(2) }, 'text', true],
    [
      'a condition within others',
      { visible_if: { any: [onStart.visible_if, { all: [isTrue(2)] }] } },
      'text',
      true,
    ],
    ['required_if', { required_if: isTrue(2) }, 'text', true],
    ['a formula', { formula: `${self(2)} + 1` }, 'calculated', true],
    ['a constraint', { constraint: `${self(2)} = ${self(3)}` }, 'text', true],
    ['a choice filter', { options, choice_filter: `{option.value} = ${self(2)}` }, 'single_select', true],
    ['the message of a constraint', { constraint_message: `Not \${${uuid(2)}}.` }, 'text', true],
    [
      'the label of automatic findings',
      { label: `Is \${${uuid(2)}} loose?`, finding: { create: 'auto' } },
      'text',
      true,
    ],
    ['the label of other findings', { label: `Is \${${uuid(2)}} loose?` }, 'text', false],
    ['a formula that does not parse, as a draft may have', { formula: `((${self(2)}` }, 'calculated', false],
    ['nothing', {}, 'text', false],
  ])('by %s', (_, more, type, expected) => {
    const index = withField(more, type);
    expect(isAskedFor(index, uuid(2))).toBe(expected);
    expect(isAskedFor(index, uuid(3))).toBe(false);
  });

  test('lists everything that an answer decides on', () => {
    const index = indexOf(
      section(1, [field(2), field(3, 'text', { visible_if: isTrue(2) })]),
      section(4, [field(5)], { visible_if: isTrue(2) }),
    );
    expect(logicOf(index).dependents.get(uuid(2))).toEqual([
      { field: index.fields.get(uuid(3)) },
      { section: index.sections.get(uuid(4)) },
    ]);
  });
});

test('hangsOnStart: whether a section asks for the start', () => {
  expect(hangsOnStart(withField(onStart))).toBe(true);
  expect(hangsOnStart(indexOf(section(1, [field(2)], onStart)))).toBe(true);
  expect(hangsOnStart(withField({ visible_if: isTrue(2) }))).toBe(false);
});
