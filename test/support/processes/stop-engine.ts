import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

const stopEngine = async (): Promise<void> => {
  const { engine } = globalThis as { engine?: ChildProcess };
  if (!engine || engine.exitCode !== null || engine.signalCode !== null) return;
  engine.stdin?.end();
  await once(engine, 'exit');
};

export default stopEngine;
