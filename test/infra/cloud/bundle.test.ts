import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { type Catalogue, loadCatalogue, ROOT } from '../../../infra/catalogue.ts';
import { type Bundles, bundle, describeArchitectures, SMOKE_HOOK } from '../../../infra/cloud/bundle.ts';
import { architectureHere, checkBuilt } from '../../../infra/cloud/bundle/native.ts';
import { hashOf } from '../../../infra/cloud/functions/stack.ts';
import { ARCHITECTURES } from '../../../infra/cloud/settings.ts';
import { LANGUAGES } from '../../../shared/base/i18n/languages.ts';
import { PAGE_TEXTS } from '../../../shared/base/i18n/texts/pages.ts';
import { DRAWS_REPORTS } from '../../../shared/reports/pdf/runtime.ts';
import { Location } from '../../../shared/schemas/location.ts';
import { workerEntry } from './catalogues.ts';

/** The builds of native packages for this machine are installed. */
const ARM = { architecture: 'arm64', nativeArchitecture: architectureHere()! } as const;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bundles-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A worker with this source code. */
const workerOf = (id: string, source: string, declared: Partial<Catalogue['workers'][0]['worker']> = {}) => {
  const path = join(folder, `${id}.ts`);
  writeFileSync(path, source);
  const entry = workerEntry({ id, summary: id, source: { every: '5 minutes' }, ...declared });
  return { ...entry, file: relative(ROOT, path) };
};

const SHARP = `
  import sharp from 'sharp';
  export const handler = async () =>
    sharp({ create: { width: 2, height: 3, channels: 3, background: 'red' } }).png().toBuffer({ resolveWithObject: true });
`;

/** Fields of templates, webhooks and schedules. */
const OF_OTHERS = [
  'choice_filter',
  'due_in_days',
  'passing_score',
  'corrective_text',
  'secret_hint',
  'dtstart_local',
];

