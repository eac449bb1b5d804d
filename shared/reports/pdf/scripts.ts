import { GENERAL } from '../fonts.ts';
import type { Family } from '../fonts.ts';

/** Scripts with a family of their own, under its name. */
const SCRIPTS = [
  'Arabic',
  'Armenian',
  'Bengali',
  'Devanagari',
  'Ethiopic',
  'Georgian',
  'Hebrew',
  'Tamil',
  'Thai',
] as const satisfies Family[];

/** The families of Han characters: each also has the letters of its language. */
const EAST_ASIAN = ['Chinese', 'Japanese', 'Korean'] as const satisfies Family[];
export type EastAsian = (typeof EAST_ASIAN)[number];
const LOCALES: Record<EastAsian, RegExp> = { Chinese: /^zh\b/i, Japanese: /^ja\b/i, Korean: /^ko\b/i };

const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
const HANGUL = /\p{Script=Hangul}/u;
const IDEOGRAPHIC = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}]/u;
const SHARED = /[\p{Script=Common}\p{Script=Inherited}]/u;

const usedIn = (property: 'Script' | 'Script_Extensions', character: string): Family[] =>
  SCRIPTS.filter((script) => new RegExp(`\\p{${property}=${script}}`, 'u').test(character));

/** Where a character looks for its glyph. */
export interface Place {
  /** The family of its script; none for a sign of many scripts, which goes with the letters before it. */
  home: Family | 'East Asian' | undefined;
  /** Where else it may be, best first. */
  others: readonly (Family | 'East Asian')[];
  /** A mark, or a sign without ink, is drawn with the character before it. */
  isMark: boolean;
  isInkless: boolean;
}

const scriptOf = (character: string): Pick<Place, 'home' | 'others'> => {
  if (IDEOGRAPHIC.test(character) || HANGUL.test(character))
    return { home: 'East Asian', others: ['East Asian'] };
  const [own] = usedIn('Script', character);
  if (own) return { home: own, others: GENERAL };
  if (!SHARED.test(character)) return { home: GENERAL[0], others: GENERAL };
  return {
    home: undefined,
    others: [
      ...GENERAL,
      ...usedIn('Script_Extensions', character),
      // The largest files are not opened for a pictograph: beyond the first plane they have none.
      ...(character.length === 1 ? (['East Asian'] as const) : []),
    ],
  };
};

/** Where a character looks for its glyph, by the scripts it is used in (UAX #24). */
export const placeOf = (character: string): Place => ({
  ...scriptOf(character),
  isMark: /\p{M}/u.test(character),
  isInkless: /\p{Default_Ignorable_Code_Point}/u.test(character),
});

/** The family that a text's letters ask for: kana are Japanese, Hangul is Korean. */
export const languageOf = (text: string): EastAsian | undefined =>
  KANA.test(text) ? 'Japanese' : HANGUL.test(text) ? 'Korean' : undefined;

/** The family of a locale's language (BCP 47). */
export const languageOfLocale = (locale: string): EastAsian | undefined =>
  EAST_ASIAN.find((family) => LOCALES[family].test(locale));

/** The East Asian families, one before the others. */
export const eastAsian = (first: EastAsian): EastAsian[] => [
  first,
  ...EAST_ASIAN.filter((family) => family !== first),
];
