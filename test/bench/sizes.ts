import { type Line, median, rounded } from './table.ts';

/** Milliseconds that `work` takes. */
export const timed =
  <Subject>(work: (subject: Subject) => unknown) =>
  async (subject: Subject): Promise<number> => {
    const begun = performance.now();
    await work(subject);
    return performance.now() - begun;
  };

/**
 * The median for each subject, taken in turns so that a slow moment of the machine is everybody's.
 * @param rounds how often, by subject
 */
export const compare = async <Subject>(
  subjects: readonly Subject[],
  rounds: readonly number[],
  run: (subject: Subject) => Promise<number>,
): Promise<number[]> => {
  const times = subjects.map((): number[] => []);
  // The smallest warms up what runs for all.
  await run(subjects[0]!);
  for (let round = 0; round < Math.max(...rounds); round += 1) {
    for (const [position, subject] of subjects.entries()) {
      if (round < rounds[position]!) times[position]!.push(await run(subject));
    }
  }
  return times.map(median);
};

/** What it takes at each size, how many times as long as at the smallest, and whether that is near enough. */
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

/** The heading of such lines. */
export const heading = (what: string, sizes: readonly number[]): Line => {
  const named = sizes.map((size) => size.toLocaleString('en'));
  return [what, ...named, ...named.slice(1).map((size) => `at ${size}`), 'goal', ''];
};
