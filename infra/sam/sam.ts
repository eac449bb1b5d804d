import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../catalogue.ts';
import { architectureHere } from '../cloud/bundle/native.ts';
import { runningOn } from '../local/attach.ts';
import { samVariables, templatesIn } from './environment.ts';

/*
 * Builds everything for the processors of this machine, which SAM's containers run on, writes the variables that point
 * the functions at the engines of a running `npm start`, and prints the command that starts the API of an audience.
 */

const { DATA_DIR = '.data', SAM_HOST = '127.0.0.1', SAM_PORT = '3001' } = process.env;

/** Beside that of `npm run synth`, which is for the processors of the cloud. */
const FOLDER = 'cdk.out/sam';

/** @throws Error when the build fails, whose own message stands on the error output */
const build = (): void => {
  const architecture = architectureHere();
  if (!architecture) throw new Error(`Lambda has no processors like those of this machine (${process.arch})`);
  const flags = { architecture, nativeArchitecture: architecture };
  const context = Object.entries(flags).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const { status } = spawnSync('cdk', ['synth', '--quiet', '--no-notices', '--output', FOLDER, ...context], {
    cwd: ROOT,
    env: { ...process.env, CDK_DISABLE_CLI_TELEMETRY: 'true' },
    // The output is for the command alone.
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) throw new Error('the build has failed');
};

try {
  const running = await runningOn(DATA_DIR);
  if (!running && !process.env['TABLE_NAME'])
    throw new Error(`no service is running on the data folder ${DATA_DIR}: run npm start beside this`);
  build();
  const folder = join(ROOT, FOLDER);
  const variables = samVariables(templatesIn(folder), { ...running, ...process.env }, SAM_HOST);
  writeFileSync(join(folder, 'env.json'), `${JSON.stringify(variables, null, 2)}\n`);
  process.stdout.write(
    `sam local start-api -t ${FOLDER}/inspection-service.template.json --env-vars ${FOLDER}/env.json --port ${SAM_PORT} --warm-containers LAZY --docker-network host\n`,
  );
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
