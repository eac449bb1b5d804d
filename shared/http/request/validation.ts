import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod';
import * as errors from '../../base/errors.ts';
import type { Problem, ProblemType } from '../../base/problem.ts';

/** A checked value, or every problem that it has. */
export type Validated<Value> = { data: Value } | { problems: Problem[] };

/** Checks a value against its schema. The arguments are those of `validationProblems`. */
export const validated = <Schema extends z.ZodType>(
  source: Source,
  schema: Schema,
  input: unknown,
  isText?: boolean,
): Validated<z.output<Schema>> => {
  try {
    const { data, error } = schema.safeParse(input, { error: nameIntegers });
    return error ? { problems: validationProblems(source, error.issues, input, isText) } : { data: data! };
  } catch (error) {
    // zod passes its issues as arguments of one call, and the stack has room for some hundred thousand.
    if (!(error instanceof RangeError)) throw error;
    const msg = 'Value error, there are too many problems to list';
    return { problems: [{ loc: [source], type: 'value_error', msg }] };
  }
};

const NO_QUERY = z.object({});

/** The query of a page or of a step of the sign-in, by its declaration. @throws ApiError 422 */
export const checkedQuery = (schema: z.ZodObject | undefined, event: APIGatewayProxyEvent): unknown => {
  const query = validated('query', schema ?? NO_QUERY, event.queryStringParameters ?? {});
  if ('problems' in query) throw errors.validationFailed(query.problems);
  return query.data;
};

/** The declared type, without wrappers such as optional, nullable and default. */
const declaredType = (schema: z.core.$ZodType): z.core.$ZodType => {
  const { def } = schema._zod as { def: { innerType?: z.core.$ZodType; in?: z.core.$ZodType } };
  const inner = def.innerType ?? def.in;
  return inner ? declaredType(inner) : schema;
};

/** Whether a name stands for several ones, `metadata.<key>`, each with a text of its own. */
export const isRecord = (schema: z.core.$ZodType): boolean => declaredType(schema)._zod.def.type === 'record';

const INTEGER_OR_DECIMAL = /^-?\d{1,17}(\.\d{1,17})?$/;
/** In any case, because some clients (Python's) write `True`. */
const BOOLEANS: Record<string, boolean> = { true: true, false: false };

/**
 * Converts the text values of one name (in a query or a form) to the declared type. A text that cannot be converted
 * is returned as it is, and the schema refuses it. A repeated name gives an array, which only a declared array accepts.
 */
export const fromText = (schema: z.core.$ZodType, texts: readonly string[]): unknown => {
  const declared = declaredType(schema);
  const { def } = declared._zod as { def: { type: string; element?: z.core.$ZodType } };
  if (def.type === 'array') {
    const { element } = def as { element: z.core.$ZodType };
    // No value of an enum has a comma.
    const each =
      declaredType(element)._zod.def.type === 'enum' ? texts.flatMap((text) => text.split(',')) : texts;
    return each.map((text) => fromText(element, [text]));
  }
  if (texts.length !== 1) return texts;
  const text = texts[0]!;
  if (def.type === 'number') return INTEGER_OR_DECIMAL.test(text) ? Number(text) : text;
  if (def.type === 'boolean') return BOOLEANS[text.toLowerCase()] ?? text;
  return text;
};

/** The part of the request that a value came from: the first element of every `loc`. */
export type Source = 'path' | 'query' | 'body' | 'header';

type Issue = z.core.$ZodIssue;

/** Characters of an `input` that goes back to the client; a longer one is left out. */
const MAX_INPUT = 200;

