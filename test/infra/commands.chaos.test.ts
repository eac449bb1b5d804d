import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ROOT } from '../../infra/catalogue.ts';
import { endServices, start } from '../support/processes/service.ts';

/** What npm prints for a command. @throws Error unless the command succeeds */
const npm = async (environment: Record<string, string>, ...command: string[]): Promise<string> => {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, ...environment };
  const { stdout } = await promisify(execFile)('npm', ['run', '-s', ...command], {
    cwd: ROOT,
    env,
    maxBuffer: 2 ** 26,
  });
  return stdout;
};

describe('a command that the README or CONTRIBUTING names', () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'commands-'));
  });
  afterAll(async () => {
    endServices();
    await rm(dataDir, { recursive: true, force: true });
  });

  test('npm run demo, beside a service whose data folder it reads', async () => {
    const { url, said } = await start({ DATA_DIR: dataDir });
    const keyIn = (text: string): string | undefined => /shown only once:\s+(\S+)\n/.exec(text)?.[1];
    while (!keyIn(said())) await sleep(20);
    const key = keyIn(said())!;
    const shown = await npm({ API_URL: url, API_KEY: key, DATA_DIR: dataDir }, 'demo');
    expect(shown).toMatch(/^This takes .+ minute\.\n/);
    expect(shown).toMatch(/findings/);
    expect(shown).toMatch(/\nIt took \d+ seconds\.\n$/);
    const links = [...shown.matchAll(/^ {2}(http\S+)\n {4}(.+)$/gm)].map(([, link, shows]) => [
      shows!,
      link!,
    ]);
    expect(links.map(([shows]) => shows)).toEqual([
      'the report, for whoever has the link',
      'the offer of the report: Maria agrees to get mails, or declines',
      '"Fit the new tiles in the dish area" for the contractor, who reports it as done',
      'all tasks of the contractor',
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

  test('npm run openapi', async () => {
    expect(JSON.parse(await npm({}, 'openapi'))).toMatchObject({ openapi: expect.stringMatching(/^3\.1\./) });
  });

  test('npm run bench, of one part and at a small scale', async () => {
    expect(await npm({}, 'bench', '--', 'integrations', '--scale', '0.002')).toMatch(/ratio|calls/);
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
