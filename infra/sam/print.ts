import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../catalogue.ts';
import { runningOn } from '../local/attach.ts';
import { samVariables, templatesIn } from './environment.ts';

const { DATA_DIR = '.data', SAM_HOST = '127.0.0.1' } = process.env;
const folder = join(ROOT, 'cdk.out');

try {
  if (!existsSync(folder)) throw new Error(`there are no templates in ${folder}: run npm run synth first`);
  const environment = { ...(await runningOn(DATA_DIR)), ...process.env };
  const variables = samVariables(templatesIn(folder), environment, SAM_HOST);
  process.stdout.write(`${JSON.stringify(variables, null, 2)}\n`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
