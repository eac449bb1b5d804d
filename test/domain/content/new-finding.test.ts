import { evaluate } from '../../../shared/domain/content/conditions/evaluate.ts';
import { indexContent } from '../../../shared/domain/content/content-index.ts';
import { findingSeverity, findingTexts, unitLocation } from '../../../shared/domain/content/new-finding.ts';
import { namedText } from '../../../shared/domain/content/piping.ts';
import { publishProblems } from '../../../shared/domain/content/publish/publish.ts';
import { Content } from '../../../shared/schemas/templates/content.ts';
import { contentWith, field, section, uuid } from '../../support/content.ts';
import { option } from './fixtures.ts';
import { published } from './publish/fixtures.ts';

const of = (n: number) => `{field:${uuid(n)}}`;
const auto = (label: string | null, title?: string) => ({
  finding: { create: 'auto', label, ...(title && { corrective_action: { title } }) },
});
const given = (n: number, value: unknown, instance_path = '', more: object = {}) => ({
  field_id: uuid(n),
  instance_path,
  value,
  is_na: false,
  ...more,
});

/** What differs from the content that most tests need. */
interface Differences {
  title?: string;
  /** Of the first field. */
  visible_if?: object;
  fields?: object[];
  sections?: object[];
  repeat?: object;
}

/** Rooms are named by a text, windows have numbers only. Both have locations, and there are panes in the windows. */
const contentOf = (
  label: string | null,
  { title, visible_if, fields = [], sections = [], repeat = {} }: Differences = {},
) => ({
  sections: [
    section(1, [
      field(2, 'number', { unit: 'm', ...(visible_if && { visible_if }) }),
      field(3, 'pass_fail_na', auto('Loose', title)),
      ...fields,
    ]),
    section(10, [field(11), field(12, 'location')], {
      repeat: { label_field_id: uuid(11), location_field_id: uuid(12), ...repeat },
      sections: [
        section(20, [field(21, 'location')], {
          repeat: { location_field_id: uuid(21) },
          sections: [
            section(30, [
              field(31, 'pass_fail_na', auto(label, title)),
              field(32, 'text', { allow_na: true }),
            ]),
          ],
        }),
      ],
    }),
    ...sections,
  ],
});

const room = (i: number) => `${uuid(10)}[${i}]`;
const pane = (i: number, j: number) => `${room(i)}/${uuid(20)}[${j}]`;

const NAMES = new Map([[uuid(90), 'North wing']]);

const evaluated = (content: object, ...answers: ReturnType<typeof given>[]) =>
  evaluate(indexContent(Content.parse(content)), answers);

const textsAt = (path: string, content: object, ...answers: ReturnType<typeof given>[]) => {
  const evaluation = evaluated(content, ...answers);
  const place = evaluation.index.fields.get(uuid(path ? 31 : 3))!;
  return findingTexts(evaluation, place, path, namedText(evaluation.index, NAMES));
};
const labelAt = (path: string, label: string | null, ...answers: ReturnType<typeof given>[]) =>
  textsAt(path, contentOf(label), ...answers).label;

