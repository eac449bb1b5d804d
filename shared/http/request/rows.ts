import type * as z from 'zod';
import { MalformedRow, type Problem } from '../../base/problem.ts';
import type { RawBody } from './body.ts';
import { unstorable } from './storable.ts';
import { type Validated, validated } from './validation.ts';

type Rows = Record<string, unknown[]>;

/** The row that a problem is in; undefined for one of the request as a whole. */
const rowOf = ({ loc: [, list, row] }: Problem, name: string): number | undefined =>
  list === name && row !== undefined ? Number(row) : undefined;

/** Problems by the rows that they are in, with their places within these. */
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
 * Checks a body whose rows fail alone. Those that are not valid become a `MalformedRow` in their place.
 * @param raw what was read; a problem of its reading is of the request unless it is in a row
 * @param name the list in the body
 * @returns the body; problems only of the request as a whole, such as too many rows
 */
export const validatedRows = ({ schema, input, problems }: RawBody, name: string): Validated<unknown> => {
  if (problems.some((problem) => rowOf(problem, name) === undefined)) return { problems: [] };
  const list = (input as Partial<Rows> | undefined)?.[name];
  if (!Array.isArray(list)) return validated('body', schema, input);
  // Only the first problems of a body are reported, so each row is looked at when there are any.
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

/** The body with each malformed row between the valid ones, where it stood. */
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
