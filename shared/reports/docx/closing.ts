import type { Closing } from '../document/document.ts';
import { type Content, SIZE, type Word } from './word.ts';

/** How a reader verifies the report, with the QR code beside it. */
export const drawClosing = (word: Word, { heading, sentence, hashName, hash, qr }: Closing): Content[] => {
  const words = [
    word.text(heading, { bold: true }, { keepNext: true }),
    word.quiet(sentence),
    ...(hash === null
      ? []
      : [
          word.paragraph([
            ...word.runs(`${hashName} `, { bold: true, size: SIZE.small }),
            ...word.runs(hash, { size: SIZE.small }),
          ]),
        ]),
  ];
  const code = qr === null ? [] : [word.paragraph([word.code(qr)])];
  return [word.text(''), ...word.grid([words, code], [5, 1])];
};
