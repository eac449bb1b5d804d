/*
 * Runs the unit tests with another clock: `npm run test:any-day -- --day 3`. The number chooses one of `DAYS`; without it
 * SEED does, so each night has another one. All other arguments are jest's.
 *
 * Debian's `faketime` moves the clock of jest and of every process that the tests start by the same time. Times of files
 * and the clock that measures durations stay as they are.
 */
import { spawnSync } from 'node:child_process';
import { ROOT } from '../../infra/catalogue.ts';
import { SEED } from '../support/chance.ts';
import { dayNumbered, secondsUntil } from './days.ts';

const given = process.argv.slice(2);
const at = given.indexOf('--day');
const [, chosen = ''] = at === -1 ? [undefined, undefined] : given.splice(at, 2);
const day = dayNumbered(at === -1 ? undefined : chosen, SEED);

const told = `at ${day.local} in ${day.zone}`;
process.stdout.write(`The clock begins ${told}.\n`);
const seconds = secondsUntil(day, Date.now());
const { status, error } = spawnSync(
  'faketime',
  ['-f', `${seconds < 0 ? '' : '+'}${seconds}s`, 'jest', ...given],
  {
    cwd: ROOT,
    env: { ...process.env, TZ: day.zone, NO_FAKE_STAT: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1' },
    stdio: 'inherit',
  },
);
if (error) throw new Error('faketime does not run. Install the Debian package faketime.', { cause: error });
process.stdout.write(`\nThe clock began ${told}. To repeat: npm run test:any-day -- --day ${day.number}\n`);
process.exitCode = status ?? 1;
