import type { Problem } from '../../../../shared/base/problem.ts';
import {
  publishProblems,
  structureProblems,
  waysToMatch,
} from '../../../../shared/domain/content/publish/publish.ts';
import { Content } from '../../../../shared/schemas/templates/content.ts';
import { uuid } from '../../../support/uuid.ts';

const field = (n: number, more: object = {}) => ({ id: uuid(n), type: 'text', label: `Field ${n}`, ...more });
const section = (n: number, more: object = {}) => ({ id: uuid(n), title: `Section ${n}`, ...more });
const option = (value: string, more: object = {}) => ({ value, label: value, ...more });
const withFields = (...fields: object[]) => ({ sections: [section(1, { fields })] });
const found = (problems: Problem[]) => problems.map(({ loc }) => loc.join('.').replace(/^content\./, ''));
const published = (content: object, previous?: object) =>
  found(publishProblems(Content.parse(content), previous ? Content.parse(previous) : null));
const needs = (n: number) => ({ field_id: uuid(n), op: 'not_empty' });
const calculated = (n: number, formula: string, more: object = {}) =>
  field(n, { type: 'calculated', formula, ...more });
const chained = (length: number) =>
  Array.from({ length }, (_, i) => field(i + 2, i > 0 ? { visible_if: needs(i + 1) } : {}));
/** A field shown by field 3, of another type. */
const compared = (op: string, value: unknown, type: string, more: object = {}) =>
  withFields(field(2, { visible_if: { field_id: uuid(3), op, value } }), field(3, { type, ...more }));
const operatorLoc = ['sections.0.fields.0.visible_if.op'];
const valueLoc = ['sections.0.fields.0.visible_if.value'];

