import type * as z from 'zod';
import type { Problem, ProblemType } from '../base/problem.ts';

/** Where a value stood in the request: the first element of every `loc`. */
export type Source = 'path' | 'query' | 'body' | 'header';

type Issue = z.core.$ZodIssue;

/** Only what helps its reader and cannot be long goes back to the client. */
const INPUT_LENGTH = 200;

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
  safeint: { type: 'int_type', what: 'integer' },
};

/** A problem without its place. */
type Finding = Omit<Problem, 'loc'>;

const sizeProblem = (origin: string, bound: 'least' | 'most', limit: number, inclusive: boolean): Finding => {
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

/** What a schema was given: its part of the request, whole, and whether its values came as texts. */
interface Checked {
  source: Source;
  root: unknown;
  isText: boolean;
}

const INTEGER = 'integer';

/** zod's own word for an integer's wrong type is a number's: here the issue says which of them was declared. */
const nameIntegers: z.core.$ZodErrorMap = ({ code, inst }) =>
  code === 'invalid_type' &&
  (inst as z.core.$ZodType)?._zod.def.type === 'number' &&
  'format' in inst!._zod.def
    ? INTEGER
    : undefined;

/**
 * The shape a client meant: the one whose problems lie inside the value rather than with it, else the one with
 * the fewest, where there is only one such.
 */
const meantBranch = (branches: readonly Issue[][]): Issue[] | undefined => {
  const inside = branches.find((branch) => branch.length > 0 && branch.every(({ path }) => path.length > 0));
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

/** One of zod's issues as the problems a client reads; an unknown key is a problem each. */
const problemsOf = (issue: Issue, checked: Checked, base: readonly PropertyKey[]): Problem[] => {
  const { source, root } = checked;
  const path = [...base, ...issue.path];
  const loc = [source, ...path.map(String)];
  const input = at(root, path);
  const isShort = typeof input === 'string' ? input.length <= INPUT_LENGTH : typeof input !== 'object';
  const found = (problem: Finding): Problem[] => [
    { loc, ...problem, ...(input !== undefined && isShort && { input }) },
  ];

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
      return found(sizeProblem(issue.origin, 'least', Number(issue.minimum), issue.inclusive ?? true));
    case 'too_big':
      return found(sizeProblem(issue.origin, 'most', Number(issue.maximum), issue.inclusive ?? true));
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
    case 'invalid_element':
      return issue.issues.flatMap((inner) => problemsOf(inner, checked, path));
    case 'custom':
      return found({
        type: (issue.params?.['type'] as ProblemType | undefined) ?? 'value_error',
        msg: issue.message,
      });
  }
};

/**
 * What a schema found wrong, in the contract's form: Pydantic v2's entries, whose `loc` starts with the part
 * of the request and whose array indexes are strings. `isText`: the values came as texts, a query's or a form's.
 */
export const validationProblems = (
  source: Source,
  issues: readonly Issue[],
  input: unknown,
  isText = source !== 'body',
): Problem[] => issues.flatMap((issue) => problemsOf(issue, { source, root: input, isText }, []));

/** A value by its schema, or every problem of it; arguments as of `validationProblems`. */
export const validated = <Schema extends z.ZodType>(
  source: Source,
  schema: Schema,
  input: unknown,
  isText?: boolean,
): { data: z.output<Schema> } | { problems: Problem[] } => {
  try {
    const { data, error } = schema.safeParse(input, { error: nameIntegers });
    return error ? { problems: validationProblems(source, error.issues, input, isText) } : { data: data! };
  } catch (error) {
    // zod passes on what it finds as arguments, of which the stack holds some hundred thousand.
    if (!(error instanceof RangeError)) throw error;
    const msg = 'Value error, more is wrong than can be listed';
    return { problems: [{ loc: [source], type: 'value_error', msg }] };
  }
};

/** The declared type beneath optional, nullable, default and the like. */
const declaredType = (schema: z.core.$ZodType): z.core.$ZodType => {
  const { def } = schema._zod as { def: { innerType?: z.core.$ZodType; in?: z.core.$ZodType } };
  const inner = def.innerType ?? def.in;
  return inner ? declaredType(inner) : schema;
};

const INTEGER_OR_DECIMAL = /^-?\d{1,17}(\.\d{1,17})?$/;
const BOOLEANS: Record<string, boolean> = { true: true, false: false, '1': true, '0': false };

/**
 * Text values (a query, a form) as their declared types; what does not read as one is left for the schema to
 * refuse. A repeated name is an array, which only a declared array accepts.
 */
export const fromText = (schema: z.core.$ZodType, texts: readonly string[]): unknown => {
  const declared = declaredType(schema);
  const { def } = declared._zod as { def: { type: string; element?: z.core.$ZodType } };
  if (def.type === 'array') return texts.map((text) => fromText(def.element!, [text]));
  if (texts.length !== 1) return texts;
  const [text = ''] = texts;
  if (def.type === 'number') return INTEGER_OR_DECIMAL.test(text) ? Number(text) : text;
  if (def.type === 'boolean') return BOOLEANS[text.toLowerCase()] ?? text;
  return text;
};

/** Deeper nesting than any resource has; recursion over a body is safe below it. */
const MOST_DEPTH = 64;

/** The table's attribute names are never empty, and no name may reach an object's own machinery. */
const NO_KEYS = new Set(['', '__proto__']);

/** Beyond these a number is not one to DynamoDB (its data types' range). */
const LARGEST = 1e125;
const SMALLEST = 1e-130;

/**
 * What no schema should have to think of: a JSON value the table could not hold or give back the same.
 * Walked without recursion, so that no nesting can exhaust the stack.
 */
export const unstorable = (body: unknown): Problem[] => {
  const problems: Problem[] = [];
  const add = (loc: string[], msg: string) => problems.push({ loc, type: 'value_error', msg });
  const pending: { value: unknown; loc: string[] }[] = [{ value: body, loc: ['body'] }];
  while (pending.length > 0 && problems.length < 100) {
    const { value, loc } = pending.pop()!;
    if (typeof value === 'string' && !value.isWellFormed()) {
      add(loc, 'Value error, string is not valid Unicode');
    } else if (typeof value === 'number' && value !== 0) {
      const size = Math.abs(value);
      if (size > LARGEST || size < SMALLEST) add(loc, 'Value error, number is out of range');
    } else if (value !== null && typeof value === 'object') {
      if (loc.length > MOST_DEPTH) {
        add(loc.slice(0, 8), `Value error, nested deeper than ${MOST_DEPTH} levels`);
        continue;
      }
      for (const [key, inner] of Object.entries(value)) {
        if (NO_KEYS.has(key) || !key.isWellFormed()) add(loc, 'Value error, a key is not allowed');
        else pending.push({ value: inner, loc: [...loc, key] });
      }
    }
  }
  return problems;
};
