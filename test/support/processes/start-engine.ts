import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildWeb } from '../../../infra/web/build.ts';

/** A folder in memory on Linux, and the bytes that it must have free. */
const MEMORY = { folder: '/dev/shm', free: 4 * 1024 ** 3 };

/** Where the engine keeps its data: in memory if there is room, because it writes every change to a file. */
const dataFolder = (): string => {
  const { folder, free } = MEMORY;
  if (!existsSync(folder)) return tmpdir();
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= free ? folder : tmpdir();
};

/** Starts the embedded engine for the test run. The workers of jest inherit its address in their environment. */
const startEngine = async (): Promise<void> => {
  process.env['LOG_LEVEL'] = 'silent';
  process.env['TZ'] ??= 'UTC';
  process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '../../../node_modules/.cache/node');
  if (process.env['API_URL']) return;
  await buildWeb();
  const engine = spawn('node', [join(import.meta.dirname, 'engine.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, TMPDIR: dataFolder() },
  });
  const ended = once(engine, 'exit').then(([code]) => {
    throw new Error(`The engine ended with exit code ${code}.`);
  });
  const [line] = await Promise.race([once(createInterface(engine.stdout), 'line'), ended]);
  Object.assign(process.env, JSON.parse(line as string));
  // AWS's own engine is spoken to as the service does.
  if (!process.env['ENGINE']) process.env['TEST_ENGINE_URL'] = process.env['AWS_ENDPOINT_URL_DYNAMODB'];
  Object.assign(globalThis, { engine });
};

export default startEngine;
