import { GENERAL } from '../fonts.ts';
import type { Family } from '../fonts.ts';

/** The scripts that have a font family of their own, which has the same name. */
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

/** The families with Han characters; each also has the other letters of its language. */
const EAST_ASIAN = ['Chinese', 'Japanese', 'Korean'] as const satisfies Family[];
export type EastAsian = (typeof EAST_ASIAN)[number];
const LOCALES: Record<EastAsian, RegExp> = { Chinese: /^zh\b/i, Japanese: /^ja\b/i, Korean: /^ko\b/i };

const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
const HANGUL = /\p{Script=Hangul}/u;
const IDEOGRAPHIC = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}]/u;
/** Characters that several scripts use, such as digits and punctuation. */
const SHARED = /[\p{Script=Common}\p{Script=Inherited}]/u;

const usedIn = (property: 'Script' | 'Script_Extensions', character: string): Family[] =>
  SCRIPTS.filter((script) => new RegExp(`\\p{${property}=${script}}`, 'u').test(character));

/** The families in which the glyph of a character is searched. */
export interface Place {
  /** The family of its script; undefined for a character of several scripts, which takes that of the letters before it. */
  home: Family | 'East Asian' | undefined;
  /** The other families to search, the best first. */
  others: readonly (Family | 'East Asian')[];
  /** Whether it is a combining mark, which is drawn with the character before it. */
  isMark: boolean;
  /** Whether it draws nothing, such as a joiner. */
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
      // The East Asian files are the largest. They have no pictographs, so they are not opened for one.
      ...(character.length === 1 ? (['East Asian'] as const) : []),
    ],
  };
};

/** The families in which the glyph of a character is searched, by the scripts that use it (UAX #24). */
export const placeOf = (character: string): Place => ({
  ...scriptOf(character),
  isMark: /\p{M}/u.test(character),
  isInkless: /\p{Default_Ignorable_Code_Point}/u.test(character),
});

/** The language of a text by its letters: kana are Japanese, Hangul is Korean; undefined without either. */
export const languageOf = (text: string): EastAsian | undefined =>
  KANA.test(text) ? 'Japanese' : HANGUL.test(text) ? 'Korean' : undefined;

/** The East Asian language of a locale (BCP 47); undefined for any other language. */
export const languageOfLocale = (locale: string): EastAsian | undefined =>
  EAST_ASIAN.find((family) => LOCALES[family].test(locale));

/** The East Asian families, beginning with this one. */
export const eastAsian = (first: EastAsian): EastAsian[] => [
  first,
  ...EAST_ASIAN.filter((family) => family !== first),
];
