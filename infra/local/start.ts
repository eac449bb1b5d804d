import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import packageJson from '../../package.json' with { type: 'json' };
import { loadCatalogue } from '../catalogue.ts';
import { chapterPages } from '../chapters/pages.ts';
import { docsPages } from '../openapi/docs.ts';
import { operatorPages } from '../operator/pages/pages.ts';
import { buildWeb } from '../web/build.ts';
import { writeNote } from './attach.ts';
import { createDemo, DEMO_PEOPLE } from './demo.ts';
import { startEngines } from './engines.ts';
import { DYNAMODB_ENGINES } from './engines/dynamodb.ts';
import { StartError } from './engines/process.ts';
import { FILES_PATH, filesMount } from './files.ts';
import { closeServer, newGateway } from './gateway.ts';
import { installAwslambda } from './lambda.ts';
import { mailServices } from './mails.ts';
import { watchNpm } from './parent.ts';
import { LOCAL_CLIENT, newPeopleProvider, PEOPLE_PATH } from './people.ts';
import { startThreads } from './threads.ts';
import { startWorkers } from './workers.ts';

/** How long a stop waits for open requests and running workers, in milliseconds. */
const MAX_STOP_TIME = 10_000;

/** How long after the first signal another one counts as the same, in milliseconds. */
const MAX_SIGNAL_ECHO = 500;

const MAX_PORT = 65_535;

/** Values of HOST that only this machine reaches. */
const LOOPBACK_HOSTS = new Set(['127.0.0.1', '::1', 'localhost']);

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const printError = (text: string): void => void process.stderr.write(`${text}\n`);

const printFailure = (what: string, cause: unknown): void =>
  printError(`${what} failed: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}`);

/** What the command line says. @throws StartError for an option that does not exist */
const readOptions = () => {
  try {
    return parseArgs({ options: { 'with-monday': { type: 'boolean', default: false } } }).values;
  } catch (error) {
    throw new StartError((error as Error).message, { cause: error });
  }
};

/** What the environment variables say. @throws StartError for a value that is not allowed */
const readSettings = () => {
  const { PORT = '3000', HOST = '127.0.0.1', DATA_DIR = '.data', ENGINE } = process.env;
  const port = Number(PORT);
  if (!Number.isInteger(port) || port < 0 || port > MAX_PORT) {
    throw new StartError(`PORT is ${PORT}; it must be a whole number from 0 to ${MAX_PORT}`);
  }
  const engine = DYNAMODB_ENGINES.find((name) => name === ENGINE);
  if (ENGINE && !engine) {
    throw new StartError(`ENGINE is ${ENGINE}; it must be ${DYNAMODB_ENGINES.join(' or ')}`);
  }
  return { port, host: HOST, dataDir: DATA_DIR, engine };
};

/**
 * Listens, and returns the server's URL.
 * @throws StartError when the port is in use, or the host is not an address of this machine
 */
