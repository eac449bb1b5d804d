/**
 * A value as JSON in ASCII only: any other character is escaped (RFC 8259, section 7). Queues refuse some characters
 * that JSON allows (Amazon SQS, SendMessage, "MessageBody"); here no text can contain one.
 */
export const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
