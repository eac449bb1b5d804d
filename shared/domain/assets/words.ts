import { fold, withinBytes } from '../../base/text.ts';

/** Words of a name by which an asset is found. */
const MAX_NAME_WORDS = 5;

/** Words of a serial number by which an asset is found. */
const MAX_SERIAL_WORDS = 2;

/** Bytes of a word by which an asset is found. */
const MAX_WORD_BYTES = 100;

const wordsIn = (text: string): string[] =>
  fold(text)
    .split(/\s+/)
    .map((word) => withinBytes(word.replace(/^[^\p{L}\p{N}]+/u, ''), MAX_WORD_BYTES))
    .filter((word) => word !== '');

/** The words by which lists find an asset, each once, in ascending order. */
export const wordsOf = ({
  name,
  serial,
  number,
}: {
  name: string;
  serial: string | null;
  number: number;
}): string[] =>
  [
    ...new Set([
      ...wordsIn(name).slice(0, MAX_NAME_WORDS),
      ...wordsIn(serial ?? '').slice(0, MAX_SERIAL_WORDS),
      String(number),
    ]),
  ].toSorted();

/** The beginnings of words that a search asks for: all of them, the longest first. */
export const searchedWords = (text: string): string[] =>
  wordsIn(text).toSorted((a, b) => b.length - a.length);

/** Whether each of these beginnings is one of some word of an asset. */
export const hasWords = (words: readonly string[], beginnings: readonly string[]): boolean =>
  beginnings.every((beginning) => words.some((word) => word.startsWith(beginning)));
