import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { functionName, type Catalogue, loadCatalogue } from '../../infra/catalogue.ts';
import { type Bundle, bundleCompiled } from '../../infra/cloud/bundle.ts';
import { architectureHere } from '../../infra/cloud/bundle/native.ts';
import { median, print, RATIO, ratio, rounded } from './table.ts';

const RUNS = 21;

/** The client that every function needs, which is measured on its own for comparison. */
const CLIENT = 'node_modules/@aws-sdk/client-dynamodb/dist-es/DynamoDBClient.js';

const LOAD = `
  const start = performance.now();
  require(process.argv[1]);
  process.stdout.write(String(performance.now() - start));
`;

/** Milliseconds to load a bundle's code in a fresh process. */
const load = ({ folder, handler }: Bundle): number => {
  const module = join(folder, handler.replace(/\.handler$/, '.cjs'));
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['--input-type=commonjs', '--eval', LOAD, module],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`${module} does not load: ${stderr}`);
  return Number(stdout);
};

/** Bytes of JavaScript in the bundle, without native packages and what V8 has compiled. */
const sizeOf = ({ folder }: Bundle): number =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.cjs'))
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);

interface Candidate {
  name: string;
  bundle: Bundle;
  bytes: number;
  isNative: boolean;
}

const candidatesOf = async (catalogue: Catalogue, folder: string): Promise<Candidate[]> => {
  const bundles = await bundleCompiled(
    catalogue,
    { architecture: architectureHere()!, nativeArchitecture: architectureHere()! },
    folder,
  );
  return catalogue.operations
    .map(({ file, operation: { native = [] } }) => ({
      name: functionName({ file }),
      bundle: bundles.get(file)!,
      bytes: sizeOf(bundles.get(file)!),
      isNative: native.length > 0,
    }))
    .toSorted((a, b) => a.bytes - b.bytes);
};

/** The median loading times, in ms. The candidates are loaded in turns, so that a slow moment affects all of them. */
const loadTimes = (candidates: readonly Candidate[]): number[] => {
  const times = candidates.map((): number[] => []);
  for (let run = 0; run < RUNS; run += 1) {
    for (const [position, candidate] of candidates.entries()) times[position]!.push(load(candidate.bundle));
  }
  return times.map(median);
};

export const measure = async (): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  try {
    const catalogue = await loadCatalogue();
    const all = await candidatesOf(catalogue, join(folder, 'operations'));
    const pure = all.filter(({ isNative }) => !isNative);
    const entry = { ...catalogue.operations[0]!, file: CLIENT };
    const [client] = await candidatesOf({ operations: [entry], workers: [] }, join(folder, 'client'));
    const measured = [
      { ...pure[Math.floor(pure.length / 2)]!, what: 'median', goal: 1.5 },
      { ...pure.at(-1)!, what: 'largest', goal: 2 },
      ...all.filter(({ isNative }) => isNative).map((each) => ({ ...each, what: 'native', goal: 2.5 })),
    ];
    const [floor = 0, ...taken] = loadTimes([client!, ...measured]);
    const kilobytes = (bytes: number): string => String(Math.round(bytes / 1_024));
    print(
      "cold: loading an operation's bundle in a new process, compared with only the DynamoDB client",
      ['bundle', '', 'KB', 'ms', ...RATIO],
      [
        ['DynamoDBClient', '', kilobytes(client!.bytes), rounded(floor)],
        ...measured.map(({ name, what, bytes, goal }, position) => [
          name,
          what,
          kilobytes(bytes),
          rounded(taken[position]!),
          ...ratio(taken[position]!, floor, goal),
        ]),
      ],
      `The median and the largest of ${pure.length} bundles without native packages, then all bundles with them. Medians of ${RUNS} loads.`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
