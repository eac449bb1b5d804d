import * as z from 'zod';
import { newEvent } from '../../../infra/local/event.ts';
import { ApiError } from '../../../shared/base/api-error.ts';
import type { Operation } from '../../../shared/http/operation/operation.ts';
import { parseRequest } from '../../../shared/http/request/parse.ts';

/** The contract's error types, with Pydantic v2's names. */
const TYPES = [
  'missing',
  'extra_forbidden',
  'string_type',
  'string_too_short',
  'string_too_long',
  'string_pattern_mismatch',
  'int_type',
  'int_parsing',
  'float_type',
  'bool_type',
  'bool_parsing',
  'uuid_parsing',
  'enum',
  'literal_error',
  'list_type',
  'too_short',
  'too_long',
  'dict_type',
  'greater_than_equal',
  'less_than_equal',
  'datetime_parsing',
  'date_from_datetime_parsing',
  'union_tag_invalid',
  'value_error',
];

const Problems = z
  .array(
    z.strictObject({
      loc: z.array(z.string()).min(1),
      msg: z.string().min(1),
      type: z.enum(TYPES),
      input: z.unknown().optional(),
      ctx: z.record(z.string(), z.unknown()).optional(),
    }),
  )
  .min(1);

export const expectProblems = (problems: unknown, sources: string[]) => {
  // In the form that the client reads.
  const read = Problems.safeParse(JSON.parse(JSON.stringify(problems)));
  if (!read.success) throw new Error(`${z.prettifyError(read.error)}\n${JSON.stringify(problems)}`);
  // `expect` makes an error each time, which takes longer than to read a request.
  for (const { loc } of read.data)
    if (!sources.includes(loc[0]!)) throw new Error(`${loc.join('.')} is in none of ${sources.join(', ')}`);
};

export const eventOf = (
  operation: Operation,
  { body = Buffer.alloc(0), type = 'application/json', query = '', params = {} },
) =>
  newEvent(
    { resource: operation.path, params },
    {
      method: operation.method,
      path: operation.path,
      query,
      rawHeaders: ['Content-Type', type],
      body,
      sourceIp: '127.0.0.1',
    },
  );

/** Reads a request or refuses it with an ApiError; any other error is a crash. */
export const readOrRefuse = (operation: Operation, given: Parameters<typeof eventOf>[1]): void => {
  try {
    parseRequest(operation, eventOf(operation, given));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status !== 400 && error.status !== 422) throw error;
    if (error.status === 422) expectProblems(error.detail, ['body', 'query', 'path', 'header']);
  }
};

/** JSON texts that only an attacker would send. */
export const HOSTILE = [
  '1e400',
  '-1e400',
  '1e200',
  '1e-200',
  '9007199254740993',
  '-0',
  String.raw`"\ud800"`,
  String.raw`"\u0000"`,
  '{"__proto__": 1}',
  '{"constructor": {"prototype": 1}}',
  '{"toString": 1}',
  '{"": 1}',
  '['.repeat(10_000) + ']'.repeat(10_000),
  '{"a":'.repeat(10_000) + '1' + '}'.repeat(10_000),
  `"${'x'.repeat(20_000)}"`,
];

/** The detail of the error with which a request is refused; `[]` when it is read. */
export const refusedBy = (operation: Operation, given: Parameters<typeof eventOf>[1]): unknown => {
  try {
    parseRequest(operation, eventOf(operation, given));
    return [];
  } catch (error) {
    return (error as ApiError).detail;
  }
};
