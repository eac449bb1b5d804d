import { evaluate, type KnownAnswer } from '../../../shared/domain/content/conditions/evaluate.ts';
import { indexContent } from '../../../shared/domain/content/content-index.ts';
import { isJudged, judgeAnswer } from '../../../shared/domain/content/validity.ts';
import { Content } from '../../../shared/schemas/templates/content.ts';
import { field, section, uuid } from '../../support/content.ts';

const self = (n: number) => `{${uuid(n)}}`;
const cities = [
  { value: 'dallas', label: 'Dallas', attributes: { state: 'texas', size: '3' } },
  { value: 'austin', label: 'Austin', attributes: { state: 'texas' } },
  { value: 'seattle', label: 'Seattle', attributes: { state: 'washington' } },
  { value: 'nowhere', label: 'Nowhere' },
];

const index = indexContent(
  Content.parse({
    start: { fields: [{ key: 'limit', type: 'number', label: 'Limit' }] },
    sections: [
      section(1, [
        field(2, 'number'),
        field(3, 'number', { constraint: `${self(3)} < ${self(2)}` }),
        field(4, 'date', { constraint: `${self(4)} = today()`, constraint_message: 'Not today.' }),
        field(5, 'datetime', { constraint: `${self(5)} <= now()` }),
        field(6, 'text', { constraint: `ends-with(now(), ${self(6)})` }),
        field(7, 'text'),
        field(8, 'multi_select', { options: cities, choice_filter: `{option.state} = ${self(7)}` }),
        field(9, 'single_select', { options: cities, choice_filter: `{option.value} != ${self(7)}` }),
        field(10, 'single_select', { options: cities, choice_filter: `{option.constructor} = ''` }),
        field(11, 'number', { constraint: `${self(11)} < {limit}` }),
        field(12, 'text', { constraint: `${self(12)} = ''` }),
      ]),
      section(20, [field(21, 'number'), field(22, 'number', { constraint: `${self(22)} < ${self(21)}` })], {
        repeat: {},
      }),
    ],
  }),
);

const NOON = Date.parse('2026-03-10T11:30:00.000Z');
const known = (n: number, value: unknown, instance_path = ''): KnownAnswer => ({
  field_id: uuid(n),
  instance_path,
  value,
  is_na: false,
});
const judged = (
  n: number,
  value: unknown,
  {
    others = [],
    is_na = false,
    path = '',
    at = NOON,
  }: Partial<{
    others: KnownAnswer[];
    is_na: boolean;
    path: string;
    at: number;
  }> = {},
) => {
  const evaluation = evaluate(index, others, { limit: 5 });
  return judgeAnswer(evaluation, index.fields.get(uuid(n))!, path, { value, is_na }, at);
};
const isRefused = (...of: Parameters<typeof judged>) => judged(...of).length > 0;

describe('a constraint', () => {
  test('says in its own words, or in those of the author, that an answer does not meet it', () => {
    expect(judged(3, 4, { others: [known(2, 4)] })).toEqual([
      {
        loc: ['body', 'value'],
        type: 'value_error',
        msg: "Value error, the answer does not meet the field's constraint",
      },
    ]);
    expect(judged(4, '2026-03-01')).toMatchObject([{ loc: ['body', 'value'], msg: 'Not today.' }]);
  });

  test('compares with the other answers, and is not met while they are missing', () => {
    expect(isRefused(3, 4, { others: [known(2, 5), known(3, 9)] })).toBe(false);
    expect(isRefused(3, 4)).toBe(true);
    expect(isRefused(11, 4)).toBe(false);
    expect(isRefused(11, 5)).toBe(true);
  });

  test('compares within the same instance', () => {
    const room = (i: number) => `${uuid(20)}[${i}]`;
    const others = [known(21, 5, room(0)), known(21, 1, room(1))];
    expect(isRefused(22, 3, { others, path: room(0) })).toBe(false);
    expect(isRefused(22, 3, { others, path: room(1) })).toBe(true);
  });

  test('is not asked of an empty answer, nor of one that is not applicable', () => {
    expect(isRefused(3, null)).toBe(false);
    expect(isRefused(12, '')).toBe(false);
    expect(isRefused(3, 4, { is_na: true })).toBe(false);
  });

  test.each([
    ['2026-03-08', true],
    ['2026-03-09', false],
    ['2026-03-10', false],
    ['2026-03-11', false],
    ['2026-03-12', true],
  ])('today() is any date that it is somewhere on Earth: %s', (day, refused) =>
    expect(isRefused(4, day)).toBe(refused),
  );

  test('now() is the same moment at every offset, to the millisecond', () => {
    const at = NOON + 1;
    expect(isRefused(5, '2026-03-10T11:30:00.001Z', { at })).toBe(false);
    expect(isRefused(5, '2026-03-10T11:30:00.002Z', { at })).toBe(true);
    expect(isRefused(5, '2026-03-10T13:30:00.002+02:00', { at })).toBe(true);
  });

  test.each([
    '2026-03-09T23:30:00.000-12:00',
    '2026-03-10T11:30:00.000+00:00',
    '2026-03-11T01:30:00.000+14:00',
  ])('now() is written by the clocks of its offset: %s', (clock) => expect(isRefused(6, clock)).toBe(false));
});

describe('a choice filter', () => {
  test('has one problem for each chosen option that is not offered', () =>
    expect(judged(8, ['dallas', 'seattle', 'nowhere'], { others: [known(7, 'texas')] })).toEqual(
      ['seattle', 'nowhere'].map((input) => ({
        loc: ['body', 'value'],
        type: 'value_error',
        msg: `Value error, the option "${input}" is not offered with the other answers`,
        input,
      })),
    ));

  test('can ask for the value of an option', () => {
    expect(isRefused(9, 'austin', { others: [known(7, 'austin')] })).toBe(true);
    expect(isRefused(9, 'austin', { others: [known(7, 'dallas')] })).toBe(false);
  });

  test('sees no attribute that the option does not have, whatever its name', () =>
    expect(isRefused(10, 'dallas')).toBe(false));

  test('is not asked of an answer that is not applicable', () =>
    expect(isRefused(8, ['seattle'], { is_na: true })).toBe(false));
});

test.each([
  [2, false],
  [3, true],
  [8, true],
])('isJudged: whether field %i has a constraint or a choice filter', (n, expected) =>
  expect(isJudged(index, index.fields.get(uuid(n))!)).toBe(expected),
);
