import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const START = join(import.meta.dirname, '../../../infra/local/start.ts');

const services: ChildProcess[] = [];

/** Ends the services that a test file has started. */
export const endServices = (): void => {
  for (const service of services) service.kill('SIGKILL');
};

/** Runs `npm start` without the variables of this test run, such as the addresses of its engines. */
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

/** Starts the service and waits until it accepts requests. @throws Error with its error output if it ends before that */
export const start = async (environment: Record<string, string>) => {
  const { service, ended, said } = run(environment);
  const line = (name: string) => new RegExp(`^${name} +(http\\S+?)(/v1.*)?$`, 'm').exec(said())?.[1];
  let early: string | undefined;
  void ended.then(({ complained }) => (early = `The service ended: ${complained}`));
  while (!line('reference')) {
    if (early) throw new Error(early);
    await sleep(10);
  }
  return { service, ended, said, url: line('API')!, engine: line('table engine.*')! };
};
