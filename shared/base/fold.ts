/**
 * A text as it is compared and sorted: compatibility forms made equal (Unicode NFKC) and without case, so that
 * "ﬁre Exit" and "FIRE EXIT" are one.
 */
export const fold = (text: string): string => text.normalize('NFKC').toLowerCase();

/** The longest beginning of a text that fits into so many bytes of UTF-8, whole characters only. */
export const withinBytes = (text: string, bytes: number): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.from(text).subarray(0, bytes), {
    stream: true,
  });
