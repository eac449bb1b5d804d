import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What is left after the garbage was collected, in bytes. */
const held = (): { heap: number; buffers: number } => {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return { heap: heapUsed, buffers: external };
};

/** All memory that is held, in bytes. */
export const heldMemory = (): number => {
  const { heap, buffers } = held();
  return heap + buffers;
};

/** Measures the most memory that is held, in bytes. */
export class MemoryMeter {
  heap = 0;
  buffers = 0;

  measure(): void {
    const { heap, buffers } = held();
    this.heap = Math.max(this.heap, heap);
    this.buffers = Math.max(this.buffers, buffers);
  }
}
