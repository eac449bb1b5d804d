import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadCatalogue, type OperationEntry, ROOT } from '../../infra/catalogue.ts';
import { startEngines } from '../../infra/local/engines.ts';
import { call } from '../support/call.ts';
import { newPerson } from '../support/people.ts';
import { installRecorder, recording } from '../support/recorder.ts';
import type { Scenarios } from '../support/scenarios.ts';
import { type Line, print } from './table.ts';

const scenariosOf = async (area: string): Promise<Scenarios> => {
  const file = join(ROOT, 'test', area, 'scenarios.ts');
  return existsSync(file) ? ((await import(file)) as { scenarios: Scenarios }).scenarios : {};
};

/** The most calls that one of an operation's scenarios makes; undefined where there is none. */
const measured = async (entry: OperationEntry): Promise<number | undefined> => {
  const { id } = entry.operation;
  const scenarios = (await scenariosOf(entry.area))[id] ?? [];
  // A key's minute has room for 300 requests, and a scenario prepares itself with some.
  const person = await newPerson(`Caller of ${id}`);
  const counts: number[] = [];
  for (const scenario of scenarios) {
    const request = { as: person.key, ...(await scenario(person)) };
    const { result, sent } = await recording(() => call(entry, request));
    if (result.status >= 300) throw new Error(`${id} answered ${result.status}: ${result.text}`);
    // That a request opens the key's minute is a matter of when it comes.
    counts.push(sent.tableCalls - Math.max(0, sent.stamps - 1));
  }
  return counts.length > 0 ? Math.max(...counts) : undefined;
};

const lineOf = async (entry: OperationEntry): Promise<Line> => {
  const { id, calls } = entry.operation;
  const most = await measured(entry);
  const verdict = most === undefined ? 'no scenario' : most <= calls ? 'met' : 'MISSED';
  return [id, most === undefined ? '' : String(most), `≤ ${calls}`, verdict];
};

export const measure = async (): Promise<void> => {
  process.env['LOG_LEVEL'] = 'silent';
  const engines = await startEngines({ dataDir: null });
  try {
    installRecorder();
    const { operations } = await loadCatalogue();
    const lines: Line[] = [];
    for (const entry of operations) {
      if (entry.operation.access !== 'person') lines.push(await lineOf(entry));
    }
    print(
      'calls: DynamoDB calls of one request, authentication included, against what its operation declares',
      ['operation', 'calls', 'goal', ''],
      lines,
      'The most of the scenarios by which the contract test holds each operation against its declaration.',
    );
  } finally {
    await engines.stop();
  }
};
