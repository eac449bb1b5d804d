import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod';
import { canonicalJson } from '../../base/canonical-json.ts';
import * as errors from '../../base/errors.ts';
import { sha256 } from '../../base/sha256.ts';
import type { Operation } from '../operation/operation.ts';
import { takesKnownReplies, takesVersion } from '../operation/versions.ts';
import { type RawBody, readBody } from './body.ts';
import { expectedVersionOf, withoutExpectedVersion } from './expected-version.ts';
import { fromText } from './from-text.ts';
import { wholeHeader } from './headers.ts';
import { knownRepliesOf, type KnownReplies } from './known-replies.ts';
import type { Source } from './problems.ts';
import { validatedRows } from './rows.ts';
import { unstorable } from './storable.ts';
import { type Validated, validated } from './validation.ts';

export interface ParsedRequest {
  params: unknown;
  query: unknown;
  body: unknown;
  /** From `If-Match` or the body's `expected_version`. */
  expectedVersion: number | undefined;
  /** From `If-None-Match`. */
  knownReplies: KnownReplies | undefined;
  /** SHA-256 that is equal for two requests with the same content and expected version, however their JSON or form is laid out. */
  fingerprint: string;
}

/**
 * Checks the whole request against its operation's declaration.
 * @throws ApiError 400 when the body cannot be read at all, or for a header that the operation does not take; 422 with every problem of path, query, body and headers
 * at once.
 */
export const parseRequest = (operation: Operation, event: APIGatewayProxyEvent): ParsedRequest => {
  refusePreconditions(operation, event);
  const params = checked('path', operation.params ?? NOTHING, event.pathParameters ?? {});
  const querySchema = operation.query ?? NOTHING;
  const query = checked('query', querySchema, queryOf(querySchema, event));
  const raw = readBody(operation, event);
  const body = bodyOf(operation, raw);
  const expectedVersion = expectedVersionOf(event, dataOf(body));
  const knownReplies = knownRepliesOf(event);
  const unreadable = operation.rows === undefined || !('data' in body) ? [raw] : [];
  const problems = [params, query, ...unreadable, body, expectedVersion, knownReplies].flatMap((part) =>
    'problems' in part ? part.problems : [],
  );
  if (problems.length > 0) throw errors.validationFailed(problems);
  return {
    params: dataOf(params),
    query: dataOf(query),
    body: raw.files ? { ...(dataOf(body) as object), ...raw.files } : withoutExpectedVersion(dataOf(body)),
    expectedVersion: dataOf(expectedVersion),
    knownReplies: dataOf(knownReplies),
    fingerprint: sha256(
      canonicalJson([
        event.pathParameters,
        event.multiValueQueryStringParameters,
        raw.identity,
        dataOf(expectedVersion) ?? null,
      ]),
    ),
  };
};

const bodyOf = (operation: Operation, raw: RawBody): Validated<unknown> => {
  if (operation.rows !== undefined) return validatedRows(raw, operation.rows);
  return raw.isUnreadable
    ? { problems: [] }
    : validated('body', raw.schema, raw.input, raw.files !== undefined);
};

const NOTHING = z.strictObject({});

/** @throws ApiError 400 for a condition that the operation cannot check */
const refusePreconditions = (operation: Operation, event: APIGatewayProxyEvent): void => {
  const refused = [
    ...(takesVersion(operation) ? [] : ['If-Match']),
    ...(takesKnownReplies(operation) ? [] : ['If-None-Match']),
  ].find((name) => wholeHeader(event, name.toLowerCase()) !== undefined);
  if (refused) throw errors.preconditionNotTaken(refused);
};

/** Checks a part of the request that came as texts, against its schema and for what the table cannot store. */
const checked = (source: Source, schema: z.ZodType, input: object): Validated<unknown> => {
  const problems = unstorable(input, source);
  return problems.length > 0 ? { problems } : validated(source, schema, input);
};

const dataOf = <Value>(part: Validated<Value>): Value | undefined => ('data' in part ? part.data : undefined);

const queryOf = (schema: z.ZodObject, event: APIGatewayProxyEvent): Record<string, unknown> => {
  const shape = schema.shape as Record<string, z.core.$ZodType>;
  return Object.fromEntries(
    Object.entries(event.multiValueQueryStringParameters ?? {}).map(([name, texts]) => [
      name,
      Object.hasOwn(shape, name) ? fromText(shape[name]!, texts ?? []) : texts,
    ]),
  );
};
