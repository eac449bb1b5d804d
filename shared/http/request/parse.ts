import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod';
import { canonicalJson, sha256 } from '../../base/encoding.ts';
import * as errors from '../../base/errors.ts';
import { type Problem, MalformedRow } from '../../base/problem.ts';
import type { UploadedFile } from '../../files/uploads.ts';
import type { Multipart } from '../operation/forms.ts';
import { type Operation, isMultipart } from '../operation/operation.ts';
import {
  takesKnownReplies,
  takesVersion,
  expectedVersionOf,
  withoutExpectedVersion,
  knownRepliesOf,
  type KnownReplies,
} from '../versions.ts';
import { wholeHeader, bytesOf, parseJson, checkCharset, checkContentEncoding, header } from './event.ts';
import { unstorable } from './storable.ts';
import { fromText, isRecord, type Source, type Validated, validated } from './validation.ts';

export interface ParsedRequest {
  params: unknown;
  query: unknown;
  body: unknown;
  /** From `If-Match` or the body's `expected_version`. */
  expectedVersion: number | undefined;
  /** From `If-None-Match`. */
  knownReplies: KnownReplies | undefined;
  /** A SHA-256 of the content and the expected version. The layout of the JSON or the form does not change it. */
  fingerprint: string;
}

/**
 * Checks the whole request against its operation's declaration.
 * @throws ApiError 400 when the body cannot be read at all, or for a header that the operation does not take; 422 with
 * all problems of path, query, body and headers at once
 */
