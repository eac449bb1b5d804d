import { parseArgs } from 'node:util';
import type * as z from 'zod';
import { ApiError } from '../../shared/base/api-error.ts';
import type { Problem } from '../../shared/base/problem.ts';
import { attach } from '../local/attach.ts';
import { commands } from './commands.ts';

const flagsOf = (options: z.ZodObject): string[] => Object.keys(options.shape);

/** Whether a flag takes no value. */
const isSwitch = (options: z.ZodObject, flag: string): boolean =>
  (options.shape[flag] as z.ZodType).safeParse(true).success;

/** What an option does, where its declaration says so. */
const helpOf = (options: z.ZodObject, flag: string): string | undefined =>
  (options.shape[flag] as z.ZodType).meta()?.['help'] as string | undefined;

const usageOf = (name: string, summary: string, options: z.ZodObject): string[] => {
  const [alone, explained] = [
    flagsOf(options).filter((flag) => !helpOf(options, flag)),
    flagsOf(options).filter((flag) => helpOf(options, flag)),
  ];
  return [
    `  ${[name, ...alone.map((flag) => `--${flag}`)].join(' ').padEnd(56)} ${summary}`,
    ...explained.map((flag) => `      ${`--${flag}`.padEnd(52)} ${helpOf(options, flag)}`),
  ];
};

const usage = (): string =>
  [
    'Usage: npm run -s operator -- <command> [--json]',
    '',
    ...Object.entries(commands).flatMap(([name, { summary, options }]) => usageOf(name, summary, options)),
    '',
    'Works on the data in the folder DATA_DIR (.data) or, if TABLE_NAME is set, on that deployed table.',
  ].join('\n');

/** What an error says, without the words that tell clients which kind of problem it is. */
const textOf = (detail: string | Problem[]): string =>
  typeof detail === 'string' ? detail : detail.map(({ msg }) => msg.replace(/^Value error, /, '')).join('; ');

/** The message of an error in one line, without a stack trace. */
const messageOf = (error: unknown): string => {
  if (error instanceof ApiError) return textOf(error.detail);
  const { name, message } = error as Error;
  return `${name}: ${message}`;
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

/** Runs one command. @returns the exit code: 2 when the command or its flags are wrong */
const main = async (args: string[]): Promise<number> => {
  const words = args.slice(0, 2).filter((word) => !word.startsWith('--'));
  const name = words.join(' ');
  const command = Object.hasOwn(commands, name) ? commands[name as keyof typeof commands] : undefined;
  if (!command) {
    const isAsked = args.includes('--help');
    (isAsked ? process.stdout : process.stderr).write(`${usage()}\n`);
    return isAsked ? 0 : 2;
  }
  const { values } = parseArgs({
    args: args.slice(words.length),
    options: {
      ...Object.fromEntries(
        flagsOf(command.options).map((flag) => [
          flag,
          { type: isSwitch(command.options, flag) ? ('boolean' as const) : ('string' as const) },
        ]),
      ),
      json: { type: 'boolean' as const },
    },
  });
  const { json, ...given } = values as Record<string, unknown>;
  const options = (command.options as z.ZodObject).safeParse(given);
  if (!options.success) {
    for (const { path, message } of options.error.issues)
      process.stderr.write(`--${path.join('.')}: ${message}\n`);
    return 2;
  }
  const detach = await attach(process.env['DATA_DIR'] ?? '.data');
  try {
    const result = await (command.run as (options: unknown) => Promise<unknown>)(options.data);
    process.stdout.write(json ? `${JSON.stringify(result)}\n` : `${readable(result)}\n`);
    const { succeeded = () => true } = command as { succeeded?: (result: unknown) => boolean };
    return succeeded(result) ? 0 : 1;
  } finally {
    await detach();
  }
};

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
}
