/** Characters of Chinese and Japanese: a line may break before and after each. */
const IDEOGRAPHIC =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\u3000-\u303f\uff00-\uff60]/u;
/** Characters that no line begins with: closing brackets, punctuation, small kana, iteration and length marks. */
const NEVER_FIRST =
  /[\p{Pe}\p{Pf}\p{M}!%,.:;?…‥、。，．：；？！％℃°・ー々〻ゝゞヽヾぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ゛゜ๆฯ]/u;
/** Characters that no line ends with: opening brackets and currency signs. */
const NEVER_LAST = /[\p{Ps}\p{Pi}$£¥€₩＄￥￦№#]/u;
const THAI = /\p{Script=Thai}/u;

/** The positions where words begin. Thai has no spaces between words, so Intl.Segmenter finds them. */
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
 * Whether a line may begin with each of these characters: after a space, beside an ideograph, and at the start of a
 * Thai word. These are the rules of UAX #14 that matter for Chinese, Japanese and Thai; Korean breaks at spaces.
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
