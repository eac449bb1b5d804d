import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { scaled } from '../support/scale.ts';
import { startAws } from '../support/tenants.ts';

/** More than the open files that the process may have. */
const ORGANIZATIONS = scaled(400, 1_000);

test(`row-level security serves ${ORGANIZATIONS} organizations with 256 open files`, async () => {
  const aws = await startAws();
  const program = join(import.meta.dirname, '../support/processes/serve-tenants.ts');
  const sizes = [ORGANIZATIONS, 2 * ORGANIZATIONS].map(String);
  const limited = ['-c', 'ulimit -n 256 && exec "$0" "$@"', process.execPath, program, ...sizes];
  await promisify(execFile)('bash', limited, { env: { ...process.env, ...aws.variables } });
  aws.close();
  const { sessions, connections, misplaced } = aws.read();
  expect({ sessions, misplaced }).toEqual({ sessions: ORGANIZATIONS, misplaced: 0 });
  // At most the twenty requests that run at once, for each of the four services.
  expect(connections).toBeLessThanOrEqual(80);
});
