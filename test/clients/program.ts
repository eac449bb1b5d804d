import type { Call } from '../../infra/chapters/chapter.ts';
import { CHAPTERS } from '../../infra/chapters/chapters.ts';
import type { Route, Style } from './styles.ts';

/** From a key to a PDF, as the first chapter of the reference does it. */
const { steps, prints } = CHAPTERS.find(({ name }) => name === 'first-inspection')!;

/** What the program prints. */
export const PRINTS = prints;

const COMMON = `const { URL: url = '', KEY: key = '' } = process.env;

const given = <T>(value: T | null | undefined): T => {
  if (value === null || value === undefined) throw new Error('nothing is given');
  return value;
};

const whenReady = async <T extends { status: string }>(read: () => Promise<T>): Promise<T> => {
  for (;;) {
    const one = await read();
    if (one.status === 'ready' || one.status === 'failed') return one;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};`;

/** Takes the file of the export \`pdf\` from the storage. */
const DOWNLOAD = `const bytes = await (await fetch(given(pdf.url))).arrayBuffer();
console.log(Buffer.from(bytes).toString('latin1', 0, 4));`;

/**
 * The program for the users of one generator: every request of the chapter, and its types as they are, without a cast.
 * @param routes by the ids of the operations
 */
export const programOf = ({ opening, request }: Style, routes: ReadonlyMap<string, Route>): string => {
  const callOf = (call: Call): string => {
    const sent = request(call, routes.get(call.call)!);
    return `${call.as ? `const ${call.as} = ` : ''}await ${call.until ? `whenReady(() => ${sent})` : sent};`;
  };
  const lines = steps.flatMap((step) => {
    if (typeof step === 'string') return [];
    if ('call' in step) return [callOf(step)];
    return 'print' in step ? step.print.map((value) => `console.log(${value});`) : [DOWNLOAD];
  });
  const [imports, ...rest] = opening.split('\n\n');
  return `${[imports, COMMON, ...rest, ...lines].join('\n\n')}\n`;
};
