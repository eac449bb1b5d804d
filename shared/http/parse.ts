import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod';
import { canonicalJson } from '../base/canonical-json.ts';
import { badRequest, unprocessable } from '../base/errors.ts';
import type { Problem } from '../base/problem.ts';
import { sha256 } from '../db/table/keys.ts';
import { isMultipart, type Operation } from './operation.ts';
import { fromText, type Source, unstorable, validated } from './validation.ts';

export interface ParsedRequest {
  params: unknown;
  query: unknown;
  body: unknown;
  /** From `If-Match` or the body's `expected_version`. */
  expectedVersion: number | undefined;
  /** Equal for two requests that say the same, however their JSON or form is laid out. */
  fingerprint: string;
}

/** A header's value whatever its case; API Gateway keeps the client's. */
export const header = (event: APIGatewayProxyEvent, name: string): string | undefined => {
  const { headers } = event;
  const key = Object.keys(headers ?? {}).find((candidate) => candidate.toLowerCase() === name);
  return key === undefined ? undefined : headers[key];
};

/**
 * The whole request against its declaration.
 * @throws ApiError 400 when the body cannot be read at all; 422 with every problem of path, query, headers and
 * body at once.
 */
export const parseRequest = (operation: Operation, event: APIGatewayProxyEvent): ParsedRequest => {
  const problems: Problem[] = [];
  const check = (source: Source, schema: z.ZodType, input: unknown, isText?: boolean): unknown => {
    const result = validated(source, schema, input, isText);
    if ('data' in result) return result.data;
    for (const problem of result.problems) problems.push(problem);
    return undefined;
  };

  const params = check('path', operation.params ?? NOTHING, event.pathParameters ?? {});
  const querySchema = operation.query ?? NOTHING;
  const query = check('query', querySchema, queryOf(querySchema, event));
  const raw = readBody(operation, event);
  problems.push(...raw.problems);
  const body =
    raw.problems.length > 0 && raw.isUnreadable
      ? undefined
      : check('body', raw.schema, raw.input, raw.files && true);
  const expectedVersion = expectedVersionOf(event, body, problems);
  if (problems.length > 0) throw unprocessable(problems);
  return {
    params,
    query,
    body: raw.files ? { ...(body as object), ...raw.files } : withoutExpectedVersion(body),
    expectedVersion,
    fingerprint: sha256(
      canonicalJson([event.pathParameters, event.multiValueQueryStringParameters, raw.identity]),
    ),
  };
};

const NOTHING = z.strictObject({});
const NO_BODY = NOTHING.optional();

const queryOf = (schema: z.ZodObject, event: APIGatewayProxyEvent): Record<string, unknown> => {
  const shape = schema.shape as Record<string, z.core.$ZodType>;
  return Object.fromEntries(
    Object.entries(event.multiValueQueryStringParameters ?? {}).map(([name, texts]) => [
      name,
      Object.hasOwn(shape, name) ? fromText(shape[name]!, texts ?? []) : texts,
    ]),
  );
};

interface RawBody {
  schema: z.ZodType;
  input: unknown;
  /** What two equal requests have in common. */
  identity: unknown;
  problems: Problem[];
  /** The problems are such that the schema need not look. */
  isUnreadable?: boolean;
  files?: Record<string, unknown>;
}

const readBody = (operation: Operation, event: APIGatewayProxyEvent): RawBody => {
  const bytes = event.body
    ? Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8')
    : Buffer.alloc(0);
  const contentType = header(event, 'content-type') ?? '';
  const declared = operation.body;
  const isJson = /^application\/json\s*(;|$)/i.test(contentType);
  const json = isMultipart(declared) ? declared.json : declared;
  if (isMultipart(declared) && !(json && isJson)) {
    if (!/^multipart\/form-data\b/i.test(contentType)) {
      throw badRequest(`the content type must be multipart/form-data${json ? ' or application/json' : ''}`);
    }
    const { fields, files, problems } = declared.read(contentType, bytes);
    return {
      schema: declared.fields,
      input: fields,
      identity: [
        fields,
        Object.fromEntries(
          Object.entries(files).map(([name, file]) => [name, [file.name, sha256(file.bytes)]]),
        ),
      ],
      problems,
      files,
    };
  }
  const schema = json ?? NO_BODY;
  if (bytes.length === 0) return { schema, input: undefined, identity: null, problems: [] };
  if (json && !isJson) {
    throw badRequest('the content type must be application/json');
  }
  const input = parseJson(bytes);
  const problems = unstorable(input);
  return { schema, input, identity: input, problems, isUnreadable: problems.length > 0 };
};

const parseJson = (bytes: Buffer): unknown => {
  let text;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw badRequest('the body is not valid UTF-8');
  }
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest('the body is not valid JSON');
  }
};

const IF_MATCH = /^(?:W\/)?"?(\d{1,15})"?$/;

const expectedVersionOf = (
  event: APIGatewayProxyEvent,
  body: unknown,
  problems: Problem[],
): number | undefined => {
  const fromBody = (body as { expected_version?: number } | undefined)?.expected_version;
  const text = header(event, 'if-match')?.trim();
  if (text === undefined || text === '*') return fromBody;
  const version = Number(IF_MATCH.exec(text)?.[1] ?? Number.NaN);
  if (Number.isNaN(version) || (fromBody !== undefined && fromBody !== version)) {
    problems.push({
      loc: ['header', 'if-match'],
      type: 'value_error',
      msg: "Value error, should be one quoted version, and the body's expected_version where that is given",
    });
  }
  return version;
};

/** It guards the change and is not part of it. */
const withoutExpectedVersion = (body: unknown): unknown => {
  if (body === null || typeof body !== 'object' || !Object.hasOwn(body, 'expected_version')) return body;
  const { expected_version: _, ...rest } = body as Record<string, unknown>;
  return rest;
};
