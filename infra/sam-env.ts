import { join } from 'node:path';
import { ROOT } from './catalogue.ts';
import { samVariables, templatesIn } from './sam.ts';

const templates = templatesIn(join(ROOT, 'cdk.out'));
const variables = samVariables(templates, process.env, process.env['SAM_HOST'] ?? 'host.docker.internal');
process.stdout.write(`${JSON.stringify(variables, null, 2)}\n`);
