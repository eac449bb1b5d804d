import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A failure to start whose message tells people what to do; they need no stack trace. */
export class StartError extends Error {
  override name = 'StartError';
}

/** An engine that has started. */
export interface Running {
  endpoint: string;
  stop(): Promise<void>;
}

/**
 * A shell script that becomes the engine and leaves a guard process behind, which ends the engine when standard input
 * closes. The operating system closes it however the parent process dies, even by SIGKILL.
 */
const GUARDED = 'exec 3<&0; { read -r _ <&3; kill $$; } >/dev/null 2>&1 & exec "$@" </dev/null 3<&-';

/** How much of the end of an engine's error output is kept for messages, in characters. */
const MAX_ERROR_OUTPUT = 2_000;

/** How long an engine may take until it listens, in milliseconds. */
const MAX_START_TIME = 60_000;

/** How long an engine may take to end before it is killed, in milliseconds. */
const MAX_STOP_TIME = 5_000;

/** A port of this loopback address that is free at the moment. */
const freePort = async (host: string): Promise<number> => {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return (address as { port: number }).port;
};

/** How many ports an engine is started on. */
const MAX_PORTS = 5;

/**
 * Starts an engine on a free port. Another program may take the port before the engine does; it is then started on
 * another one.
 * @throws StartError as `start`
 */
export const onFreePort = async (
  host: string,
  start: (port: number) => Promise<Running>,
): Promise<Running> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(await freePort(host));
    } catch (error) {
      const isTaken = error instanceof StartError && /in use|EADDRINUSE|BindException/i.test(error.message);
      if (!isTaken || attempt === MAX_PORTS) throw error;
    }
  }
};

const accepts = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, host, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

/**
 * Runs an engine that is a separate program. It ends with `stop()`, or when this process ends in any way.
 *
 * The engine is outside the terminal's process group: Ctrl-C reaches only the service, which stops the engine last.
 * It does not share this process's output, so that a pipe behind `npm start` closes together with the service.
 * @throws StartError with the engine's error output, when it ends before it listens or takes too long.
 */
export const startProcess = async (
  name: string,
  { host, port }: { host: string; port: number },
  [command, ...args]: [string, ...string[]],
  onCrash: (message: string) => void,
): Promise<Running> => {
  const guarded = process.platform !== 'win32';
  const child = spawn(guarded ? 'sh' : command, guarded ? ['-c', GUARDED, 'sh', command, ...args] : args, {
    detached: guarded,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let errorOutput = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errorOutput = (errorOutput + text).slice(-MAX_ERROR_OUTPUT);
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
  const failure = (what: string) =>
    `${name} ${what}: ${[end, errorOutput.trim()].filter(Boolean).join('\n')}`;

  const deadline = Date.now() + MAX_START_TIME;
  for (let pause = 2; !(await accepts(host, port)); pause = Math.min(pause * 2, 100)) {
    if (end !== undefined) throw new StartError(failure('did not start'));
    if (Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new StartError(failure(`did not listen within ${MAX_START_TIME / 1_000} seconds`));
    }
    await sleep(pause);
  }

  // A test run that forgets to stop its engines still ends, and the engines end with it.
  child.unref();
  for (const pipe of [child.stdin, child.stderr]) (pipe as unknown as { unref(): void }).unref();

  let stopping = false;
  void ended.then(() => stopping || onCrash(failure('ended unexpectedly')));
  return {
    endpoint: `http://${host}:${port}`,
    stop: async () => {
      stopping = true;
      child.ref();
      child.kill();
      const kill = setTimeout(() => child.kill('SIGKILL'), MAX_STOP_TIME);
      await ended;
      clearTimeout(kill);
    },
  };
};
