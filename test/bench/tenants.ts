import { newCallers, serveAll, startAws } from '../support/tenants.ts';
import { print, rounded } from './table.ts';

const ORGANIZATIONS = [10, 100, 1_000];
const REQUESTS = 1_000;

/** What row-level security asks of AWS in a function that serves many organizations, per 1,000 requests. */
export const measure = async (): Promise<void> => {
  const aws = await startAws();
  Object.assign(process.env, aws.variables);
  const lines = [];
  for (const organizations of ORGANIZATIONS) {
    const callers = newCallers(organizations);
    for (const turn of ['first', 'later']) {
      const startedAt = performance.now();
      await serveAll(callers, REQUESTS, 1);
      const milliseconds = (performance.now() - startedAt) / REQUESTS;
      const { sessions, connections } = aws.read();
      lines.push([
        `${organizations} organizations, ${turn}`,
        String(sessions),
        String(connections),
        rounded(milliseconds),
      ]);
    }
  }
  aws.close();
  print(
    'Row-level security: per 1,000 requests, one after the other, each of which uses the table, the bucket and the key',
    ['', 'AssumeRole calls', 'new connections', 'ms a request'],
    lines,
  );
};
