import { Duration } from 'aws-cdk-lib';
import { MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { TABLE } from '../../../shared/table/table.ts';
import type { StorageStack } from '../storage.ts';
import { PERIOD } from './alarm.ts';

/** A metric that CloudWatch extracts from the log lines of an area's requests. */
const areaMetric = (namespace: string, area: string, metricName: string, statistic: string): Metric =>
  new Metric({
    namespace,
    metricName,
    dimensionsMap: { area },
    statistic,
    period: PERIOD,
    label: area,
  });

/** Requests of an area that were answered 5xx. */
export const serverErrors = (namespace: string, area: string): Metric =>
  areaMetric(namespace, area, 'ServerError', Stats.SUM);

/** A metric of the log lines that carry nothing else. */
const lineMetric = (namespace: string, metricName: string, operation: string): Metric =>
  new Metric({
    namespace,
    metricName,
    dimensionsMap: { operation },
    statistic: Stats.SUM,
    period: PERIOD,
  });

/** Work that failed at every attempt and was stored as a dead letter with its reason, by `logDeadLetter`. */
export const storedDeadLetters = (namespace: string): Metric =>
  lineMetric(namespace, 'DeadLetters', 'deadLetters');

/** Organizations whose mails were paused, by `logPausedMails`. */
export const pausedMails = (namespace: string): Metric => lineMetric(namespace, 'PausedMails', 'pausedMails');

/** A metric that CloudWatch extracts from the log lines of deliveries to webhooks. */
const deliveryMetric = (namespace: string, metricName: string): Metric =>
  lineMetric(namespace, metricName, 'deliveries');

/** Attempts to deliver something to a webhook. */
export const deliveries = (namespace: string): Metric => deliveryMetric(namespace, 'Deliveries');

/** Those of them that failed. */
export const failedDeliveries = (namespace: string): Metric => deliveryMetric(namespace, 'FailedDeliveries');

/** The share of attempts that failed, in percent; 0 while there are few, from which nothing can be told. */
const failedShare = (all: Metric, failed: Metric, few: number, label: string): MathExpression =>
  new MathExpression({
    expression: `IF(attempts >= ${few}, 100 * failed / attempts, 0)`,
    usingMetrics: { attempts: all, failed },
    period: PERIOD,
    label,
  });

/** The share of deliveries that failed. */
export const failedDeliveriesShare = (namespace: string): MathExpression =>
  failedShare(deliveries(namespace), failedDeliveries(namespace), 100, 'failed deliveries, %');

/** The share of syncs that failed. */
export const failedSyncsShare = (namespace: string): MathExpression =>
  failedShare(
    lineMetric(namespace, 'Syncs', 'syncs'),
    lineMetric(namespace, 'FailedSyncs', 'syncs'),
    5,
    'failed syncs, %',
  );

/** Endpoints that were disabled, by `logDisabledEndpoint`. */
export const disabledEndpoints = (namespace: string): Metric =>
  lineMetric(namespace, 'DisabledEndpoints', 'disabledEndpoints');

/** Failures of the whole deployment that are due to KMS or STS. */
export const faults = (namespace: string, metricName: 'KeyFailure' | 'SessionFailure'): Metric =>
  new Metric({ namespace, metricName, statistic: Stats.SUM, period: PERIOD });

/** The operations of the table that requests and workers use most. */
const TABLE_OPERATIONS = ['GetItem', 'BatchGetItem', 'Query', 'UpdateItem', 'TransactWriteItems'];

/** Calls of the table that DynamoDB failed by a fault of its own. It counts them by operation only. */
export const tableErrors = (tableName: string): MathExpression =>
  new MathExpression({
    expression: 'SUM(FILL(METRICS(), 0))',
    usingMetrics: Object.fromEntries(
      TABLE_OPERATIONS.map((operation) => [
        operation.charAt(0).toLowerCase() + operation.slice(1),
        new Metric({
          namespace: 'AWS/DynamoDB',
          metricName: 'SystemErrors',
          dimensionsMap: { TableName: tableName, Operation: operation },
          statistic: Stats.SUM,
          period: PERIOD,
        }),
      ]),
    ),
    period: PERIOD,
    label: 'errors of DynamoDB',
  });

/** Requests of an area; CloudWatch counts the values of their latency. */
export const areaRequests = (namespace: string, area: string): Metric =>
  areaMetric(namespace, area, 'Latency', Stats.SAMPLE_COUNT);

/** A metric that Lambda counts for a worker, with the name of the worker. */
export const workerMetric = (
  { id, functionName }: { id: string; functionName: string },
  metricName: 'Invocations' | 'Errors' | 'Duration' | 'ConcurrentExecutions',
  statistic: string,
): Metric =>
  new Metric({
    namespace: 'AWS/Lambda',
    metricName,
    dimensionsMap: { FunctionName: functionName },
    statistic,
    period: PERIOD,
    label: id,
  });

/** How long the requests of an area took, in milliseconds; 99th percentile. */
export const latency = (namespace: string, area: string): Metric =>
  areaMetric(namespace, area, 'Latency', Stats.p(99));

const gatewayMetric = (apiName: string, metricName: string): Metric =>
  new Metric({
    namespace: 'AWS/ApiGateway',
    metricName,
    dimensionsMap: { ApiName: apiName },
    statistic: Stats.SUM,
    period: PERIOD,
  });

export const requests = (apiName: string): Metric => gatewayMetric(apiName, 'Count');

/** Days until a certificate ends. Certificate Manager counts them twice a day, and no longer when it has ended. */
export const certificateDays = (arn: string): Metric =>
  new Metric({
    namespace: 'AWS/CertificateManager',
    metricName: 'DaysToExpiry',
    dimensionsMap: { CertificateArn: arn },
    statistic: Stats.MINIMUM,
    period: Duration.days(1),
  });

/** Every 5xx of the API, including crashes and timeouts, which write no log line of their own. */
export const gatewayErrors = (apiName: string): Metric => gatewayMetric(apiName, '5XXError');

/**
 * The metric of requests that Lambda throttled. It is counted in the access log, because Lambda's own metric is either
 * of the whole account, which other deployments share, or of one function.
 */
export const THROTTLED_REQUESTS = 'ThrottledRequests';

/** Requests of this API that Lambda throttled. */
export const throttledRequests = (namespace: string): Metric =>
  new Metric({ namespace, metricName: THROTTLED_REQUESTS, statistic: Stats.SUM, period: PERIOD });

/**
 * Throttled requests of the table and of each index, with an id for each metric. DynamoDB counts those of an index under
 * its own dimension, although a throttled index refuses writes to the table. Reads and writes are apart, because
 * DynamoDB publishes only the one that was throttled, and a sum with a missing half is missing.
 */
export const tableThrottles = ({ table }: StorageStack): { id: string; what: string; metric: Metric }[] =>
  [undefined, ...TABLE.indexes.map(({ name }) => name)].flatMap((index) =>
    (['Read', 'Write'] as const).map((kind) => ({
      id: `${kind}Throttles${index ? `-${index}` : ''}`,
      what: `${kind.toLowerCase()}s of ${index ? `the index ${index}` : 'the table'}`,
      metric: new Metric({
        namespace: 'AWS/DynamoDB',
        metricName: `${kind}ThrottleEvents`,
        dimensionsMap: { TableName: table.tableName, ...(index && { GlobalSecondaryIndexName: index }) },
        statistic: Stats.SUM,
        period: PERIOD,
        label: `${kind.toLowerCase()}s, ${index ?? 'table'}`,
      }),
    })),
  );

/** The number of messages in each dead-letter queue, with the queue's id. */
export const deadLetters = (storage: StorageStack): { id: string; metric: Metric }[] =>
  storage.deadLetters.map((queue) => ({
    id: queue.node.id,
    metric: queue.metricApproximateNumberOfMessagesVisible({
      period: PERIOD,
      statistic: Stats.MAXIMUM,
      label: queue.node.id,
    }),
  }));

/** The age of the oldest message in each queue of work, in seconds, with the queue's id. */
export const oldestMessages = (storage: StorageStack): { id: string; metric: Metric }[] =>
  Object.values(storage.queues).map((queue) => ({
    id: queue.node.id,
    metric: queue.metricApproximateAgeOfOldestMessage({
      period: PERIOD,
      statistic: Stats.MAXIMUM,
      label: queue.node.id,
    }),
  }));
