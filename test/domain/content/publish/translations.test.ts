import { contentWith, field, uuid } from '../../../support/content.ts';
import { option } from '../fixtures.ts';
import { published } from './fixtures.ts';

describe('publishProblems: translations', () => {
  test('finds translations of parts that do not exist', () => {
    const content = {
      start: { fields: [{ key: 'kind', type: 'text', label: 'Kind' }] },
      ...contentWith(field(2, 'single_select', { options: [option('a')] })),
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
});
