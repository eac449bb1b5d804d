import { execFileSync, spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { ROOT } from '../../infra/catalogue.ts';
import { SEED } from '../support/chance.ts';
import { SCALE } from '../support/scale.ts';
import { type Lane, lanesNamed } from './lanes.ts';
import { summary } from './outcome.ts';
import { runLanes } from './run-lanes.ts';

const has = (command: string): boolean => spawnSync('sh', ['-c', command], { stdio: 'ignore' }).status === 0;

/** Installs what lanes need of Debian and this machine lacks. */
const install = (lanes: readonly Lane[]): void => {
  const missing = lanes.flatMap(({ debian }) => (debian && !has(debian.unless) ? debian.packages : []));
  if (missing.length === 0) return;
  const sudo = process.getuid?.() === 0 ? [] : ['sudo'];
  const aptGet = (...command: string[]): void => {
    const [first, ...rest] = [...sudo, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-qq', ...command];
    execFileSync(first!, rest, { stdio: 'inherit' });
  };
  aptGet('update');
  aptGet('install', '-y', '--no-install-recommends', ...missing);
};

const { values, positionals } = parseArgs({
  options: { lanes: { type: 'string', multiple: true, default: [] } },
  allowPositionals: true,
});
const lanes = lanesNamed([...values.lanes, ...positionals].flatMap((names) => names.split(',')));
const chance = `SCALE=${SCALE} SEED=${SEED}`;
install(lanes);
const outcomes = await runLanes(ROOT, lanes, chance);
process.stdout.write(`\n${summary(outcomes, chance)}`);
process.exitCode = outcomes.filter(({ failed }) => failed.length > 0).length;
