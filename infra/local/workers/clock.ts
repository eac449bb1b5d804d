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

/** How often a scheduled worker runs on a developer's machine, in milliseconds: nobody there wants to wait for minutes. */
const PERIOD_MS = 20_000;

/** Runs a scheduled worker at once and then every 20 seconds, whatever its own period, until it is aborted. */
export const runOnClock = async (
  id: string,
  run: Run,
  signal: AbortSignal,
  period: number = PERIOD_MS,
): Promise<void> => {
  while (!signal.aborted) {
    await run(scheduledEvent(id)).catch(() => undefined);
    await sleep(period, undefined, { signal, ref: false }).catch(() => undefined);
  }
};
