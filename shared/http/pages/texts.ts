import { filledParts } from '../../base/i18n/fill.ts';
import type { Language } from '../../base/i18n/languages.ts';
import { fill, localeOf } from '../../base/i18n/plural.ts';
import { html, type Markup } from '../../base/markup.ts';

/** The values of a text's placeholders: names and addresses of any script and direction. */
export type Names = Readonly<Record<string, string>>;

/** A text with names in it as plain text, for the title of a window. */
export const plain = (text: string, names: Names): string => fill(text, names);

/** A text with names in it. Each name has its own direction (HTML, `bdi`). */
export const withNames = (text: string, names: Names): Markup => {
  const isolated = Object.entries(names).map(([name, value]) => [name, html`<bdi>${value}</bdi>`]);
  return html`${filledParts<Markup>(text, Object.fromEntries(isolated))}`;
};

/** A heading and a paragraph. */
export const message = ({ title, text }: { title: string; text: string }, names: Names = {}): Markup =>
  html`<h1>${withNames(title, names)}</h1>
    <p>${withNames(text, names)}</p>`;

/** A day in words, such as "21 November 2026", in a time zone. @param at ISO 8601 */
export const dayText = (language: Language, timeZone: string, at: string): string =>
  new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'long', timeZone }).format(new Date(at));

export const numberText = (language: Language, value: number): string =>
  new Intl.NumberFormat(localeOf(language)).format(value);

const MEGABYTE = 1_000_000;

/** The size of a file, such as "1.4 MB"; never "0 kB". */
export const sizeText = (language: Language, bytes: number): string => {
  const [unit, value] =
    bytes < MEGABYTE
      ? (['kilobyte', Math.max(1, Math.round(bytes / 1_000))] as const)
      : (['megabyte', bytes / MEGABYTE] as const);
  return new Intl.NumberFormat(localeOf(language), { style: 'unit', unit, maximumFractionDigits: 1 }).format(
    value,
  );
};

/** The name of a language in that language. */
export const languageName = (language: Language): string =>
  new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language;
