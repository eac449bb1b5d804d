/** Milliseconds of processor time since this process started: other work on the machine does not count. */
const processorTime = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

const SAMPLE = JSON.stringify(
  Array.from({ length: 20_000 }, (_, id) => ({ id, name: `n${id}`, list: [id, id + 1] })),
);

let unit: number | undefined;

/** What reading and writing a megabyte of JSON costs on this machine now: some 10 ms. */
const measureUnit = (): number => {
  const begin = processorTime();
  for (let run = 0; run < 8; run += 1) JSON.stringify(JSON.parse(SAMPLE));
  return (processorTime() - begin) / 8;
};

/**
 * How much this process has computed since it started, as a multiple of reading and writing a megabyte of JSON. For
 * guards against work that explodes with its input: a slow machine, or a busy one, gives the same numbers.
 */
export const effort = (): number => {
  unit ??= measureUnit();
  return processorTime() / unit;
};
