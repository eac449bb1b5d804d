import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const START = join(import.meta.dirname, '../../infra/local/start.ts');

const services: ChildProcess[] = [];

/** Ends what a test file has left running. */
export const endServices = (): void => {
  for (const service of services) service.kill('SIGKILL');
};

/** `npm start` as from a shell that knows nothing of this test run's engines. */
export const run = (environment: Record<string, string>) => {
  const service = spawn(process.execPath, [START], {
    env: { PATH: process.env['PATH'], PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  services.push(service);
  let said = '';
  let complained = '';
  service.stdout.on('data', (text) => (said += text));
  service.stderr.on('data', (text) => (complained += text));
  const ended = once(service, 'close').then(([code, signal]) => ({ code, signal, said, complained }));
  return { service, ended, said: () => said };
};

/** Runs until it serves. @throws Error with its complaint when it ends before */
export const start = async (environment: Record<string, string>) => {
  const { service, ended, said } = run(environment);
  const line = (name: string) => new RegExp(`^${name} +(http\\S+?)(/v1.*)?$`, 'm').exec(said())?.[1];
  let early: string | undefined;
  void ended.then(({ complained }) => (early = `it ended: ${complained}`));
  while (!line('reference')) {
    if (early) throw new Error(early);
    await sleep(10);
  }
  return { service, ended, said, url: line('API')!, engine: line('table engine.*')! };
};
