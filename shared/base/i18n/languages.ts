/** The languages of everything that people read: reports, mails and public pages. Tags of BCP 47. */
export const LANGUAGES = [
  'en',
  'ar',
  'de',
  'el',
  'es',
  'fr',
  'he',
  'hi',
  'it',
  'ja',
  'nl',
  'pl',
  'pt',
  'tr',
  'uk',
  'zh',
] as const;
export type Language = (typeof LANGUAGES)[number];

const RIGHT_TO_LEFT: ReadonlySet<Language> = new Set<Language>(['ar', 'he']);

/** `rtl` for Arabic and Hebrew: as HTML's `dir` and Typst's `dir` spell it. */
export const directionOf = (language: Language): 'ltr' | 'rtl' =>
  RIGHT_TO_LEFT.has(language) ? 'rtl' : 'ltr';

/** The language of a BCP 47 tag ("pt-BR" is "pt"); undefined where there are no texts in it. */
export const knownLanguage = (tag: string): Language | undefined => {
  const [primary] = tag.trim().toLowerCase().split(/[-_]/);
  return LANGUAGES.find((language) => language === primary);
};

/** The language of a locale, such as an organization's; English where there are no texts in it. */
export const languageOf = (locale: string | null | undefined): Language =>
  knownLanguage(locale ?? '') ?? 'en';

/**
 * The language that a reader likes best, by the header `Accept-Language` (RFC 9110, section 12.5.4).
 * @param fallback where the header names none that there are texts in
 */
export const negotiate = (header: string | undefined, fallback: Language = 'en'): Language => {
  const wishes = (header ?? '').split(',').map((wish) => {
    const [tag = '', ...parameters] = wish.split(';');
    const quality = parameters.map((text) => /^\s*q=([01](?:\.\d{0,3})?)\s*$/.exec(text)?.[1]).find(Boolean);
    return { language: knownLanguage(tag), quality: Number(quality ?? 1) };
  });
  const known = wishes.filter(({ language, quality }) => language && quality > 0);
  return known.toSorted((one, other) => other.quality - one.quality)[0]?.language ?? fallback;
};
