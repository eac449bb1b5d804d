import { currentRequest, type RequestScope } from './request.ts';

// The first request includes the function's start; a metric of its own tells such requests apart.
let isCold = true;

/** The area of the workers. That of an operation is its folder, which only a deployed function knows. */
const WORKERS = 'workers';

/** Errors of KMS, as it and the services that use it name them. */
const OF_KEY = /^KMS|^Kms|^DisabledException$/;

/** Which parts of AWS a failure is due to, of those that have no useful metrics of their own. */
export const faultsIn = (failure: unknown): { KeyFailure?: 1; SessionFailure?: 1 } => {
  for (let cause = failure; cause instanceof Error; { cause } = cause) {
    if ('isOfSession' in cause) return { SessionFailure: 1 };
    if (OF_KEY.test(cause.name)) return { KeyFailure: 1 };
  }
  return {};
};

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
  letter: Record<'id' | 'org_id' | 'what' | 'reason', string> & { request_id?: string | undefined },
): void =>
  writeLine({
    level: 'error',
    operation: 'deadLetters',
    message: 'gone to the dead letters',
    ...letter,
    DeadLetters: 1,
  });

/** Writes the log line of an organization whose mails to people outside were paused. Its metric raises an alarm. */
export const logPausedMails = (paused: { org_id: string; reason: string }): void =>
  writeLine({
    level: 'error',
    operation: 'pausedMails',
    message: 'mails are paused',
    ...paused,
    PausedMails: 1,
  });

/**
 * Writes the log line of deliveries that were sent to an endpoint at the same time. When most of them fail, whoever
 * they are for, the fault is probably ours: the metrics raise an alarm.
 */
export const logDeliveries = ({ attempts, failures }: { attempts: number; failures: number }): void =>
  writeLine({ level: 'info', operation: 'deliveries', Deliveries: attempts, FailedDeliveries: failures });

/** Writes the log line of an endpoint that the service has disabled. Its metric raises an alarm. */
export const logDisabledEndpoint = (endpoint: { org_id: string; webhook_id: string; reason: string }): void =>
  writeLine({
    level: 'error',
    operation: 'disabledEndpoints',
    message: 'an endpoint is disabled',
    ...endpoint,
    DisabledEndpoints: 1,
  });

/** Writes the log line of a sync that has ended. When most of them fail, the metrics raise an alarm. */
export const logSync = (run: { org_id: string; source_id: string; run_id: string; status: string }): void => {
  const hasFailed = run.status === 'failed';
  const level = hasFailed ? 'error' : 'info';
  writeLine({ level, operation: 'syncs', ...run, Syncs: 1, FailedSyncs: hasFailed ? 1 : 0 });
};

/** How long it took, what it called, and whether the function had to start for it. */
export const measured = (startedAt: number, scope: RequestScope | undefined) => {
  const ColdStart = isCold ? 1 : 0;
  isCold = false;
  return {
    Latency: Math.round((performance.now() - startedAt) * 100) / 100,
    TableCalls: scope?.tableCalls ?? 0,
    ColdStart,
  };
};

/** What stays of a line that is not written: its metrics, which deployed functions log in any case. */
const metricsOf = (line: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(line).filter(([name]) => name === 'operation' || METRIC_NAMES.has(name)));

/** Writes a line with metrics: whole, or its metrics alone where its level is not written. */
export const writeLine = (line: { level: 'info' | 'error' } & Record<string, unknown>): void => {
  const isWhole = isWritten(line.level);
  if (!isWhole && (process.env['LOG_LEVEL'] === 'silent' || !process.env['METRICS_NAMESPACE'])) return;
  const Namespace = process.env['METRICS_NAMESPACE'] ?? 'InspectionService';
  const area = process.env['AREA'] ?? WORKERS;
  // Each name and dimension is a metric that CloudWatch bills, so operations have none of their own unless it is asked for.
  const ofRuns = process.env['OPERATION_METRICS'] === 'true' ? [['area'], ['operation']] : [['area']];
  const _aws = {
    Timestamp: Date.now(),
    CloudWatchMetrics: [
      { Dimensions: ofRuns, Metrics: METRICS.runs },
      { Dimensions: [['operation']], Metrics: METRICS.events },
      { Dimensions: [[]], Metrics: METRICS.faults },
    ].flatMap(({ Dimensions, Metrics }) => {
      const present = Metrics.filter(({ Name }) => Name in line);
      return present.length > 0 ? [{ Namespace, Dimensions, Metrics: present }] : [];
    }),
  };
  print({ ...(isWhole ? line : metricsOf(line)), area, _aws });
};

/** An error as a log line has it. */
export const described = (failure: unknown) => {
  if (!(failure instanceof Error)) return { message: String(failure) };
  const { name, message, stack } = failure;
  return { name, message, stack };
};

const counted = (...names: string[]) => names.map((Name) => ({ Name, Unit: 'Count' }));

/** The metrics that log lines carry, by the dimensions that they have. */
export const METRICS = {
  /** Of each request and run, by area and, if asked for, by operation. */
  runs: [
    { Name: 'Latency', Unit: 'Milliseconds' },
    ...counted('TableCalls', 'ColdStart', 'ServerError', 'ClientError'),
  ],
  /** Of the lines that have nothing else, by the word that stands for their operation. */
  events: counted(
    'DeadLetters',
    'PausedMails',
    'Deliveries',
    'FailedDeliveries',
    'DisabledEndpoints',
    'Syncs',
    'FailedSyncs',
  ),
  /** Of the whole deployment. */
  faults: counted('KeyFailure', 'SessionFailure'),
};

const METRIC_NAMES: ReadonlySet<string> = new Set(
  Object.values(METRICS).flatMap((metrics) => metrics.map(({ Name }) => Name)),
);
