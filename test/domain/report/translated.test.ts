import { REPORT_TEXTS } from '../../../shared/base/i18n/texts/report.ts';
import { indexContent, optionsOf } from '../../../shared/domain/content/content-index.ts';
import { translatedIndex } from '../../../shared/domain/report/translated.ts';
import { Content } from '../../../shared/schemas/templates/content.ts';
import { field, section, uuid } from '../../support/content.ts';

const options = [
  { value: 'a', label: 'Good' },
  { value: 'b', label: 'Bad' },
];
const content = {
  language: 'English (en)',
  start: { fields: [{ key: 'site', type: 'text', label: 'Site' }] },
  response_sets: [
    { id: uuid(90), name: 'Grades', options },
    { id: uuid(91), name: 'Answers', options: [{ value: 'yes', label: 'Always' }] },
  ],
  sections: [
    section(1, [field(11, 'single_select', { options, help_text: 'Look' }), field(12, 'yes_no_na')], {
      description: 'All rooms',
      sections: [section(2, [field(21, 'single_select', { response_set_id: uuid(90) })])],
    }),
    section(
      3,
      [
        field(31, 'pass_fail_na', { options: [{ value: 'pass', label: 'Good' }] }),
        field(32, 'text', { help_text: 'All' }),
        field(33, 'yes_no_na', { response_set_id: uuid(91) }),
        field(34, 'text', { help_text: 'None' }),
      ],
      { description: 'Doors' },
    ),
  ],
  translations: [
    {
      language: 'French (fr)',
      texts: [
        { id: uuid(1), title: 'Salles', description: 'Toutes' },
        { id: uuid(2), title: 'Portes' },
        { id: uuid(11), label: 'État', help_text: 'Voir', options: [{ value: 'a', label: 'Bon' }] },
        { id: uuid(90), options: [{ value: 'b', label: 'Mauvais' }] },
        { id: 'site', label: 'Lieu' },
        { id: uuid(3), title: 'Sorties' },
        { id: uuid(34), help_text: 'Aucune' },
      ],
    },
    { language: 'en', texts: [{ id: uuid(1), title: 'Not this one' }] },
    { language: 'pt-BR', texts: [{ id: uuid(1), title: 'Salas' }] },
    { language: 'Italian (it) old', texts: [{ id: uuid(1), title: 'Not this one' }] },
    { language: 'Italian (it)2', texts: [{ id: uuid(1), title: 'Not this one either' }] },
  ],
};
const original = indexContent(Content.parse(content));
const labels = (index: typeof original, n: number) =>
  optionsOf(index, index.fields.get(uuid(n))!.field).map(({ label }) => label);

describe('translatedIndex', () => {
  test('has every text that is translated, and the others as they are', () => {
    const french = translatedIndex(original, 'fr');
    expect(french.sections.get(uuid(1))!.section).toMatchObject({ title: 'Salles', description: 'Toutes' });
    expect(french.sections.get(uuid(2))!.section).toMatchObject({ title: 'Portes', description: null });
    expect(french.sections.get(uuid(3))!.section).toMatchObject({ title: 'Sorties', description: 'Doors' });
    const asked = (index: typeof original, n: number) => index.fields.get(uuid(n))!.field;
    expect(asked(french, 11)).toEqual({
      ...asked(original, 11),
      label: 'État',
      help_text: 'Voir',
      options: [expect.objectContaining({ label: 'Bon' }), asked(original, 11).options![1]],
    });
    expect(asked(french, 34)).toEqual({ ...asked(original, 34), help_text: 'Aucune' });
    expect(asked(french, 21)).toEqual(asked(original, 21));
    expect(french.fields.get(uuid(32))!.field).toEqual(original.fields.get(uuid(32))!.field);
    expect(french.startFields.get('site')!.label).toBe('Lieu');
    expect([labels(french, 11), labels(french, 21)]).toEqual([
      ['Bon', 'Bad'],
      ['Good', 'Mauvais'],
    ]);
  });

  test('has the standard options of a type in the language, and options of the content’s own as they are', () => {
    for (const language of ['fr', 'ja'] as const) {
      const { yes, no, notApplicable } = REPORT_TEXTS[language];
      const index = translatedIndex(original, language);
      expect(labels(index, 12)).toEqual([yes, no, notApplicable]);
      expect([labels(index, 31), labels(index, 33)]).toEqual([['Good'], ['Always']]);
    }
  });

  test('finds a language with a region', () =>
    expect(translatedIndex(original, 'pt').sections.get(uuid(1))!.section.title).toBe('Salas'));

  test('finds no language in a name that has its code elsewhere than at the end', () =>
    expect(translatedIndex(original, 'it').sections.get(uuid(1))!.section.title).toBe('Section 1'));

  test('needs no translation into the content’s own language', () =>
    expect(translatedIndex(original, 'en')).toBe(original));

  test('translates into English a content of another language, or of none', () => {
    for (const language of ['fr', null]) {
      const foreign = indexContent(Content.parse({ ...content, language }));
      expect(translatedIndex(foreign, 'en').sections.get(uuid(1))!.section.title).toBe('Not this one');
    }
  });
});
