import { carryOver, type CarriedPosition } from '../../../shared/domain/content/carry-over.ts';
import { indexContent } from '../../../shared/domain/content/content-index.ts';
import type { Answer } from '../../../shared/domain/content/values/answer.ts';
import { Content } from '../../../shared/schemas/templates/content.ts';
import { field, section, uuid } from '../../support/content.ts';

const ROOM = uuid(20);
const room = (n: number) => `${ROOM}[${n}]`;

const contentOf = (...sections: object[]) => indexContent(Content.parse({ sections }));

const given = (n: number, value: unknown, instance_path = '', more: Partial<Answer> = {}): Answer => ({
  field_id: uuid(n),
  instance_path,
  value,
  note: '',
  is_na: false,
  ...more,
});

const at = (n: number, instance_path = ''): CarriedPosition => ({ field_id: uuid(n), instance_path });

/** The numbers of the fields, with the last character of their instance but one, which is its index. */
const named = (places: readonly CarriedPosition[]): string[] =>
  places
    .map(({ field_id, instance_path }) => `${Number(field_id.slice(-12))}${instance_path.slice(-3)}`)
    .toSorted();

/** What is asked again, and what is carried over. */
const outcome = (
  content: object[],
  answers: Answer[],
  failed: CarriedPosition[],
  before: object[] = content,
): [asked: string[], carried: string[]] => {
  const earlier = { before: contentOf(...before), answers, failed };
  const { asked, carried } = carryOver(contentOf(...content), {}, earlier);
  return [
    named(asked.map(({ place, instance_path }) => ({ field_id: place.field.id, instance_path }))),
    named(carried),
  ];
};

const FAILED = { field_id: uuid(1), op: 'failed' };

describe('carryOver', () => {
  test.each<
    [
      what: string,
      content: object[],
      answers: Answer[],
      failed: CarriedPosition[],
      asked: string[],
      carried: string[],
    ]
  >([
    [
      'what failed is asked again, all else is carried over, unanswered fields are neither',
      [section(10, [field(1, 'pass_fail_na'), field(2), field(3)])],
      [given(1, 'fail'), given(2, 'kept')],
      [at(1)],
      ['1'],
      ['2'],
    ],
    [
      'a finding at an unanswered field asks it',
      [section(10, [field(1), field(2)])],
      [given(2, 'kept')],
      [at(1)],
      ['1'],
      ['2'],
    ],
    [
      'what depends on it is asked again, directly and through others, answered or not',
      [
        section(10, [
          field(1, 'pass_fail_na'),
          field(2, 'text', { visible_if: FAILED }),
          field(3, 'text', { required_if: { field_id: uuid(2), op: 'not_empty' } }),
          field(4, 'number'),
        ]),
      ],
      [given(1, 'fail'), given(2, 'why'), given(4, 5)],
      [at(1)],
      ['1', '2', '3'],
      ['4'],
    ],
    [
      'only the instance that failed, though it has no other answer',
      [section(20, [field(1, 'pass_fail_na')], { repeat: { min: 0, max: 9 } })],
      [given(1, 'pass', room(0)), given(1, 'fail', room(3))],
      [at(1, room(3))],
      ['1[3]'],
      ['1[0]'],
    ],
    [
      'in a repeat section, what depends on it in the same instance',
      [
        section(20, [field(1, 'pass_fail_na'), field(2, 'text', { visible_if: FAILED })], {
          repeat: { min: 0, max: 9 },
        }),
      ],
      [given(1, 'fail', room(0)), given(2, 'a', room(0)), given(1, 'pass', room(1)), given(2, 'b', room(1))],
      [at(1, room(0))],
      ['1[0]', '2[0]'],
      ['1[1]', '2[1]'],
    ],
    [
      'an answer that only was prefilled, and one that was cleared, are neither',
      [section(10, [field(1), field(2), field(3)])],
      [given(1, 'x'), given(2, 'y', '', { is_prefilled: true }), given(3, null)],
      [at(1)],
      ['1'],
      [],
    ],
  ])('%s', (_, content, answers, failed, asked, carried) => {
    expect(outcome(content, answers, failed)).toEqual([asked, carried]);
  });

  test.each<[what: string, now: object, asked: string[], carried: string[]]>([
    ['a field that is gone is dropped', field(9), ['1', '9'], []],
    [
      'an answer that the field no longer takes is asked again',
      field(2, 'text', { max_length: 2 }),
      ['1', '2'],
      [],
    ],
    [
      'an answer that fails by now is asked again',
      field(2, 'text', { fail_if: { op: 'eq', value: 'kept' } }),
      ['1', '2'],
      [],
    ],
    [
      'an answer that now needs media is asked again',
      field(2, 'text', { media: { min: 1 } }),
      ['1', '2'],
      [],
    ],
    ['an answer that the field still takes is carried over', field(2, 'long_text'), ['1'], ['2']],
  ])('with another template version, %s', (_, now, asked, carried) => {
    const item = field(1, 'pass_fail_na');
    const answers = [given(1, 'fail'), given(2, 'kept')];
    const content = [section(10, [item, now])];
    expect(outcome(content, answers, [at(1)], [section(10, [item, field(2)])])).toEqual([asked, carried]);
  });

  test('with another template version, a field that is required by now is asked, with what depends on it', () => {
    const item = field(1, 'pass_fail_na');
    const now = [
      section(10, [
        item,
        field(2, 'text', { required: true }),
        field(3, 'text', { visible_if: { field_id: uuid(2), op: 'empty' } }),
      ]),
    ];
    const before = [section(10, [item, field(2), field(3)])];
    expect(outcome(now, [given(1, 'fail'), given(3, 'kept')], [at(1)], before)).toEqual([
      ['1', '2', '3'],
      [],
    ]);
  });
});
