import { readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { LOCAL_IDENTITY, startEngines } from './engines.ts';

/** A running service as its tools find it: they use its engines, for a data folder has but one owner. */
interface RunningService {
  pid: number;
  environment: Record<string, string>;
}

const noteOf = (dataDir: string): string => join(resolve(dataDir), 'service.json');

/** Tells the tools beside this service where its engines are. @returns how to take that back */
export const announce = async (
  dataDir: string,
  environment: Record<string, string>,
): Promise<() => Promise<void>> => {
  const note = noteOf(dataDir);
  const running: RunningService = { pid: process.pid, environment };
  await writeFile(note, JSON.stringify(running));
  return () => rm(note, { force: true });
};

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Where the engines of the service that runs on this data folder are; undefined when none does. */
export const runningOn = async (dataDir: string): Promise<Record<string, string> | undefined> => {
  try {
    const { pid, environment } = JSON.parse(await readFile(noteOf(dataDir), 'utf8')) as RunningService;
    return isAlive(pid) ? environment : undefined;
  } catch {
    return undefined;
  }
};

/**
 * Gives this process the table it shall work on: the one that its variables name, deployed or elsewhere; else
 * the running service's; else the data folder's own, on engines that are stopped again.
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