describe('findingTexts', () => {
  test.each<[string, string, ReturnType<typeof given>[], string]>([
    [
      'names and numbers instances, outermost first',
      '{instance}',
      [given(11, 'Kitchen', room(4))],
      'Kitchen / 1',
    ],
    ['numbers a room without its name', 'In {instance}', [], 'In 1 / 1'],
    ['numbers a room whose name is blank', '{instance}', [given(11, ' ', room(4))], '1 / 1'],
    [
      'counts instances rather than indexes',
      '{instance}',
      [given(32, 'x', pane(4, 1)), given(11, 'Hall', room(2))],
      '2 / 2',
    ],
    [
      'shows answers around it',
      `${of(2)}, ${of(11)}`,
      [given(2, 4), given(11, 'Hall', room(4))],
      '4 m, Hall',
    ],
    [
      'shows an answer of the same instance',
      of(32),
      [given(32, 'A', pane(4, 0)), given(32, 'B', pane(4, 3))],
      'B',
    ],
    ['shows names of locations', `${of(12)} ${of(21)}`, [given(12, uuid(90), room(4))], 'North wing …'],
    ['shows its own answer', of(31), [given(31, 'fail', pane(4, 3))], 'Fail'],
    ['says that an answer is not applicable', of(32), [given(32, null, pane(4, 3), { is_na: true })], 'N/A'],
    ['shows none that does not count', of(32), [given(32, 'A', pane(4, 3), { is_prefilled: true })], '…'],
    ['takes ids in capitals', of(11).toUpperCase().replace('FIELD', 'field'), [given(11, 'é', room(4))], 'é'],
    [
      'keeps other braces',
      '{other} {} {field} {Instance} {instance:2} $',
      [],
      '{other} {} {field} {Instance} {instance:2} $',
    ],
    [
      'makes one line without marks of an answer',
      `[${of(32)}]`,
      [given(32, 'a\n\tb \u202e{instance}\u0007<b>', pane(4, 3))],
      '[a b {instance}<b>]',
    ],
  ])('%s', (_, label, answers, expected) => {
    const inWindow = given(31, 'fail', pane(4, 3));
    expect(labelAt(pane(4, 3), label, ...answers, inWindow)).toBe(expected);
  });

  test('shows nothing of an answer that a condition hides', () => {
    const content = contentOf(of(2), { visible_if: { field_id: uuid(3), op: 'eq', value: 'pass' } });
    const answers = [given(2, 4), given(3, 'fail')];
    expect(textsAt(pane(0, 0), content, ...answers).label).toBe('…');
  });

  test.each([
    ['all of 500 characters', 'y'.repeat(100), 100],
    ['500 of 501 characters', 'y'.repeat(101), 100],
    ['no half of a character', `${'y'.repeat(99)}😀`, 99],
  ])('keeps %s', (_, answer, kept) => {
    const label = labelAt(pane(0, 0), `${'x'.repeat(400)}${of(32)}`, given(32, answer, pane(0, 0)));
    expect(label).toBe(`${'x'.repeat(400)}${'y'.repeat(kept)}`);
  });

  test('gives the title of an action in the same way, and null without one', () => {
    const content = contentOf('Loose', { title: `Fix ${of(2)}` });
    expect(textsAt('', content, given(2, 3)).action_title).toBe('Fix 3 m');
    expect(textsAt('', contentOf('Loose')).action_title).toBeNull();
  });

  test('is the label of the field when the rule has none', () =>
    expect(labelAt(pane(0, 0), null)).toBe('Field 31'));
});

describe('unitLocation', () => {
  const [north, south] = [uuid(90), uuid(91)];
  const at = (path: string, ...answers: ReturnType<typeof given>[]) => {
    const evaluation = evaluated(contentOf('x'), ...answers);
    return unitLocation(evaluation, evaluation.index.fields.get(uuid(path ? 31 : 3))!, path);
  };

  test.each<[string, string, ReturnType<typeof given>[], string | null]>([
    [
      'of the innermost instance',
      pane(0, 0),
      [given(12, south, room(0)), given(21, north, pane(0, 0))],
      north,
    ],
    [
      'of the instance around it',
      pane(0, 0),
      [given(12, south, room(0)), given(21, north, pane(0, 1))],
      south,
    ],
    ['null without an answer', pane(0, 0), [given(12, south, room(1))], null],
    [
      'null for an answer that is not applicable',
      pane(0, 0),
      [given(12, null, room(0), { is_na: true })],
      null,
    ],
    ['null outside repeat sections', '', [given(12, south, room(0))], null],
  ])('is that %s', (_, path, answers, expected) => expect(at(path, ...answers)).toBe(expected));
});

