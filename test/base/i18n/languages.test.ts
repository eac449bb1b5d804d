import { filledParts } from '../../../shared/base/i18n/fill.ts';
import { directionOf, languageOf, negotiate } from '../../../shared/base/i18n/languages.ts';

describe('languages', () => {
  test('a locale has the language of its first part, and English where there are no texts in it', () => {
    expect(['de-AT', 'pt_BR', 'ZH-Hant', 'sw-KE', '', null].map(languageOf)).toEqual([
      'de',
      'pt',
      'zh',
      'en',
      'en',
      'en',
    ]);
  });

  test('Arabic and Hebrew are written from right to left', () => {
    expect((['ar', 'he', 'en', 'ja'] as const).map(directionOf)).toEqual(['rtl', 'rtl', 'ltr', 'ltr']);
  });

  test.each([
    ['de-CH, fr;q=0.9, en;q=0.8', 'de'],
    ['sw, en;q=0.3, fr;q=0.9', 'fr'],
    ['fr;q=0, it;q=0.1', 'it'],
    ['fr;q=0', 'el'],
    ['*', 'el'],
    ['', 'el'],
    [undefined, 'el'],
    ['fr;q=high, it;q=0.5', 'fr'],
    ['fr;q=0.5x, it;q=0.6', 'fr'],
    ['fr;xq=0.5, it;q=0.6', 'fr'],
    ['fr; q=0.855 , it;q=0.86', 'it'],
    [' fr;level=1;q=0.2, it;q=0.1', 'fr'],
  ])('of %p, %p is chosen', (header, language) => {
    expect(negotiate(header, 'el')).toBe(language);
  });
});

test('a text is divided at its placeholders, and one without a value stays as it is', () => {
  expect(filledParts('{n} of {total}, {other}', { n: 1, total: 'two' })).toEqual([
    '',
    1,
    ' of ',
    'two',
    ', ',
    '{other}',
    '',
  ]);
  expect(filledParts('none', {})).toEqual(['none']);
});
