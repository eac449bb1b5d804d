import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type KeyEntry, keyOperations, loadCatalogue, ROOT } from '../../infra/catalogue.ts';
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

/** The maximum of DynamoDB calls in the scenarios of an operation; undefined if it has no scenario. */
const maxCalls = async (entry: KeyEntry): Promise<number | undefined> => {
  const { id } = entry.operation;
  const scenarios = (await scenariosOf(entry.area))[id] ?? [];
  // Each operation has its own key, because a key may send 300 requests in a minute.
  const person = await newPerson(`Caller of ${id}`);
  const counts: number[] = [];
  for (const scenario of scenarios) {
    const request = { as: person.key, ...(await scenario(person)) };
    const { result, sent } = await recording(() => call(entry, request));
    if (result.status >= 300) throw new Error(`${id} answered ${result.status}: ${result.text}`);
    // The first request of a minute needs one more call, which depends on the time and is not counted.
    counts.push(sent.tableCalls - Math.max(0, sent.stamps - 1));
  }
  return counts.length > 0 ? Math.max(...counts) : undefined;
};

const lineOf = async (entry: KeyEntry): Promise<Line> => {
  const { id, calls } = entry.operation;
  const most = await maxCalls(entry);
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
    for (const entry of keyOperations(operations)) {
      if (entry.operation.access !== 'person') lines.push(await lineOf(entry));
    }
    print(
      'calls: DynamoDB calls of one request with its authentication, compared with what the operation declares',
      ['operation', 'calls', 'goal', ''],
      lines,
      'The maximum of the scenarios that the contract test uses.',
    );
  } finally {
    await engines.stop();
  }
};
