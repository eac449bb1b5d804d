import { parseArgs } from 'node:util';
import { type Line, runSmoke } from './run.ts';

/*
 * Does the main job of a running service, and says how long each step took. What it has made is deleted at the end, or
 * archived where the service keeps what holds work, also when a step fails or a signal ends it.
 */

const USAGE = `Usage: npm run smoke -- --url <url> --key <key> [--json]
--url is the address of the machine API, without /v1. --key is a read-and-write key; the variable API_KEY names one as
well. Exit code: 0 when every step worked, 1 when one did not, 2 when the options are wrong.`;

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
  return { ...values, url, key };
};

const print = ({ step, ok, milliseconds, error }: Line): void =>
  void process.stdout.write(
    `${ok ? 'ok    ' : 'failed'} ${step.padEnd(28)} ${String(milliseconds).padStart(6)} ms${error === undefined ? '' : `  ${error}`}\n`,
  );

/** Runs the job, and prints how it went. @returns whether all of it worked */
const run = async ({ url, key, json }: ReturnType<typeof readOptions>): Promise<boolean> => {
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => interruption.abort(new Error(`stopped by ${signal}`)));
  const steps: Line[] = [];
  const total = await runSmoke(
    { url, key },
    (line) => {
      steps.push(line);
      if (!json) print(line);
    },
    interruption.signal,
  );
  if (json) process.stdout.write(`${JSON.stringify({ ...total, steps })}\n`);
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
