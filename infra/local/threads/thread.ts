import { join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { type AnyHandler, ROOT } from '../../catalogue.ts';
import { contextOf } from '../lambda.ts';
import type { Outcome, Task } from '../threads.ts';

// Runs in a thread of its own: one invocation at a time, of any function.
const port = parentPort!;

const run = async ({ file, event, functionName, memory, deadline }: Task): Promise<Outcome> => {
  try {
    const { handler } = (await import(join(ROOT, file))) as { handler: AnyHandler };
    return { value: await handler(event, contextOf(functionName, memory, deadline)) };
  } catch (error) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }
};

port.on('message', (task: Task) => {
  void run(task).then((outcome) => port.postMessage(outcome));
});
