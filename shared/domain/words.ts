import { fold, withinBytes } from '../base/text.ts';

/** Words of a name by which something is found. */
const MAX_NAME_WORDS = 5;

/** Words of a serial number, an address or a reference by which something is found. */
const MAX_OTHER_WORDS = 2;

/** Bytes of a word by which something is found. */
const MAX_WORD_BYTES = 100;

/** What is found by its words. */
export interface Worded {
  name?: string;
  title?: string;
  serial?: string | null;
  email?: string | null;
  external_ref?: string | null | undefined;
  number?: number;
}

const wordsIn = (text: string): string[] =>
  fold(text)
    .split(/[\s\p{Cc}]+/u)
    .map((word) => withinBytes(word.replace(/^[^\p{L}\p{N}]+/u, ''), MAX_WORD_BYTES))
    .filter((word) => word !== '');

/** The words by which lists find something, each once, in ascending order. */
export const wordsOf = ({ name, title, serial, email, external_ref, number }: Worded): string[] => {
  const others = [serial, email, external_ref].map((text) => wordsIn(text ?? '').slice(0, MAX_OTHER_WORDS));
  return [
    ...new Set([
      ...wordsIn(name ?? title ?? '').slice(0, MAX_NAME_WORDS),
      ...others.flat(),
      ...(number === undefined ? [] : [String(number)]),
    ]),
  ].toSorted();
};

/** The beginnings of words that a search asks for: all of them, the longest first. */
export const searchedWords = (text: string): string[] =>
  wordsIn(text).toSorted((a, b) => b.length - a.length);

/** Whether each of these beginnings is one of some word of a resource. */
export const hasWords = (resource: Worded, beginnings: readonly string[]): boolean => {
  const words = wordsOf(resource);
  return beginnings.every((beginning) => words.some((word) => word.startsWith(beginning)));
};

/** Finds what a search asks for. What is no word finds nothing. */
export const wordFilter = (q: string | undefined): ((resource: Worded) => boolean) => {
  if (q === undefined) return () => true;
  const beginnings = searchedWords(q);
  return (resource) => beginnings.length > 0 && hasWords(resource, beginnings);
};
