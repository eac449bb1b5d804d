import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { endServices, start } from '../../support/processes/service.ts';

const SMOKE = join(import.meta.dirname, '../../../infra/smoke/smoke.ts');

interface Smoke {
  code: number;
  ok: boolean;
  steps: { step: string; ok: boolean; error?: string }[];
}

const smoke = (url: string, key: string): Promise<Smoke> =>
  new Promise((resolve) => {
    execFile(process.execPath, [SMOKE, '--url', url, '--key', key, '--json'], (error, out) =>
      resolve({ code: Number(error?.code ?? 0), ...JSON.parse(out) }),
    );
  });

let dataDir: string;
let url: string;
let key: string;
let faulty: Server;

/** Passes a request on to the service, but for one that asks for a report. */
const passOn = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  if (request.method === 'POST' && request.url!.endsWith('/reports')) {
    response.writeHead(422).end(JSON.stringify({ detail: 'no reports today' }));
    return;
  }
  const { authorization, 'content-type': type, 'idempotency-key': idempotencyKey } = request.headers;
  const body = await text(request);
  const answer = await fetch(url + request.url!, {
    method: request.method!,
    headers: Object.entries({
      authorization,
      'content-type': type,
      'idempotency-key': idempotencyKey as string,
    }).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ...(body !== '' && { body }),
  });
  response
    .writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' })
    .end(await answer.text());
};

const list = async (path: string): Promise<unknown[]> =>
  (await (
    await fetch(`${url}/v1/${path}`, { headers: { Authorization: `Bearer ${key}` } })
  ).json()) as unknown[];

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'smoke-'));
  const service = await start({ DATA_DIR: dataDir });
  const shown = () => /shown only once:\s+(\S+)\n/.exec(service.said())?.[1];
  while (!shown()) await sleep(20);
  key = shown()!;
  url = service.url;
  faulty = createServer((request, response) => void passOn(request, response)).listen(0, '127.0.0.1');
  await once(faulty, 'listening');
});
afterAll(async () => {
  faulty.close();
  endServices();
  await rm(dataDir, { recursive: true, force: true });
});
afterEach(async () => {
  expect(await list('locations?status=active')).toEqual([]);
  expect(await list('templates/families')).toEqual([]);
  expect(await list('inspections?status=completed')).toEqual([]);
});

describe('npm run smoke', () => {
  test('does the main job, and cleans up', async () => {
    const { code, ok, steps } = await smoke(url, key);
    expect(steps.filter((step) => !step.ok)).toEqual([]);
    expect([code, ok]).toEqual([0, true]);
    expect(steps.map(({ step }) => step)).toEqual([
      'key',
      'location',
      'template family',
      'publication',
      'inspection',
      'start',
      'answers',
      'completion',
      'report',
      'file',
      'event',
      'clean up: inspection',
      'clean up: template family',
      'clean up: location',
    ]);
  });

  test('says which step fails, and cleans up', async () => {
    const { code, ok, steps } = await smoke(
      `http://127.0.0.1:${(faulty.address() as AddressInfo).port}`,
      key,
    );
    expect([code, ok]).toEqual([1, false]);
    expect(steps.filter((step) => !step.ok)).toMatchObject([
      { step: 'report', error: expect.stringContaining('no reports today') },
    ]);
    expect(steps.slice(-4).map(({ step }) => step)).toEqual([
      'report',
      'clean up: inspection',
      'clean up: template family',
      'clean up: location',
    ]);
  });

  test('refuses a key that is unknown', async () => {
    expect(await smoke(url, 'ak_of_nobody')).toMatchObject({
      code: 1,
      steps: [{ step: 'key', error: expect.stringContaining('401') }],
    });
  });
});

describe('the hook of a rollout', () => {
  /** What the hook reports to CodeDeploy, which is a server of the test. */
  const reported = async (apiUrl: string): Promise<unknown> => {
    let report: unknown;
    const codeDeploy = createServer((request, response) => {
      void text(request).then((body) => {
        report = { target: request.headers['x-amz-target'], ...JSON.parse(body) };
        response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' }).end('{}');
      });
    }).listen(0, '127.0.0.1');
    await once(codeDeploy, 'listening');
    const { port } = codeDeploy.address() as AddressInfo;
    const hook = join(import.meta.dirname, '../../../infra/smoke/hook.ts');
    const script = `const { handler } = await import(${JSON.stringify(hook)});
      await handler({ DeploymentId: 'd-1', LifecycleEventHookExecutionId: 'e-1' });`;
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
      env: {
        ...process.env,
        API_URL: apiUrl,
        API_KEY: key,
        AWS_REGION: 'eu-west-1',
        AWS_ACCESS_KEY_ID: 'local',
        AWS_SECRET_ACCESS_KEY: 'local',
        AWS_ENDPOINT_URL_CODEDEPLOY: `http://127.0.0.1:${port}`,
      },
    });
    codeDeploy.close();
    return report;
  };
  const target = 'CodeDeploy_20141006.PutLifecycleEventHookExecutionStatus';
  const ids = { deploymentId: 'd-1', lifecycleEventHookExecutionId: 'e-1' };

  test('says that the deployment has succeeded when the main job works', async () => {
    expect(await reported(url)).toEqual({ target, ...ids, status: 'Succeeded' });
  });

  test('says that it has failed when a step does', async () => {
    const { port } = faulty.address() as AddressInfo;
    expect(await reported(`http://127.0.0.1:${port}`)).toEqual({ target, ...ids, status: 'Failed' });
  });
});
