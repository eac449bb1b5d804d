import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runningOn } from '../../../infra/local/attach.ts';
import { endServices, run, start } from '../../support/processes/service.ts';
import { newSurfer } from '../../support/processes/surfer.ts';
import { scaled } from '../../support/scale.ts';

let dataDir: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'start-test-'));
});
afterAll(async () => {
  endServices();
  await rm(dataDir, { recursive: true, force: true });
});

const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await sleep(20);
};

/** Those of the addresses where something answers. */
const reachableOf = async (urls: readonly string[]): Promise<string[]> => {
  const found = urls.map((url) =>
    fetch(url, { method: 'POST' }).then(
      () => [url],
      () => [],
    ),
  );
  return (await Promise.all(found)).flat();
};

/** The addresses of the engines of the service that runs on a data folder. */
const enginesOf = async (folder: string): Promise<string[]> =>
  Object.entries((await runningOn(folder))!).flatMap(([name, value]) =>
    name.startsWith('AWS_ENDPOINT_URL_') ? [value] : [],
  );

/** Whether an engine of this data folder runs. The door in front of it ends with the service in any case. */
const engineRuns = (): boolean =>
  readdirSync('/proc').some((pid) => {
    try {
      const command = readFileSync(join('/proc', pid, 'cmdline'), 'utf8');
      return command.includes(dataDir) && /dynoxide|DynamoDBLocal/.test(command);
    } catch {
      return false;
    }
  });

/** What a service has complained of, but for calls that took too long because the machine is busy. */
const complaintsOf = ({ complained }: { complained: string }): string[] =>
  complained.split('\n').filter((line) => line !== '' && !line.includes('TimeoutError'));

/** The status of a request of a web page that is not ours. */
const statusForPage = async (url: string): Promise<number> =>
  (await fetch(url, { headers: { origin: 'https://evil.example' } })).status;
/** The processes that were started with this data folder: npm, the service, its engine and the engine's guard. */
const processesOf = async (folder: string): Promise<number[]> => {
  const found = (await readdir('/proc')).map(async (name) => {
    const variables = /^\d+$/.test(name)
      ? await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '')
      : '';
    return variables.split('\0').includes(`DATA_DIR=${folder}`) ? [Number(name)] : [];
  });
  return (await Promise.all(found)).flat();
};

describe('a process that runs npm start', () => {
  const ENDS: [string, (npm: number) => void][] = [
    ['SIGTERM', (npm) => process.kill(npm, 'SIGTERM')],
    ['Ctrl-C, which signals all processes of the terminal', (npm) => process.kill(-npm, 'SIGINT')],
    ['SIGKILL', (npm) => process.kill(npm, 'SIGKILL')],
  ];
  // npm passes this one on as it does SIGTERM, and with Ctrl-C it arrives as well.
  const SIGINT: typeof ENDS = [['SIGINT', (npm) => process.kill(npm, 'SIGINT')]];

  test.concurrent.each(scaled(ENDS, [...ENDS, ...SIGINT]))(
    'leaves no process behind and frees its ports on %s',
    async (what, end) => {
      const folder = await mkdtemp(join(dataDir, 'npm-'));
      const { service, ended, said, url } = await start({ DATA_DIR: folder }, 'npm');
      const open = [url, ...(await enginesOf(folder))];
      expect((await processesOf(folder)).length).toBeGreaterThan(2);
      end(service.pid!);
      await ended;
      await until(async () => (await processesOf(folder)).length === 0);
      expect(await reachableOf(open)).toEqual([]);
      // It stopped in order, and was not ended by a second signal or the system.
      expect([what, said().match(/^stopping$/gm)]).toEqual([what, ['stopping']]);
      expect(said()).toMatch(/^stopped$/m);
    },
  );
});

