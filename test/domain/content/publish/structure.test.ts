import { structureProblems } from '../../../../shared/domain/content/publish/structure.ts';
import { Content } from '../../../../shared/schemas/templates/content.ts';
import { contentWith, field, section, uuid } from '../../../support/content.ts';
import { option } from '../fixtures.ts';
import { found, needs } from './fixtures.ts';

describe('structureProblems', () => {
  const nested = (depth: number): object =>
    section(depth, [], depth < 6 ? { sections: [nested(depth + 1)] } : { sections: [section(7)] });
  const negated = (depth: number): object => (depth > 1 ? { all: [negated(depth - 1)] } : needs(2));
  const structure = (content: object) => found(structureProblems(Content.parse(content)));
  const many = (count: number) => Array.from({ length: count }, (_, i) => field(i + 1_000));

  const patterned = (count: number) =>
    Array.from({ length: count }, (_, i) => field(i + 1_000, 'text', { pattern: '(?:[ab]{100}){5}' }));

  test.each<[string, object, string[]]>([
    ['nothing in an unfinished draft', contentWith(field(2, 'single_select', { visible_if: needs(9) })), []],
    ['nothing in an empty draft', {}, []],
    ['the same id twice', contentWith(field(2), field(2)), ['sections.0.fields.1.id']],
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
      'nothing in five levels of sections',
      {
        sections: [
          section(1, [], {
            sections: [
              section(2, [], {
                sections: [section(3, [], { sections: [section(4, [], { sections: [section(5)] })] })],
              }),
            ],
          }),
        ],
      },
      [],
    ],
    [
      'six levels of sections and more, once',
      { sections: [nested(1)] },
      ['sections.0.sections.0.sections.0.sections.0.sections.0.sections.0'],
    ],
    ['nothing in ten levels of conditions', contentWith(field(2, 'text', { required_if: negated(10) })), []],
    [
      'eleven levels of conditions',
      contentWith(field(2, 'text', { required_if: negated(11) })),
      [`sections.0.fields.0.required_if${'.all.0'.repeat(10)}`],
    ],
    [
      'nothing in 5,000 fields',
      { sections: [section(1, many(2_500)), section(2, many(5_000).slice(2_500))] },
      [],
    ],
    ['nothing in patterns of 200,000 characters', contentWith(...patterned(400)), []],
    ['patterns of 200,500 characters', contentWith(...patterned(401)), ['sections']],
    ['nothing in 300 sections', { sections: Array.from({ length: 300 }, (_, i) => section(i)) }, []],
    [
      'repeats whose min asks for a million answers',
      {
        sections: [
          section(1, [], {
            repeat: { min: 100 },
            sections: [section(2, many(100), { repeat: { min: 100 } })],
          }),
        ],
      },
      ['sections'],
    ],
  ])('finds %s', (_, content, expected) => expect(structure(content)).toEqual(expected));
});
