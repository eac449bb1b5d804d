import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { loadCatalogue } from '../../../infra/catalogue.ts';
import { type Bundles, bundleCompiled } from '../../../infra/cloud/bundle.ts';
import { architectureHere } from '../../../infra/cloud/bundle/native.ts';
import { drawLogo } from '../../../infra/demo/photos.ts';
import { newEvent } from '../../../infra/local/event.ts';
import { newInspection } from '../../inspections/fixtures.ts';
import { waitingTasks } from '../../support/outbox.ts';
import { newPerson, type Person } from '../../support/people.ts';

const RENDERS = 'functions/workers/render-report.ts';
const ANSWERS = 'functions/organization/get-organization.ts';

let folder: string;
let bundles: Bundles;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shipped-'));
  const { operations, workers } = await loadCatalogue();
  const isRun = ({ file }: { file: string }) => file === RENDERS || file === ANSWERS;
  bundles = await bundleCompiled(
    { operations: operations.filter(isRun), workers: workers.filter(isRun) },
    { architecture: 'x86_64', nativeArchitecture: 'x86_64' },
    folder,
  );
});
afterAll(() => rm(folder, { recursive: true }));

/** Runs a bundled function in a process of its own. @returns its reply */
const invoke = async (file: string, event: unknown): Promise<Record<string, unknown>> => {
  const { folder: root, handler } = bundles.get(file)!;
  const runner = join(import.meta.dirname, '../../support/processes/invoke-bundle.ts');
  const running = promisify(execFile)('node', [runner, join(root, handler.replace(/\.handler$/, '.cjs'))], {
    cwd: root,
    env: { ...process.env, LAMBDA_TASK_ROOT: root },
    maxBuffer: 2 ** 24,
  });
  running.child.stdin!.end(JSON.stringify(event));
  return JSON.parse((await running).stdout);
};

/** The organization of somebody, as the bundled function replies with it. */
const organizationBy = async ({ key }: Person): Promise<unknown> => {
  const event = newEvent(
    { resource: '/v1/org', params: {} },
    {
      method: 'GET',
      path: '/v1/org',
      query: '',
      rawHeaders: ['authorization', `Bearer ${key}`],
      body: Buffer.alloc(0),
      sourceIp: '127.0.0.1',
    },
  );
  const { statusCode, body } = await invoke(ANSWERS, event);
  expect(statusCode).toBe(200);
  return JSON.parse(String(body));
};

describe('the deployed code', () => {
  test('is compiled where this machine has its architecture', () => {
    const { folder: own, handler } = bundles.get(ANSWERS)!;
    const isCompiled = existsSync(join(own, handler.replace(/\.handler$/, '.code.cjs.cache')));
    expect(isCompiled).toBe(architectureHere() === 'x86_64');
  });

  test('runs without what another release of V8 has compiled', async () => {
    const { folder: own, handler } = bundles.get(ANSWERS)!;
    await writeFile(join(own, handler.replace(/\.handler$/, '.code.cjs.cache')), 'another release');
    expect(await organizationBy(await newPerson('Shipped'))).toMatchObject({ name: 'Shipped' });
  });

  test('renders a report with its fonts and its native image library', async () => {
    const person = await newPerson('Shipped');
    const form = new FormData();
    form.set('file', new File([new Uint8Array(await drawLogo())], 'logo.png'));
    await person.organization.uploadLogo({ form });
    const inspection = await newInspection(person, { name: 'Zażółć שלום 温度' });
    const params = { inspection_id: inspection.id };
    const report = await person.reports.create({ params, body: {} });
    const task = (await waitingTasks(person.caller)).find(({ outbox }) => outbox === 'render');
    const record = {
      messageId: '1',
      body: JSON.stringify(task),
      attributes: { ApproximateReceiveCount: '1' },
    };
    expect(await invoke(RENDERS, { Records: [record] })).toEqual({
      batchItemFailures: [],
    });
    expect(await person.reports.get({ params: { report_id: report.id } })).toMatchObject({
      status: 'ready',
      warnings: [],
    });
  });

  test('answers a request from API Gateway', async () => {
    const person = await newPerson('Shipped');
    expect(await organizationBy(person)).toMatchObject({ id: person.caller.org_id, name: 'Shipped' });
  });
});
