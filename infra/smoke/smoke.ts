import { parseArgs } from 'node:util';
import { newApi } from './client.ts';
import { doMainJob, type Step, type Undo } from './job.ts';

/*
 * Does the main job of a running service, and says how long each step took. What it has made is deleted at the end, or
 * archived where the service keeps what holds work, also when a step fails or a signal ends it.
 */

/** How long the job may take, in milliseconds. */
const MAX_TIME = 50_000;
/** How long the cleaning up may take, in milliseconds. */
const MAX_CLEANING_TIME = 30_000;
/** How long one attempt of a request may take, in milliseconds. */
const MAX_REQUEST_TIME = 15_000;

const USAGE = `Usage: npm run smoke -- --url <url> --key <key> [--json]
--url is the address of the machine API, without /v1. --key is a read-and-write key; the variable API_KEY names one as
well. Exit code: 0 when every step worked, 1 when one did not, 2 when the options are wrong.`;

/** One line of the output. */
interface Line {
  step: string;
  ok: boolean;
  milliseconds: number;
  error?: string;
}

const readOptions = () => {
  const { values } = parseArgs({
    options: {
      url: { type: 'string' },
      key: { type: 'string', default: process.env['API_KEY'] ?? '' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { url = '', key } = values;
  if (!values.help && !URL.canParse(url))
    throw new Error('--url must be an address, such as http://localhost:3000');
  if (!values.help && key === '') throw new Error('--key is missing');
  return { ...values, url: url.replace(/\/v1\/?$/, ''), key };
};

const print = ({ step, ok, milliseconds, error }: Line): void =>
  void process.stdout.write(
    `${ok ? 'ok    ' : 'failed'} ${step.padEnd(28)} ${String(milliseconds).padStart(6)} ms${error === undefined ? '' : `  ${error}`}\n`,
  );

/** Runs the job and cleans up. @returns whether all of it worked */
const run = async ({ url, key, json }: ReturnType<typeof readOptions>): Promise<boolean> => {
  const lines: Line[] = [];
  const step: Step = async (name, work) => {
    const began = performance.now();
    const end = (error?: Error): void => {
      const line: Line = {
        step: name,
        ok: error === undefined,
        milliseconds: Math.round(performance.now() - began),
        ...(error && { error: error.message }),
      };
      lines.push(line);
      if (!json) print(line);
    };
    try {
      const result = await work();
      end();
      return result;
    } catch (error) {
      end(error as Error);
      throw error;
    }
  };

  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => interruption.abort(new Error(`stopped by ${signal}`)));
  const late = AbortSignal.timeout(MAX_TIME);
  const options = { baseUrl: url, apiKey: key, timeout: MAX_REQUEST_TIME };
  const made: { what: string; undo: Undo }[] = [];
  const began = performance.now();
  const api = newApi(options, AbortSignal.any([late, interruption.signal]));
  const isDone = await doMainJob({ api, step, onMade: (what, undo) => made.push({ what, undo }) }).then(
    () => true,
    () => false,
  );
  const cleaning = newApi(options, AbortSignal.timeout(MAX_CLEANING_TIME));
  for (const { what, undo } of made.toReversed())
    await step(`clean up: ${what}`, () => undo(cleaning)).catch(() => undefined);

  const total = {
    ok: isDone && lines.every(({ ok }) => ok),
    milliseconds: Math.round(performance.now() - began),
  };
  if (json) process.stdout.write(`${JSON.stringify({ ...total, steps: lines })}\n`);
  else print({ step: 'smoke test', ...total });
  return total.ok;
};

try {
  const options = readOptions();
  if (options.help) process.stdout.write(`${USAGE}\n`);
  else process.exitCode = (await run(options)) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n\n${USAGE}\n`);
  process.exitCode = 2;
}
