import { PassThrough, type Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Lane } from './lanes.ts';
import type { Outcome } from './outcome.ts';
import { runLane } from './run-lane.ts';

/** How many lanes run at once that leave a part of two cores idle. */
const LIGHT_AT_ONCE = 2;

/**
 * Runs lanes: one after the other, and then the light ones, two at once. What a light one prints is shown when it has
 * ended, in one piece.
 * @param folder where the `package.json` of their scripts is
 * @param chance the variables that a run is repeated with, such as `SCALE=small SEED=0`
 * @returns what they came to, in the order of the lanes
 */
export const runLanes = async (
  folder: string,
  lanes: readonly Lane[],
  chance: string,
  shown: Writable = process.stdout,
): Promise<Outcome[]> => {
  const outcomes = new Map<Lane, Outcome>();
  const run = async (lane: Lane, to: Writable): Promise<void> => {
    to.write(`\n== ${lane.script}, ${chance}\n`);
    outcomes.set(lane, await runLane(folder, lane, to));
  };
  for (const lane of lanes.filter(({ isLight }) => !isLight)) await run(lane, shown);
  const waiting = lanes.filter(({ isLight }) => isLight);
  const work = async (): Promise<void> => {
    for (let lane = waiting.shift(); lane; lane = waiting.shift()) {
      const printed = new PassThrough();
      const all = text(printed);
      await run(lane, printed);
      printed.end();
      shown.write(await all);
    }
  };
  await Promise.all(Array.from({ length: LIGHT_AT_ONCE }, work));
  return lanes.map((lane) => outcomes.get(lane)!);
};
