import { onFreePort, type Running, StartError, startProcess } from '../../../infra/local/engines/process.ts';

const HOST = '127.0.0.1';

/** A program that listens on a port, as an engine does, and says so when it cannot. */
const PROGRAM = `require('node:net').createServer().listen(Number(process.argv[1]), '${HOST}')`;

const start = (port: number): Promise<Running> =>
  startProcess('the engine', { host: HOST, port }, [process.execPath, '-e', PROGRAM, String(port)], () => {});

describe('an engine', () => {
  test('is started on another port when somebody has taken the one that was free', async () => {
    const tried: number[] = [];
    const running = await onFreePort(HOST, (port) => {
      tried.push(port);
      if (tried.length > 1) return start(port);
      throw new StartError(
        `the engine did not start: listen EADDRINUSE: address already in use ${HOST}:${port}`,
      );
    });
    expect(tried).toHaveLength(2);
    expect(running.endpoint).toBe(`http://${HOST}:${tried[1]}`);
    await running.stop();
  });

  test('fails at once for any other reason, and for ports that are always taken', async () => {
    const failing = (message: string) => {
      const tried: number[] = [];
      const start = (port: number) => {
        tried.push(port);
        return Promise.reject(new StartError(message));
      };
      return { tried, start };
    };
    const broken = failing('the engine did not start: no such file');
    await expect(onFreePort(HOST, broken.start)).rejects.toThrow('no such file');
    expect(broken.tried).toHaveLength(1);
    const taken = failing('the engine did not start: port is already in use');
    await expect(onFreePort(HOST, taken.start)).rejects.toThrow('in use');
    expect(taken.tried.length).toBeGreaterThan(1);
  });
});
