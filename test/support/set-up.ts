import fc from 'fast-check';
import { SEED } from './chance.ts';
import { runs } from './scale.ts';

/** How many examples a property is tried with that does not say it. */
const EXAMPLES = 100;

// Before each file: a seed gives every property the same examples in each run. A failure prints it.
fc.configureGlobal({ seed: SEED, numRuns: runs(EXAMPLES) });

// Each worker of jest has an engine of the table for itself.
const engines = process.env['TEST_ENGINE_URLS']?.split(' ') ?? [];
const url = engines[Number(process.env['JEST_WORKER_ID']) % engines.length];
if (url !== undefined) {
  process.env['AWS_ENDPOINT_URL_DYNAMODB'] = url;
  process.env['AWS_ENDPOINT_URL_DYNAMODB_STREAMS'] = url;
  // AWS's own engine is spoken to as the service does.
  if (!process.env['ENGINE']) process.env['TEST_ENGINE_URL'] = url;
}
