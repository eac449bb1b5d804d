/** The scripts that are written from right to left, as ISO 15924 codes. */
const RIGHT_TO_LEFT = new Set(['Arab', 'Hebr', 'Syrc', 'Thaa', 'Nkoo', 'Adlm', 'Rohg']);

/** The `lang` and `dir` attributes for a locale (BCP 47); English where the locale is not valid. */
export const languageOf = (locale: string): { lang: string; dir: 'ltr' | 'rtl' } => {
  try {
    const { baseName, script } = new Intl.Locale(locale).maximize();
    return {
      lang: new Intl.Locale(baseName).minimize().baseName,
      dir: RIGHT_TO_LEFT.has(script ?? '') ? 'rtl' : 'ltr',
    };
  } catch {
    return { lang: 'en', dir: 'ltr' };
  }
};
