import { randomUUID } from 'node:crypto';
import { createBareTable } from '../../infra/local/engines/resources.ts';
import { TABLE } from '../../shared/table/table.ts';
import { watchConditions } from './conditions.ts';

/**
 * Gives the tests of a file a table of their own, so that a worker that reads what all organizations have due meets
 * none of another file. It is part of `people.ts`, without which the table is not used. It has no stream: nothing here
 * reads one, and its records make each change a fifth dearer for the embedded engine.
 */
export const useOwnTable = (): void => {
  const name = `test-${randomUUID()}`;
  beforeAll(async () => {
    await createBareTable(
      name,
      TABLE.indexes.map((index) => index.name),
    );
    process.env['TABLE_NAME'] = name;
  });
};

// The benchmarks make people as well, and they have no tests. A service at `API_URL` has a table already, and AWS's engine
// becomes slow with many of them.
const isShared = process.env['API_URL'] || process.env['ENGINE'] === 'dynamodb-local';
if ('beforeAll' in globalThis && !isShared) useOwnTable();
if ('beforeAll' in globalThis) watchConditions();
