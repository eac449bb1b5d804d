import type { Caller } from '../../base/caller.ts';
import { changePart, type Work } from './change.ts';
import type { Write } from './writes.ts';

/** One transaction of a change that may need several. */
export interface Part {
  writes: Write[];
  /** Nothing is left to do after it. */
  isLast: boolean;
}

/**
 * Makes a change that may be too large for one transaction, in as many as it needs. Each part is decided on what is
 * stored by then, so a change that was interrupted is completed by making it again.
 * @param beginPart called once for each part. The function that it returns decides the part, and is called again when
 * another writer was faster: what one part keeps for its next attempt must not reach the next part.
 * @throws ApiError as `changePart`
 */
export const changeInParts = async (
  caller: Caller,
  beginPart: () => (work: Work) => Promise<Part>,
): Promise<void> => {
  let isLast = false;
  while (!isLast) {
    const decide = beginPart();
    isLast = await changePart(caller, async (work) => {
      const part = await decide(work);
      return { writes: part.writes, reply: part.isLast };
    });
  }
};

/**
 * Takes items in their order until one does not fit. The first is taken in any case, so that every part of a change
 * makes progress.
 * @param fits whether the item fits beside those that were taken
 */
export const takeWhatFits = <Item>(
  items: Iterable<Item>,
  fits: (item: Item) => boolean,
  take: (item: Item) => void,
): { taken: number; isAll: boolean } => {
  let taken = 0;
  for (const item of items) {
    if (taken > 0 && !fits(item)) return { taken, isAll: false };
    take(item);
    taken += 1;
  }
  return { taken, isAll: true };
};
