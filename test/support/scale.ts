/**
 * How large this run of the tests is, by the variable SCALE: `small`, as without it, keeps each kind of fault that a long
 * file is for; `full` is what a night has time for.
 */
const SCALES = ['small', 'full'];
export const { SCALE = 'small' } = process.env;
if (!SCALES.includes(SCALE)) throw new Error(`SCALE is "${SCALE}", and must be one of ${SCALES.join(', ')}.`);

/** How many times as many examples of a property a full run tries. */
const FULL_RUNS = 5;

/** A size in a run of this scale, such as a number of rows, of histories or of kills. */
export const scaled = <Size>(small: Size, full: Size): Size => (SCALE === 'full' ? full : small);

/** How many examples a property is tried with. @param small how many in a small run */
export const runs = (small: number): number => scaled(small, small * FULL_RUNS);
