import { MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { StorageStack } from '../storage.ts';
import { PERIOD } from './alarm.ts';

/** A metric that CloudWatch extracts from the log lines of an area's requests. */
const areaMetric = (area: string, metricName: string, statistic: string): Metric =>
  new Metric({
    namespace: 'InspectionService',
    metricName,
    dimensionsMap: { area },
    statistic,
    period: PERIOD,
    label: area,
  });

/** Requests of an area that were answered 5xx. */
export const serverErrors = (area: string): Metric => areaMetric(area, 'ServerError', Stats.SUM);

/** Work that failed at every attempt and was stored as a dead letter with its reason, by `logDeadLetter`. */
export const storedDeadLetters = (): Metric =>
  new Metric({
    namespace: 'InspectionService',
    metricName: 'DeadLetters',
    dimensionsMap: { operation: 'deadLetters' },
    statistic: Stats.SUM,
    period: PERIOD,
  });

/** How long the requests of an area took, in milliseconds; 99th percentile. */
export const latency = (area: string): Metric => areaMetric(area, 'Latency', Stats.p(99));

const gatewayMetric = (apiName: string, metricName: string): Metric =>
  new Metric({
    namespace: 'AWS/ApiGateway',
    metricName,
    dimensionsMap: { ApiName: apiName },
    statistic: Stats.SUM,
    period: PERIOD,
  });

export const requests = (apiName: string): Metric => gatewayMetric(apiName, 'Count');

/** Every 5xx of the API, including crashes and timeouts, which write no log line of their own. */
export const gatewayErrors = (apiName: string): Metric => gatewayMetric(apiName, '5XXError');

/** For all areas together, because all functions share the account's concurrency. */
export const functionThrottles = (): Metric =>
  new Metric({
    namespace: 'AWS/Lambda',
    metricName: 'Throttles',
    statistic: Stats.SUM,
    period: PERIOD,
  });

export const tableThrottles = ({ table }: StorageStack): MathExpression => {
  const tableMetric = (metricName: string) =>
    new Metric({
      namespace: 'AWS/DynamoDB',
      metricName,
      dimensionsMap: { TableName: table.tableName },
      statistic: Stats.SUM,
      period: PERIOD,
    });
  return new MathExpression({
    expression: 'reads + writes',
    usingMetrics: { reads: tableMetric('ReadThrottleEvents'), writes: tableMetric('WriteThrottleEvents') },
    label: 'throttled',
    period: PERIOD,
  });
};

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
