import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import * as apiKeys from '../../shared/db/organization/api-keys.ts';
import * as organizations from '../../shared/db/organization/organizations.ts';
import { loadCatalogue } from '../catalogue.ts';
import { docsPages } from '../openapi/docs.ts';
import { announce } from './attach.ts';
import { DYNAMODB_ENGINES } from './dynamodb.ts';
import { startEngines } from './engines.ts';
import { closeServer, newGateway } from './gateway.ts';
import { installAwslambda } from './lambda.ts';
import { StartError } from './process.ts';
import { startWorkers } from './workers.ts';

/** How long a stop waits for what is being answered and worked on; milliseconds. */
const PATIENCE = 10_000;

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const complain = (text: string): void => void process.stderr.write(`${text}\n`);

const failed = (what: string, cause: unknown): void =>
  complain(`${what} failed: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}`);

/** @throws StartError for a value that the variables may not have */
const settings = () => {
  const { PORT = '3000', HOST = '127.0.0.1', DATA_DIR = '.data', ENGINE } = process.env;
  const port = Number(PORT);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new StartError(`PORT is ${PORT}, which is no port`);
  }
  const engine = DYNAMODB_ENGINES.find((name) => name === ENGINE);
  if (ENGINE && !engine) {
    throw new StartError(`ENGINE is ${ENGINE}; there are ${DYNAMODB_ENGINES.join(' and ')}`);
  }
  return { port, host: HOST, dataDir: DATA_DIR, engine };
};

/** @throws StartError naming the port when it is taken, or the host when it is not this machine's */
const listen = async (server: Server, port: number, host: string): Promise<string> => {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new StartError(
      code === 'EADDRINUSE'
        ? `port ${port} is in use: stop what listens there, or choose another with PORT`
        : `cannot listen on ${host}, port ${port}: ${message}`,
      { cause: error },
    );
  }
  const { address, family, port: actual } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}`;
};

/** Something to begin with, where there is nothing yet. */
const createDemo = async (url: string): Promise<void> => {
  const { org_id, admin_user_id } = await organizations.create('Demo', 'admin@example.com');
  const operator = { org_id, user_id: admin_user_id, name: 'operator' };
  const { key } = await apiKeys.create(operator, { name: 'Demo', access: 'read_write', expires: 'never' });
  say(`\nA demo organization is there. Its API key, which is shown this once:\n\n  ${key}\n`);
  say(`  curl -H 'Authorization: Bearer ${key}' ${url}/v1/org\n`);
};

const start = async (): Promise<void> => {
  const { port, host, dataDir, engine } = settings();
  // Told before anything else is started: most often it is this service, already running.
  const probe = createServer();
  await listen(probe, port, host);
  await closeServer(probe, PATIENCE);

  // Handlers look for it when they are imported.
  installAwslambda();
  const [engines, { operations, workers: entries }] = await Promise.all([
    startEngines({
      dataDir,
      engine,
      onCrash: (message) => {
        complain(message);
        process.exit(1);
      },
    }),
    loadCatalogue(),
  ]);
  const workers = startWorkers(entries, { onFailure: failed });
  const gateway = newGateway({
    operations,
    pages: docsPages({ operations, workers: entries }),
    onChange: () => workers.nudge(),
    onFailure: failed,
  });

  const withdraw = await announce(dataDir, engines.environment);
  const stop = async () => {
    await withdraw();
    await closeServer(gateway, PATIENCE);
    await Promise.race([workers.stop(), sleep(PATIENCE, undefined, { ref: false })]);
    await engines.stop();
  };
  try {
    const url = await listen(gateway, port, host);
    for (const { what, where } of [
      ...engines.started,
      { what: 'workers', where: entries.map(({ worker }) => worker.id).join(', ') || 'none' },
      { what: 'API', where: `${url}/v1, ${operations.length} operations` },
      { what: 'reference', where: `${url}/docs` },
    ]) {
      say(`${what.padEnd(24)} ${where}`);
    }
    if (engines.isNew) await createDemo(url);
  } catch (error) {
    await stop();
    throw error;
  }

  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(130);
      stopping = true;
      say('stopping');
      void stop().then(() => process.exit(0));
    });
  }
};

try {
  await start();
} catch (error) {
  complain(error instanceof StartError ? error.message : String((error as Error).stack ?? error));
  process.exit(1);
}
