import type { APIGatewayProxyEvent } from 'aws-lambda';
import { wholeHeader } from './headers.ts';
import type { Validated } from './validation.ts';

// A GET adds a digest of its reply to the version in its ETag (`reply/etag.ts`).
const IF_MATCH = /^(?:W\/)?"?(\d{1,15})(?:-[\w-]+)?"?$/;

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
  const version = Number(IF_MATCH.exec(text)?.[1] ?? Number.NaN);
  if (Number.isNaN(version) || (fromBody !== undefined && fromBody !== version)) {
    const msg =
      'Value error, If-Match should be one quoted version, equal to expected_version in the body where both are given';
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
