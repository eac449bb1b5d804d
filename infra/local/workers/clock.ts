import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ScheduledEvent } from 'aws-lambda';
import { LOCATION, type Run } from './run.ts';

const scheduledEvent = (id: string): ScheduledEvent => ({
  id: randomUUID(),
  version: '0',
  account: LOCATION.account,
  region: LOCATION.region,
  time: new Date().toISOString(),
  source: 'aws.events',
  'detail-type': 'Scheduled Event',
  resources: [`arn:aws:events:${LOCATION.region}:${LOCATION.account}:rule/${id}`],
  detail: {},
});

/**
 * Runs a worker at once and then at intervals, until it is aborted.
 * @param every such as `5 minutes`
 */
export const runEvery = async (every: string, id: string, run: Run, signal: AbortSignal): Promise<void> => {
  const period = Number.parseInt(every, 10) * 60_000;
  while (!signal.aborted) {
    await run(scheduledEvent(id)).catch(() => undefined);
    await sleep(period, undefined, { signal, ref: false }).catch(() => undefined);
  }
};
