import type { Caller } from '../base/caller.ts';
import { searchedWords, type Worded, wordsOf } from '../domain/words.ts';
import type { Resources } from './entities/kinds.ts';
import { type Key, keys } from './keys.ts';
import type { Follower } from './resource.ts';
import { queryRows, type Row, withRows } from './rows.ts';

/** Ends a word in the sort keys of the rows by word. */
const SEPARATOR = '\u0001';

/** The rows by word of each kind that has such. */
const BY_WORD = {
  ASSET: keys.assetByWord,
  CLIENT: keys.clientByWord,
  ISSUE: keys.issueByWord,
  SCHEDULE: keys.scheduleByWord,
} as const;
type Searched = keyof typeof BY_WORD;

/** The rows by which lists find a resource by its words. @param what as in `Follower` */
export const foundByWords = <K extends Searched>(kind: K, what: string): Follower<Resources[K]> => ({
  what,
  row: BY_WORD[kind],
  at: (resource) => wordsOf(resource).map((word) => [word, resource.id]),
});

/** Where a resource stands in a list: by its id, or by its first word that a search has found. */
export const positionBy =
  (q: string | undefined) =>
  (resource: Worded & { id: string }): string => {
    if (q === undefined) return resource.id;
    const [beginning = ''] = searchedWords(q);
    return `${wordsOf(resource).find((word) => word.startsWith(beginning))}${SEPARATOR}${resource.id}`;
  };

/**
 * The resources that have a word with the longest beginning of a search, in the order of the words. Each comes once, with
 * the first such word of its own. Two calls for each page.
 * @param after the position that the page before ended with
 */
export const rowsByWord = async function* <K extends Searched>(
  caller: Caller,
  kind: K,
  q: string,
  after: string | undefined,
  limit: number | undefined,
): AsyncGenerator<Row<Resources[K]>> {
  const [beginning] = searchedWords(q);
  if (beginning === undefined) return;
  const count = limit && limit + 1;
  const partition = BY_WORD[kind].partition(caller);
  const found = queryRows(caller, { partition, prefix: beginning, after, pageSize: count });
  const keysOf = ({ sk }: Key) => [keys.one(caller, kind, sk.slice(sk.indexOf(SEPARATOR) + 1))] as const;
  const positionOf = positionBy(q);
  for await (const [{ sk }, [row]] of withRows(caller, found, keysOf, count))
    if (row && positionOf(row) === sk) yield row;
};
