import { publishProblems } from '../../../../shared/domain/content/publish/publish.ts';
import { Content } from '../../../../shared/schemas/templates/content.ts';
import { contentWith, field, section, uuid } from '../../../support/content.ts';
import { effort } from '../../../support/effort.ts';
import { option } from '../fixtures.ts';
import { calculated, needs, published } from './fixtures.ts';

describe('publishProblems', () => {
  test.each<[string, object]>([
    ['one text field', contentWith(field(2))],
    [
      'every kind of part',
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
          section(
            1,
            [
              field(2),
              field(3, 'single_select', { response_set_id: uuid(50), note_required_on: ['failed', 'b'] }),
              field(4, 'yes_no', { media: { required_on: ['false'] } }),
              field(5, 'temperature', {
                min: -20,
                max: 8,
                step: 0.5,
                unit: '°C',
                fail_if: { op: 'outside', value: [2, 8] },
              }),
              field(6, 'calculated', {
                formula: `\${${uuid(5)}} - {tare}`,
                unit: 'kg',
                fail_if: { op: 'outside', value: [2, 8] },
                max_score: 5,
                weight: 2,
              }),
              field(7, 'reference', { reference: { target_ref: 'members' } }),
              field(8, 'text', {
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
            { repeat: { min: 1, max: 3, label_field_id: uuid(2) } },
          ),
        ],
      },
    ],
    [
      'conditions with every possible comparison',
      contentWith(
        field(2, 'text', {
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
        field(3, 'rating'),
        field(4, 'date'),
        field(5, 'multi_select', { options: [option('a'), option('b')] }),
        field(6, 'checkbox'),
        field(7, 'photo'),
        field(8, 'calculated', { formula: '1', fail_if: { op: 'gt', value: 5 } }),
        field(9, 'location'),
        field(10, 'text', { pattern: 'x' }),
      ),
    ],
    [
      'formulas on every type that they can use',
      contentWith(
        ...'text barcode number rating yes_no checkbox yes_no_na pass_fail_na date time datetime'
          .split(' ')
          .map((type, i) => field(i + 2, type)),
        calculated(20, `count(${Array.from({ length: 11 }, (_, i) => `{${uuid(i + 2)}}`).join(',')})`),
        calculated(21, `{${uuid(20)}} * 2`),
      ),
    ],
    [
      'formulas on fields of repeat sections',
      {
        sections: [
          section(1, [calculated(2, `sum({${uuid(6)}}) / count({${uuid(5)}})`)]),
          section(3, [field(5, 'number'), calculated(7, `{${uuid(5)}} * max({${uuid(6)}})`)], {
            repeat: {},
            sections: [
              section(4, [calculated(6, `{${uuid(5)}} + 1`), calculated(8, `{${uuid(6)}}`)], { repeat: {} }),
            ],
          }),
        ],
      },
    ],
    ['a rating with its type’s own bounds', contentWith(field(2, 'rating', { default_value: 5 }))],
  ])('finds nothing in %s', (_, content) => expect(published(content)).toEqual([]));

  test.each<[string, object, string[]]>([
    ['nothing to answer', contentWith(field(2, 'instruction')), ['sections']],
    ['no sections', {}, ['sections']],
    ['two fields with the same id', contentWith(field(2), field(2)), ['sections.0.fields.1.id']],
    [
      'a section with the id of a field',
      { sections: [section(1, [field(2)]), section(2)] },
      ['sections.1.id'],
    ],
    [
      'a response set with the id of a section',
      { ...contentWith(field(2)), response_sets: [{ id: uuid(1), name: 'S', options: [option('a')] }] },
      ['response_sets.0.id'],
    ],
    [
      'two start fields with the same key',
      {
        ...contentWith(field(2)),
        start: {
          fields: [
            { key: 'a', type: 'text', label: 'A' },
            { key: 'a', type: 'text', label: 'B' },
          ],
        },
      },
      ['start.fields.1.key'],
    ],
    ['nothing to score', { ...contentWith(field(2)), scoring: { enabled: true } }, ['scoring.enabled']],
    [
      'only weights of 0 in the weighted method',
      {
        ...contentWith(field(2, 'yes_no_na', { weight: 0 })),
        scoring: { enabled: true, method: 'weighted' },
      },
      ['scoring.enabled'],
    ],
    [
      'only points in the count method',
      {
        ...contentWith(field(2, 'single_select', { options: [option('a', { score: 1 })] })),
        scoring: { enabled: true, method: 'count' },
      },
      ['scoring.enabled'],
    ],
    [
      'several problems at once',
      contentWith(field(2, 'number', { min: 2, max: 1, visible_if: needs(9) })),
      ['sections.0.fields.0.min', 'sections.0.fields.0.visible_if.field_id'],
    ],
  ])('finds %s', (_, content, expected) => expect(published(content)).toEqual(expected));

  test.each<[string, object]>([
    ['an option with points', { type: 'single_select', options: [option('a', { score: 1 })] }],
    ['a failed option', { type: 'yes_no_na' }],
    ['a rule to fail', { type: 'yes_no', fail_if: { op: 'eq', value: false } }],
    ['a maximum score', { type: 'rating', max_score: 5 }],
  ])('finds that %s can be scored', (_, more) =>
    expect(published({ ...contentWith(field(2, 'text', more)), scoring: { enabled: true } })).toEqual([]),
  );

  test('checks 5,000 fields with conditions, 500 of them calculated, in reasonable time', () => {
    const fields = Array.from({ length: 5_000 }, (_, i) => ({
      ...(i % 10 === 9
        ? calculated(
            i + 2,
            `round(({${uuid(i + 1)}} + {${uuid(i)}}) * 100 div coalesce({${uuid(i - 1)}}, 1), 2)`,
          )
        : field(i + 2, 'number')),
      visible_if:
        i % 100 === 0
          ? { field_id: uuid(5_001), op: 'empty' }
          : { field_id: uuid(i + 1), op: 'gt', value: 1 },
    }));
    const content = Content.parse(contentWith(...fields));
    const start = effort();
    publishProblems(content, content);
    expect(effort() - start).toBeLessThan(300);
  });
});
