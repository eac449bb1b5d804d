import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from './faults.ts';

/** Longer than a call waits before it is repeated, in milliseconds. */
const PAUSE_MS = 50;

/** Passes commands on to a fault. `ended` resolves when none is under way any more: a request may end before its commands. */
export const underWay = (fault: Fault): { fault: Fault; ended: () => Promise<void> } => {
  const running = new Set<Promise<object>>();
  return {
    fault: async (sending) => {
      const command = fault(sending);
      running.add(command);
      try {
        return await command;
      } finally {
        running.delete(command);
      }
    },
    ended: async () => {
      do {
        await Promise.allSettled(running);
        await sleep(PAUSE_MS);
      } while (running.size > 0);
    },
  };
};
