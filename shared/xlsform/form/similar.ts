/** How many letters of a word may be wrong, and of a word of up to four letters. */
const MAX_WRONG_LETTERS = 2;
const MAX_WRONG_OF_FOUR = 1;

/** The longest text that is compared, in characters. */
const MAX_COMPARED_LENGTH = 40;

/**
 * How many letters have to be changed, added, removed or exchanged with the next one to make one text of the other
 * (Damerau and Levenshtein; "optimal string alignment").
 */
const distance = (a: string, b: string): number => {
  let [before, previous] = [[0], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 0; i < a.length; i += 1) {
    const current = [i + 1];
    for (let j = 0; j < b.length; j += 1) {
      const isExchanged = a[i] === b[j - 1] && a[i - 1] === b[j];
      current.push(
        Math.min(
          previous[j]! + (a[i] === b[j] ? 0 : 1),
          previous[j + 1]! + 1,
          current[j]! + 1,
          isExchanged ? before[j - 1]! + 1 : Infinity,
        ),
      );
    }
    [before, previous] = [previous, current];
  }
  return previous[b.length]!;
};

/** The word that a misspelt text may mean, such as `survey` for `surveys`; undefined for none. */
export const similarTo = (text: string, words: Iterable<string>): string | undefined => {
  const plain = text.trim().toLowerCase();
  if (plain.length > MAX_COMPARED_LENGTH) return undefined;
  const most = plain.length <= 4 ? MAX_WRONG_OF_FOUR : MAX_WRONG_LETTERS;
  const found = Array.from(words, (word) => ({ word, wrong: distance(plain, word) }));
  return found.filter(({ wrong }) => wrong <= most).toSorted((a, b) => a.wrong - b.wrong)[0]?.word;
};
