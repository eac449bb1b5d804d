import type { FileLink } from '../document/document.ts';
import { type Content, SIZE, type Word } from './word.ts';

/** Files that are no pictures, by their names. */
export const drawFiles = (word: Word, files: readonly FileLink[]): Content[] =>
  files.map(({ name, kind, caption, href }) =>
    word.paragraph([
      ...word.words([{ text: name, ...(href !== null && { href }) }]),
      ...word.runs(
        [kind, caption]
          .filter(Boolean)
          .map((part) => ` · ${part}`)
          .join(''),
        {
          size: SIZE.small,
          color: word.ink.muted,
        },
      ),
    ]),
  );
