import { contentWith, field, section, uuid } from '../../../support/content.ts';
import { calculated, published } from './fixtures.ts';

describe('publishProblems: formulas', () => {
  test.each<[string, object, string[]]>([
    [
      'a formula that does not parse',
      contentWith(field(2), calculated(3, '1 +')),
      ['sections.0.fields.1.formula'],
    ],
    [
      'each field and start field of a formula that does not exist',
      contentWith(field(2), calculated(3, `{${uuid(9)}} + {a}`)),
      ['sections.0.fields.1.formula', 'sections.0.fields.1.formula'],
    ],
    [
      'a formula on types that it cannot use',
      contentWith(
        ...['photo', 'signature', 'geo_point', 'address', 'member', 'reference', 'instruction'].map(
          (type, i) =>
            field(i + 2, type, { ...(type === 'reference' && { reference: { target_ref: 'members' } }) }),
        ),
        calculated(20, `count(${Array.from({ length: 7 }, (_, i) => `{${uuid(i + 2)}}`).join(',')})`),
      ),
      Array.from({ length: 7 }, () => 'sections.0.fields.7.formula'),
    ],
    [
      'formulas on a field with several answers, outside of an aggregate',
      {
        sections: [
          section(1, [calculated(2, `sum({${uuid(5)}} * 2) + {${uuid(6)}} + sum({${uuid(6)}})`)]),
          section(3, [field(5, 'number'), calculated(7, `{${uuid(5)}} + {${uuid(6)}}`)], {
            repeat: {},
            sections: [section(4, [field(6, 'number')], { repeat: {} })],
          }),
        ],
      },
      ['sections.0.fields.0.formula', 'sections.0.fields.0.formula', 'sections.1.fields.1.formula'],
    ],
    [
      'constraints that do not parse, or use what they cannot',
      {
        sections: [
          section(1, [
            field(2, 'number', { constraint: '{a} <' }),
            field(3, 'number', { constraint: `{${uuid(9)}} < {${uuid(6)}}` }),
            field(4, 'instruction', { constraint: 'true()' }),
            field(7, 'photo', { constraint: `{${uuid(7)}} != ''` }),
          ]),
          section(5, [field(6, 'number', { constraint: `{${uuid(6)}} < {${uuid(2)}}` })], { repeat: {} }),
        ],
      },
      [
        'sections.0.fields.0.constraint',
        'sections.0.fields.1.constraint',
        'sections.0.fields.1.constraint',
        'sections.0.fields.2.constraint',
        'sections.0.fields.3.constraint',
      ],
    ],
    [
      'choice filters of other fields, and those that ask for what no option has',
      contentWith(
        field(2, 'text', { choice_filter: 'true()' }),
        field(3, 'single_select', {
          choice_filter: `{option.state} = {${uuid(2)}} and {option.county} = {option.value} and {${uuid(9)}} = 1`,
          options: [{ value: 'a', label: 'A', attributes: { state: 'x' } }],
        }),
        field(4, 'text', { constraint: '{option.state} = 1' }),
      ),
      [
        'sections.0.fields.0.choice_filter',
        'sections.0.fields.1.choice_filter',
        'sections.0.fields.1.choice_filter',
        'sections.0.fields.2.constraint',
      ],
    ],
    [
      'today() outside of a constraint',
      contentWith(field(2), calculated(3, 'today()')),
      ['sections.0.fields.1.formula'],
    ],
  ])('finds %s', (_, content, expected) => expect(published(content)).toEqual(expected));

  test('accepts constraints that depend on each other, because no answer depends on a constraint', () => {
    const constraint = `{${uuid(2)}} < {${uuid(3)}} and {${uuid(2)}} != today()`;
    const content = contentWith(
      field(2, 'number', { constraint }),
      field(3, 'number', { constraint }),
      calculated(4, `{${uuid(2)}} + {${uuid(3)}}`),
      field(5, 'number', { constraint: `{${uuid(4)}} < 100` }),
    );
    expect(published(content)).toEqual([]);
  });
});
