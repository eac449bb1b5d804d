import { currentRequest, type RequestScope } from '../base/request.ts';
import type { HttpRequest } from './chain.ts';
import type { Operation } from './operation.ts';
import type { Worker } from './worker.ts';

// A function's first request pays for its start; the metric tells them apart.
let isCold = true;

/**
 * Writes a request's one line: JSON that is at the same time CloudWatch's embedded metric format, so that
 * latency, DynamoDB calls, cold starts and failures become metrics by operation without a call. No header, no
 * query, no body stands in it: they may hold secrets or answers.
 */
export const logRequest = ({ id }: Operation, { internal, response }: HttpRequest): void => {
  const { requestId, startedAt, scope, caller, failure } = internal;
  const status = response?.statusCode ?? 500;
  // A streamed reply that was cut off had sent its status before.
  const hasFailed = status >= 500 || failure !== undefined;
  write({
    level: hasFailed ? 'error' : 'info',
    operation: id,
    request_id: requestId,
    status,
    org_id: caller?.org_id,
    key_id: caller?.key_id,
    error: failure && described(failure),
    ServerError: hasFailed ? 1 : 0,
    ClientError: status >= 400 && status < 500 ? 1 : 0,
    ...measured(startedAt, scope),
  });
};

/** Writes a worker's one line for a task, a batch or a turn. */
export const logRun = ({ id }: Worker, startedAt: number, failure?: unknown): void =>
  write({
    level: failure ? 'error' : 'info',
    operation: id,
    error: failure && described(failure),
    ServerError: failure ? 1 : 0,
    ...measured(startedAt, currentRequest()),
  });

/** Writes a line that is no request's and no run's: something that the log alone is told. */
export const logLine = (level: 'info' | 'error', fields: Record<string, unknown>): void => {
  if (process.env['LOG_LEVEL'] !== 'silent')
    process.stdout.write(`${JSON.stringify({ level, ...fields })}\n`);
};

const measured = (startedAt: number, scope: RequestScope | undefined) => ({
  Latency: Math.round((performance.now() - startedAt) * 100) / 100,
  TableCalls: scope?.tableCalls ?? 0,
});

const write = (line: Record<string, unknown>): void => {
  const ColdStart = isCold ? 1 : 0;
  isCold = false;
  if (process.env['LOG_LEVEL'] === 'silent') return;
  const Metrics = METRICS.filter(({ Name }) => Name === 'ColdStart' || Name in line);
  // Where it is deployed, a function knows its area, and the alarms of an area read its metrics.
  const area = process.env['AREA'];
  const Dimensions = area ? [['operation'], ['area']] : [['operation']];
  const _aws = {
    Timestamp: Date.now(),
    CloudWatchMetrics: [{ Namespace: 'InspectionService', Dimensions, Metrics }],
  };
  // Not console.log, which prefixes the line and hides the metrics from CloudWatch.
  process.stdout.write(`${JSON.stringify({ ...line, area, ColdStart, _aws })}\n`);
};

const described = (failure: unknown) => {
  if (!(failure instanceof Error)) return { message: String(failure) };
  const { name, message, stack } = failure;
  return { name, message, stack };
};

const METRICS = [
  { Name: 'Latency', Unit: 'Milliseconds' },
  { Name: 'TableCalls', Unit: 'Count' },
  { Name: 'ColdStart', Unit: 'Count' },
  { Name: 'ServerError', Unit: 'Count' },
  { Name: 'ClientError', Unit: 'Count' },
];
