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

describe('startThreads', () => {
  test('runs a function without holding up its own thread', async () => {
    let turns = 0;
    const turning = setInterval(() => (turns += 1), 10);
    expect(await run({ busy: 500 })).toMatchObject({ context: true });
    clearInterval(turning);
    expect(turns).toBeGreaterThan(10);
  });

  test('rejects with the error of the function', async () => {
    await expect(run({ fails: true })).rejects.toThrow('broken');
  });

  test('keeps a thread free of an owner who has many tasks', async () => {
    const ended: string[] = [];
    const many = Array.from({ length: 5 }, async () => {
      await run({ busy: 300 });
      ended.push('a');
    });
    await run({}, 'b').then(() => ended.push('b'));
    await Promise.all(many);
    expect(ended.indexOf('b')).toBeLessThan(3);
  });

  test('ends a task that is late, running or waiting, and goes on', async () => {
    const tasks = [run({ busy: LONG }, 'a', 800), run({}, 'a', 400)];
    expect((await Promise.allSettled(tasks)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await run({})).toMatchObject({ context: true });
  });

  test('survives a task that takes more memory than a thread has', async () => {
    await expect(run({ takesAll: true })).rejects.toThrow(/memory/);
    expect(await run({})).toMatchObject({ context: true });
  });
});
