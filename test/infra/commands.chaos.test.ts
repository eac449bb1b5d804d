import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ROOT } from '../../infra/catalogue.ts';
import { plainEnvironment } from '../support/processes/environment.ts';
import { endServices, start } from '../support/processes/service.ts';
import { scaled } from '../support/scale.ts';

/** What npm prints for a command. @throws Error with all that was printed, unless the command succeeds */
const npm = async (environment: Record<string, string>, ...command: string[]): Promise<string> => {
  const options = { cwd: ROOT, env: { ...plainEnvironment(), ...environment }, maxBuffer: 2 ** 26 };
  try {
    return (await promisify(execFile)('npm', ['run', '-s', ...command], options)).stdout;
  } catch (error) {
    const failed = error as Error & { stdout: string; stderr: string };
    failed.message = [failed.message, failed.stdout, failed.stderr].join('\n');
    throw failed;
  }
};

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'commands-'));
});
afterAll(async () => {
  endServices();
  await rm(dataDir, { recursive: true, force: true });
});

describe('a command that the README or CONTRIBUTING names', () => {
  test('npm ci, which prints nothing but what it changes, with the Node.js of this machine', async () => {
    const env = plainEnvironment();
    const folders = env['PATH']!.split(':').filter((folder) => !folder.endsWith('/node_modules/.bin'));
    const { stdout, stderr } = await promisify(execFile)('npm', ['ci', '--dry-run'], {
      cwd: ROOT,
      env: { ...env, PATH: folders.join(':') },
    });
    const printed = (stdout + stderr).split('\n').filter((line) => line !== '');
    expect(
      printed.filter((line) => !/^(add|remove|change|added|removed|changed|up to date)\b/.test(line)),
    ).toEqual([]);
  });

  // This one and the game day wait more than they compute, and the others run meanwhile.
  test.concurrent('npm run demo, beside a service whose data folder it reads', async () => {
    const { url, said } = await start({ DATA_DIR: dataDir });
    const keyIn = (text: string): string | undefined => /shown only once:\s+(\S+)\n/.exec(text)?.[1];
    while (!keyIn(said())) await sleep(20);
    const key = keyIn(said())!;
    const shown = await npm({ API_URL: url, API_KEY: key, DATA_DIR: dataDir }, 'demo');
    expect(shown).toMatch(/^This takes .+ minute\.\n/);
    expect(shown).toMatch(/findings/);
    expect(shown).toMatch(/\nIt took \d+ seconds\.\n$/);
    const made = [...shown.matchAll(/^(\w[\w-]+) .+\n {16}http\S+\/admin\/([a-z-]+)/gm)];
    expect(made.map(([, what, place]) => `${what}: ${place}`)).toEqual([
      'organization: organization',
      'template: templates',
      'inspection: inspections',
      'inspection: inspections',
      'action: corrective-actions',
      'action: corrective-actions',
      'inspection: inspections',
      'report: reports',
      'contractor: corrective-actions',
      're-inspection: inspections',
      'contractor: corrective-actions',
      'schedule: schedules',
      'issues: issues',
    ]);
    const links = [...shown.matchAll(/^ {2}(http\S+)\n {4}(.+)$/gm)].map(([, link, shows]) => [
      shows!,
      link!,
    ]);
    expect(links.map(([shows]) => shows)).toEqual([
      'the app: sign in as an admin of the organization of your key',
      'the report, for whoever has the link',
      'the offer of the report: Maria agrees to get mails, or declines',
      '"Fit the new tiles in the dish area" for the contractor, who reports it as done',
      'all tasks of the contractor',
      'the form by which anyone reports an issue in the kitchen',
      'all mails that were sent',
    ]);
    for (const [shows, link] of links) {
      const page = await fetch(link!, { headers: { 'accept-language': 'en' } });
      expect([shows, page.status]).toEqual([shows, 200]);
      expect([shows, await page.text()]).not.toEqual([shows, expect.stringContaining('is closed')]);
    }

    const elsewhere = { API_URL: url, DATA_DIR: join(dataDir, 'elsewhere') };
    await expect(npm(elsewhere, 'demo')).rejects.toMatchObject({
      stderr: expect.stringMatching(/^there is no key: set API_KEY to the key that npm start printed/),
    });
    await expect(npm({ ...elsewhere, API_KEY: 'ak_of_somebody' }, 'demo')).rejects.toMatchObject({
      stderr: expect.stringMatching(/refuses the key: set API_KEY/),
    });
  });

  test('npm run operator -- --help', async () => {
    expect(await npm({}, 'operator', '--', '--help')).toMatch(/org create/);
  });

  test('npm run settings', async () => {
    expect(await npm({}, 'settings')).toMatch(/architecture/);
  });

  test('npm run drill, of a few rows', async () => {
    const shown = (await npm({}, 'drill', '--', '--locations', '5')).trim().split('\n');
    expect(shown).toHaveLength(11);
    expect(shown.filter((line) => !line.startsWith('ok '))).toEqual([]);
    expect(shown.find((line) => line.includes('org check'))).toMatch(
      /"organizations":3,"rows":\[\d\d+,\d+,\d+\]/,
    );
    expect(shown.at(-1)).toMatch(/"minutes":[\d.]+,"rows_lost":0/);
  });

  test.concurrent('npm run game-day, in which every fault is seen, told and mended', async () => {
    const shown = await npm({}, 'game-day');
    expect(shown).not.toContain('MISSING');
    const [, right, all] = /\n(\d+) of (\d+) are seen, told and mended\n$/.exec(shown)!;
    expect(right).toBe(all);
    // Each has what clients see, at least one metric and one alarm, and the doctor's word.
    for (const word of ['answers', 'doctor', 'mended', 'metric', 'alarm'])
      expect(
        shown
          .split(/\n\d+\. /)
          .slice(1)
          .filter((part) => !part.includes(`\n   ${word} `)),
      ).toEqual([]);
  });

  const PRINTING = {
    openapi: async () => {
      const document = JSON.parse(await npm({}, 'openapi'));
      expect(document).toMatchObject({ openapi: expect.stringMatching(/^3\.1\./) });
    },
    'cost, whose reader has read enough': async () => {
      const { stdout, stderr } = await promisify(execFile)(
        'bash',
        ['-o', 'pipefail', '-c', 'npm run -s cost | head -n 1'],
        { cwd: ROOT, env: plainEnvironment() },
      );
      expect(stdout).toMatch(/^USD by the list of .* of \d{4}-\d\d-\d\d: https:\/\//);
      expect(stderr).toBe('');
    },
  };
  type Printing = keyof typeof PRINTING;

  // The costs need the bundles of all functions, which take two minutes. The tests of the cloud compare what they are.
  test.each(scaled<Printing[]>(['openapi'], ['openapi', 'cost, whose reader has read enough']))(
    'npm run %s',
    (name) => PRINTING[name](),
  );

  test('npm run bench, of one part and at a small scale', async () => {
    expect(await npm({}, 'bench', '--', 'integrations', '--scale', '0.002')).toMatch(/ratio|calls/);
  });

  test('npm run load, of a few organizations', async () => {
    const shown = await npm({}, 'load', '--', '--orgs', '3,6', '--requests', '5', '--at-once', '6');
    const lines = shown.split('\n').filter((line) => /^\d+ organizations/.test(line));
    const cells = lines.map((line) => line.split(/ {3,}/));
    // No request fails, and each organization has one session.
    expect(cells.map(([what, , , refused, sessions]) => [what, refused, sessions])).toEqual([
      ['3 organizations, 15 requests', '0', '3'],
      [expect.stringMatching(/^3 organizations, \d+ events handed on$/), '–', '–'],
      ['6 organizations, 30 requests', '0', '6'],
      [expect.stringMatching(/^6 organizations, \d+ events handed on$/), '–', '–'],
    ]);
    expect(cells.map(([, calls]) => Number(calls) >= 1)).toEqual([true, true, true, true]);
  });

  test('npm run test:conditions, of one condition', async () => {
    const shown = await npm(
      {},
      'test:conditions',
      '--',
      '--of',
      'LOCATION *: version',
      'test/locations/locations',
    );
    expect(shown).toMatch(/^missed +.*LOCATION/m);
  });
});
