import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { plainEnvironment } from './environment.ts';

const ROOT = join(import.meta.dirname, '../../..');
const START = join(ROOT, 'infra/local/start.ts');

const services: ChildProcess[] = [];

/** Ends the services that a test file has started. */
export const endServices = (): void => {
  for (const service of services) service.kill('SIGKILL');
};

/** How the service is started: as `npm start` does it, or by npm itself, as a process group of its own. */
type Starter = 'node' | 'npm';

/** Runs the service without the variables of this test run, such as the addresses of its engines. */
export const run = (
  environment: Record<string, string>,
  starter: Starter = 'node',
  options: readonly string[] = [],
) => {
  const [command, args] =
    starter === 'npm' ? ['npm', ['start', '--', ...options]] : [process.execPath, [START, ...options]];
  const service = spawn(command, args, {
    cwd: ROOT,
    env: { ...plainEnvironment(), PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: starter === 'npm',
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
export const start = async (
  environment: Record<string, string>,
  starter?: Starter,
  options?: readonly string[],
) => {
  const { service, ended, said } = run(environment, starter, options);
  const address = () => /^The service runs at (http\S+),/m.exec(said())?.[1];
  let early: string | undefined;
  void ended.then(({ complained }) => (early = `The service ended: ${complained}`));
  while (!address()) {
    if (early) throw new Error(early);
    await sleep(10);
  }
  return { service, ended, said, url: address()! };
};
