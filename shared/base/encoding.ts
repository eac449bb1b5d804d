import { createHash } from 'node:crypto';

/**
 * A value as JSON in ASCII only: any other character is escaped (RFC 8259, section 7). Queues refuse some characters
 * that JSON allows (Amazon SQS, SendMessage, "MessageBody"); here no text can contain one.
 */
export const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/**
 * A JSON value as canonical JSON, which is the same text for all equal values: without white space, and with members
 * sorted by the UTF-16 code units of their names (RFC 8785, JSON Canonicalization Scheme).
 */
export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.keys(value)
    .toSorted()
    .flatMap((name) => {
      const inner: unknown = Reflect.get(value, name);
      return inner === undefined ? [] : [`${JSON.stringify(name)}:${canonicalJson(inner)}`];
    });
  return `{${members.join(',')}}`;
};

/** The SHA-256 of some data, as 64 hexadecimal digits. */
export const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');
