import { LANGUAGES } from '../../shared/i18n/languages.ts';
import * as MAIL_TEXTS from '../../shared/i18n/mail/texts.ts';
import { pluralText } from '../../shared/i18n/plural.ts';

const placeholders = (text: string): string[] => (text.match(/\{[\w.]+\}/g) ?? []).toSorted();

/** Every text with its path; a plural is one text. */
const textsOf = (texts: object, path = ''): [string, string | Record<string, string>][] =>
  Object.entries(texts).flatMap(([name, value]) =>
    typeof value === 'string' || 'other' in (value as object)
      ? [[`${path}${name}`, value as string]]
      : textsOf(value as object, `${path}${name}.`),
  );

describe.each(LANGUAGES)('the texts of mails in %s', (language) => {
  const english = new Map(textsOf(MAIL_TEXTS.en));
  const own = textsOf(MAIL_TEXTS[language]);

  test('have the same placeholders as the English ones', () => {
    for (const [path, text] of own) {
      const original = english.get(path)!;
      if (typeof text === 'string') {
        expect([path, placeholders(text)]).toEqual([path, placeholders(original as string)]);
      } else {
        expect([path, placeholders(text['other']!)]).toEqual([path, ['{n}']]);
      }
    }
  });

  test('have each plural form that the language has', () => {
    const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories.toSorted();
    for (const [path, text] of own) {
      if (typeof text !== 'string') expect([path, Object.keys(text).toSorted()]).toEqual([path, forms]);
    }
  });

  if (language !== 'en') {
    test('are no copies of the English ones', () => {
      const copies = own.filter(([path, text]) => typeof text === 'string' && text === english.get(path));
      // “Inspection”, “Client” and “Score” are French, “Score” is Dutch.
      const allowed = /^(subject|labels\.(inspection|client|score))$/;
      expect(copies.map(([path]) => path).filter((path) => !allowed.test(path))).toEqual([]);
    });
  }
});

test.each([
  ['pl', 1, '1 ustalenie'],
  ['pl', 3, '3 ustalenia'],
  ['pl', 12, '12 ustaleń'],
  ['uk', 21, '21 зауваження'],
  ['ar', 2, 'ملاحظتان'],
  ['ar', 1_234, '1,234 ملاحظة'],
  ['de', 1_234, '1.234 Feststellungen'],
] as const)('%s counts %d as “%s”', (language, n, text) => {
  expect(pluralText(language, MAIL_TEXTS[language].findings, n)).toBe(text);
});
