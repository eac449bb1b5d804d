import { type Line, median, rounded } from './table.ts';

/** Milliseconds that `work` takes. */
export const timed =
  <Subject>(work: (subject: Subject) => unknown) =>
  async (subject: Subject): Promise<number> => {
    const start = performance.now();
    await work(subject);
    return performance.now() - start;
  };

/**
 * The median of each subject. The subjects are measured in turns, so that a slow moment affects all of them.
 * @param rounds the number of measurements, by subject
 */
export const compare = async <Subject>(
  subjects: readonly Subject[],
  rounds: readonly number[],
  run: (subject: Subject) => Promise<number>,
): Promise<number[]> => {
  const times = subjects.map((): number[] => []);
  // One run of the smallest subject warms up the code.
  await run(subjects[0]!);
  for (let round = 0; round < Math.max(...rounds); round += 1) {
    for (const [position, subject] of subjects.entries()) {
      if (round < rounds[position]!) times[position]!.push(await run(subject));
    }
  }
  return times.map(median);
};

/** A line with the value at each size, its ratio to the smallest size, and whether the ratio meets the goal. */
export const line = (what: string, measured: readonly number[], goal: number): Line => {
  const larger = measured.slice(1).map((value) => value / measured[0]!);
  return [
    what,
    ...measured.map(rounded),
    ...larger.map((times) => `${times.toFixed(2)}×`),
    `≤ ${goal}×`,
    Math.max(...larger) <= goal ? 'met' : 'MISSED',
  ];
};

/** The heading of the lines that `line` makes. */
export const heading = (what: string, sizes: readonly number[]): Line => {
  const named = sizes.map((size) => size.toLocaleString('en'));
  return [what, ...named, ...named.slice(1).map((size) => `at ${size}`), 'goal', ''];
};
