import { setImmediate as turn } from 'node:timers/promises';
import { startThreads } from '../../../infra/local/threads.ts';

const threads = startThreads(2);
afterAll(() => threads.stop());

/** Milliseconds that no task takes, however busy the machine is. */
const LONG = 600_000;

const run = (event: object, owner = 'a', milliseconds = LONG) => {
  const at = Date.now() + milliseconds;
  const file = 'test/support/processes/busy-function.ts';
  const task = { file, event, functionName: 'busy', memory: 512, deadline: at };
  return threads.run(task, owner, { at, late: () => new Error('late') });
};

/** What a function in a thread waits for. */
const newGate = () => new Int32Array(new SharedArrayBuffer(4));
const open = (gate: Int32Array<SharedArrayBuffer>): void => void Atomics.store(gate, 0, 1);

describe('startThreads', () => {
  test('runs a function without holding up its own thread', async () => {
    const gate = newGate();
    const ended = run({ gate });
    for (let turns = 0; turns < 10; turns += 1) await turn();
    // It computes until this thread, which has had its turns, lets it end.
    open(gate);
    expect(await ended).toMatchObject({ context: true });
  });

  test('rejects with the error of the function', async () => {
    await expect(run({ fails: true })).rejects.toThrow('broken');
  });

  test('keeps a thread free of an owner who has many tasks', async () => {
    const gate = newGate();
    const ended: string[] = [];
    const many = Array.from({ length: 5 }, async () => {
      await run({ gate });
      ended.push('a');
    });
    await run({}, 'b').then(() => ended.push('b'));
    open(gate);
    await Promise.all(many);
    expect(ended).toEqual(['b', ...Array(5).fill('a')]);
  });

  test('ends a task that is late, running or waiting, and goes on', async () => {
    const tasks = [run({ gate: newGate() }, 'a', 800), run({}, 'a', 400)];
    expect((await Promise.allSettled(tasks)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await run({})).toMatchObject({ context: true });
  });

  test('survives a task that takes more memory than a thread has', async () => {
    await expect(run({ takesAll: true })).rejects.toThrow(/memory/);
    expect(await run({})).toMatchObject({ context: true });
  });
});
