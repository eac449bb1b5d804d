import { own } from '../fields.ts';
import type { Language } from './languages.ts';

/** A text for each plural form of a language (CLDR), with `{n}` for the number. */
export type Plural = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/** European digits in every language: numbers stand beside names and dates that people have typed with them. */
export const localeOf = (language: string): string => `${language}-u-nu-latn`;

/** Replaces `{names}` with these values; a name without a value stays as it is. */
export const fill = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => own(values, name) ?? placeholder);

/** The form of a text for a number, with the number in it. */
export const pluralText = (language: Language, forms: Plural, n: number): string => {
  const form = new Intl.PluralRules(language).select(n);
  return fill(forms[form] ?? forms.other, { n: new Intl.NumberFormat(localeOf(language)).format(n) });
};
