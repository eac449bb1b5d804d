import { contentWith, field, section, uuid } from '../../../support/content.ts';
import { calculated, needs, published } from './fixtures.ts';

const chained = (length: number) =>
  Array.from({ length }, (_, i) => field(i + 2, 'text', i > 0 ? { visible_if: needs(i + 1) } : {}));

describe('publishProblems: dependencies', () => {
  test.each<[string, object]>([
    [
      'either of two required when the other is empty',
      contentWith(
        field(2, 'text', { required_if: { field_id: uuid(3), op: 'empty' } }),
        field(3, 'text', { required_if: { field_id: uuid(2), op: 'empty' } }),
      ),
    ],
    ['a chain of 500 conditions', contentWith(...chained(500))],
    [
      'a calculated field shown by the field that its formula uses',
      contentWith(field(2, 'number'), calculated(3, `{${uuid(2)}}`, { visible_if: needs(2) })),
    ],
  ])('finds nothing in %s', (_, content) => expect(published(content)).toEqual([]));

  test.each<[string, object, string[]]>([
    [
      'a formula on itself',
      contentWith(field(2), calculated(3, `{${uuid(3)}} + 1`)),
      ['sections.0.fields.1.formula'],
    ],
    [
      'formulas on each other, and not what depends on them',
      contentWith(
        field(2),
        calculated(3, `sum({${uuid(4)}})`),
        calculated(4, `{${uuid(3)}} + 1`, { visible_if: needs(2) }),
        calculated(5, `{${uuid(4)}}`),
      ),
      ['sections.0.fields.1.formula', 'sections.0.fields.2.formula'],
    ],
    [
      'a formula on a field that it shows',
      contentWith(calculated(2, `{${uuid(3)}}`), field(3, 'number', { visible_if: needs(2) })),
      ['sections.0.fields.0.formula', 'sections.0.fields.1.visible_if'],
    ],
    [
      'a formula on a field of a section that it shows',
      {
        sections: [
          section(1, [calculated(2, `{${uuid(4)}}`)]),
          section(3, [field(4, 'number')], { visible_if: needs(2) }),
        ],
      },
      ['sections.0.fields.0.formula', 'sections.1.visible_if'],
    ],
    [
      'two cycles, and not what lies between them',
      contentWith(
        field(2, 'text', { visible_if: needs(2) }),
        field(3, 'text', { visible_if: needs(2) }),
        field(4, 'text', { visible_if: { all: [needs(3), needs(5)] } }),
        field(5, 'text', { visible_if: needs(4) }),
      ),
      ['sections.0.fields.0.visible_if', 'sections.0.fields.2.visible_if', 'sections.0.fields.3.visible_if'],
    ],
    ['a chain that is too long, once', contentWith(...chained(600)), ['sections.0.fields.500.visible_if']],
    [
      'a chain that is too long because its conditions are nested',
      contentWith(
        ...Array.from({ length: 252 }, (_, i) =>
          field(i + 2, 'text', i > 0 ? { visible_if: { all: [needs(i + 1)] } } : {}),
        ),
      ),
      ['sections.0.fields.250.visible_if'],
    ],

    [
      'a field shown by itself',
      contentWith(field(2, 'text', { visible_if: needs(2) })),
      ['sections.0.fields.0.visible_if'],
    ],
    [
      'two fields shown by each other, and not what depends on them',
      contentWith(
        field(2, 'text', { visible_if: needs(3) }),
        field(3, 'text', { visible_if: needs(2) }),
        field(4, 'text', { visible_if: needs(2) }),
        field(5),
      ),
      ['sections.0.fields.0.visible_if', 'sections.0.fields.1.visible_if'],
    ],
    [
      'a section shown by a field inside it',
      {
        sections: [section(1, [], { visible_if: needs(2), sections: [section(3, [field(2), field(4)])] })],
      },
      ['sections.0.visible_if'],
    ],
    [
      'a cycle through the start',
      {
        ...contentWith(field(2, 'text', { visible_if: { start_key: 'a', op: 'empty' } })),
        start: { fields: [{ key: 'a', type: 'text', label: 'A', visible_if: needs(2) }] },
      },
      ['start.fields.0.visible_if', 'sections.0.fields.0.visible_if'],
    ],
  ])('finds %s', (_, content, expected) => expect(published(content)).toEqual(expected));
});
