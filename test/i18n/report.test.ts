import { LANGUAGES } from '../../shared/i18n/languages.ts';
import { pluralText } from '../../shared/i18n/plural.ts';
import * as REPORT_TEXTS from '../../shared/i18n/report/texts.ts';

const placeholders = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).toSorted();

/** Every text with its path; a plural is one text. */
const textsOf = (texts: object, path = ''): [string, string | Record<string, string>][] =>
  Object.entries(texts).flatMap(([name, value]) =>
    typeof value === 'string' || 'other' in (value as object)
      ? [[`${path}${name}`, value as string]]
      : textsOf(value as object, `${path}${name}.`),
  );

describe.each(LANGUAGES)('the texts of reports in %s', (language) => {
  const english = new Map(textsOf(REPORT_TEXTS.en));
  const own = textsOf(REPORT_TEXTS[language]);

  test('have the same placeholders as the English ones', () => {
    for (const [path, text] of own) {
      const original = english.get(path)!;
      const [mine, theirs] = [text, original].map((each) =>
        typeof each === 'string' ? each : each['other']!,
      );
      expect([path, placeholders(mine!)]).toEqual([path, placeholders(theirs!)]);
    }
  });

  test('have each plural form that the language has', () => {
    const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories.toSorted();
    for (const [path, text] of own) {
      if (typeof text !== 'string') expect([path, Object.keys(text).toSorted()]).toEqual([path, forms]);
    }
  });

  test('are neither empty nor have space around them', () => {
    for (const [path, text] of own)
      for (const form of typeof text === 'string' ? [text] : Object.values(text))
        expect([path, form]).toEqual([path, form.trim() || 'a text']);
  });

  if (language !== 'en') {
    test('are no copies of the English ones', () => {
      const copies = own.filter(([path, text]) => typeof text === 'string' && text === english.get(path));
      // Words that both languages have.
      const shared =
        /^(client|date|status|numbered|number|sections|section|score|total|points|description|action|no|map|photos|photo|corrections|correction|signatures|question|note|template|summary|files\.\w+|severities\.observation|actionStatuses\.open|findingStatuses\.open|reason|before|participants|templateVersion)$/;
      expect(copies.map(([path]) => path).filter((path) => !shared.test(path))).toEqual([]);
    });
  }
});

test.each([
  ['en', 1, '1 item'],
  ['pl', 3, '3 punkty'],
  ['pl', 12, '12 punktów'],
  ['uk', 21, '21 пункт'],
  ['ar', 2, 'بندان'],
  ['ja', 5, '5 項目'],
] as const)('%s counts %d items as “%s”', (language, n, text) => {
  expect(pluralText(language, REPORT_TEXTS[language].items, n)).toBe(text);
});
