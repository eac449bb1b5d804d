import fc from 'fast-check';
import { SEED } from './chance.ts';
import { runs } from './scale.ts';

/** How many examples a property is tried with that does not say it. */
const EXAMPLES = 100;

// Before each file: a seed gives every property the same examples in each run. A failure prints it.
fc.configureGlobal({ seed: SEED, numRuns: runs(EXAMPLES) });
