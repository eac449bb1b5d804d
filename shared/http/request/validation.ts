import type * as z from 'zod';
import type { Problem } from '../../base/problem.ts';
import { nameIntegers, type Source, validationProblems } from './problems.ts';

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