export const parseRequest = (operation: Operation, event: APIGatewayProxyEvent): ParsedRequest => {
  refusePreconditions(operation, event);
  const params = checked('path', operation.params ?? NOTHING, pathOf(event));
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

// API Gateway passes the values of a path as the client has encoded them. A stray percent sign stays as it is, so that
// the operation refuses it like any other malformed value.
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const pathOf = ({ pathParameters }: APIGatewayProxyEvent): Record<string, string> =>
  Object.fromEntries(Object.entries(pathParameters ?? {}).map(([name, text = '']) => [name, decoded(text)]));

const queryOf = (schema: z.ZodObject, event: APIGatewayProxyEvent): Record<string, unknown> => {
  const shape = schema.shape as Record<string, z.core.$ZodType>;
  const query = new Map<string, unknown>();
  for (const [name, texts] of Object.entries(event.multiValueQueryStringParameters ?? {})) {
    const [record, key] = name.split(/\.(.*)/s) as [string, string?];
    if (key && Object.hasOwn(shape, record) && isRecord(shape[record]!)) {
      query.set(record, { ...(query.get(record) as object), [key]: texts?.length === 1 ? texts[0] : texts });
    } else query.set(name, Object.hasOwn(shape, name) ? fromText(shape[name]!, texts ?? []) : texts);
  }
  return Object.fromEntries(query);
};

const NO_BODY = z.strictObject({}).optional();

/** A body that was read but not checked. */
interface RawBody {
  /** The schema that `input` must satisfy. */
  schema: z.ZodType;
  input: unknown;
  /** The same for two bodies with the same content. It is part of the request's fingerprint. */
  identity: unknown;
  problems: Problem[];
  /** The schema must not check `input`: it may be nested too deeply, for example. */
  isUnreadable?: boolean;
  /** The files of a form, by name. */
  files?: Record<string, unknown>;
}

/** Reads a body as JSON or as a form, by its content type. @throws ApiError 400 when it is neither */
const readBody = (operation: Operation, event: APIGatewayProxyEvent): RawBody => {
  const bytes = bytesOf(event);
  const contentType = header(event, 'content-type') ?? '';
  if (bytes.length > 0) {
    checkContentEncoding(event);
    checkCharset(contentType);
  }
  const declared = operation.body;
  const isJson = /^application\/json\s*(;|$)/i.test(contentType);
  const json = isMultipart(declared) ? declared.json : declared;
  if (isMultipart(declared) && !(json && isJson)) {
    if (!/^multipart\/form-data\b/i.test(contentType)) {
      throw errors.wrongContentType('multipart/form-data', ...(json ? ['application/json'] : []));
    }
    return formBody(declared, contentType, bytes);
  }
  const schema = json ?? NO_BODY;
  if (bytes.length === 0) return { schema, input: undefined, identity: null, problems: [] };
  if (json && !isJson) throw errors.wrongContentType('application/json');
  const input = parseJson(bytes);
  const problems = unstorable(input);
  // A body that is nested too deeply has no canonical JSON. Those of batches are carried out nevertheless, but for such rows.
  const isUnreadable = problems.length > 0;
  return { schema, input, identity: isUnreadable ? sha256(bytes) : input, problems, isUnreadable };
};

const formBody = (form: Multipart, contentType: string, bytes: Uint8Array): RawBody => {
  const { fields, files, problems } = form.read(contentType, bytes);
  const unstorableFields = unstorable(fields);
  const hashed = ({ name, bytes }: UploadedFile) => [name, sha256(bytes)];
  const fileHashes = Object.entries(files).map(([name, sent]) => [
    name,
    Array.isArray(sent) ? sent.map(hashed) : hashed(sent),
  ]);
  return {
    schema: form.fields,
    input: fields,
    identity: [fields, Object.fromEntries(fileHashes)],
    problems: [...problems, ...unstorableFields],
    isUnreadable: unstorableFields.length > 0,
    files,
  };
};

type Rows = Record<string, unknown[]>;

/** The row that a problem is in; undefined for one of the request as a whole. */
const rowOf = ({ loc: [, list, row] }: Problem, name: string): number | undefined =>
  list === name && row !== undefined ? Number(row) : undefined;

/** The problems of each row, with their paths within the row. */
const byRow = (problems: readonly Problem[], name: string): Map<number, Problem[]> => {
  const found = new Map<number, Problem[]>();
  for (const problem of problems) {
    const row = rowOf(problem, name);
    if (row === undefined) continue;
    const [source, , , ...within] = problem.loc;
    found.set(row, [...(found.get(row) ?? []), { ...problem, loc: [source!, ...within] }]);
  }
  return found;
};

/**
 * Checks a body whose rows fail alone. A row that is not valid becomes a `MalformedRow`.
 * @param raw the body as it was read. A problem of a row belongs to that row, any other problem to the whole request
 * @param name the list in the body
 * @returns the body; or problems of the whole request, such as too many rows
 */
const validatedRows = ({ schema, input, problems }: RawBody, name: string): Validated<unknown> => {
  if (problems.some((problem) => rowOf(problem, name) === undefined)) return { problems: [] };
  const list = (input as Partial<Rows> | undefined)?.[name];
  if (!Array.isArray(list)) return validated('body', schema, input);
  // A body reports only its first problems. So if there are any, each row is checked by itself.
  const unreadable = problems.length > 0 ? list.map((row) => unstorable(row)) : [];
  const malformed = new Map(unreadable.flatMap((found, row) => (found.length > 0 ? [[row, found]] : [])));
  const readable = [...list.keys()].filter((row) => !malformed.has(row));
  const only = (rows: readonly number[]) => ({ ...(input as Rows), [name]: rows.map((row) => list[row]) });
  const first = validated('body', schema, only(readable));
  if ('data' in first) return { data: withMalformed(first.data as Rows, name, list.length, malformed) };
  const whole = first.problems.filter((problem) => rowOf(problem, name) === undefined);
  if (whole.length > 0) return { problems: whole };
  for (const [position, found] of byRow(first.problems, name)) malformed.set(readable[position]!, found);
  const valid = validated(
    'body',
    schema as z.ZodType<Rows>,
    only(readable.filter((row) => !malformed.has(row))),
  );
  return 'data' in valid ? { data: withMalformed(valid.data, name, list.length, malformed) } : valid;
};

/** The body with each malformed row at its position among the valid ones. */
const withMalformed = (
  body: Rows,
  name: string,
  length: number,
  malformed: ReadonlyMap<number, Problem[]>,
): Rows => {
  const valid = body[name]!.values();
  return {
    ...body,
    [name]: Array.from({ length }, (_, row) => {
      const problems = malformed.get(row);
      return problems ? new MalformedRow(problems) : valid.next().value;
    }),
  };
};
