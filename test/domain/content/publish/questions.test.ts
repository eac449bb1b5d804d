import { contentWith, field, uuid } from '../../../support/content.ts';
import { option } from '../fixtures.ts';
import { published } from './fixtures.ts';

describe('publishProblems: questions', () => {
  test.each<[string, object, string[]]>([
    ['a choice without options', contentWith(field(2, 'single_select')), ['sections.0.fields.0.options']],
    [
      'a choice with empty options',
      contentWith(field(2, 'multi_select', { options: [] })),
      ['sections.0.fields.0.options'],
    ],
    [
      'the same option twice',
      contentWith(field(2, 'single_select', { options: [option('a'), option('a')] })),
      ['sections.0.fields.0.options.1.value'],
    ],
    [
      'options and a response set',
      {
        ...contentWith(field(2, 'single_select', { response_set_id: uuid(50), options: [option('a')] })),
        response_sets: [{ id: uuid(50), name: 'S', options: [option('a')] }],
      },
      ['sections.0.fields.0.options'],
    ],
    [
      'a response set that does not exist',
      contentWith(field(2, 'yes_no_na', { response_set_id: uuid(50) })),
      ['sections.0.fields.0.response_set_id'],
    ],
    [
      'an empty response set',
      { ...contentWith(field(2)), response_sets: [{ id: uuid(50), name: 'S', options: [] }] },
      ['response_sets.0.options'],
    ],
    [
      'the same option twice in a response set',
      {
        ...contentWith(field(2)),
        response_sets: [{ id: uuid(50), name: 'S', options: [option('a'), option('a')] }],
      },
      ['response_sets.0.options.1.value'],
    ],

    ['min above max', contentWith(field(2, 'number', { min: 2, max: 1 })), ['sections.0.fields.0.min']],
    [
      'min above the type’s own max',
      contentWith(field(2, 'rating', { min: 6 })),
      ['sections.0.fields.0.min'],
    ],
    ['a step of 0', contentWith(field(2, 'number', { step: 0 })), ['sections.0.fields.0.step']],
    [
      'a negative step of a start field',
      { ...contentWith(field(2)), start: { fields: [{ key: 'a', type: 'number', label: 'A', step: -1 }] } },
      ['start.fields.0.step'],
    ],
    [
      'a pattern that does not compile',
      contentWith(field(2, 'text', { pattern: '(' })),
      ['sections.0.fields.0.pattern'],
    ],
    [
      'a pattern that compiles only inside another one',
      contentWith(field(2, 'text', { pattern: 'a)|(b' })),
      ['sections.0.fields.0.pattern'],
    ],
    [
      'nothing in a pattern with nested quantifiers and lookarounds',
      contentWith(field(2, 'text', { pattern: '(?=.*b)(a+)+b(?<!ab{2})', default_value: 'aab' })),
      [],
    ],
    [
      'a pattern that refers back to a group, once',
      contentWith(field(2, 'text', { pattern: '(a+)\\1', default_value: 'a'.repeat(50) })),
      ['sections.0.fields.0.pattern'],
    ],
    ['a setting of another type', contentWith(field(2, 'text', { min: 0 })), ['sections.0.fields.0.min']],
    [
      'options of a text',
      contentWith(field(2, 'text', { options: [option('a')] })),
      ['sections.0.fields.0.options'],
    ],
    [
      'a default beyond the limits',
      contentWith(field(2, 'number', { max: 5, default_value: 6 })),
      ['sections.0.fields.0.default_value'],
    ],
    [
      'a default without a required member',
      contentWith(field(2, 'geo_point', { default_value: { lat: 1 } })),
      ['sections.0.fields.0.default_value.lng'],
    ],
  ])('finds %s', (_, content, expected) => expect(published(content)).toEqual(expected));
});
