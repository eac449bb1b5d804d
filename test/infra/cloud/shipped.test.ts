import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as uploadLogo from '../../../functions/organization/upload-logo.ts';
import * as createReport from '../../../functions/reports/create-report.ts';
import * as getReport from '../../../functions/reports/get-report.ts';
import { loadCatalogue } from '../../../infra/catalogue.ts';
import { bundle, type Bundles } from '../../../infra/cloud/bundle.ts';
import { drawLogo } from '../../../infra/demo/photos.ts';
import { newEvent } from '../../../infra/local/event.ts';
import { newInspection } from '../../inspections/fixtures.ts';
import { as } from '../../support/call.ts';
import { waitingTasks } from '../../support/outbox.ts';
import { newPerson } from '../../support/people.ts';

jest.setTimeout(60_000);

let folder: string;
let bundles: Bundles;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shipped-'));
  bundles = await bundle(await loadCatalogue(), 'x86_64', folder);
});
afterAll(() => rm(folder, { recursive: true }));

/** Runs a bundled function in a process of its own. @returns its reply */
const invoke = async (file: string, event: unknown): Promise<Record<string, unknown>> => {
  const { folder: root, handler } = bundles.get(file)!;
  const runner = join(import.meta.dirname, '../../support/processes/invoke-bundle.ts');
  const running = promisify(execFile)('node', [runner, join(root, handler.replace(/\.handler$/, '.mjs'))], {
    cwd: root,
    env: { ...process.env, LAMBDA_TASK_ROOT: root },
    maxBuffer: 2 ** 24,
  });
  running.child.stdin!.end(JSON.stringify(event));
  return JSON.parse((await running).stdout);
};

describe('the deployed code', () => {
  test('renders a report with its fonts and its native image library', async () => {
    const person = await newPerson('Shipped');
    const form = new FormData();
    form.set('file', new File([new Uint8Array(await drawLogo())], 'logo.png'));
    await as(person).must.post(uploadLogo, { form });
    const inspection = await newInspection(person, { name: 'Zażółć שלום 温度' });
    const params = { inspection_id: inspection.id };
    const report = await as(person).must.post(createReport, { params, body: {} });
    const task = (await waitingTasks(person.caller)).find(({ outbox }) => outbox === 'render');
    const record = {
      messageId: '1',
      body: JSON.stringify(task),
      attributes: { ApproximateReceiveCount: '1' },
    };
    expect(await invoke('functions/workers/render-report.ts', { Records: [record] })).toEqual({
      batchItemFailures: [],
    });
    expect(await as(person).must.get(getReport, { params: { report_id: report.id } })).toMatchObject({
      status: 'ready',
      warnings: [],
    });
  });

  test('answers a request from API Gateway', async () => {
    const { key, caller } = await newPerson('Shipped');
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
    const { statusCode, body } = await invoke('functions/organization/get-organization.ts', event);
    expect([statusCode, JSON.parse(String(body))]).toMatchObject([
      200,
      { id: caller.org_id, name: 'Shipped' },
    ]);
  });
});
