import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A failure that needs an explanation rather than a stack trace. */
export class StartError extends Error {
  override name = 'StartError';
}

export interface Running {
  endpoint: string;
  stop(): Promise<void>;
}

/**
 * Becomes the engine, and leaves a guard beside it that ends the engine when standard input closes: the one thing
 * that the system does for a parent in every kind of death, SIGKILL included.
 */
const GUARDED = 'exec 3<&0; { read -r _ <&3; kill $$; } >/dev/null 2>&1 & exec "$@" </dev/null 3<&-';

const LAST_WORDS = 2_000;

/** A port that nothing listens on at the moment, on the loopback interface. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return (address as { port: number }).port;
};

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

/**
 * Runs an engine that is a program of its own until `stop()`, or until this process ends however it ends.
 *
 * It stands outside the terminal's process group, so that Ctrl-C reaches the service alone, which ends it last,
 * and apart from this process's output, so that a pipe behind `npm start` closes with the service.
 * @throws StartError when it ends before it listens, with what it said.
 */
export const startProcess = async (
  name: string,
  port: number,
  [command, ...args]: [string, ...string[]],
  onCrash: (message: string) => void,
): Promise<Running> => {
  const guarded = process.platform !== 'win32';
  const child = spawn(guarded ? 'sh' : command, guarded ? ['-c', GUARDED, 'sh', command, ...args] : args, {
    detached: guarded,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-LAST_WORDS);
  });
  child.stdin.on('error', () => undefined);

  let end: string | undefined;
  const ended = new Promise<void>((resolve) => {
    const finish = (how: string) => {
      end ??= how;
      child.stdin.destroy();
      resolve();
    };
    child.once('error', (error) => finish(error.message));
    child.once('exit', (code, signal) => finish(`it ended with ${signal ?? `exit code ${code}`}`));
  });
  const failure = (when: string) => `${name} ${when}: ${[end, said.trim()].filter(Boolean).join('\n')}`;

  const deadline = Date.now() + 20_000;
  for (let pause = 2; !(await accepts(port)); pause = Math.min(pause * 2, 100)) {
    if (end !== undefined) throw new StartError(failure('did not start'));
    if (Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new StartError(failure('did not listen within 20 seconds'));
    }
    await sleep(pause);
  }

  // A test run that forgets to stop its engines still ends, and they with it.
  child.unref();
  for (const pipe of [child.stdin, child.stderr]) (pipe as unknown as { unref(): void }).unref();

  let stopping = false;
  void ended.then(() => stopping || onCrash(failure('ended unexpectedly')));
  return {
    endpoint: `http://127.0.0.1:${port}`,
    stop: async () => {
      stopping = true;
      child.ref();
      child.kill();
      const patience = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await ended;
      clearTimeout(patience);
    },
  };
};
