import { LANGUAGES } from '../../../shared/base/i18n/languages.ts';
import { pluralText } from '../../../shared/base/i18n/plural.ts';
import { ADMIN_TEXTS } from '../../../shared/base/i18n/texts/admin.ts';
import { MAIL_TEXTS } from '../../../shared/base/i18n/texts/mail.ts';
import { NOTIFICATION_TEXTS } from '../../../shared/base/i18n/texts/notifications.ts';
import { PAGE_TEXTS } from '../../../shared/base/i18n/texts/pages.ts';
import { RECURRENCE_TEXTS } from '../../../shared/base/i18n/texts/recurrence.ts';
import { REPORT_TEXTS } from '../../../shared/base/i18n/texts/report.ts';
import { AuditedAction } from '../../../shared/schemas/audit.ts';
import { NotificationKind } from '../../../shared/schemas/preferences.ts';

const isShort = (_: string, text: string): boolean => text.length <= 15;

const isAt =
  (paths: RegExp) =>
  (path: string): boolean =>
    paths.test(path);

/** The texts of each part, and which of them may be the same in English and another language. */
const PARTS = [
  { part: 'admin', texts: ADMIN_TEXTS, isShared: isShort },
  { part: 'mail', texts: MAIL_TEXTS, isShared: isAt(/^(subject|labels\.(inspection|client|score))$/) },
  { part: 'notifications', texts: NOTIFICATION_TEXTS, isShared: isAt(/^(named|numbered)$/) },
  { part: 'pages', texts: PAGE_TEXTS, isShared: isShort },
  { part: 'recurrence', texts: RECURRENCE_TEXTS, isShared: isAt(/^(zone|months)$/) },
  {
    part: 'report',
    texts: REPORT_TEXTS,
    isShared: isAt(
      /^(client|date|status|numbered|number|sections|section|score|total|points|description|action|no|map|photos|photo|corrections|correction|signatures|question|note|template|summary|files\.\w+|severities\.observation|actionStatuses\.open|findingStatuses\.open|reason|before|participants|templateVersion|page|workbook\.(inspection|type|text|position|maximum|percentage)|workbook\.origins\.manual)$/,
    ),
  },
];

type Forms = Record<string, string>;

const PLURAL_FORMS = new Set(['zero', 'one', 'two', 'few', 'many', 'other']);

/** The forms of every text by its path, such as `confirm.title`. A text that is no plural has one form. */
const formsOf = (texts: object, path = ''): [string, Forms][] =>
  Object.entries(texts).flatMap(([name, value]: [string, string | object]): [string, Forms][] => {
    if (typeof value === 'string') return [[path + name, { text: value }]];
    const isPlural = Object.keys(value).every((form) => PLURAL_FORMS.has(form));
    return isPlural ? [[path + name, value as Forms]] : formsOf(value, `${path}${name}.`);
  });

/** The names in braces, in the alphabet's order. An ordinal `{nth}` may be a plain number. */
const placeholders = (text = ''): string[] =>
  (text.match(/\{[\w.]+\}/g) ?? []).map((name) => (name === '{nth}' ? '{n}' : name)).toSorted();

const each = PARTS.flatMap((part) => LANGUAGES.map((language) => ({ ...part, language })));

describe.each(each)('the texts of $part in $language', ({ part, texts, language, isShared }) => {
  const own = formsOf(texts[language]);
  const english = formsOf(texts.en);
  const originals = new Map(english);

  test('have the keys of the English ones, in their order', () => {
    expect(own.map(([path]) => path)).toEqual(english.map(([path]) => path));
  });

  test('have the placeholders of the English ones; a form that stands for one number may leave it out', () => {
    for (const [path, { text, other, ...forms }] of own) {
      const original = originals.get(path)!;
      expect([path, placeholders(text ?? other)]).toEqual([
        path,
        placeholders(original['text'] ?? original['other']),
      ]);
      for (const form of Object.values(forms))
        expect([path, placeholders(other)]).toEqual([path, expect.arrayContaining(placeholders(form))]);
    }
  });

  test('have each plural form that the language has; of an ordinal, no other', () => {
    const formsIn = (type: 'cardinal' | 'ordinal') =>
      new Intl.PluralRules(language, { type }).resolvedOptions().pluralCategories.toSorted();
    for (const [path, { text, ...forms }] of own) {
      const names = Object.keys(forms).toSorted();
      if (text !== undefined) expect([path, names]).toEqual([path, []]);
      else if (path !== 'ordinal') expect([path, names]).toEqual([path, formsIn('cardinal')]);
      else expect(formsIn('ordinal')).toEqual(expect.arrayContaining(names));
    }
  });

  test('are not empty and have no space around them, unless they are put together', () => {
    for (const [path, forms] of own)
      for (const text of Object.values(forms))
        expect([path, part === 'recurrence' ? text : text.trim()]).toEqual([path, text || 'a text']);
  });

  if (language !== 'en') {
    test('are no copies of the English ones', () => {
      const copies = own.filter(
        ([path, { text }]) => text && text === originals.get(path)?.['text'] && !isShared(path, text),
      );
      expect(copies).toEqual([]);
    });
  }
});

test('the texts of the admin app name every action of the audit log, and every kind of notification', () => {
  const { audit, profile } = ADMIN_TEXTS.en;
  expect(Object.keys(audit.actions).toSorted()).toEqual(AuditedAction.options.toSorted());
  expect(Object.keys(profile.kinds).toSorted()).toEqual(NotificationKind.options.toSorted());
});

test.each([
  ['en', REPORT_TEXTS.en.items, 1, '1 item'],
  ['pl', REPORT_TEXTS.pl.items, 3, '3 punkty'],
  ['pl', REPORT_TEXTS.pl.items, 12, '12 punktów'],
  ['uk', REPORT_TEXTS.uk.items, 21, '21 пункт'],
  ['ar', REPORT_TEXTS.ar.items, 2, 'بندان'],
  ['ar', REPORT_TEXTS.ar.items, 1_234, '1,234 بندًا'],
  ['ja', REPORT_TEXTS.ja.items, 5, '5 項目'],
  ['de', REPORT_TEXTS.de.items, 1_234, '1.234 Punkte'],
] as const)('%s says %j of %d as “%s”', (language, forms, n, text) => {
  expect(pluralText(language, forms, n)).toBe(text);
});
