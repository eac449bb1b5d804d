import type { Language } from '../i18n/languages.ts';
import { localeOf } from '../i18n/plural.ts';

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
