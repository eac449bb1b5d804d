import { join } from 'node:path';
import { ROOT } from '../catalogue.ts';
import { runningOn } from '../local/attach.ts';
import { samVariables, templatesIn } from './environment.ts';

const { DATA_DIR = '.data', SAM_HOST = '127.0.0.1' } = process.env;
const environment = { ...(await runningOn(DATA_DIR)), ...process.env };
const variables = samVariables(templatesIn(join(ROOT, 'cdk.out')), environment, SAM_HOST);
process.stdout.write(`${JSON.stringify(variables, null, 2)}\n`);