describe('findingSeverity', () => {
  const options = [
    option('fine', { finding_severity: 'critical' }),
    option('dusty', { is_failed: true, finding_severity: 'observation' }),
    option('broken', { is_failed: true, finding_severity: 'major' }),
    option('worn', { is_failed: true }),
    option('soft', { finding_severity: 'critical' }),
  ];
  const severityOf = (type: string, value: unknown, more: object = {}) => {
    const asked = field(2, type, { options, ...more, finding: { create: 'auto', severity: 'minor' } });
    const index = indexContent(Content.parse(contentWith(asked)));
    return findingSeverity(index, index.fields.get(uuid(2))!, value);
  };

  test.each<[string, unknown, string]>([
    ['single_select', 'dusty', 'observation'],
    ['single_select', 'worn', 'minor'],
    ['pass_fail_na', 'broken', 'major'],
    ['multi_select', ['dusty', 'broken'], 'major'],
    ['multi_select', ['broken', 'dusty'], 'major'],
    ['multi_select', ['dusty', 'worn'], 'observation'],
    ['multi_select', ['fine', 'dusty'], 'observation'],
    ['multi_select', ['worn'], 'minor'],
    ['yes_no', false, 'minor'],
  ])('of a %s answered %j is %s', (type, value, expected) =>
    expect(severityOf(type, value, type === 'yes_no' ? { options: null } : {})).toBe(expected),
  );

  test('counts an option that fails by the rule of the field', () => {
    const more = { fail_if: { op: 'in', value: ['soft'] } };
    expect(severityOf('single_select', 'soft', more)).toBe('critical');
    expect(severityOf('multi_select', ['fine', 'dusty', 'soft'], more)).toBe('critical');
  });
});

describe('publishProblems: findings in repeat sections', () => {
  test.each<[string, string, string[]]>([
    ['placeholders that can be replaced', `{instance} ${of(2)} ${of(11)} ${of(31)}`, []],
    ['an unknown name', '{unit}', ['{unit} is not one of {instance} and {field:<field_id>}']],
    [
      'a placeholder in capitals',
      '{Instance}',
      ['{Instance} is not one of {instance} and {field:<field_id>}'],
    ],
    ['a field without an id', '{field}', ['{field} is not one of {instance} and {field:<field_id>}']],
    ['a field that does not exist', of(99), [`the content has no field ${of(99)}`]],
    ['a field that is no id', '{field:room}', ['the content has no field {field:room}']],
    ['a field without a text', of(40), ['a text cannot show the answer to a photo field']],
    [
      'a field of another repeat section',
      of(41),
      [`${of(41)} has an answer for each instance of its section`],
    ],
    ['a field that reports hide', of(42), [`reports hide the answer to ${of(42)}`]],
  ])('finds %s', (_, label, expected) => {
    const content = contentOf(label, {
      title: 'Fix it',
      fields: [field(40, 'photo'), field(42, 'text', { report: { visible: false } })],
      sections: [section(50, [field(41)], { repeat: {} })],
    });
    const loc = 'sections.1.sections.0.sections.0.fields.0.finding';
    expect(published(content)).toEqual(expected.map(() => `${loc}.label`));
    const messages = publishProblems(Content.parse(content)).map(({ msg }) => msg);
    expect(messages).toEqual(expected.map((text) => `Value error, ${text}`));
  });

  test('finds an instance outside repeat sections, also in the title of an action', () =>
    expect(published(contentWith(field(2, 'pass_fail_na', auto('{instance}', 'Fix {instance}'))))).toEqual([
      'sections.0.fields.0.finding.label',
      'sections.0.fields.0.finding.corrective_action.title',
    ]));

  test.each([
    ['that is no location', uuid(11)],
    ['of an inner repeat section', uuid(21)],
    ['outside', uuid(2)],
    ['that does not exist', uuid(99)],
  ])('finds a location field %s', (_, location_field_id) => {
    expect(published(contentOf('x', { repeat: { location_field_id } }))).toEqual([
      'sections.1.repeat.location_field_id',
    ]);
  });
});
