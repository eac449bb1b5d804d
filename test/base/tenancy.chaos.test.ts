import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startAws } from '../support/tenants.ts';

test('row-level security serves 1,000 organizations with 256 open files', async () => {
  const aws = await startAws();
  const program = join(import.meta.dirname, '../support/processes/serve-tenants.ts');
  const limited = ['-c', 'ulimit -n 256 && exec "$0" "$@"', process.execPath, program, '1000', '2000'];
  await promisify(execFile)('bash', limited, { env: { ...process.env, ...aws.variables } });
  aws.close();
  const { sessions, connections, misplaced } = aws.read();
  expect({ sessions, misplaced }).toEqual({ sessions: 1_000, misplaced: 0 });
  // At most the twenty requests that run at once, for each of the four services.
  expect(connections).toBeLessThanOrEqual(80);
});
