import type { Readable } from 'node:stream';
import type { RepliedFile } from '../operation/file.ts';
import { isFile, type Operation } from '../operation/operation.ts';
import { ordererOf } from './field-order.ts';
import { fileHeaders } from './file.ts';

export interface Reply {
  statusCode: number;
  headers: Record<string, string>;
  body: string | Readable;
  isBase64Encoded?: boolean;
}

export const JSON_TYPE = { 'content-type': 'application/json' };

/** A JSON reply; `text` is the JSON. */
export const json = (statusCode: number, text: string, headers: Record<string, string> = {}): Reply => ({
  statusCode,
  headers: { ...JSON_TYPE, ...headers },
  body: text,
});

/** The JSON text of an operation's reply; undefined is written as `null`. */
export const textOf = ({ response }: Operation, value: unknown): string =>
  JSON.stringify(isFile(response) ? value : ordererOf(response)(value ?? null));

const fileReply = (file: RepliedFile): Reply => ({
  statusCode: 200,
  headers: fileHeaders(file),
  body: Buffer.from(file.bytes).toString('base64'),
  isBase64Encoded: true,
});

/** An operation that declares `existing` returns this when the resource existed already and nothing changed. */
export class Existing<Value> {
  readonly value: Value;

  constructor(value: Value) {
    this.value = value;
  }
}

/** The `ETag` of a value that has a version. */
export const etagOf = (value: unknown): Record<string, string> => {
  const version = (value as { version?: unknown } | null | undefined)?.version;
  return typeof version === 'number' ? { etag: `"${version}"` } : {};
};

/** An operation's success reply, with the value's `version` as an ETag where it has one. */
export const success = (operation: Operation, returned: unknown): Reply => {
  if (isFile(operation.response)) return fileReply(returned as RepliedFile);
  if (operation.success === 204) return { statusCode: 204, headers: {}, body: '' };
  const [status, value] =
    returned instanceof Existing
      ? [operation.existing ?? operation.success, returned.value as unknown]
      : [operation.success, returned];
  return json(status, textOf(operation, value), etagOf(value));
};
