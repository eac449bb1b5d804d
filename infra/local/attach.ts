import { readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { LOCAL_IDENTITY, startEngines } from './engines.ts';

/**
 * The note by which tools find a running service. They use its engines, because only one process at a time can own
 * a data folder.
 */
interface RunningService {
  pid: number;
  environment: Record<string, string>;
}

const notePath = (dataDir: string): string => join(resolve(dataDir), 'service.json');

/**
 * Writes the note about this service's engines for the tools that run beside it.
 * @returns how to remove the note
 */
export const writeNote = async (
  dataDir: string,
  environment: Record<string, string>,
): Promise<() => Promise<void>> => {
  const note = notePath(dataDir);
  const running: RunningService = { pid: process.pid, environment };
  // It has the secret by which the addresses of files are signed.
  await writeFile(note, JSON.stringify(running), { mode: 0o600 });
  return () => rm(note, { force: true });
};

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** The variables of the service that is running on this data folder. Undefined when there is none. */
export const runningOn = async (dataDir: string): Promise<Record<string, string> | undefined> => {
  try {
    const { pid, environment } = JSON.parse(await readFile(notePath(dataDir), 'utf8')) as RunningService;
    return isAlive(pid) ? environment : undefined;
  } catch {
    return undefined;
  }
};

/**
 * Sets the variables of the table that this process works on. In this order: the table that its own variables name,
 * such as a deployed one; the table of the running service; the table in the data folder, on engines of its own.
 * @returns how to release the table, which stops such engines
 */
export const attach = async (dataDir: string): Promise<() => Promise<void>> => {
  const { TABLE_NAME, AWS_ENDPOINT_URL_DYNAMODB } = process.env;
  if (TABLE_NAME || AWS_ENDPOINT_URL_DYNAMODB) {
    process.env['TABLE_NAME'] ??= 'inspections';
    if (AWS_ENDPOINT_URL_DYNAMODB && !process.env['AWS_PROFILE']) {
      Object.assign(process.env, { ...LOCAL_IDENTITY, ...process.env });
    }
    return async () => undefined;
  }
  const environment = await runningOn(dataDir);
  if (environment) {
    Object.assign(process.env, environment);
    return async () => undefined;
  }
  const engines = await startEngines({ dataDir });
  return () => engines.stop();
};
