import { createHash } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod';
import { canonicalJson } from '../base/encoding.ts';
import { isResourceVersion } from '../schemas/common.ts';
import { isFile, isMultipart, type Operation } from './operation/operation.ts';
import { wholeHeader } from './request/event.ts';
import type { Validated } from './request/validation.ts';

/** The object schema inside wrappers such as `optional` and `pipe`. Undefined when there is none. */
const objectIn = (schema: z.core.$ZodType): z.ZodObject | undefined => {
  if (schema instanceof z.ZodObject) return schema;
  const {
    innerType,
    out,
    in: from,
  } = schema._zod.def as {
    innerType?: z.core.$ZodType;
    out?: z.core.$ZodType;
    in?: z.core.$ZodType;
  };
  return [innerType, out, from].map((inner) => inner && objectIn(inner)).find((found) => found !== undefined);
};

/** The schema of a field; undefined where the schema is no object, or has no such field. */
export const fieldIn = (schema: z.core.$ZodType | undefined, name: string): z.core.$ZodType | undefined =>
  schema && objectIn(schema)?.shape[name];

/** Whether the reply is a resource with a version, and so has an ETag. */
export const repliesVersion = ({ response }: Pick<Operation, 'response'>): boolean => {
  const version = isFile(response) ? undefined : fieldIn(response, 'version');
  return version !== undefined && isResourceVersion(version);
};

/** Whether a request may name the version that it changes, by `If-Match` or `expected_version`. */
export const takesVersion = ({ body, guarded = false }: Pick<Operation, 'body' | 'guarded'>): boolean =>
  guarded || fieldIn(isMultipart(body) ? body.fields : body, 'expected_version') !== undefined;

/** Whether a request may name the replies that the client has, by `If-None-Match`. */
export const takesKnownReplies = (operation: Pick<Operation, 'method' | 'response'>): boolean =>
  operation.method === 'GET' && repliesVersion(operation);

/** Bytes of a reply's digest. */
const DIGEST_BYTES = 12;

/** A digest that is the same for equal replies, because the table does not keep the order of fields. */
const digestOf = (value: unknown): string =>
  createHash('sha256').update(canonicalJson(value)).digest().subarray(0, DIGEST_BYTES).toString('base64url');

/**
 * The entity tag of a reply that is a resource with a version, without quotes; undefined for any other reply. It is
 * `<version>-<digest>`, because some fields of a reply change without the version, such as counters, or whether
 * something is overdue. If a change and a GET have the same reply, they have the same tag.
 */
export const entityTagOf = (operation: Pick<Operation, 'response'>, value: unknown): string | undefined =>
  repliesVersion(operation) ? `${(value as { version: number }).version}-${digestOf(value)}` : undefined;

/** Whether the client already has the reply with this tag. */
export const isKnown = (tag: string, known: KnownReplies | undefined): boolean =>
  known === '*' || (known?.includes(tag) ?? false);

// A version, or the tag of a reply, of which the version counts: a change overwrites the resource's own row, and not the
// counters and names that a reply takes from other rows. A weak tag never matches here (RFC 9110, section 13.1.1), so it
// is refused.
const IF_MATCH = /^(?:"(\d{1,15})(?:-[\w-]+)?"|(\d{1,15}))$/;

/**
 * The version that the client expects the resource to have, from `If-Match` or from the body's `expected_version`;
 * undefined when it names none, or when `If-Match` is `*`. A problem when the header is malformed or the two differ.
 */
export const expectedVersionOf = (
  event: APIGatewayProxyEvent,
  body: unknown,
): Validated<number | undefined> => {
  const fromBody = (body as { expected_version?: number } | undefined)?.expected_version;
  const text = wholeHeader(event, 'if-match')?.trim();
  if (text === undefined || text === '*') return { data: fromBody };
  const [, quoted, bare] = IF_MATCH.exec(text) ?? [];
  const version = Number(quoted ?? bare ?? Number.NaN);
  if (Number.isNaN(version) || (fromBody !== undefined && fromBody !== version)) {
    const msg =
      'Value error, If-Match should be one version in quotes, such as "3", or one ETag that is not weak; with expected_version in the body, both should name the same version';
    return { problems: [{ loc: ['header', 'if-match'], type: 'value_error', msg }] };
  }
  return { data: version };
};

/** The body without `expected_version`, which guards the change and is not part of it. */
export const withoutExpectedVersion = (body: unknown): unknown => {
  if (body === null || typeof body !== 'object' || !Object.hasOwn(body, 'expected_version')) return body;
  const { expected_version: _, ...rest } = body as Record<string, unknown>;
  return rest;
};

/** The replies that the client has: the entity tags in `If-None-Match` without quotes, or `*` for any reply. */
export type KnownReplies = readonly string[] | '*';

// RFC 9110, sections 5.6.1 and 8.8.3.
const TAG = String.raw`(?:W/)?"[!#-~\x80-\xff]*"`;
const TAGS = new RegExp(String.raw`^[\t ,]*(?:${TAG})(?:[\t ]*,[\t ,]*(?:${TAG}))*[\t ,]*$`);
const EACH_TAG = new RegExp(TAG, 'g');

/**
 * The replies that the client has, from `If-None-Match`; undefined when it names none. Whether a tag is weak does not
 * matter (RFC 9110, section 13.1.2). A problem when the header is malformed.
 */
export const knownRepliesOf = (event: APIGatewayProxyEvent): Validated<KnownReplies | undefined> => {
  const text = wholeHeader(event, 'if-none-match')?.trim();
  if (text === undefined || text === '*') return { data: text };
  if (!TAGS.test(text)) {
    const msg = 'Value error, If-None-Match should be * or a list of quoted entity tags';
    return { problems: [{ loc: ['header', 'if-none-match'], type: 'value_error', msg }] };
  }
  return { data: text.match(EACH_TAG)!.map((tag) => tag.replaceAll(/^W\/|"/g, '')) };
};
