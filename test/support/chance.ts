import { createHash } from 'node:crypto';
import { join, relative } from 'node:path';

/** What every choice by chance begins with, so that a run can be repeated: the variable SEED, a whole number, else 0. */
const { SEED: given = '0' } = process.env;
if (!/^\d{1,9}$/.test(given))
  throw new Error(`SEED is "${given}", and must be a number of one to nine digits.`);
export const SEED = Number(given);

/** How far apart the seeds of two runs are, so that no history of one is a later one of the other. */
const APART = 7_919;

/**
 * A generator that gives the same numbers in [0, 1) for the same number and the same SEED (mulberry32).
 * @param history which of a test’s histories this is
 */
export const seeded = (history: number): (() => number) => {
  let state = (SEED * APART + history) | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

const ROOT = join(import.meta.dirname, '../..');

/** Another number for each test file. */
const fileNumber = (): number => {
  const path = relative(ROOT, expect.getState().testPath!);
  return createHash('sha256').update(path).digest().readInt32BE();
};

let ofFile: (() => number) | undefined;

/** Bytes that cannot be made smaller and are unlike those of other test files, yet the same in each run. */
export const anyBytes = (count: number): Buffer => {
  const random = (ofFile ??= seeded(fileNumber()));
  return Buffer.from(Array.from({ length: count }, () => Math.floor(random() * 256)));
};
