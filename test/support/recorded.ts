import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ROOT } from '../../infra/catalogue.ts';
import { type Grant, isGrant } from '../../infra/grants.ts';
import { type Recorded, recordedOf } from '../../infra/recorded.ts';
import { callsOf, type Recording } from './recorder.ts';

const FUNCTIONS = join(ROOT, 'functions');
const FILE = join(FUNCTIONS, 'recorded.json');

/** Whether a grant is no right to change anything. */
export const isReading = (grant: Grant): boolean =>
  /:(GetItem|BatchGetItem|Query|GetObject|Decrypt)$/.test(grant);

const union = <Value extends string>(sets: ReadonlySet<Value>[]): Value[] =>
  [...new Set(sets.flatMap((set) => [...set]))].toSorted();

const grantsIn = (runs: readonly Recording[]): Grant[] => union(runs.map(({ grants }) => grants));

/** What a worker uses in all of its runs. */
export const usesOfWorker = (runs: readonly Recording[]): Recorded => {
  const events = union(runs.map((run) => run.events));
  return { grants: grantsIn(runs), ...(events.length > 0 && { events }) };
};

/**
 * What an operation uses in all of its requests.
 * @param failed requests that fail, of which the grants alone count
 */
export const usesOfOperation = (
  requests: readonly Recording[],
  failed: readonly Recording[] = [],
): Recorded => {
  const grants = grantsIn([...requests, ...failed]);
  return {
    grants,
    calls: Math.max(...requests.map(callsOf)),
    ...(!grants.every(isReading) && { events: union(requests.map(({ events }) => events)) }),
  };
};

/** The file of everything that is recorded: a fact in a line, so that a difference is easy to read. */
const textOf = (all: Readonly<Record<string, Recorded>>): string => {
  const entries = Object.keys(all)
    .toSorted()
    .map((id) => {
      const { grants, calls, events } = all[id]!;
      const lines = Object.entries({ grants, calls, events }).flatMap(([name, value]) =>
        value === undefined ? [] : [`    "${name}": ${JSON.stringify(value).replaceAll('","', '", "')}`],
      );
      return `  "${id}": {\n${lines.join(',\n')}\n  }`;
    });
  return `{\n${entries.join(',\n')}\n}\n`;
};

/** Names of the files of functions, which say their ids. */
const functionNames = (): Set<string> =>
  new Set(readdirSync(FUNCTIONS, { recursive: true, encoding: 'utf8' }).map((file) => basename(file, '.ts')));

const kebab = (id: string): string => id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Events keep the order in which the file has them, because the API reference shows them so; a new one is the last. */
const inOrder = ({ events, ...uses }: Recorded, known: Recorded | undefined): Recorded => ({
  ...uses,
  ...(events && {
    events: [...new Set([...(known?.events ?? []), ...events])].filter((type) => events.includes(type)),
  }),
});

const write = (id: string, uses: Recorded): void => {
  const all = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, Recorded>;
  const names = functionNames();
  const existing = Object.entries(all).filter(([other]) => names.has(kebab(other)));
  writeFileSync(FILE, textOf({ ...Object.fromEntries(existing), [id]: inOrder(uses, all[id]) }));
};

/**
 * Expects that a function uses exactly what is recorded of it. With `RECORD` it is recorded instead. The name of each
 * test that does this ends with "uses what is recorded", so that `npm run record` runs these alone.
 */
export const expectRecorded = (id: string, uses: Recorded): void => {
  expect(uses.grants.filter((grant) => !isGrant(grant))).toEqual([]);
  if (process.env['RECORD']) {
    write(id, uses);
    return;
  }
  const known = recordedOf(id);
  try {
    expect({ [id]: inOrder(uses, known) }).toEqual({ [id]: known });
  } catch (error) {
    (error as Error).message += '\n\nLook at the difference, and run `npm run record` if it is meant.';
    throw error;
  }
};
