import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ROOT } from '../../infra/catalogue.ts';
import { runLane } from './run-lane.ts';
import { runLanes } from './run-lanes.ts';

describe('a lane that runs', () => {
  let project: string;
  const jest = `node ${join(ROOT, 'node_modules/jest/bin/jest.js')}`;

  beforeAll(async () => {
    project = await mkdtemp(join(tmpdir(), 'project-'));
    const files = {
      'package.json': JSON.stringify({
        scripts: {
          steady: `${jest} right`,
          shaky: `${jest} right shaky`,
          wrong: `${jest} right wrong broken`,
          command: 'echo begun; echo ended >&2; exit 3',
          heavy: '! test -e left && ! test -e right && echo heavy',
          // Each waits for the other one.
          left: 'touch left; until test -e right; do sleep 0.05; done; echo left',
          right: 'touch right; until test -e left; do sleep 0.05; done; echo right',
        },
        jest: { testMatch: ['**/*.js'], reporters: ['default', join(ROOT, 'test/gate/reporter.ts')] },
      }),
      'right.js': `test('is right', () => {});`,
      'shaky.js': `
        const { existsSync, writeFileSync } = require('node:fs');
        const before = existsSync('marker');
        writeFileSync('marker', '');
        describe('a group', () => {
          test('is shaky', () => expect(before).toBe(true));
          test('is steady', () => {});
        });`,
      'wrong.js': `test('is wrong', () => expect(1).toBe(2)); test('is right', () => {});`,
      'broken.js': `throw new Error('it cannot be loaded');`,
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(project, name), text);
    await symlink(join(ROOT, 'node_modules'), join(project, 'node_modules'));
  });

  afterAll(() => rm(project, { recursive: true, force: true }));

  const lane = async (script: string, repeats?: true) =>
    runLane(project, { script, ...(repeats && { repeats }) }, new PassThrough().resume());

  test('passes', async () => {
    expect(await lane('steady')).toMatchObject({ lane: 'steady', passed: 1, failed: [], unsteady: [] });
  });

  test('is unsteady where a file passes at the second time, and is not repeated unless it may be', async () => {
    const shaky = { file: 'shaky.js', name: 'a group is shaky' };
    expect(await lane('shaky')).toMatchObject({ passed: 2, failed: [shaky], unsteady: [] });
    await rm(join(project, 'marker'));
    expect(await lane('shaky', true)).toMatchObject({ passed: 3, failed: [], unsteady: [shaky] });
  });

  test('tells what fails both times, and a file that cannot be loaded', async () => {
    const { failed, ...rest } = await lane('wrong', true);
    expect(rest).toMatchObject({ passed: 2, unsteady: [] });
    expect(failed.toSorted((a, b) => a.file.localeCompare(b.file))).toMatchObject([
      { file: 'broken.js', name: 'the file itself' },
      { file: 'wrong.js', name: 'is wrong' },
    ]);
    const said = failed.flatMap(({ lines }) => lines).join('\n');
    expect(said).toContain('it cannot be loaded');
    expect(said).toMatch(/expect\(received\)\.toBe\(expected\).*\nExpected: 2\nReceived: 1/);
  });

  test('tells the last lines of a command without tests', async () => {
    const { failed } = await lane('command', true);
    expect(failed).toMatchObject([{ file: '', name: 'the command' }]);
    expect(failed[0]!.lines.slice(-2).toSorted()).toEqual(['begun', 'ended']);
  });

  test('stands alone, or beside a light one if it is light, and shows what it prints in one piece', async () => {
    const shown = new PassThrough();
    const said = text(shown);
    const lanes = [
      { script: 'left', isLight: true as const },
      { script: 'heavy' },
      { script: 'right', isLight: true as const },
    ];
    const outcomes = await runLanes(project, lanes, 'SEED=0', shown);
    shown.end();
    expect(outcomes).toMatchObject(lanes.map(({ script }) => ({ lane: script, failed: [] })));
    const pieces = (await said).split(/^== (?=.*, SEED=0$)/m).slice(1);
    expect(pieces.map((piece) => piece.match(/left|heavy|right/g)![0]).toSorted()).toEqual([
      'heavy',
      'left',
      'right',
    ]);
    for (const piece of pieces) expect(new Set(piece.match(/^(left|heavy|right)\b/gm)).size).toBe(1);
  });
});