const listen = async (server: Server, port: number, host: string): Promise<string> => {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new StartError(
      code === 'EADDRINUSE'
        ? `port ${port} is in use: stop the program that uses it, or set PORT to another one`
        : `cannot listen on ${host}, port ${port}: ${message}`,
      { cause: error },
    );
  }
  const { address, family, port: actual } = server.address() as AddressInfo;
  // By this name a browser knows the pages, the API and the stored files as one site.
  if (LOOPBACK_HOSTS.has(address)) return `http://localhost:${actual}`;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}`;
};

/** A page of the service, its address, and what it is for. */
type Page = readonly [name: string, url: string, purpose: string];

const pagesOf = (url: string, publicUrl: string, signers: string): Page[] => [
  ['reference', `${url}/docs`, 'each operation, with requests to copy'],
  ['chapters', `${url}/chapters`, 'programs for the usual tasks'],
  ['admin app', `${publicUrl}/admin`, `sign in as ${signers}`],
  ['mails', `${url}/mails`, 'what would have been mailed'],
];

const printPages = (pages: readonly Page[]): void => {
  const [names, urls] = [0, 1].map((part) => Math.max(...pages.map((page) => page[part]!.length)));
  for (const [name, url, purpose] of pages)
    print(`  ${name.padEnd(names!)}  ${url.padEnd(urls!)}  ${purpose}`);
};

/** Ends what is printed: with the key of a new demo organization, or how to get one where there are data already. */
const printKey = async (url: string, isNew: boolean): Promise<void> => {
  if (!isNew) {
    print(
      '\nThe data of the last start are there. Admins make a new API key at "API keys" of the admin app.',
    );
    return;
  }
  // With it a new user can send requests at once.
  const key = await createDemo();
  print(`\nThis is the API key of a new demo organization; it is shown only once:\n\n  ${key}\n`);
  print(`  curl -H 'Authorization: Bearer ${key}' ${url}/v1/org\n`);
  print(
    'Next: npm run demo, in another terminal, inspects a kitchen, from the template to the mailed report.',
  );
};

/**
 * Stops on the first signal, or when npm has ended; a later signal ends the process at once. Ctrl-C in a terminal
 * arrives twice at the same time: npm passes it on, and the terminal sends it to all processes.
 */
const stopOnSignals = (stop: () => Promise<void>): void => {
  let stoppingSince: number | undefined;
  const begin = () => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince > MAX_SIGNAL_ECHO) process.exit(130);
      return;
    }
    stoppingSince = performance.now();
    // Whoever read the output may have ended as well.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
    print('stopping');
    void stop().then(() => {
      print('stopped');
      process.exit(0);
    });
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, begin);
  watchNpm(() => stoppingSince ?? begin());
};

/** Starts a monday.com of this machine's own, which connections then lead to. */
const startOwnMonday = async () => {
  const { startMonday } = await import('./monday/server.ts');
  const monday = await startMonday();
  const environment = { MONDAY_API_URL: monday.url };
  Object.assign(process.env, environment);
  return {
    stop: monday.stop,
    environment,
    page: ['monday.com', monday.url, `API token ${monday.token}`] satisfies Page,
  };
};

const start = async (): Promise<void> => {
  const { 'with-monday': withMonday } = readOptions();
  const { port, host, dataDir, engine } = readSettings();
  // Only then is the port known that links must name.
  const takesUrlOfServer = port === 0 && !process.env['PUBLIC_URL'];
  // Checked before anything starts, because the usual reason is that this service is already running.
  const probe = createServer();
  await listen(probe, port, host);
  await closeServer(probe, MAX_STOP_TIME);

  // Whoever tries the service wants to see its answers, not a line for each run of each worker.
  process.env['LOG_LEVEL'] ??= 'error';
  // A developer's webhooks end on the developer's own machine.
  process.env['ALLOW_LOOPBACK_WEBHOOKS'] ??= '1';
  process.env['REQUEST_LOG'] ??= 'on';
  process.env['RELEASE'] ??= packageJson.version;
  // Before the handlers are imported: they look for this global at import.
  installAwslambda();
  const [engines, { operations, workers: entries }] = await Promise.all([
    startEngines({
      dataDir,
      engine,
      onCrash: (message) => {
        printError(message);
        process.exit(1);
      },
    }),
    loadCatalogue(),
    buildWeb(),
  ]);
  // A storage of the user's own may check signatures, which name its address.
  if (engines.ownsFiles) process.env['FILES_PATH'] = FILES_PATH;
  const monday = withMonday ? await startOwnMonday() : undefined;
  const threads = startThreads();
  const workers = startWorkers(entries, { onFailure: printFailure, threads });
  // Whoever has set an issuer uses it instead of the provider in this process.
  const hasOwnProvider = process.env['OIDC_ISSUER'] === undefined;
  let people: Awaited<ReturnType<typeof newPeopleProvider>> | undefined;
  const gateway = newGateway({
    operations,
    mounts: {
      ...(engines.ownsFiles && filesMount(() => process.env['AWS_ENDPOINT_URL_S3']!)),
      ...(hasOwnProvider && {
        [PEOPLE_PATH]: (request: IncomingMessage, response: ServerResponse) =>
          people ? people.handle(request, response) : void response.destroy(),
      }),
    },
    pages: {
      ...docsPages({ operations, workers: entries }, () => process.env['PUBLIC_URL']),
      ...chapterPages({ operations, workers: entries }),
      ...operatorPages({ operations, workers: entries }),
    },
    services: mailServices(() => workers.nudge()),
    isOpen: !LOOPBACK_HOSTS.has(host),
    onChange: () => workers.nudge(),
    onFailure: printFailure,
    threads,
  });

  const provider = (serviceUrl: string) => ({
    OIDC_ISSUER: process.env['OIDC_ISSUER'] ?? serviceUrl + PEOPLE_PATH,
    OIDC_CLIENT_ID: process.env['OIDC_CLIENT_ID'] ?? LOCAL_CLIENT,
  });
  const removeNote = await writeNote(dataDir, {
    ...engines.environment,
    ALLOW_LOOPBACK_WEBHOOKS: process.env['ALLOW_LOOPBACK_WEBHOOKS'],
    ...monday?.environment,
    ...provider(process.env['PUBLIC_URL']!),
  });
  const stopAll = async () => {
    await removeNote();
    await closeServer(gateway, MAX_STOP_TIME);
    await Promise.race([workers.stop(), sleep(MAX_STOP_TIME, undefined, { ref: false })]);
    await threads.stop();
    await monday?.stop();
    await engines.stop();
  };
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= stopAll());
  stopOnSignals(stop);
  try {
    const url = await listen(gateway, port, host);
    if (takesUrlOfServer) process.env['PUBLIC_URL'] = url;
    const publicUrl = process.env['PUBLIC_URL']!.replace(/\/+$/, '');
    if (hasOwnProvider) people = await newPeopleProvider(publicUrl, DEMO_PEOPLE);
    Object.assign(process.env, provider(publicUrl));
    const signers = hasOwnProvider
      ? new Intl.ListFormat('en', { type: 'disjunction' }).format(DEMO_PEOPLE.map(({ email }) => email))
      : 'people of your identity provider';
    print(`The service runs at ${url}, and keeps its data in ${dataDir}.\n`);
    printPages([...pagesOf(url, publicUrl, signers), ...(monday ? [monday.page] : [])]);
    await printKey(url, engines.isNew);
  } catch (error) {
    await stop();
    throw error;
  }
};

try {
  await start();
} catch (error) {
  printError(error instanceof StartError ? error.message : String((error as Error).stack ?? error));
  process.exit(1);
}
