import { contentWith, field, section, uuid } from '../../../support/content.ts';
import { option } from '../fixtures.ts';
import { needs, published } from './fixtures.ts';

/** A text field with a condition on field 3, which has the type. */
const compared = (op: string, value: unknown, type: string, more: object = {}) =>
  contentWith(field(2, 'text', { visible_if: { field_id: uuid(3), op, value } }), field(3, type, more));
const operatorLoc = ['sections.0.fields.0.visible_if.op'];
const valueLoc = ['sections.0.fields.0.visible_if.value'];

describe('publishProblems: comparisons', () => {
  test.each<[string, object, string[]]>([
    [
      'conditions on fields that do not exist',
      contentWith(
        field(2, 'text', { visible_if: { all: [needs(2_000), { any: [needs(3), needs(9)] }] } }),
        field(3),
      ),
      [
        'sections.0.fields.0.visible_if.all.0.field_id',
        'sections.0.fields.0.visible_if.all.1.any.1.field_id',
      ],
    ],
    [
      'a required_if on a field that does not exist',
      contentWith(field(2, 'text', { required_if: needs(9) })),
      ['sections.0.fields.0.required_if.field_id'],
    ],
    [
      'a condition of a section on a field that does not exist',
      { sections: [section(1, [field(2)], { visible_if: needs(9) })] },
      ['sections.0.visible_if.field_id'],
    ],
    [
      'a condition on a start field that does not exist',
      contentWith(field(2, 'text', { visible_if: { start_key: 'a', op: 'empty' } })),
      ['sections.0.fields.0.visible_if.start_key'],
    ],
    [
      'a condition of a start field on one that does not exist',
      {
        ...contentWith(field(2)),
        start: {
          fields: [{ key: 'a', type: 'text', label: 'A', visible_if: { start_key: 'b', op: 'empty' } }],
        },
      },
      ['start.fields.0.visible_if.start_key'],
    ],
    [
      'a condition on an instruction',
      contentWith(field(2, 'text', { visible_if: needs(3) }), field(3, 'instruction')),
      ['sections.0.fields.0.visible_if.field_id'],
    ],
    [
      'a condition on an option that does not exist',
      contentWith(
        field(2, 'text', { visible_if: { field_id: uuid(3), op: 'eq', value: 'Yes' } }),
        field(3, 'yes_no_na'),
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
    ['a date that does not exist', compared('eq', '2023-02-29', 'date'), valueLoc],
    [
      'contains of an option that does not exist',
      compared('contains', 'c', 'multi_select', { options: [option('a')] }),
      valueLoc,
    ],
    [
      'failed of a start field that cannot fail',
      {
        ...contentWith(field(2, 'text', { visible_if: { start_key: 'a', op: 'failed' } })),
        start: { fields: [{ key: 'a', type: 'number', label: 'A' }] },
      },
      operatorLoc,
    ],
    [
      'lists where a single value is compared',
      {
        ...contentWith(
          field(2, 'text', { visible_if: { start_key: 'a', op: 'eq', value: ['x', 'y'] } }),
          field(3, 'text', { fail_if: { op: 'contains', value: ['x'] } }),
          field(4, 'multi_select', { options: [option('a')], fail_if: { op: 'eq', value: ['a'] } }),
        ),
        start: { fields: [{ key: 'a', type: 'text', label: 'A' }] },
      },
      ['sections.0.fields.1.fail_if.value', 'sections.0.fields.0.visible_if.value'],
    ],
    [
      'rules to fail that never hold',
      contentWith(
        field(2, 'photo', { fail_if: { op: 'lt', value: 1 } }),
        field(3, 'yes_no', { fail_if: { op: 'eq', value: 'no' } }),
        field(4, 'date', { fail_if: { op: 'outside', value: [1, 2] } }),
      ),
      [
        'sections.0.fields.0.fail_if.op',
        'sections.0.fields.1.fail_if.value',
        'sections.0.fields.2.fail_if.op',
      ],
    ],
  ])('finds %s', (_, content, expected) => expect(published(content)).toEqual(expected));
});
