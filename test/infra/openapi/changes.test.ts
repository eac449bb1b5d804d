import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../../infra/catalogue.ts';
import { breaksClients } from '../../../infra/openapi/differences.ts';
import type { OpenApiDocument } from '../../../infra/openapi/document/types.ts';
import { releasedDocument } from '../../../infra/openapi/released.ts';

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'changes-'))));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs `npm run changes` as if something else had been released. */
const changesSince = (change: (released: OpenApiDocument) => void) => {
  const released = releasedDocument();
  change(released);
  const file = join(folder, 'released.json');
  writeFileSync(file, JSON.stringify(released));
  const { status, stdout } = spawnSync(process.execPath, ['infra/openapi/changes.ts', file], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return { status, lines: stdout.trim().split('\n') };
};

test('fails when an operation of the release is gone, and names it beside what is only added', () => {
  const { status, lines } = changesSince(({ paths }) => {
    const { get, patch } = paths['/locations/{location_id}']!;
    paths['/cranes/{location_id}'] = { get: get! };
    paths['/locations/{location_id}'] = { patch: patch! };
  });
  expect(status).toBe(1);
  expect(lines).toEqual(
    expect.arrayContaining([
      'BREAKS GET /cranes/{location_id}: is gone',
      'adds   GET /locations/{location_id}: is new',
    ]),
  );
});

test('what breaks clients is allowed to a release with another major number alone', () => {
  const [added, broken] = [false, true].map((isBreaking) => ({ isBreaking, text: '' }));
  const [one, later, next] = ['1.9.0', '1.10.0', '2.0.0'].map((version) => ({ version }));
  expect(breaksClients([added!, broken!], one!, later!)).toBe(true);
  expect(breaksClients([added!, broken!], one!, next!)).toBe(false);
  expect(breaksClients([added!], one!, later!)).toBe(false);
});
