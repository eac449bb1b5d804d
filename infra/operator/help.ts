import { distance } from 'fastest-levenshtein';
import * as z from 'zod';
import { commands } from './commands.ts';

const ANY_ID = '01a1fc9f-52d7-7303-8ce8-947f3f3f4f40';

/** How the command line is called. */
const CALL = 'npm run -s operator --';

/** What the help needs to know of an option. */
interface Option {
  type?: string;
  enum?: string[];
  format?: string;
  pattern?: string;
  /** What it does, where its name does not say it. */
  help?: string;
}

/** What stands for the value of an option; undefined for a switch, which takes none. */
const placeholder = ({ type, enum: choices, format, pattern }: Option): string | undefined => {
  if (type === 'boolean') return undefined;
  if (choices) return choices.join('|');
  if (format === 'uuid') return 'id';
  return format ?? (pattern?.includes('\\d') ? 'number' : 'text');
};

/** The options of a command, and what they do: those that may be left out stand in brackets. */
const optionsOf = (options: z.ZodObject): { text: string; help: string | undefined }[] => {
  const { properties = {}, required = [] } = z.toJSONSchema(options, { io: 'input', unrepresentable: 'any' });
  return Object.entries(properties).map(([flag, option]) => {
    const value = placeholder(option as Option);
    const text = `--${flag}${value === undefined ? '' : ` <${value}>`}`;
    return { text: required.includes(flag) ? text : `[${text}]`, help: (option as Option).help };
  });
};

/** How a command is called. */
export const usageOf = (name: string, options: z.ZodObject): string =>
  [name, ...optionsOf(options).map(({ text }) => text)].join(' ');

/** Characters of a line of the help. */
const WIDTH = 110;

/** Words in lines, each of which begins with the indent. */
const wrapped = (words: readonly string[], indent: string): string =>
  words
    .reduce<string[]>((lines, word) => {
      const line = lines.at(-1);
      return line !== undefined && line.length + word.length < WIDTH
        ? [...lines.slice(0, -1), `${line} ${word}`]
        : [...lines, indent + word];
    }, [])
    .join('\n');

/** Characters of an option before what it does. */
const OPTION_WIDTH = 40;

/** A command's options: those whose names say what they do in a row, the others in a line each. */
const optionLines = (options: z.ZodObject): string[] => {
  const [plain, explained] = [
    optionsOf(options).filter(({ help: sentence }) => sentence === undefined),
    optionsOf(options).filter(({ help: sentence }) => sentence !== undefined),
  ];
  return [
    ...(plain.length > 0
      ? [
          wrapped(
            plain.map(({ text }) => text),
            '      ',
          ),
        ]
      : []),
    ...explained.map(({ text, help: sentence }) => `      ${text.padEnd(OPTION_WIDTH)} ${sentence}`),
  ];
};

/** All commands, with their options and what they do. */
export const help = (): string =>
  [
    `Usage: ${CALL} <command> [--json]`,
    'Options in brackets may be left out.',
    ...Object.entries(commands).map(([name, { summary, options }]) =>
      [`\n  ${name}`, ...optionLines(options), wrapped(summary.split(' '), '    ')].join('\n'),
    ),
    '',
    'Works on the data in the folder DATA_DIR (.data) or, if TABLE_NAME is set, on that deployed table.',
  ].join('\n');

/** The one of these names that somebody has most likely meant. */
const nearest = (given: string, names: readonly string[]): string | undefined => {
  const [best] = names
    .map((name) => ({ name, far: distance(given, name) }))
    .toSorted((one, other) => one.far - other.far);
  return best && best.far <= Math.max(2, best.name.length / 2) ? best.name : undefined;
};

/** Says that a name is unknown, and which one is near. @param what such as `command` */
const unknown = (what: string, given: string, names: readonly string[]): string => {
  const near = nearest(given, names);
  return `unknown ${what} ${given}${near === undefined ? '' : `; did you mean ${near}?`}`;
};

/** What is said of a command that does not exist. */
export const unknownCommand = (given: string): string =>
  `${unknown('command', given, Object.keys(commands))}\n${CALL} --help lists all commands.`;

/** What `parseArgs` has refused, in plain words. */
export const refusedText = (error: Error, options: z.ZodObject): string => {
  const [, flag] = /^Unknown option '--([^' ]+)/.exec(error.message) ?? [];
  if (flag !== undefined)
    return unknown(
      'option',
      `--${flag}`,
      Object.keys(options.shape).map((each) => `--${each}`),
    );
  const [, empty] = /^Option '--(\S+) <value>' argument missing/.exec(error.message) ?? [];
  if (empty !== undefined) return `--${empty} needs a value`;
  const [first = ''] = error.message.split('. ');
  return first;
};

/** What an option must be, in plain words; undefined where the schema says it itself. */
const wanted = (issue: z.core.$ZodIssue): string | undefined => {
  if (issue.code === 'invalid_value') return `it must be ${issue.values.join(' or ')}`;
  if (issue.code === 'too_small' && issue.origin === 'string') return 'it must not be empty';
  if (issue.code !== 'invalid_format') return undefined;
  if (issue.format === 'email') return 'it must be an email address';
  return issue.format === 'regex' ? undefined : `it must be an id, such as ${ANY_ID}`;
};

/** What is wrong with the options that were given, in plain words. */
export const problemText = (issue: z.core.$ZodIssue): string => {
  const flag = `--${issue.path.join('.')}`;
  if (issue.input === undefined && ['invalid_type', 'invalid_value'].includes(issue.code))
    return `${flag} is missing`;
  return `${flag}: ${wanted(issue) ?? issue.message}`;
};
