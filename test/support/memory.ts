import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** The bytes that are held: what is left after the garbage was collected. */
export const heldMemory = (): number => {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

/** Measures the most memory that is held, in bytes: what is left after the garbage was collected. */
export class MemoryMeter {
  heap = 0;
  buffers = 0;

  measure(): void {
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    this.heap = Math.max(this.heap, heapUsed);
    this.buffers = Math.max(this.buffers, external);
  }
}