describe('publishProblems', () => {
  test.each<[string, object]>([
    ['one text field', withFields(field(2))],
    [
      'a bit of everything',
      {
        start: {
          fields: [
            { key: 'kind', type: 'yes_no_na', label: 'Kind', default_value: 'yes' },
            { key: 'tare', type: 'number', label: 'Tare' },
          ],
        },
        response_sets: [
          { id: uuid(50), name: 'Set', options: [option('a'), option('b', { is_failed: true })] },
        ],
        scoring: { enabled: true, method: 'count' },
        sections: [
          section(1, {
            repeat: { min: 1, max: 3, label_field_id: uuid(2) },
            fields: [
              field(2),
              field(3, {
                type: 'single_select',
                response_set_id: uuid(50),
                note_required_on: ['failed', 'b'],
              }),
              field(4, { type: 'yes_no', media: { required_on: ['false'] } }),
              field(5, {
                type: 'temperature',
                min: -20,
                max: 8,
                step: 0.5,
                unit: '°C',
                fail_if: { op: 'outside', value: [2, 8] },
              }),
              field(6, {
                type: 'calculated',
                formula: `\${${uuid(5)}} - {tare}`,
                unit: 'kg',
                fail_if: { op: 'outside', value: [2, 8] },
                max_score: 5,
                weight: 2,
              }),
              field(7, { type: 'reference', reference: { target_ref: 'members' } }),
              field(8, {
                pattern: '[A-Z]{2}-\\d+',
                default_value: 'AB-1',
                visible_if: {
                  all: [
                    { start_key: 'kind', op: 'eq', value: 'yes' },
                    { field_id: uuid(3), op: 'in', value: ['a'] },
                  ],
                },
              }),
            ],
          }),
        ],
      },
    ],
    [
      'either of two required when the other is empty',
      withFields(
        field(2, { required_if: { field_id: uuid(3), op: 'empty' } }),
        field(3, { required_if: { field_id: uuid(2), op: 'empty' } }),
      ),
    ],
    ['a chain of conditions of 500 fields', withFields(...chained(500))],
    [
      'conditions on all that they can compare',
      withFields(
        field(2, {
          visible_if: {
            all: [
              { field_id: uuid(3), op: 'gt', value: 5.5 },
              { field_id: uuid(4), op: 'lte', value: '2024-02-29' },
              { field_id: uuid(5), op: 'contains', value: ['a'] },
              { field_id: uuid(6), op: 'in', value: [true] },
              { field_id: uuid(7), op: 'not_empty' },
              { field_id: uuid(8), op: 'gte', value: 5 },
              { field_id: uuid(8), op: 'contains', value: 'x' },
              { field_id: uuid(8), op: 'failed' },
              { field_id: uuid(9), op: 'eq', value: uuid(9) },
              { field_id: uuid(10), op: 'ne', value: 'x'.repeat(2_000) },
            ],
          },
        }),
        field(3, { type: 'rating' }),
        field(4, { type: 'date' }),
        field(5, { type: 'multi_select', options: [option('a'), option('b')] }),
        field(6, { type: 'checkbox' }),
        field(7, { type: 'photo' }),
        field(8, { type: 'calculated', formula: '1', fail_if: { op: 'gt', value: 5 } }),
        field(9, { type: 'location' }),
        field(10, { pattern: 'x' }),
      ),
    ],
    [
      'formulas over every type to calculate with',
      withFields(
        ...'text barcode number rating yes_no checkbox yes_no_na pass_fail_na date time datetime'
          .split(' ')
          .map((type, i) => field(i + 2, { type })),
        calculated(20, `count(${Array.from({ length: 11 }, (_, i) => `{${uuid(i + 2)}}`).join(',')})`),
        calculated(21, `{${uuid(20)}} * 2`),
      ),
    ],
    [
      'formulas over repeats',
      {
        sections: [
          section(1, { fields: [calculated(2, `sum({${uuid(6)}}) / count({${uuid(5)}})`)] }),
          section(3, {
            repeat: {},
            fields: [field(5, { type: 'number' }), calculated(7, `{${uuid(5)}} * max({${uuid(6)}})`)],
            sections: [
              section(4, {
                repeat: {},
                fields: [calculated(6, `{${uuid(5)}} + 1`), calculated(8, `{${uuid(6)}}`)],
              }),
            ],
          }),
        ],
      },
    ],
    [
      'a calculated field hidden by what it is calculated from',
      withFields(field(2, { type: 'number' }), calculated(3, `{${uuid(2)}}`, { visible_if: needs(2) })),
    ],
    ['a rating with its type’s own bounds', withFields(field(2, { type: 'rating', default_value: 5 }))],
  ])('none in %s', (_, content) => expect(published(content)).toEqual([]));

  test('refuses translations of what there is not', () => {
    const content = {
      start: { fields: [{ key: 'kind', type: 'text', label: 'Kind' }] },
      ...withFields(field(2, { type: 'single_select', options: [option('a')] })),
      response_sets: [{ id: uuid(50), name: 'Set', options: [option('b')] }],
    };
    const inFrench = (...texts: object[]) =>
      published({ ...content, translations: [{ language: 'fr', texts }] });
    expect(
      inFrench(
        { id: 'kind', label: 'Genre', help_text: 'Lequel ?' },
        { id: uuid(1), title: 'Titre', description: 'Texte' },
        { id: uuid(2), label: 'Question', options: [option('a')] },
        { id: uuid(50), options: [option('b')] },
      ),
    ).toEqual([]);
    expect(
      inFrench(
        { id: 'sort' },
        { id: uuid(1), label: 'Titre', options: [option('a')] },
        { id: uuid(2), title: 'Question', options: [option('a'), option('b')] },
      ),
    ).toEqual([
      'translations.0.texts.0.id',
      'translations.0.texts.1.label',
      'translations.0.texts.1.options.0.value',
      'translations.0.texts.2.title',
      'translations.0.texts.2.options.1.value',
    ]);
  });

  test.each<[string, object, string[]]>([
    ['nothing to answer', withFields(field(2, { type: 'instruction' })), ['sections']],
    ['no sections', {}, ['sections']],
    ['two fields of one id', withFields(field(2), field(2)), ['sections.0.fields.1.id']],
    [
      'a section with the id of a field',
      { sections: [section(1, { fields: [field(2)] }), section(2)] },
      ['sections.1.id'],
    ],
    [
      'a response set with the id of a section',
      { ...withFields(field(2)), response_sets: [{ id: uuid(1), name: 'S', options: [option('a')] }] },
      ['response_sets.0.id'],
    ],
    [
      'two start fields of one key',
      {
        ...withFields(field(2)),
        start: {
          fields: [
            { key: 'a', type: 'text', label: 'A' },
            { key: 'a', type: 'text', label: 'B' },
          ],
        },
      },
      ['start.fields.1.key'],
    ],

    [
      'a condition on no field',
      withFields(field(2, { visible_if: { all: [needs(2_000), { any: [needs(3), needs(9)] }] } }), field(3)),
      [
        'sections.0.fields.0.visible_if.all.0.field_id',
        'sections.0.fields.0.visible_if.all.1.any.1.field_id',
      ],
    ],
    [
      'a requirement on no field',
      withFields(field(2, { required_if: needs(9) })),
      ['sections.0.fields.0.required_if.field_id'],
    ],
    [
      'a section shown by no field',
      { sections: [section(1, { visible_if: needs(9), fields: [field(2)] })] },
      ['sections.0.visible_if.field_id'],
    ],
    [
      'a condition on no start field',
      withFields(field(2, { visible_if: { start_key: 'a', op: 'empty' } })),
      ['sections.0.fields.0.visible_if.start_key'],
    ],
    [
      'a start field shown by none',
      {
        ...withFields(field(2)),
        start: {
          fields: [{ key: 'a', type: 'text', label: 'A', visible_if: { start_key: 'b', op: 'empty' } }],
        },
      },
      ['start.fields.0.visible_if.start_key'],
    ],
    [
      'a condition on an instruction',
      withFields(field(2, { visible_if: needs(3) }), field(3, { type: 'instruction' })),
      ['sections.0.fields.0.visible_if.field_id'],
    ],
    [
      'a condition on an option there is not',
      withFields(
        field(2, { visible_if: { field_id: uuid(3), op: 'eq', value: 'Yes' } }),
        field(3, { type: 'yes_no_na' }),
      ),
      ['sections.0.fields.0.visible_if.value'],
    ],
    ['gt of a photo', compared('gt', 1, 'photo'), operatorLoc],
    ['gt of a text', compared('gt', 1, 'text'), operatorLoc],
    ['contains of a number', compared('contains', '5', 'number'), operatorLoc],
    ['eq of an address', compared('eq', 'x', 'address'), operatorLoc],
    ['failed of a number that cannot fail', compared('failed', null, 'number'), operatorLoc],
    [
      'failed of options that cannot fail',
      compared('failed', null, 'single_select', { options: [option('a')] }),
      operatorLoc,
    ],
    ['a text for a number', compared('eq', '5', 'number'), valueLoc],
    ['a name for a boolean', compared('in', ['yes', true], 'yes_no'), valueLoc],
    ['a date for a date-time', compared('lt', '2024-02-29', 'datetime'), valueLoc],
    ['no date', compared('eq', '2023-02-29', 'date'), valueLoc],
    [
      'contains of no option',
      compared('contains', 'c', 'multi_select', { options: [option('a')] }),
      valueLoc,
    ],
    [
      'failed of a start field that cannot fail',
      {
        ...withFields(field(2, { visible_if: { start_key: 'a', op: 'failed' } })),
        start: { fields: [{ key: 'a', type: 'number', label: 'A' }] },
      },
      operatorLoc,
    ],
    [
      'lists where one value is compared',
      {
        ...withFields(
          field(2, { visible_if: { start_key: 'a', op: 'eq', value: ['x', 'y'] } }),
          field(3, { fail_if: { op: 'contains', value: ['x'] } }),
          field(4, { type: 'multi_select', options: [option('a')], fail_if: { op: 'eq', value: ['a'] } }),
        ),
        start: { fields: [{ key: 'a', type: 'text', label: 'A' }] },
      },
      ['sections.0.fields.1.fail_if.value', 'sections.0.fields.0.visible_if.value'],
    ],
    [
      'rules to fail that never hold',
      withFields(
        field(2, { type: 'photo', fail_if: { op: 'lt', value: 1 } }),
        field(3, { type: 'yes_no', fail_if: { op: 'eq', value: 'no' } }),
        field(4, { type: 'date', fail_if: { op: 'outside', value: [1, 2] } }),
      ),
      [
        'sections.0.fields.0.fail_if.op',
        'sections.0.fields.1.fail_if.value',
        'sections.0.fields.2.fail_if.op',
      ],
    ],

    ['a formula that is none', withFields(field(2), calculated(3, '1 +')), ['sections.0.fields.1.formula']],
    [
      'a formula on no field and no start field, each',
      withFields(field(2), calculated(3, `{${uuid(9)}} + {a}`)),
      ['sections.0.fields.1.formula', 'sections.0.fields.1.formula'],
    ],
    [
      'a formula on what is nothing to calculate with',
      withFields(
        ...['photo', 'signature', 'geo_point', 'address', 'member', 'reference', 'instruction'].map(
          (type, i) =>
            field(i + 2, { type, ...(type === 'reference' && { reference: { target_ref: 'members' } }) }),
        ),
        calculated(20, `count(${Array.from({ length: 7 }, (_, i) => `{${uuid(i + 2)}}`).join(',')})`),
      ),
      Array.from({ length: 7 }, () => 'sections.0.fields.7.formula'),
    ],
    [
      'formulas on one of many answers',
      {
        sections: [
          section(1, { fields: [calculated(2, `sum({${uuid(5)}} * 2) + {${uuid(6)}} + sum({${uuid(6)}})`)] }),
          section(3, {
            repeat: {},
            fields: [field(5, { type: 'number' }), calculated(7, `{${uuid(5)}} + {${uuid(6)}}`)],
            sections: [section(4, { repeat: {}, fields: [field(6, { type: 'number' })] })],
          }),
        ],
      },
      ['sections.0.fields.0.formula', 'sections.0.fields.0.formula', 'sections.1.fields.1.formula'],
    ],
    [
      'a formula on itself',
      withFields(field(2), calculated(3, `{${uuid(3)}} + 1`)),
      ['sections.0.fields.1.formula'],
    ],
    [
      'formulas on each other, and what hangs on them',
      withFields(
        field(2),
        calculated(3, `sum({${uuid(4)}})`),
        calculated(4, `{${uuid(3)}} + 1`, { visible_if: needs(2) }),
        calculated(5, `{${uuid(4)}}`),
      ),
      ['sections.0.fields.1.formula', 'sections.0.fields.2.formula'],
    ],
    [
      'a formula on a field that it shows',
      withFields(calculated(2, `{${uuid(3)}}`), field(3, { type: 'number', visible_if: needs(2) })),
      ['sections.0.fields.0.formula', 'sections.0.fields.1.visible_if'],
    ],
    [
      'a formula on a field of a section that it shows',
      {
        sections: [
          section(1, { fields: [calculated(2, `{${uuid(4)}}`)] }),
          section(3, { visible_if: needs(2), fields: [field(4, { type: 'number' })] }),
        ],
      },
      ['sections.0.fields.0.formula', 'sections.1.visible_if'],
    ],
    [
      'only the cycles of two, not what lies between them',
      withFields(
        field(2, { visible_if: needs(2) }),
        field(3, { visible_if: needs(2) }),
        field(4, { visible_if: { all: [needs(3), needs(5)] } }),
        field(5, { visible_if: needs(4) }),
      ),
      ['sections.0.fields.0.visible_if', 'sections.0.fields.2.visible_if', 'sections.0.fields.3.visible_if'],
    ],
    ['a chain too long to follow, once', withFields(...chained(600)), ['sections.0.fields.500.visible_if']],
    [
      'a chain too long by the depth of its conditions',
      withFields(
        ...Array.from({ length: 252 }, (_, i) =>
          field(i + 2, i > 0 ? { visible_if: { all: [needs(i + 1)] } } : {}),
        ),
      ),
      ['sections.0.fields.250.visible_if'],
    ],

    [
      'a field shown by itself',
      withFields(field(2, { visible_if: needs(2) })),
      ['sections.0.fields.0.visible_if'],
    ],
    [
      'two fields shown by each other, and what hangs on them',
      withFields(
        field(2, { visible_if: needs(3) }),
        field(3, { visible_if: needs(2) }),
        field(4, { visible_if: needs(2) }),
        field(5),
      ),
      ['sections.0.fields.0.visible_if', 'sections.0.fields.1.visible_if'],
    ],
    [
      'a section shown by a field within it',
      {
        sections: [
          section(1, { visible_if: needs(2), sections: [section(3, { fields: [field(2), field(4)] })] }),
        ],
      },
      ['sections.0.visible_if'],
    ],
    [
      'a cycle through the start',
      {
        ...withFields(field(2, { visible_if: { start_key: 'a', op: 'empty' } })),
        start: { fields: [{ key: 'a', type: 'text', label: 'A', visible_if: needs(2) }] },
      },
      ['start.fields.0.visible_if', 'sections.0.fields.0.visible_if'],
    ],

    [
      'a choice without options',
      withFields(field(2, { type: 'single_select' })),
      ['sections.0.fields.0.options'],
    ],
    [
      'a choice with empty options',
      withFields(field(2, { type: 'multi_select', options: [] })),
      ['sections.0.fields.0.options'],
    ],
    [
      'an option twice',
      withFields(field(2, { type: 'single_select', options: [option('a'), option('a')] })),
      ['sections.0.fields.0.options.1.value'],
    ],
    [
      'options and a response set',
      {
        ...withFields(field(2, { type: 'single_select', response_set_id: uuid(50), options: [option('a')] })),
        response_sets: [{ id: uuid(50), name: 'S', options: [option('a')] }],
      },
      ['sections.0.fields.0.options'],
    ],
    [
      'a response set there is not',
      withFields(field(2, { type: 'yes_no_na', response_set_id: uuid(50) })),
      ['sections.0.fields.0.response_set_id'],
    ],
    [
      'an empty response set',
      { ...withFields(field(2)), response_sets: [{ id: uuid(50), name: 'S', options: [] }] },
      ['response_sets.0.options'],
    ],
    [
      'an option twice in a response set',
      {
        ...withFields(field(2)),
        response_sets: [{ id: uuid(50), name: 'S', options: [option('a'), option('a')] }],
      },
      ['response_sets.0.options.1.value'],
    ],

    ['min above max', withFields(field(2, { type: 'number', min: 2, max: 1 })), ['sections.0.fields.0.min']],
    [
      'min above the type’s own max',
      withFields(field(2, { type: 'rating', min: 6 })),
      ['sections.0.fields.0.min'],
    ],
    ['a step of 0', withFields(field(2, { type: 'number', step: 0 })), ['sections.0.fields.0.step']],
    [
      'a negative step of a start field',
      { ...withFields(field(2)), start: { fields: [{ key: 'a', type: 'number', label: 'A', step: -1 }] } },
      ['start.fields.0.step'],
    ],
    [
      'media min above max',
      withFields(field(2, { media: { min: 3, max: 2 } })),
      ['sections.0.fields.0.media.min'],
    ],
    [
      'a pattern that does not compile',
      withFields(field(2, { pattern: '(' })),
      ['sections.0.fields.0.pattern'],
    ],
    [
      'a pattern that compiles only within others',
      withFields(field(2, { pattern: 'a)|(b' })),
      ['sections.0.fields.0.pattern'],
    ],
    ['a pattern of as much repetition as there may be', withFields(field(2, { pattern: '.*a.*b.*' })), []],
    [
      'a catastrophic pattern',
      withFields(field(2, { pattern: '(a+)+b', default_value: 'a'.repeat(50) })),
      ['sections.0.fields.0.pattern'],
    ],
    ['a setting of another type', withFields(field(2, { min: 0 })), ['sections.0.fields.0.min']],
    ['options of a text', withFields(field(2, { options: [option('a')] })), ['sections.0.fields.0.options']],
    [
      'a default beyond the limits',
      withFields(field(2, { type: 'number', max: 5, default_value: 6 })),
      ['sections.0.fields.0.default_value'],
    ],
    [
      'a default of another form',
      withFields(field(2, { type: 'geo_point', default_value: { lat: 1 } })),
      ['sections.0.fields.0.default_value.lng'],
    ],
    [
      'a note required on an option there is not',
      withFields(field(2, { type: 'yes_no_na', note_required_on: ['failed', 'maybe'] })),
      ['sections.0.fields.0.note_required_on.1'],
    ],
    [
      'media required on an option there is not',
      withFields(field(2, { type: 'yes_no', media: { required_on: ['no'] } })),
      ['sections.0.fields.0.media.required_on.0'],
    ],

    [
      'a repeat with min above max',
      { sections: [section(1, { repeat: { min: 3, max: 2 }, fields: [field(2)] })] },
      ['sections.0.repeat.min'],
    ],
    [
      'a repeat titled by a field outside',
      {
        sections: [
          section(1, { repeat: { label_field_id: uuid(4) }, fields: [field(2)] }),
          section(3, { fields: [field(4)] }),
        ],
      },
      ['sections.0.repeat.label_field_id'],
    ],
    [
      'a repeat titled by a field of a repeat within',
      {
        sections: [
          section(1, {
            repeat: { label_field_id: uuid(4) },
            sections: [section(3, { repeat: {}, fields: [field(4)] })],
          }),
        ],
      },
      ['sections.0.repeat.label_field_id'],
    ],
    [
      'a calculated field without formula',
      withFields(field(2), field(3, { type: 'calculated', formula: ' ' })),
      ['sections.0.fields.1.formula'],
    ],
    [
      'a reference without target',
      withFields(field(2, { type: 'reference' })),
      ['sections.0.fields.0.reference'],
    ],

    ['nothing to score', { ...withFields(field(2)), scoring: { enabled: true } }, ['scoring.enabled']],
    [
      'nothing of any weight',
      {
        ...withFields(field(2, { type: 'yes_no_na', weight: 0 })),
        scoring: { enabled: true, method: 'weighted' },
      },
      ['scoring.enabled'],
    ],
    [
      'points where failures are counted',
      {
        ...withFields(field(2, { type: 'single_select', options: [option('a', { score: 1 })] })),
        scoring: { enabled: true, method: 'count' },
      },
      ['scoring.enabled'],
    ],
    [
      'several problems at once',
      withFields(field(2, { type: 'number', min: 2, max: 1, visible_if: needs(9) })),
      ['sections.0.fields.0.min', 'sections.0.fields.0.visible_if.field_id'],
    ],
  ])('finds %s', (_, content, expected) => expect(published(content)).toEqual(expected));

  test.each<[string, object]>([
    ['points of an option', { type: 'single_select', options: [option('a', { score: 1 })] }],
    ['a failing option', { type: 'yes_no_na' }],
    ['a rule to fail', { type: 'yes_no', fail_if: { op: 'eq', value: false } }],
    ['a maximum score', { type: 'rating', max_score: 5 }],
  ])('scores %s', (_, more) =>
    expect(published({ ...withFields(field(2, more)), scoring: { enabled: true } })).toEqual([]),
  );

  test.each<[string, string, boolean]>([
    ['text', 'long_text', true],
    ['number', 'temperature', true],
    ['yes_no', 'checkbox', true],
    ['yes_no_na', 'pass_fail_na', true],
    ['photo', 'drawing', true],
    ['date', 'date', true],
    ['text', 'number', false],
    ['date', 'datetime', false],
    ['member', 'location', false],
    ['yes_no', 'yes_no_na', false],
    ['photo', 'signature', false],
  ])('a field that was %s may become %s: %p', (was, is, allowed) => {
    const of = (type: string) => ({
      start: { fields: [{ key: 'a', type, label: 'A' }] },
      sections: [section(1, { sections: [section(3, { fields: [field(2, { type })] })] })],
    });
    expect(published(of(is), of(was))).toEqual(
      allowed ? [] : ['start.fields.0.type', 'sections.0.sections.0.fields.0.type'],
    );
  });

  test('judges 5,000 fields with conditions, 500 of them calculated, in well under a second', () => {
    const fields = Array.from({ length: 5_000 }, (_, i) => ({
      ...(i % 10 === 9
        ? calculated(
            i + 2,
            `round(({${uuid(i + 1)}} + {${uuid(i)}}) * 100 div coalesce({${uuid(i - 1)}}, 1), 2)`,
          )
        : field(i + 2, { type: 'number' })),
      visible_if:
        i % 100 === 0
          ? { field_id: uuid(5_001), op: 'empty' }
          : { field_id: uuid(i + 1), op: 'gt', value: 1 },
    }));
    const content = Content.parse(withFields(...fields));
    const start = performance.now();
    publishProblems(content, content);
    expect(performance.now() - start).toBeLessThan(1_000);
  });
});