const quoted = (values: readonly unknown[]): string => {
  const texts = values.map((value) => `'${String(value)}'`);
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}`;
};

const at = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (inner, step) => (inner !== null && typeof inner === 'object' ? Reflect.get(inner, step) : undefined),
    value,
  );

const WRONG_TYPE: Record<string, { type: ProblemType; parsing?: ProblemType; what: string }> = {
  string: { type: 'string_type', what: 'string' },
  number: { type: 'float_type', parsing: 'float_type', what: 'number' },
  int: { type: 'int_type', parsing: 'int_parsing', what: 'integer' },
  boolean: { type: 'bool_type', parsing: 'bool_parsing', what: 'boolean' },
  array: { type: 'list_type', what: 'list' },
  object: { type: 'dict_type', what: 'dictionary' },
  record: { type: 'dict_type', what: 'dictionary' },
};

const WRONG_FORMAT: Record<string, { type: ProblemType; what: string }> = {
  guid: { type: 'uuid_parsing', what: 'UUID' },
  uuid: { type: 'uuid_parsing', what: 'UUID' },
  datetime: { type: 'datetime_parsing', what: 'ISO 8601 date-time' },
  date: { type: 'date_from_datetime_parsing', what: 'ISO 8601 date' },
};

/** A problem without its path. */
type Unplaced = Omit<Problem, 'loc'>;

const sizeProblem = (
  origin: string,
  bound: 'least' | 'most',
  limit: number,
  inclusive: boolean,
): Unplaced => {
  const many = bound === 'least' ? 'at least' : 'at most';
  if (origin === 'string') {
    const type = bound === 'least' ? 'string_too_short' : 'string_too_long';
    const ctx = bound === 'least' ? { min_length: limit } : { max_length: limit };
    return { type, msg: `String should have ${many} ${limit} character${limit === 1 ? '' : 's'}`, ctx };
  }
  if (origin === 'number' || origin === 'int') {
    const type = bound === 'least' ? 'greater_than_equal' : 'less_than_equal';
    const than = bound === 'least' ? 'greater than' : 'less than';
    const ctx = bound === 'least' ? { ge: limit } : { le: limit };
    return { type, msg: `Input should be ${than}${inclusive ? ' or equal to' : ''} ${limit}`, ctx };
  }
  const type = bound === 'least' ? 'too_short' : 'too_long';
  const ctx = bound === 'least' ? { min_length: limit } : { max_length: limit };
  return { type, msg: `List should have ${many} ${limit} item${limit === 1 ? '' : 's'}`, ctx };
};

/** The input that a schema checked: its part of the request, and whether its values came as texts. */
interface CheckedInput {
  source: Source;
  root: unknown;
  isText: boolean;
}

const INTEGER = 'integer';

/**
 * zod reports the expected type `number` for integers too. This message marks an integer. An issue that a schema's own
 * check has added has no schema.
 */
const nameIntegers: z.core.$ZodErrorMap = ({ code, inst }) =>
  code === 'invalid_type' &&
  (inst as z.core.$ZodType | undefined)?._zod.def.type === 'number' &&
  'format' in inst!._zod.def
    ? INTEGER
    : undefined;

/**
 * The branch of a union that the client most likely meant: the one whose problems are all inside the value, or else
 * the one with the fewest problems. Undefined when two have equally few.
 */
const meantBranch = (branches: readonly Issue[][]): Issue[] | undefined => {
  const inside = branches.find((branch) => branch.every(({ path }) => path.length > 0));
  if (inside) return inside;
  const [fewest, next] = branches
    .filter((branch) => branch.every(({ code, path }) => code !== 'invalid_type' || path.length > 0))
    .map((branch) => ({
      branch,
      count: branch.reduce(
        (sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1),
        0,
      ),
    }))
    .toSorted((a, b) => a.count - b.count);
  return fewest && fewest.count < (next?.count ?? Infinity) ? fewest.branch : undefined;
};

/** Converts one of zod's issues to problems: one for each unknown key, and one for anything else. */
const problemsOf = (issue: Issue, checked: CheckedInput, base: readonly PropertyKey[]): Problem[] => {
  const { source, root } = checked;
  const path = [...base, ...issue.path];
  const loc = [source, ...path.map(String)];
  const input = at(root, path);
  const isShort = typeof input === 'string' ? input.length <= MAX_INPUT : typeof input !== 'object';
  const found = (problem: Unplaced): Problem[] => [{ loc, ...problem, ...(isShort && { input }) }];

  switch (issue.code) {
    case 'invalid_type': {
      if (input === undefined) return [{ loc, type: 'missing', msg: 'Field required' }];
      const { type, parsing, what } = WRONG_TYPE[issue.message === INTEGER ? 'int' : issue.expected] ?? {
        type: 'value_error' as const,
        what: issue.expected,
      };
      const isText = checked.isText && typeof input === 'string';
      return found({
        type: isText ? (parsing ?? type) : type,
        msg: `Input should be a valid ${what}${isText && parsing ? ', unable to parse string' : ''}`,
      });
    }
    case 'too_small':
      return found(sizeProblem(issue.origin, 'least', Number(issue.minimum), issue.inclusive !== false));
    case 'too_big':
      return found(sizeProblem(issue.origin, 'most', Number(issue.maximum), issue.inclusive !== false));
    case 'invalid_format': {
      if (issue.format === 'regex') {
        return found({
          type: 'string_pattern_mismatch',
          msg: `String should match pattern '${issue.pattern}'`,
          ctx: { pattern: issue.pattern },
        });
      }
      const known = WRONG_FORMAT[issue.format];
      return found({
        type: known?.type ?? 'value_error',
        msg: `Input should be a valid ${known?.what ?? issue.format}`,
      });
    }
    case 'not_multiple_of':
      return found({
        type: 'value_error',
        msg: `Input should be a multiple of ${issue.divisor}`,
        ctx: { multiple_of: issue.divisor },
      });
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        loc: [...loc, key],
        type: 'extra_forbidden',
        msg: 'Extra inputs are not permitted',
      }));
    case 'invalid_value': {
      const expected = quoted(issue.values);
      return found({
        type: issue.values.length === 1 ? 'literal_error' : 'enum',
        msg: `Input should be ${expected}`,
        ctx: { expected },
      });
    }
    case 'invalid_union': {
      if (input === undefined) return [{ loc, type: 'missing', msg: 'Field required' }];
      if (issue.discriminator !== undefined) {
        const { discriminator } = issue;
        return found({
          type: 'union_tag_invalid',
          msg: `Input tag at '${discriminator}' does not match any of the expected tags`,
          ctx: { discriminator },
        });
      }
      const meant = meantBranch(issue.errors);
      if (meant) return meant.flatMap((inner) => problemsOf(inner, checked, path));
      return found({ type: 'value_error', msg: 'Value error, input matches none of the allowed forms' });
    }
    case 'invalid_key':
      // The key is wrong, not its value.
      return issue.issues
        .flatMap((inner) => problemsOf(inner, { ...checked, root: path.at(-1) }, []))
        .map((problem) => ({ ...problem, loc }));
    case 'invalid_element':
      return issue.issues.flatMap((inner) => problemsOf(inner, checked, path));
    case 'custom':
      return found({
        type: (issue.params?.['type'] as ProblemType | undefined) ?? 'value_error',
        msg: issue.message,
        ...(issue.params?.['ctx'] !== undefined && { ctx: issue.params['ctx'] as Record<string, unknown> }),
      });
  }
};

/**
 * Converts a schema's issues to the contract's form ("Validation errors"): entries as Pydantic v2 writes them. Their
 * `loc` starts with the part of the request and has array indexes as strings.
 * @param isText whether the values came as texts, in a query or a form
 */
export const validationProblems = (
  source: Source,
  issues: readonly Issue[],
  input: unknown,
  isText = source !== 'body',
): Problem[] => issues.flatMap((issue) => problemsOf(issue, { source, root: input, isText }, []));