const filesOf = (bundles: Bundles) =>
  Object.fromEntries(
    [...bundles].flatMap(([file, { folder }]) =>
      readdirSync(folder, { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
        .map((name) => [`${file} ${name}`, readFileSync(join(folder, name), 'utf8')]),
    ),
  );

describe('the bundles of functions', () => {
  let catalogue: Catalogue;
  let bundles: Bundles;
  let withoutNative: Catalogue;

  beforeAll(async () => {
    catalogue = await loadCatalogue();
    // Every twelfth, because each takes a part of a second. `npm run synth` builds all of them.
    withoutNative = {
      operations: catalogue.operations.filter(
        ({ operation }, n) => !operation.native && !operation.assets && n % 12 === 0,
      ),
      workers: catalogue.workers.filter(({ worker }) => !worker.native && !worker.assets),
    };
    bundles = await bundle(withoutNative, ARM, join(folder, 'one'));
  });

  test('can be loaded, each from its own folder', () => {
    const files = [...bundles.values()].map(({ folder, handler }) =>
      join(folder, handler.replace('.handler', '.cjs')),
    );
    const script = `for (const file of ${JSON.stringify(files)})
      if (typeof require(file).handler !== 'function') throw new Error(file + ' has no handler');`;
    expect(() =>
      execFileSync(process.execPath, ['--input-type=commonjs', '--eval', script], { stdio: 'pipe' }),
    ).not.toThrow();
  });

  test('have the same bytes wherever they are built, and contain no path of the machine', async () => {
    const files = filesOf(bundles);
    expect(filesOf(await bundle(withoutNative, ARM, join(folder, 'elsewhere', 'two')))).toEqual(files);
    for (const [name, content] of Object.entries(files)) {
      expect([name, content.includes(ROOT), content.includes(folder)]).toEqual([name, false, false]);
    }
  });

  test('are one file of code each, what starts it, and texts', () => {
    for (const { folder: own, handler } of bundles.values()) {
      const name = handler.replace('.handler', '');
      expect(
        readdirSync(own)
          .filter((file) => file !== 'texts')
          .toSorted(),
      ).toEqual([`${name}.cjs`, `${name}.code.cjs`, 'start.cjs'].toSorted());
    }
  });
});

describe('what is deployed again', () => {
  const hashesOf = (bundles: Bundles) =>
    Object.fromEntries([...bundles].map(([file, { folder: own }]) => [basename(file), hashOf(own)]));
  const changedBy = async (edit: () => void) => {
    const shared = join(folder, 'greeting.ts');
    writeFileSync(shared, "export const greet = (name: string) => 'Hello ' + name;\n");
    const own = ['one', 'two', 'three'].map((id) =>
      workerOf(
        id,
        `import { greet } from './greeting.ts'; export const handler = async () => greet('${id}');`,
      ),
    );
    const alone = workerOf('alone', 'export const handler = async () => 4;');
    const workers = [...own, alone];
    const before = hashesOf(await bundle({ operations: [], workers }, ARM, join(folder, 'before')));
    edit();
    const after = hashesOf(await bundle({ operations: [], workers }, ARM, join(folder, 'after')));
    expect(Object.keys(after)).toHaveLength(workers.length);
    return Object.keys(after).filter((file) => after[file] !== before[file]);
  };

  test('is one function when one handler has changed', async () => {
    const changed = await changedBy(() => {
      const file = join(folder, 'two.ts');
      writeFileSync(file, readFileSync(file, 'utf8').replace("greet('two')", "greet('second')"));
    });
    expect(changed).toEqual(['two.ts']);
  });

  test('are those functions that use a shared module which has changed', async () => {
    const changed = await changedBy(() =>
      writeFileSync(join(folder, 'greeting.ts'), "export const greet = (name: string) => 'Hi ' + name;\n"),
    );
    expect(changed).toEqual(['one.ts', 'two.ts', 'three.ts']);
  });

  test('is nothing when only a comment has changed', async () => {
    const file = join(folder, 'greeting.ts');
    const changed = await changedBy(() => writeFileSync(file, `// Words.\n${readFileSync(file, 'utf8')}`));
    expect(changed).toEqual([]);
  });
});

test('the smoke test of a rollout is a function of its own, where it is set', async () => {
  const none = { operations: [], workers: [workerOf('any', 'export const handler = async () => 1;')] };
  const hooked = { ...ARM, rollout: 'canary-5-minutes', smokeKey: 'key' } as const;
  const built = (await bundle(none, hooked, join(folder, 'hooked'))).get(SMOKE_HOOK)!;
  const script = `process.stdout.write(typeof require('./hook.cjs').handler);`;
  const output = execFileSync(process.execPath, ['--input-type=commonjs', '--eval', script], {
    cwd: built.folder,
  });
  expect(output.toString()).toBe('function');
  expect(
    (await bundle(none, { ...hooked, rollout: 'all-at-once' }, join(folder, 'plain'))).has(SMOKE_HOOK),
  ).toBe(false);
});

describe('the constants of shared modules', () => {
  const files = {
    'shared/tables.ts': `
      const computed: string[] = [];
      const compute = <Value>(name: string, value: Value): Value => { computed.push(name); return value; };
      const own = compute('own', 2);
      export const doubled = own * 2;
      export const unused = compute('unused', ['nobody needs this']);
      export const { first, ...rest } = compute('parts', { first: 1, second: 2, third: 3 });
      export const Shape = compute('Shape', class { sides = own; });
      export { own as renamed };
      export const computedSoFar = () => [...computed];
    `,
    'shared/index.ts': `export * from './tables.ts'; export { doubled as twice } from './tables.ts';`,
  };
  const WORKER = `
    import { computedSoFar, first, rest, renamed, Shape, twice } from './shared/index.ts';
    import * as tables from './shared/tables.ts';
    const shadowing = (first: number) => first + 1;
    export const handler = async () => {
      const atFirst = computedSoFar();
      const values = { first, ...rest, renamed, twice, sides: new Shape().sides, all: tables.doubled, six: shadowing(5) };
      return [atFirst, values, computedSoFar()];
    };
  `;

  test('are computed at their first use, once, and left out if nothing uses them', async () => {
    mkdirSync(join(folder, 'shared'));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const worker = workerOf('useTables', WORKER);
    const bundles = await bundle({ operations: [], workers: [worker] }, ARM, join(folder, 'lazy'));
    const built = bundles.get(worker.file)!.folder;
    const script = `require('./useTables.cjs').handler().then((reply) => process.stdout.write(JSON.stringify(reply)));`;
    const output = execFileSync(process.execPath, ['--input-type=commonjs', '--eval', script], {
      cwd: built,
    });
    expect(JSON.parse(output.toString())).toEqual([
      [],
      { first: 1, second: 2, third: 3, renamed: 2, twice: 4, sides: 2, all: 4, six: 6 },
      ['parts', 'own', 'Shape'],
    ]);
    expect(readFileSync(join(built, 'useTables.code.cjs'), 'utf8')).not.toContain('nobody needs this');
  });

  test('cannot be computed later if a module uses all exports as one value', async () => {
    const worker = workerOf(
      'useAll',
      `import * as tables from './shared/tables.ts'; export const handler = async () => Object.keys(tables);`,
    );
    const bundling = bundle({ operations: [], workers: [worker] }, ARM, join(folder, 'all'));
    await expect(bundling).rejects.toThrow(/useAll\.ts uses the exports of .*tables\.ts as one value/);
  });
});

test('a function has the schemas of its own operation only, without what the reference says about them', async () => {
  const { operations } = await loadCatalogue();
  const some = operations.filter(({ operation: { id } }) => ['getLocation', 'updateLocation'].includes(id));
  const bundles = await bundle({ operations: some, workers: [] }, ARM, join(folder, 'schemas'));
  for (const [file, { folder: own, handler }] of bundles) {
    const code = readFileSync(join(own, handler.replace('.handler', '.code.cjs')), 'utf8');
    const found = (names: string[]) => names.filter((name) => code.includes(name));
    expect([file, found(Object.keys(Location.shape))]).toEqual([file, Object.keys(Location.shape)]);
    expect([file, found(OF_OTHERS)]).toEqual([file, []]);
    expect([file, found([Location.shape.address.description!])]).toEqual([file, []]);
  }
});

/** What a script prints that has loaded a function. */
const printedBy = (own: string, name: string, expression: string): unknown =>
  JSON.parse(
    execFileSync(
      process.execPath,
      [
        '--input-type=commonjs',
        '--eval',
        `const { handler } = require('./${name}.cjs'); Promise.resolve(${expression}).then((value) => process.stdout.write(JSON.stringify(value)));`,
      ],
      { cwd: own },
    ).toString(),
  );

describe('texts that people read', () => {
  const LANGUAGE = `
    import { readFileSync } from 'node:fs';
    import { PAGE_TEXTS } from '${join(ROOT, 'shared/base/i18n/texts/pages.ts')}';
    export const handler = async (language) => [Object.keys(PAGE_TEXTS).length, PAGE_TEXTS[language]];
  `;
  const STARTS = `import { once } from 'node:events'; export const handler = async () => once;`;

  test('stand beside the code, and are read in the language that is needed', async () => {
    const worker = workerOf('readTexts', LANGUAGE.replaceAll(ROOT, relative(folder, ROOT)));
    const bundles = await bundle({ operations: [], workers: [worker] }, ARM, join(folder, 'texts'));
    const { folder: own } = bundles.get(worker.file)!;
    const files = readdirSync(join(own, 'texts'));
    expect(files).toHaveLength(LANGUAGES.length);
    // Those of no other language are read.
    for (const file of files) if (file !== 'pt-pages.json') rmSync(join(own, 'texts', file));
    expect(printedBy(own, 'readTexts', `handler('pt')`)).toEqual([LANGUAGES.length, PAGE_TEXTS.pt]);
    expect(readFileSync(join(own, 'readTexts.code.cjs'), 'utf8')).not.toContain(
      PAGE_TEXTS.pt.errors.closed.text,
    );
  });

  test('of no language are in a function that shows none', async () => {
    const worker = workerOf('showNothing', STARTS);
    const bundles = await bundle({ operations: [], workers: [worker] }, ARM, join(folder, 'none'));
    expect(readdirSync(bundles.get(worker.file)!.folder)).not.toContain('texts');
  });
});

test('a function does not load modules of Node.js that few requests use before one does', async () => {
  const { operations } = await loadCatalogue();
  const some = operations.filter(({ operation: { id } }) => ['getLocation', 'showAdmin'].includes(id));
  const bundles = await bundle({ operations: some, workers: [] }, ARM, join(folder, 'rare'));
  for (const { folder: own, handler } of bundles.values()) {
    const loaded = printedBy(own, handler.replace('.handler', ''), 'process.moduleLoadList') as string[];
    const rare = ['child_process', 'stream/web', 'timers/promises'];
    expect(loaded).toContain('NativeModule https');
    expect(rare.filter((name) => loaded.includes(`NativeModule ${name}`))).toEqual([]);
  }
  const waits = workerOf(
    'waitShortly',
    `import { setTimeout as sleep } from 'node:timers/promises';
     export const handler = async () => sleep(1, 'woken');`,
  );
  const built = await bundle({ operations: [], workers: [waits] }, ARM, join(folder, 'waits'));
  expect(printedBy(built.get(waits.file)!.folder, 'waitShortly', 'handler()')).toBe('woken');
});

describe('the bundle of a function with native packages and assets', () => {
  test('contains both, and runs without the packages that are installed here', async () => {
    const asset = join(folder, 'rules.txt');
    writeFileSync(asset, 'as declared');
    const worker = workerOf('shrinkPhoto', SHARP, { native: ['sharp'], assets: { texts: () => [asset] } });
    const bundles = await bundle({ operations: [], workers: [worker] }, ARM, join(folder, 'native'));
    const built = bundles.get(worker.file)!;
    expect(readFileSync(join(built.folder, 'texts', 'rules.txt'), 'utf8')).toBe('as declared');
    expect(existsSync(join(built.folder, 'node_modules', 'sharp', 'package.json'))).toBe(true);

    expect(built.architecture).toBe(ARM.nativeArchitecture);
    const script = `const { handler } = require(${JSON.stringify(join(built.folder, 'shrinkPhoto.cjs'))});
      handler().then(({ info }) => process.stdout.write(info.width + 'x' + info.height));`;
    const output = execFileSync(process.execPath, ['--input-type=commonjs', '--eval', script], {
      cwd: built.folder,
    });
    expect(output.toString()).toBe('2x3');
  });

  test('is refused when it is larger than Lambda allows, and has room for the fonts of reports', async () => {
    const asset = join(folder, 'most.bin');
    writeFileSync(asset, '');
    const built = (bytes: number) => {
      // Of zeros, which take no room on the disk.
      truncateSync(asset, bytes);
      const worker = workerOf('carryMuch', 'export const handler = async () => undefined;', {
        assets: { all: () => [asset, ...DRAWS_REPORTS.assets.fonts()] },
      });
      return bundle({ operations: [], workers: [worker] }, ARM, join(folder, 'size'));
    };
    await expect(built(250 * 2 ** 20)).rejects.toThrow(/carryMuch.ts is 2\d\d MB, and Lambda takes 250 MB/);
    await expect(built(100 * 2 ** 20)).resolves.toBeDefined();
  });

  test('contains the programs that the function runs, with their own modules', async () => {
    const program = join(folder, 'paint-wall.ts');
    writeFileSync(program, "process.stdout.write('painted');");
    const worker = workerOf('paintRooms', 'export const handler = async () => undefined;', {
      programs: [relative(ROOT, program)],
    });
    const bundles = await bundle({ operations: [], workers: [worker] }, ARM, join(folder, 'programs'));
    const built = join(bundles.get(worker.file)!.folder, 'paint-wall.cjs');
    expect(execFileSync(process.execPath, [built]).toString()).toBe('painted');
  });

  test('is refused when the function imports a package that its declaration does not list', async () => {
    const declaring = workerOf('declaring', SHARP, { native: ['sharp'] });
    const silent = workerOf('silent', SHARP);
    const bundling = bundle({ operations: [], workers: [declaring, silent] }, ARM, join(folder, 'refused'));
    await expect(bundling).rejects.toThrow(/silent\.ts imports sharp/);
  });
});

describe('the architecture of native packages', () => {
  const installed = (root: string, ...builds: string[]) => {
    mkdirSync(join(folder, root), { recursive: true });
    writeFileSync(
      join(folder, root, 'package.json'),
      JSON.stringify({ optionalDependencies: { '@ink/linux-x64-gnu': '3.0.0' } }),
    );
    const manifests = {
      paint: { optionalDependencies: { '@paint/linux-arm64': '2.1.0', '@paint/linux-x64': '2.1.0' } },
      ...Object.fromEntries(builds.map((build) => [`@paint/${build}`, {}])),
    };
    for (const [name, manifest] of Object.entries(manifests)) {
      const target = join(folder, root, 'node_modules', name);
      mkdirSync(target, { recursive: true });
      writeFileSync(join(target, 'package.json'), JSON.stringify(manifest));
    }
    return join(folder, root);
  };

  const checking = (packages: string[], architecture: (typeof ARCHITECTURES)[number], root: string) => () =>
    checkBuilt(packages, architecture, root);

  test('is any one whose builds are installed', () => {
    const root = installed('both', 'linux-arm64', 'linux-x64');
    for (const wanted of ARCHITECTURES) expect(checking(['paint'], wanted, root)).not.toThrow();
  });

  test('is never another one: an error has the command that installs the builds', () => {
    expect(checking(['paint'], 'arm64', installed('x64', 'linux-x64'))).toThrow(
      'npm install --no-save --force @paint/linux-arm64@2.1.0',
    );
  });

  test('is that of a package that is itself a build: an error has the setting, or the command', () => {
    const packages = ['paint', '@ink/linux-x64-gnu'];
    const root = installed('ink', 'linux-arm64', 'linux-x64');
    expect(checking(packages, 'x86_64', root)).toThrow(
      'npm install --no-save --force @paint/linux-x64@2.1.0 @ink/linux-x64-gnu@3.0.0',
    );
    const ink = join(root, 'node_modules/@ink/linux-x64-gnu');
    mkdirSync(ink, { recursive: true });
    writeFileSync(join(ink, 'package.json'), JSON.stringify({ os: ['linux'], cpu: ['x64'] }));
    expect(checking(packages, 'x86_64', root)).not.toThrow();
    expect(checking(packages, 'arm64', root)).toThrow('-c nativeArchitecture=x86_64');
  });
});

test('the table for whoever deploys names the functions with native packages, and all architectures', async () => {
  const plain = workerOf('plain', 'export const handler = async () => undefined;');
  const native = workerOf('shrinkImage', SHARP, { native: ['sharp'] });
  const catalogue = { operations: [], workers: [plain, native] };
  const table = describeArchitectures(catalogue, await bundle(catalogue, ARM, join(folder, 'table')));
  expect(table.split('\n').map((row) => row.split(/ {2,}/))).toEqual([
    ['functions', 'arm64', '1'],
    ['with native packages', ARM.nativeArchitecture, '1', 'shrinkImage'],
  ]);
});
