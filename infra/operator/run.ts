import { parseArgs } from 'node:util';
import type * as z from 'zod';
import { ApiError } from '../../shared/base/api-error.ts';
import type { Problem } from '../../shared/base/problem.ts';
import { attach } from '../local/attach.ts';
import { commands } from './commands.ts';
import { help, problemText, refusedText, unknownCommand, usageOf } from './help.ts';

const flagsOf = (options: z.ZodObject): string[] => Object.keys(options.shape);

/** Whether a flag takes no value. */
const isSwitch = (options: z.ZodObject, flag: string): boolean =>
  (options.shape[flag] as z.ZodType).safeParse(true).success;

/** What an error says, without the words that tell clients which kind of problem it is. */
const textOf = (detail: string | Problem[]): string =>
  typeof detail === 'string' ? detail : detail.map(({ msg }) => msg.replace(/^Value error, /, '')).join('; ');

/** The message of an error in one line, without a stack trace. */
const messageOf = (error: unknown): string => {
  if (error instanceof ApiError) return textOf(error.detail);
  const { name, message } = error as Error;
  return `${name}: ${message}`;
};

/** The options of a command as they were given, or why they are refused, in plain words. */
const parsed = (
  options: z.ZodObject,
  args: readonly string[],
): { json: unknown; options: unknown } | { refused: string[] } => {
  const flags = flagsOf(options).map((flag) => [
    flag,
    { type: isSwitch(options, flag) ? ('boolean' as const) : ('string' as const) },
  ]);
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { ...Object.fromEntries(flags), json: { type: 'boolean' as const } },
    });
    const { json, ...given } = values as Record<string, unknown>;
    const { data, error } = options.safeParse(given, { reportInput: true });
    return error ? { refused: error.issues.map(problemText) } : { json, options: data };
  } catch (error) {
    return { refused: [refusedText(error as Error, options)] };
  }
};

/** A result as lines of `field: value`, with an empty line between rows. */
const readable = (result: unknown): string =>
  [result]
    .flat()
    .map((row) =>
      Object.entries(row as object)
        .map(
          ([field, value]) =>
            `${field}: ${typeof value === 'object' && value ? JSON.stringify(value) : (value ?? '–')}`,
        )
        .join('\n'),
    )
    .join('\n\n');

/** Where a command writes. */
interface Streams {
  out: (text: string) => void;
  complain: (text: string) => void;
}

const runCommand = async (args: readonly string[], { out, complain }: Streams): Promise<number> => {
  const words = args.slice(0, 2).filter((word) => !word.startsWith('--'));
  const name = words.join(' ');
  const command = Object.hasOwn(commands, name) ? commands[name as keyof typeof commands] : undefined;
  const isAsked = args.includes('--help');
  if (!command) {
    if (isAsked) out(`${help()}\n`);
    else complain(`${name === '' ? help() : unknownCommand(name)}\n`);
    return isAsked ? 0 : 2;
  }
  if (isAsked) {
    out(`${usageOf(name, command.options)}\n\n${command.summary}\n`);
    return 0;
  }
  const given = parsed(command.options, args.slice(words.length));
  if ('refused' in given) {
    complain(`${given.refused.join('\n')}\n\nUsage: ${usageOf(name, command.options)}\n`);
    return 2;
  }
  const { json, options } = given;
  const detach = await attach(process.env['DATA_DIR'] ?? '.data');
  try {
    const result = await (command.run as (options: unknown) => Promise<unknown>)(options);
    out(json ? `${JSON.stringify(result)}\n` : `${readable(result)}\n`);
    const { succeeded = () => true } = command as { succeeded?: (result: unknown) => boolean };
    return succeeded(result) ? 0 : 1;
  } finally {
    await detach();
  }
};

/** Runs one command. @returns the exit code: 2 when the command or its flags are wrong */
export const run = async (args: readonly string[], streams: Streams): Promise<number> => {
  try {
    return await runCommand(args, streams);
  } catch (error) {
    streams.complain(`${messageOf(error)}\n`);
    return 1;
  }
};
