import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildWeb } from '../../../infra/web/build.ts';

/** Starts the embedded engine for the test run. The workers of jest inherit its address in their environment. */
const startEngine = async (): Promise<void> => {
  process.env['LOG_LEVEL'] = 'silent';
  process.env['TZ'] = 'UTC';
  if (process.env['API_URL']) return;
  await buildWeb();
  const engine = spawn('node', [join(import.meta.dirname, 'engine.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(engine, 'exit').then(([code]) => {
    throw new Error(`The engine ended with exit code ${code}.`);
  });
  const [line] = await Promise.race([once(createInterface(engine.stdout), 'line'), ended]);
  Object.assign(process.env, JSON.parse(line as string));
  Object.assign(globalThis, { engine });
};

export default startEngine;
