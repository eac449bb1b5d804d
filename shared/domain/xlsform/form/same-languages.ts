/** A language as a header writes it, in lower case. `English (en)` has a name and a code, `English` and `en` do not. */
interface Spelling {
  whole: string;
  name?: string;
  code?: string;
  /** The names of a code's language in CLDR, in English and in the language itself. */
  known: readonly string[];
}

/** The longest code that is looked up, in characters, such as `zh-Hant-HK`. */
const MAX_CODE_LENGTH = 20;

/** The most languages of a form that are compared with each other. A content has fewer translations. */
const MAX_COMPARED = 200;

const namesOfCode = (code: string): string[] => {
  if (code.length > MAX_CODE_LENGTH || !/^[a-z]{2,3}(?:[-_][a-z\d]+)*$/.test(code)) return [];
  try {
    const [tag = ''] = Intl.getCanonicalLocales(code.replaceAll('_', '-'));
    return ['en', tag].flatMap(
      (reader) =>
        new Intl.DisplayNames([reader], { type: 'language', fallback: 'none' }).of(tag)?.toLowerCase() ?? [],
    );
  } catch {
    // The text only looks like a code.
    return [];
  }
};

const spellingOf = (language: string): Spelling => {
  const whole = language.trim().replaceAll(/\s+/g, ' ').toLowerCase();
  const [, name, code] = /^(.*\S) ?\( ?([^()]*[^() ]) ?\)$/.exec(whole) ?? [];
  return name === undefined || code === undefined
    ? { whole, known: namesOfCode(whole) }
    : { whole: `${name} (${code})`, name, code, known: [] };
};

/** Whether a text without a code in parentheses means the same language as another text. */
const isPartOf = (bare: Spelling, { whole, name, code }: Spelling): boolean =>
  bare.name === undefined &&
  (name === undefined ? [whole] : [name, code]).some(
    (part) => part !== undefined && (part === bare.whole || bare.known.includes(part)),
  );

const isSame = (a: Spelling, b: Spelling): boolean => a.whole === b.whole || isPartOf(a, b) || isPartOf(b, a);

/**
 * Whether two texts mean the same language: `English (en)`, `English` and `en` do. Two languages of one name with
 * different codes, such as `English (en-GB)` and `English (en-US)`, do not.
 */
export const isSameLanguage = (a: string, b: string): boolean => isSame(spellingOf(a), spellingOf(b));

/**
 * The languages that a form spells in several ways.
 * @param languages as the headers write them
 * @returns for each other spelling the one to use: the first that has a name and a code, if there is one
 */
export const sameLanguages = (languages: readonly string[]): Map<string, string> => {
  const compared = languages
    .slice(0, MAX_COMPARED)
    .map((language) => ({ language, spelling: spellingOf(language) }));
  const isFull = ({ spelling }: (typeof compared)[number]) => Number(spelling.name !== undefined);
  const kept: typeof compared = [];
  const others = new Map<string, string>();
  for (const each of compared.toSorted((a, b) => isFull(b) - isFull(a))) {
    const same = kept.filter(({ spelling }) => isSame(spelling, each.spelling));
    // `English` remains a language of its own beside both `English (en-GB)` and `English (en-US)`.
    if (same.length === 1) others.set(each.language, same[0]!.language);
    else kept.push(each);
  }
  return others;
};
