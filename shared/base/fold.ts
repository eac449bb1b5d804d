/**
 * The form of a text for comparing and sorting: with compatibility forms unified (Unicode NFKC) and in lower case, so
 * that "ﬁre Exit" and "FIRE EXIT" are equal.
 */
export const fold = (text: string): string => text.normalize('NFKC').toLowerCase();

/** The longest start of a text that fits into `bytes` bytes of UTF-8, without cutting a character. */
export const withinBytes = (text: string, bytes: number): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.from(text).subarray(0, bytes), {
    stream: true,
  });