describe('npm start', () => {
  /** The first service of the folder, on which people sign in before it is started again. */
  let first: Awaited<ReturnType<typeof start>>;

  beforeAll(async () => {
    first = await start({ DATA_DIR: dataDir }, 'node', ['--with-monday']);
    await until(() => first.said().includes('ak_'));
  });

  test('lets people of each role sign in, by the code flow of a real provider', async () => {
    const { url } = first;
    const roleOf = async ({ open }: ReturnType<typeof newSurfer>) =>
      JSON.parse((await open('/app/session')).text).organization?.role;
    for (const role of ['admin', 'approver', 'inspector']) {
      const surfer = newSurfer(url);
      const back = await surfer.signIn(`${role}@example.com`);
      expect(await surfer.open(back)).toMatchObject({ status: 302, location: `${url}/admin` });
      expect(await roleOf(surfer)).toBe(role);
      const organization = await surfer.open('/app/organization');
      expect(organization.status).toBe(role === 'admin' ? 200 : 403);
    }
    // The provider takes a code once, whoever brings it.
    const surfer = newSurfer(url);
    const back = await surfer.signIn('admin@example.com');
    const attempt = surfer.jar.get('__Host-sign-in')!;
    expect((await surfer.open(back)).status).toBe(302);
    surfer.jar.set('__Host-sign-in', attempt);
    expect((await surfer.open(back)).status).toBe(400);
    const stranger = newSurfer(url);
    expect((await stranger.open(await stranger.signIn('nobody@example.com'))).status).toBe(403);

    const { text } = await surfer.open('/app/sign-out', { method: 'POST' });
    expect(JSON.parse(text).redirect_url).toContain('/people/session/end?');
    expect((await surfer.open('/app/session')).status).toBe(401);
  });

  test('keeps all data over restarts, and ends its engine however it ends itself', async () => {
    const headers = { Authorization: `Bearer ${/ak_\w+/.exec(first.said())![0]}` };
    const created = await fetch(`${first.url}/v1/client-accounts`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'Kept' }),
    });
    expect(created.status).toBe(201);
    const form = new FormData();
    form.set('title', 'Plan');
    form.set('file', new File(['A plan'], 'plan.txt', { type: 'text/plain' }));
    const stored = await fetch(`${first.url}/v1/documents`, { method: 'POST', headers, body: form });
    const { id } = (await stored.json()) as { id: string };
    const found = await fetch(`${first.url}/v1/documents/${id}`, { headers });
    const { download_url: file } = (await found.json()) as { download_url: string };
    expect(file).toMatch(new RegExp(`^${first.url}/files/`));
    expect(await (await fetch(file)).text()).toBe('A plan');
    expect(engineRuns()).toBe(true);
    const engines = await enginesOf(dataDir);
    expect(engines).toHaveLength(6);
    const pages = [...first.said().matchAll(/^ {2}[\w.]+(?: \w+)? +(http:\S+)/gm)].map(([, url]) => url!);
    expect(pages).toHaveLength(5);
    for (const url of [...pages, ...engines]) expect([url, await statusForPage(url)]).toEqual([url, 403]);

    const [, monday, token] = /^ {2}monday\.com +(\S+) +API token (\S+)$/m.exec(first.said())!;
    const query = { method: 'POST', body: JSON.stringify({ query: '{ account { slug } }' }) };
    const [known, unknown] = await Promise.all([
      fetch(monday!, { ...query, headers: { Authorization: token! } }),
      fetch(monday!, query),
    ]);
    expect(await known.json()).toMatchObject({ data: { account: { slug: 'harbour-restaurants' } } });
    expect(unknown.status).toBe(401);

    first.service.kill('SIGTERM');
    const end = await first.ended;
    expect([end.code, complaintsOf(end)]).toEqual([0, []]);
    expect([await reachableOf(engines), engineRuns()]).toEqual([[], false]);

    const second = await start({ DATA_DIR: dataDir });
    const list = await fetch(`${second.url}/v1/client-accounts`, { headers });
    expect(await list.json()).toMatchObject([{ name: 'Kept' }]);
    expect(second.said()).not.toContain('ak_');
    expect(second.said()).toMatch(/^The data of the last start are there\. Admins make a new API key /m);

    expect(await run({ DATA_DIR: dataDir }).ended).toMatchObject({
      code: 1,
      said: '',
      complained: expect.stringMatching(/^the data folder .+ is in use.+\n$/),
    });

    expect(await reachableOf(await enginesOf(dataDir))).toHaveLength(6);
    second.service.kill('SIGKILL');
    await second.ended;
    await until(() => !engineRuns());
  });

  test.concurrent('names the port that is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { code, complained } = await run({ DATA_DIR: dataDir, PORT: String(port) }).ended;
    other.close();
    expect([code, complained]).toEqual([
      1,
      expect.stringMatching(new RegExp(`^port ${port} is in use.+\n$`)),
    ]);
  });

  test.concurrent('refuses an option that does not exist', async () => {
    const { code, complained } = await run({ DATA_DIR: dataDir }, 'node', ['--with-tuesday']).ended;
    expect([code, complained]).toEqual([1, expect.stringContaining('--with-tuesday')]);
  });

  test.concurrent('refuses an invalid PORT', async () => {
    const { code, complained } = await run({ DATA_DIR: dataDir, PORT: '70000' }).ended;
    expect([code, complained]).toEqual([1, 'PORT is 70000; it must be a whole number from 0 to 65535\n']);
  });

  test.concurrent('says which external engine cannot be reached', async () => {
    const { code, complained } = await run({
      DATA_DIR: join(dataDir, 'elsewhere'),
      AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:9',
    }).ended;
    expect([code, complained]).toEqual([
      1,
      expect.stringMatching(/^cannot create the table inspections: .*ECONNREFUSED.*\n$/),
    ]);
  });
});
