import * as ADMIN_TEXTS from '../../shared/i18n/admin/texts.ts';
import { LANGUAGES } from '../../shared/i18n/languages.ts';
import * as PAGE_TEXTS from '../../shared/i18n/pages/texts.ts';
import { STYLE } from '../../shared/pages/style.ts';
import { AuditedAction } from '../../shared/schemas/audit.ts';
import { NotificationKind } from '../../shared/schemas/preferences.ts';

/** Every text by its place, such as `confirm.title`. */
const textsIn = (value: object, place = ''): [string, string][] =>
  Object.entries(value).flatMap(([name, inner]: [string, unknown]) =>
    typeof inner === 'string' ? [[`${place}${name}`, inner]] : textsIn(inner as object, `${place}${name}.`),
  );

const placeholders = (text: string): string[] => [...new Set(text.match(/\{\w+\}/g))].toSorted();

const SETS = [
  ['pages', PAGE_TEXTS],
  ['the admin app', ADMIN_TEXTS],
] as const;

const all = SETS.flatMap(([of, set]) => LANGUAGES.map((language) => [of, language, set] as const));

describe.each(all)('the texts of %s in %s', (_, language, set) => {
  const texts = textsIn(set[language]);
  const english = textsIn(set.en);

  test('have the placeholders of the English ones', () => {
    const of = (list: [string, string][]) => list.map(([place, text]) => [place, placeholders(text)]);
    expect(of(texts)).toEqual(of(english));
  });

  test('are not the English ones, and not empty', () => {
    const before = new Map(english);
    expect(texts.filter(([, text]) => text.trim() !== text || text === '')).toEqual([]);
    if (language === 'en') return;
    // Short labels may be the same word.
    expect(texts.filter(([place, text]) => text.length > 15 && text === before.get(place))).toEqual([]);
  });
});

test('the texts of the admin app name every action of the audit log, and every kind of notification', () => {
  const { audit, profile } = ADMIN_TEXTS.en;
  expect(Object.keys(audit.actions).toSorted()).toEqual(AuditedAction.options.toSorted());
  expect(Object.keys(profile.kinds).toSorted()).toEqual(NotificationKind.options.toSorted());
});

describe('the style of pages', () => {
  /** The relative luminance of a colour such as `#1d2429` (WCAG 2.2, "relative luminance"). */
  const luminance = (colour: string): number => {
    const [full] = [colour.length === 4 ? colour.replaceAll(/[\da-f]/g, '$&$&') : colour];
    const [red, green, blue] = [1, 3, 5].map((start) => {
      const share = Number.parseInt(full.slice(start, start + 2), 16) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    }) as [number, number, number];
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = (one: string, other: string): number => {
    const [light, dark] = [luminance(one), luminance(other)].toSorted((a, b) => b - a) as [number, number];
    return (light + 0.05) / (dark + 0.05);
  };
  const themes = [...STYLE.text.matchAll(/:root\{([^}]*)\}/g)].map(([, declared]) =>
    Object.fromEntries(
      [...declared!.matchAll(/--([\w-]+):(#[\da-f]+)/g)].map(([, name, colour]) => [name, colour!]),
    ),
  );

  test.each([
    ['text', 'card', 4.5],
    ['text', 'ground', 4.5],
    ['soft', 'card', 4.5],
    ['soft', 'ground', 4.5],
    ['main', 'card', 4.5],
    ['on-main', 'main', 4.5],
    ['line', 'card', 3],
  ])('has %s on %s with a contrast of at least %s, light and dark', (front, back, least) => {
    expect(themes).toHaveLength(2);
    for (const theme of themes) expect(contrast(theme[front], theme[back])).toBeGreaterThanOrEqual(least);
  });
});
