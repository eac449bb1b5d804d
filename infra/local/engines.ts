import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type ses from 'aws-ses-v2-local';
import { QUEUES } from '../../shared/base/queues.ts';
import { startDynamoDb } from './dynamodb.ts';
import type { DynamoDbEngine } from './dynamodb.ts';
import { StartError } from './process.ts';
import type { Running } from './process.ts';
import { createBucket, createQueue, createTable } from './resources.ts';

const require = createRequire(import.meta.url);

const SERVICES = ['DYNAMODB', 'DYNAMODB_STREAMS', 'S3', 'SQS', 'SESV2'] as const;
type Service = (typeof SERVICES)[number];

export interface EngineOptions {
  /** Where all data stays; null for a folder that `stop()` removes. */
  dataDir: string | null;
  /** Which engine holds the table; without it dynoxide, or DynamoDB Local where dynoxide has no build. */
  engine?: DynamoDbEngine | undefined;
  /** Called when an engine ends although nobody stopped it. */
  onCrash?: (message: string) => void;
}

export interface Engines {
  /** The variables by which the SDK and the functions find everything; they are set in this process too. */
  environment: Record<string, string>;
  /** Whether the table has been created just now, so that it is empty. */
  isNew: boolean;
  /** What runs where, for people. */
  started: { what: string; where: string }[];
  stop(): Promise<void>;
}

/** The emulators look at no credentials, but the SDK sends nothing without. */
export const LOCAL_IDENTITY = {
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
};

const pointedElsewhere = (service: Service): string | undefined =>
  process.env[`AWS_ENDPOINT_URL_${service}`] ??
  (service === 'DYNAMODB_STREAMS' ? pointedElsewhere('DYNAMODB') : process.env['AWS_ENDPOINT_URL']);

/** fauxqs listens on every interface, without any authentication; what comes from another machine is hung up on. */
const refuseStrangers = (port: () => number | undefined): (() => void) => {
  const onSocket = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    if (socket.localPort === port() && !/^(::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? '')) {
      socket.destroy();
    }
  };
  subscribe('net.server.socket', onSocket);
  return () => unsubscribe('net.server.socket', onSocket);
};

const startObjectsAndQueues = async (dataDir: string): Promise<Running> => {
  const { startFauxqs } = await import('fauxqs');
  let port: number | undefined;
  const admitAll = refuseStrangers(() => port);
  const server = await startFauxqs({
    port: 0,
    logger: false,
    dataDir: join(dataDir, 'fauxqs'),
  });
  port = server.port;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    stop: async () => {
      await server.stop();
      admitAll();
    },
  };
};

const startMail = async (): Promise<Running> => {
  const { default: startSes } = require('aws-ses-v2-local') as typeof ses;
  const server = await startSes({ host: '127.0.0.1', port: 0 });
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};

/** One service at a time owns a data folder; the system lets go of this lock however the process ends. */
const lock = async (dataDir: string): Promise<() => void> => {
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(join(dataDir, 'lock.db'));
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch {
    database.close();
    throw new StartError(`the data folder ${dataDir} is in use by another running service`);
  }
  return () => database.close();
};

const openFolder = async (dataDir: string | null): Promise<{ path: string; close: () => Promise<void> }> => {
  if (dataDir === null) {
    const path = await mkdtemp(join(tmpdir(), 'inspections-'));
    return { path, close: () => rm(path, { recursive: true, force: true }) };
  }
  const path = resolve(dataDir);
  try {
    await mkdir(path, { recursive: true });
  } catch (error) {
    throw new StartError(`cannot use the data folder ${path}: ${(error as Error).message}`, { cause: error });
  }
  const unlock = await lock(path);
  return { path, close: async () => unlock() };
};

const explained = async <Value>(what: string, creation: Promise<Value>): Promise<Value> => {
  try {
    return await creation;
  } catch (error) {
    const { name, message } = error as Error;
    throw new StartError(`cannot create ${what}: ${message || name}`, { cause: error });
  }
};

/**
 * Starts every engine that no `AWS_ENDPOINT_URL_*` variable of the user's points elsewhere, and creates the table,
 * the bucket and the queues.
 * @throws StartError with the reason when an engine cannot start; the others are stopped again.
 */
export const startEngines = async ({
  dataDir,
  engine,
  onCrash = () => undefined,
}: EngineOptions): Promise<Engines> => {
  const folder = await openFolder(dataDir);
  const running: Running[] = [];
  const environment: Record<string, string> = {};

  const serve = async (
    services: Service[],
    what: string,
    start: () => Promise<Running & { name?: string }>,
  ) => {
    const elsewhere = services.map(pointedElsewhere);
    const own = elsewhere.every(Boolean) ? undefined : await start();
    if (own) running.push(own);
    services.forEach((service, index) => {
      environment[`AWS_ENDPOINT_URL_${service}`] = elsewhere[index] ?? own!.endpoint;
    });
    return {
      what: own?.name ? `${what} (${own.name})` : what,
      where: [...new Set(services.map((service) => environment[`AWS_ENDPOINT_URL_${service}`]))].join(', '),
    };
  };
  const stop = async () => {
    await Promise.allSettled(running.map((engine) => engine.stop()));
    await folder.close();
  };

  try {
    const starts = await Promise.allSettled([
      serve(['DYNAMODB', 'DYNAMODB_STREAMS'], 'table engine', () =>
        startDynamoDb(folder.path, engine, onCrash),
      ),
      serve(['S3', 'SQS'], 'files and queues', () => startObjectsAndQueues(folder.path)),
      serve(['SESV2'], 'mails', startMail),
    ]);
    const started = starts.map((start) => {
      if (start.status === 'rejected') throw start.reason;
      return start.value;
    });

    const hasIdentity = process.env['AWS_ACCESS_KEY_ID'] ?? process.env['AWS_PROFILE'];
    if (!hasIdentity || !SERVICES.some(pointedElsewhere)) {
      Object.assign(environment, LOCAL_IDENTITY);
      // Either would go before the identity above.
      delete process.env['AWS_PROFILE'];
      delete process.env['AWS_SESSION_TOKEN'];
    }
    const TABLE_NAME = process.env['TABLE_NAME'] ?? 'inspections';
    const BUCKET_NAME = process.env['BUCKET_NAME'] ?? 'inspections';
    const MAIL_FROM = process.env['MAIL_FROM'] ?? 'inspections@example.com';
    Object.assign(process.env, Object.assign(environment, { TABLE_NAME, BUCKET_NAME, MAIL_FROM }));

    const [isNew] = await Promise.all([
      explained(`the table ${TABLE_NAME}`, createTable(TABLE_NAME)),
      explained(`the bucket ${BUCKET_NAME}`, createBucket(BUCKET_NAME)),
      ...QUEUES.map(async (queue) => {
        const url = createQueue(queue, environment['AWS_ENDPOINT_URL_SQS']!);
        environment[`${queue.toUpperCase()}_QUEUE_URL`] = await explained(`the queue ${queue}`, url);
      }),
    ]);
    Object.assign(process.env, environment);
    const resources = { table: TABLE_NAME, bucket: BUCKET_NAME, queues: QUEUES.join(', ') };
    started.push(...Object.entries(resources).map(([what, where]) => ({ what, where })));
    return { environment, isNew, started, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};
