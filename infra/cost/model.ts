import { isRepeatable, routesOf } from '../../shared/http/operation/surface.ts';
import type { Worker } from '../../shared/http/worker/worker.ts';
import type { Catalogue, OperationEntry, WorkerEntry } from '../catalogue.ts';
import { type Grant, grantsOf } from '../grants.ts';
import { DEFAULT_MEMORY } from '../limits.ts';
import { PRICES } from './prices.ts';

/*
 * What operations and workers cost, from what is recorded of them. The record knows calls, grants and events; what it
 * does not know is assumed here, so that two releases are compared by the same measure.
 */

/** What is assumed of every function. Times are in milliseconds, sizes in KB. */
export const ASSUMED = {
  /** A request without any call, and what each call of the table adds. */
  time: { request: 12, call: 6 },
  /** A function that computes, such as one that draws a page. */
  heavyTime: 1_500,
  /** The start of an instance: of any, and for each KB of code. */
  start: { time: 150, perKilobyte: 0.1, share: 0.01 },
  /** Rows of a change beside its events. Each of them holds 1 KB at most. */
  rowsOfChange: 6,
  /** The row of an event is written, numbered and removed from the outbox. */
  writesOfEvent: 3,
  /** Of the gateway and the function together. */
  logLine: 1.2,
  /** Of workers that take longer than `workerTime`. */
  workerTimes: {
    renderReport: 4_000,
    exportReport: 1_500,
    makeBulkExport: 8_000,
    sendMail: 600,
    syncSource: 5_000,
  },
  workerTime: 200,
} as const;

const KILOBYTES_OF_GIGABYTE = 1024 ** 2;
const WRITES = /^table:(Put|Update|Delete)Item$/;

const has = (grants: readonly Grant[], pattern: RegExp): number =>
  Number(grants.some((grant) => pattern.test(grant)));

/** What the services beside the table take for one run. */
const otherCalls = (grants: readonly Grant[]): number =>
  has(grants, /^bucket:PutObject/) * PRICES.bucketPut +
  has(grants, /^bucket:GetObject/) * PRICES.bucketGet +
  has(grants, /^(credential|secret):/) * PRICES.keyRequest +
  has(grants, /^mail:/) * PRICES.mail +
  grants.filter((grant) => grant.startsWith('queue:')).length * PRICES.queueRequest;

/** What the computing of one run takes. @param time milliseconds @param size of the code, in KB */
const computing = (time: number, memory: number, size: number): number => {
  const { time: start, perKilobyte, share } = ASSUMED.start;
  const seconds = (time + share * (start + perKilobyte * size)) / 1_000;
  return PRICES.functionRequest + seconds * (memory / 1_024) * PRICES.functionSecond.arm64;
};

const LOGGED = (ASSUMED.logLine / KILOBYTES_OF_GIGABYTE) * PRICES.log;

/** A change with its events, in units of writing. */
const changeUnits = (events: number): number =>
  2 * (ASSUMED.rowsOfChange + events) + ASSUMED.writesOfEvent * events;

/** USD for one request. @param size of the function's code, in KB */
export const priceOfOperation = (entry: OperationEntry, size: number): number => {
  const { operation, recorded } = entry;
  const grants = grantsOf(entry);
  const { calls = 0, events = [], grants: used = [] } = recorded ?? {};
  const isCalledByKey = routesOf(operation).some(({ surface }) => surface === 'v1');
  const changes = used.some((grant) => WRITES.test(grant)) ? 1 : 0;
  const repeats = 'access' in operation && isCalledByKey && isRepeatable(operation) ? 1 : 0;
  // The write that authenticates is one of the calls. The note of the request comes behind the reply.
  const reads = Math.max(0, calls - changes - (isCalledByKey ? 1 : 0));
  const writes = (isCalledByKey ? 2 : 0) + changes * changeUnits(Math.min(1, events.length)) + repeats * 2;
  const time = operation.heavy
    ? ASSUMED.heavyTime
    : ASSUMED.time.request + ASSUMED.time.call * (calls + 2 * repeats);
  return (
    PRICES.gatewayRequest +
    computing(time, operation.memory ?? DEFAULT_MEMORY, size) +
    reads * PRICES.readUnit +
    writes * PRICES.writeUnit +
    otherCalls(used.length > 0 ? used : grants) +
    LOGGED
  );
};

const timeOf = ({ id }: Worker): number =>
  (ASSUMED.workerTimes as Partial<Record<string, number>>)[id] ?? ASSUMED.workerTime;

/** USD for one task of a worker. @param size of the function's code, in KB */
export const priceOfWorker = ({ worker, recorded }: WorkerEntry, size: number): number => {
  const { grants = [], events = [] } = recorded ?? {};
  const writes = grants.some((grant) => WRITES.test(grant)) ? 2 * changeUnits(Math.min(1, events.length)) : 0;
  return (
    computing(timeOf(worker), worker.memory ?? DEFAULT_MEMORY, size) +
    4 * PRICES.readUnit +
    writes * PRICES.writeUnit +
    // A message is sent, received and deleted.
    ('queue' in worker.source ? 3 * PRICES.queueRequest : 0) +
    otherCalls(grants) +
    LOGGED
  );
};

/** USD by the id of each operation and worker. */
export type PriceList = Readonly<Record<string, number>>;

/** The price of one run of each. @param sizes KB of the code of functions, by their files */
export const priceList = (
  { operations, workers }: Catalogue,
  sizes: ReadonlyMap<string, number>,
): PriceList =>
  Object.fromEntries([
    ...operations.map(
      (entry) => [entry.operation.id, priceOfOperation(entry, sizes.get(entry.file)!)] as const,
    ),
    ...workers.map((entry) => [entry.worker.id, priceOfWorker(entry, sizes.get(entry.file)!)] as const),
  ]);

/** How often one inspection with its report leads to each operation and worker, with photos, lists and mails. */
export const OF_AN_INSPECTION: Readonly<Record<string, number>> = {
  createInspection: 1,
  startInspection: 1,
  getInspection: 20,
  listInspections: 10,
  listAnswers: 5,
  saveAnswers: 20,
  createUpload: 10,
  completeUpload: 10,
  updateFinding: 2,
  advanceInspection: 1,
  createReport: 1,
  getReport: 5,
  createReportExport: 1,
  getReportExport: 3,
  listEvents: 10,
  createReportEmail: 1,
  renderReport: 1,
  exportReport: 1,
  sendMail: 3,
  handOnOutbox: 40,
  deliverWebhooks: 40,
};

/** What an inspection leaves behind, in GB: photos and reports, and rows. */
const STORED = { bucket: 0.02, table: 0.0004 };

/** Customers by the number of their inspections in a month. */
export const SIZES = { small: 100, medium: 1_000, large: 10_000 } as const;

/** USD for a month of a customer, and for what a year of such months has stored. */
export const monthOf = (prices: PriceList, inspections: number): { running: number; stored: number } => {
  const one = Object.entries(OF_AN_INSPECTION).reduce((sum, [id, times]) => sum + times * prices[id]!, 0);
  const gigabyte = STORED.bucket * PRICES.bucketStorage + STORED.table * PRICES.tableStorage;
  return { running: inspections * one, stored: inspections * 12 * gigabyte };
};

/** What CloudWatch bills of the deployment itself. A test compares both with the stacks. */
export const MONITORED = { metrics: 134, alarms: 124 } as const;

/** USD a month for the deployment, whoever uses it: its keys, metrics by area and alarms. */
export const ofDeployment = (): number =>
  2 * PRICES.key + MONITORED.metrics * PRICES.metric + MONITORED.alarms * PRICES.alarm;