describe('structureProblems', () => {
  const nested = (depth: number): object =>
    section(depth, depth < 6 ? { sections: [nested(depth + 1)] } : { sections: [section(7)] });
  const negated = (depth: number): object => (depth > 1 ? { all: [negated(depth - 1)] } : needs(2));
  const structure = (content: object) => found(structureProblems(Content.parse(content)));
  const many = (count: number) => Array.from({ length: count }, (_, i) => field(i + 1_000));

  test.each<[string, object, string[]]>([
    ['an unfinished draft', withFields(field(2, { type: 'single_select', visible_if: needs(9) })), []],
    ['an empty one', {}, []],
    ['an id twice', withFields(field(2), field(2)), ['sections.0.fields.1.id']],
    [
      'a language, a part and an option translated twice',
      {
        language: 'FR',
        translations: [
          {
            language: 'fr',
            texts: [
              { id: uuid(2).toUpperCase(), options: [option('a'), option('b'), option('a')] },
              { id: uuid(2) },
            ],
          },
        ],
      },
      ['translations.0.language', 'translations.0.texts.1.id', 'translations.0.texts.0.options.2.value'],
    ],
    [
      'five levels',
      {
        sections: [
          section(1, {
            sections: [
              section(2, { sections: [section(3, { sections: [section(4, { sections: [section(5)] })] })] }),
            ],
          }),
        ],
      },
      [],
    ],
    [
      'six levels and more, said once',
      { sections: [nested(1)] },
      ['sections.0.sections.0.sections.0.sections.0.sections.0.sections.0'],
    ],
    ['ten levels of conditions', withFields(field(2, { required_if: negated(10) })), []],
    [
      'eleven levels of conditions',
      withFields(field(2, { required_if: negated(11) })),
      [`sections.0.fields.0.required_if${'.all.0'.repeat(10)}`],
    ],
    [
      '5,000 fields',
      { sections: [section(1, { fields: many(2_500) }), section(2, { fields: many(5_000).slice(2_500) })] },
      [],
    ],
    [
      '5,001 fields',
      { sections: [section(1, { fields: many(2_500) }), section(2, { fields: many(5_001).slice(2_500) })] },
      ['sections'],
    ],
    ['300 sections', { sections: Array.from({ length: 300 }, (_, i) => section(i)) }, []],
    ['301 sections', { sections: Array.from({ length: 301 }, (_, i) => section(i)) }, ['sections']],
    [
      'repeats that begin with millions of answers',
      {
        sections: [
          section(1, {
            repeat: { min: 100 },
            sections: [section(2, { repeat: { min: 100 }, fields: many(100) })],
          }),
        ],
      },
      ['sections'],
    ],
  ])('%s', (_, content, expected) => expect(structure(content)).toEqual(expected));
});

