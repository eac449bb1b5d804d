/** What lines of Chinese and Japanese may end before and after. */
const IDEOGRAPHIC =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\u3000-\u303f\uff00-\uff60]/u;
/** Closing brackets, stops, small kana and signs of repetition and prolongation. */
const NEVER_FIRST =
  /[\p{Pe}\p{Pf}\p{M}!%,.:;?…‥、。，．：；？！％℃°・ー々〻ゝゞヽヾぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ゛゜ๆฯ]/u;
const NEVER_LAST = /[\p{Ps}\p{Pi}$£¥€₩＄￥￦№#]/u;
const THAI = /\p{Script=Thai}/u;

/** Where the words of Thai begin, which no spaces part. */
const wordStarts = (characters: readonly string[]): Set<number> => {
  const starts = new Set<number>();
  let place = 0;
  for (const { segment } of new Intl.Segmenter('th', { granularity: 'word' }).segment(characters.join(''))) {
    starts.add(place);
    place += Array.from(segment).length;
  }
  return starts;
};

/**
 * Whether a line may begin with each of these characters: after a space, beside an ideograph and between the words of
 * Thai. The rules of UAX #14 that tell on text of these scripts; Korean breaks at its spaces.
 */
export const lineStarts = (characters: readonly string[]): boolean[] => {
  const thai = characters.some((character) => THAI.test(character)) ? wordStarts(characters) : undefined;
  return characters.map((character, index) => {
    const before = characters[index - 1];
    if (before === undefined || character === ' ') return false;
    if (before === ' ') return true;
    if (NEVER_FIRST.test(character) || NEVER_LAST.test(before)) return false;
    if (IDEOGRAPHIC.test(before) || IDEOGRAPHIC.test(character)) return true;
    return thai !== undefined && thai.has(index) && THAI.test(before) && THAI.test(character);
  });
};
