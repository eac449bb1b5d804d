import type { NumbersCell } from '../../domain/numbers/counting.ts';

/** Numbers of what happened at a place in a month, of one client account and template family. */
export interface StoredNumbers {
  /** The numbers by their names, as gzipped JSON. None of them is 0. */
  body: Uint8Array;
  version: number;
}

/** What an inspection, its answers, a finding or an action has been counted as. */
export interface Counted extends NumbersCell {
  /** The time zone by which its month was found. */
  timezone: string;
  /** The numbers that it has added, as gzipped JSON. */
  body: Uint8Array;
  /** Of a finding: whether it repeated an earlier one when it was first counted. */
  is_repeat?: boolean;
  /** Whether it was completed. Its time zone stays from then on. */
  is_completed?: boolean;
  /** Of answers: the `answers_revision` of the inspection. */
  revision?: number;
  version: number;
}

/** How far an organization that is older than its numbers was counted. */
export interface NumbersState {
  /** Whether all that there was is counted. */
  is_whole: boolean;
}
