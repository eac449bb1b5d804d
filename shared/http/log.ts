import { currentRequest, type RequestScope } from '../base/request.ts';
import type { DeadLetter } from '../db/table/entities/machinery.ts';
import type { HttpRequest } from './middlewares/chain.ts';
import type { AnyOperation } from './operation/operation.ts';
import type { Worker } from './worker/worker.ts';

// The first request includes the function's start; a metric of its own tells such requests apart.
let isCold = true;

/**
 * Writes the log line of a request. It is JSON in CloudWatch's embedded metric format, so latency, DynamoDB calls,
 * cold starts and failures become metrics without a call. It never contains headers, the query or the body, because
 * they may hold secrets or answers.
 */
export const logRequest = ({ id }: Pick<AnyOperation, 'id'>, { internal, response }: HttpRequest): void => {
  const { startedAt, scope, caller, key: apiKey, session, visit, failure } = internal;
  const status = response?.statusCode ?? 500;
  const key = apiKey ?? scope.refusedKey;
  // The id of a key's service identity adds nothing to the id of the key.
  const person = caller?.acted_via_key_id ? caller : session;
  // A streamed reply can fail after its status was sent.
  const hasFailed = status >= 500 || failure !== undefined;
  write({
    level: hasFailed ? 'error' : 'info',
    operation: id,
    request_id: scope.requestId,
    status,
    // Tells a revoked key from an unknown one, or a refused right from a wrong value.
    code: response?.headers['x-error-code'],
    org_id: (key ?? session ?? visit?.caller)?.org_id ?? undefined,
    key_id: key?.key_id,
    user_id: person?.user_id ?? undefined,
    error: failure && described(failure),
    ServerError: hasFailed ? 1 : 0,
    ClientError: status >= 400 && status < 500 ? 1 : 0,
    ...measured(startedAt, scope),
  });
};

/**
 * Writes the log line of a worker's run: a task, a batch, or a scheduled run.
 * @param fields other fields that identify the work
 */
export const logRun = (
  { id }: Worker,
  startedAt: number,
  fields: Record<string, unknown>,
  failure?: unknown,
): void =>
  write({
    level: failure ? 'error' : 'info',
    operation: id,
    request_id: currentRequest()?.requestId,
    ...fields,
    error: failure && described(failure),
    ServerError: failure ? 1 : 0,
    ...measured(startedAt, currentRequest()),
  });

/** Whether lines of a level are written: by `LOG_LEVEL`, which is `info` (all of them), `error` or `silent`. */
const isWritten = (level: 'info' | 'error'): boolean => {
  const least = process.env['LOG_LEVEL'];
  return least !== 'silent' && (least !== 'error' || level === 'error');
};

/** Writes any other log line, with the id of the request that it belongs to. */
export const logLine = (level: 'info' | 'error', fields: Record<string, unknown>): void => {
  if (!isWritten(level)) return;
  print({ level, request_id: currentRequest()?.requestId, ...fields });
};

/**
 * Keys, with the public prefix apart from the secret, and mail addresses. Quantifiers are limited, so this is linear.
 */
const PRIVATE = /\b(ak_[0-9A-Za-z]{8})_[0-9A-Za-z]{36}|[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[a-z]{2,63}\b/gi;

/**
 * Writes a line. The messages of errors are not ours: SES names the address that it refuses, for example. So whatever
 * looks like a key or a mail address is left out.
 */
const print = (line: Record<string, unknown>): void => {
  const text = JSON.stringify(line).replace(PRIVATE, (_, prefix?: string) =>
    prefix ? `${prefix}_…` : '…@…',
  );
  // `console.log` would prefix the line, and CloudWatch would not find the metrics.
  process.stdout.write(`${text}\n`);
};

/** Writes the log line of work that nobody tries again. Its metric raises an alarm. */
export const logDeadLetter = (
  letter: Pick<DeadLetter, 'id' | 'org_id' | 'what' | 'reason'> & { request_id?: string | undefined },
): void =>
  write({
    level: 'error',
    operation: 'deadLetters',
    message: 'gone to the dead letters',
    ...letter,
    DeadLetters: 1,
  });

/** Writes the log line of an organization whose mails to people outside were paused. Its metric raises an alarm. */
export const logPausedMails = (paused: { org_id: string; reason: string }): void =>
  write({ level: 'error', operation: 'pausedMails', message: 'mails are paused', ...paused, PausedMails: 1 });

/**
 * Writes the log line of deliveries that were sent to an endpoint at the same time. When most of them fail, whoever
 * they are for, the fault is probably ours: the metrics raise an alarm.
 */
export const logDeliveries = ({ attempts, failures }: { attempts: number; failures: number }): void =>
  write({ level: 'info', operation: 'deliveries', Deliveries: attempts, FailedDeliveries: failures });

const measured = (startedAt: number, scope: RequestScope | undefined) => {
  const ColdStart = isCold ? 1 : 0;
  isCold = false;
  return {
    Latency: Math.round((performance.now() - startedAt) * 100) / 100,
    TableCalls: scope?.tableCalls ?? 0,
    ColdStart,
  };
};

const write = (line: { level: 'info' | 'error' } & Record<string, unknown>): void => {
  if (!isWritten(line.level)) return;
  const Metrics = METRICS.filter(({ Name }) => Name in line);
  const namespace = process.env['METRICS_NAMESPACE'] ?? 'InspectionService';
  // Only a deployed function knows its area; the alarms of an area use these metrics.
  const area = process.env['AREA'];
  const Dimensions = area ? [['operation'], ['area']] : [['operation']];
  const _aws = {
    Timestamp: Date.now(),
    CloudWatchMetrics: [{ Namespace: namespace, Dimensions, Metrics }],
  };
  print({ ...line, area, _aws });
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
  { Name: 'DeadLetters', Unit: 'Count' },
  { Name: 'PausedMails', Unit: 'Count' },
  { Name: 'Deliveries', Unit: 'Count' },
  { Name: 'FailedDeliveries', Unit: 'Count' },
];
