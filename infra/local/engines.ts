import { randomBytes } from 'node:crypto';
import { QUEUES } from '../../shared/base/queues.ts';
import { openDataFolder } from './engines/data-folder.ts';
import { type DynamoDbEngine, startDynamoDb } from './engines/dynamodb.ts';
import { startFilesAndQueues, startMail } from './engines/emulators.ts';
import { startKeys } from './engines/keys.ts';
import { type Running, StartError } from './engines/process.ts';
import { createBucket, createQueue, createTable } from './engines/resources.ts';

const SERVICES = ['DYNAMODB', 'DYNAMODB_STREAMS', 'S3', 'SQS', 'SESV2', 'KMS'] as const;
type Service = (typeof SERVICES)[number];

type Environment = Record<string, string>;

export interface EngineOptions {
  /** The folder that keeps all data. Null for a temporary one that `stop()` deletes. */
  dataDir: string | null;
  /** The engine of the table. The default is dynoxide, or DynamoDB Local where dynoxide has no build. */
  engine?: DynamoDbEngine | undefined;
  /**
   * Whether the table's engine is behind a door that web pages cannot pass, which it is by default. Each call takes
   * longer through it.
   */
  isGuarded?: boolean;
  /** Called when an engine ends and nobody stopped it. */
  onCrash?: (message: string) => void;
}

export interface Engines {
  /** The variables by which the SDK and the functions find everything. They are also set in this process. */
  environment: Environment;
  /** Whether the table was just created and is therefore empty. */
  isNew: boolean;
  /** Whether the storage is an engine of our own, which checks no signatures. */
  ownsFiles: boolean;
  stop(): Promise<void>;
}

/** A part of the environment that is ready to use. */
interface ServedPart {
  endpoints: Environment;
  /** The engine of our own, if one was needed. */
  running: Running | undefined;
}

/** The emulators accept any credentials, but the SDK sends no request without them. */
export const LOCAL_IDENTITY = {
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
};

/** Bytes of the secret of a start. */
const SECRET_BYTES = 32;

/** The endpoint that the user's own variables give for a service. */
const userEndpoint = (service: Service): string | undefined =>
  process.env[`AWS_ENDPOINT_URL_${service}`] ??
  (service === 'DYNAMODB_STREAMS' ? userEndpoint('DYNAMODB') : process.env['AWS_ENDPOINT_URL']);

/** Starts the engine of these services, unless the user's variables give an endpoint for each of them. */
const serve = async (services: Service[], start: () => Promise<Running>): Promise<ServedPart> => {
  const given = services.map(userEndpoint);
  const running = given.every(Boolean) ? undefined : await start();
  const endpoints = Object.fromEntries(
    services.map((service, index) => [`AWS_ENDPOINT_URL_${service}`, given[index] ?? running!.endpoint]),
  );
  return { endpoints, running };
};

/** Whether the SDK needs our credentials: the user has none, or uses no endpoint of their own. */
const needsLocalIdentity = (): boolean => {
  const hasIdentity = process.env['AWS_ACCESS_KEY_ID'] ?? process.env['AWS_PROFILE'];
  return !hasIdentity || !SERVICES.some(userEndpoint);
};

/** Sets the variables of the engines in this process, and returns them. */
const setEnvironment = (
  endpoints: Environment,
): Environment & { TABLE_NAME: string; BUCKET_NAME: string } => {
  // The addresses of files are signed by it, so nobody else may know it.
  const secret = { AWS_SECRET_ACCESS_KEY: randomBytes(SECRET_BYTES).toString('base64url') };
  const identity = needsLocalIdentity() ? { ...LOCAL_IDENTITY, ...secret } : undefined;
  if (identity) {
    // The SDK would prefer either of these to the credentials above.
    delete process.env['AWS_PROFILE'];
    delete process.env['AWS_SESSION_TOKEN'];
  }
  const {
    TABLE_NAME = 'inspections',
    BUCKET_NAME = 'inspections',
    CREDENTIALS_KEY_ID = 'credentials',
    MAIL_FROM = 'inspections@example.com',
    // Whoever tries the service out does not wait long for a mail.
    MAIL_WINDOW_SECONDS = '5',
    PORT = '3000',
    PUBLIC_URL = `http://localhost:${PORT}`,
  } = process.env;
  const environment = {
    ...endpoints,
    ...identity,
    TABLE_NAME,
    BUCKET_NAME,
    CREDENTIALS_KEY_ID,
    MAIL_FROM,
    PUBLIC_URL,
    MAIL_WINDOW_SECONDS,
  };
  Object.assign(process.env, environment);
  return environment;
};

/** @throws StartError that names what could not be created */
const explained = async <Value>(what: string, creation: Promise<Value>): Promise<Value> => {
  try {
    return await creation;
  } catch (error) {
    const { name, message } = error as Error;
    throw new StartError(`cannot create ${what}: ${message || name}`, { cause: error });
  }
};

/** Creates the table, the bucket and the queues where they are missing. */
const createResources = async (
  table: string,
  bucket: string,
  sqsEndpoint: string,
): Promise<{ isNew: boolean; queueUrls: Environment }> => {
  const [isNew, , ...queueUrls] = await Promise.all([
    explained(`the table ${table}`, createTable(table)),
    explained(`the bucket ${bucket}`, createBucket(bucket)),
    ...QUEUES.map(async (queue) => {
      const url = await explained(`the queue ${queue}`, createQueue(queue, sqsEndpoint));
      return [`${queue.toUpperCase()}_QUEUE_URL`, url] as const;
    }),
  ]);
  return { isNew, queueUrls: Object.fromEntries(queueUrls) };
};

/**
 * Starts an engine for every service that no `AWS_ENDPOINT_URL_*` variable of the user points to, and creates the
 * table, the bucket and the queues.
 * @throws StartError with the reason when an engine cannot start; the others are stopped again.
 */
export const startEngines = async ({
  dataDir,
  engine,
  isGuarded = true,
  onCrash = () => undefined,
}: EngineOptions): Promise<Engines> => {
  const userEndpointOfFiles = userEndpoint('S3');
  const folder = await openDataFolder(dataDir);
  const attempts = await Promise.allSettled([
    serve(['DYNAMODB', 'DYNAMODB_STREAMS'], () => startDynamoDb(folder.path, engine, onCrash, isGuarded)),
    serve(['S3', 'SQS'], () => startFilesAndQueues(folder.path)),
    serve(['SESV2'], startMail),
    serve(['KMS'], () => startKeys(folder.path)),
  ]);
  const parts = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []));
  const stop = async () => {
    await Promise.allSettled(parts.map(async ({ running }) => running?.stop()));
    await folder.close();
  };

  try {
    for (const attempt of attempts) if (attempt.status === 'rejected') throw attempt.reason;
    const environment = setEnvironment(Object.assign({}, ...parts.map(({ endpoints }) => endpoints)));
    const { TABLE_NAME: table, BUCKET_NAME: bucket } = environment;
    const { isNew, queueUrls } = await createResources(table, bucket, environment['AWS_ENDPOINT_URL_SQS']!);
    Object.assign(process.env, queueUrls);
    return {
      environment: { ...environment, ...queueUrls },
      isNew,
      ownsFiles: userEndpointOfFiles === undefined,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
};
