import * as z from 'zod';

/** A command of the command line. The names of the options are the flags. */
interface Command<Options extends z.ZodObject, Result> {
  summary: string;
  options: Options;
  run: (options: z.output<Options>) => Promise<Result>;
  /** Whether the result is a success; if not, the exit code is 1. */
  succeeded?: (result: Result) => boolean;
}

export const command = <Options extends z.ZodObject, Result>(declared: Command<Options, Result>) => declared;

/** Rows per second. */
export const Rate = z.string().default('500').transform(Number).pipe(z.int().min(1).max(100_000));