describe('waysToMatch', () => {
  test.each<[string, number]>([
    ['abc', 1],
    ['a|b|c', 3],
    ['a?', 2],
    ['a*', 201],
    ['a+?', 200],
    ['a{3}', 1],
    ['a{1,3}', 3],
    ['a{199,}', 2],
    ['a+b+', 200 ** 2],
    ['(?:a+|b)c?', 201 * 2],
    ['(?<year>\\d{4})(?=-)', 1],
    ['(\\.\\d{1,3}){3}', 3 ** 3],
    ['[)(*|+\\]]', 1],
    ['\\(\\|\\*', 1],
    ['\\p{L}+\\u{61}+', 200 ** 2],
    ['(a+)+', Infinity],
    ['(a|b)*', 2 ** 200 * 2],
  ])('%s: %p', (pattern, ways) => expect(waysToMatch(pattern, 200)).toBe(ways));

  test.each(['a*a*a*b', 'a{0,23}a{0,23}a{0,23}a{0,23}a{0,23}b', '(.+)(.+)(.+)\\1\\2\\3x'])(
    'what it lets pass ends in time: %s',
    (pattern) => {
      expect(waysToMatch(pattern, 200)).toBeLessThanOrEqual(8.2e6);
      const start = performance.now();
      RegExp(`^(?:${pattern})$`, 'u').test('a'.repeat(200));
      expect(performance.now() - start).toBeLessThan(2_000);
    },
  );
});
