/* oxlint-disable no-new -- a construct adds itself to its scope */
import { Aws, Duration, type Stack } from 'aws-cdk-lib';
import {
  Alarm,
  type AlarmProps,
  Dashboard,
  GraphWidget,
  MathExpression,
  Metric,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Worker } from '../../shared/http/worker.ts';
import { capitalized, type FunctionsStack } from './functions.ts';
import type { StorageStack } from './storage.ts';

const period = Duration.minutes(5);

/** Where all alarms go. A policy of its own replaces the default one, so CloudWatch has to be named. */
export const addAlarmTopic = (stack: Stack): Topic => {
  const topic = new Topic(stack, 'Alarms', { enforceSSL: true });
  topic.addToResourcePolicy(
    new PolicyStatement({
      actions: ['sns:Publish'],
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
    }),
  );
  return topic;
};

type Limit = Pick<AlarmProps, 'metric' | 'threshold' | 'evaluationPeriods' | 'alarmDescription'>;

/** Alarms from `threshold` on; no data is no alarm. */
const addAlarm = (stack: Stack, id: string, topicArn: string, limit: Limit): void =>
  new Alarm(stack, id, { ...limit, treatMissingData: TreatMissingData.NOT_BREACHING }).addAlarmAction({
    bind: () => ({ alarmActionArn: topicArn }),
  });

/** From the log lines of an area's requests. */
const areaMetric = (area: string, metricName: string, statistic: string): Metric =>
  new Metric({
    namespace: 'InspectionService',
    metricName,
    dimensionsMap: { area },
    statistic,
    period,
    label: area,
  });

const serverErrors = (area: string) => areaMetric(area, 'ServerError', Stats.SUM);
const latency = (area: string) => areaMetric(area, 'Latency', Stats.p(99));

/** Requests of one area that failed by our fault, or took long. */
export const addAreaAlarms = (stack: FunctionsStack, area: string): void => {
  addAlarm(stack, 'ServerErrors', stack.given('AlarmsArn'), {
    alarmDescription: `${area}: more than a stray 5xx in 5 minutes`,
    metric: serverErrors(area),
    threshold: 5,
    evaluationPeriods: 1,
  });
  addAlarm(stack, 'Latency', stack.given('AlarmsArn'), {
    alarmDescription: `${area}: 1 request of 100 takes 3 s or more, for a quarter of an hour`,
    metric: latency(area),
    threshold: 3_000,
    evaluationPeriods: 3,
  });
};

/** What a worker leaves undone: a stream's lag, a schedule's failures; a queue's end in its dead letters. */
export const addWorkerAlarm = (stack: FunctionsStack, { id, source }: Worker, worker: Function): void => {
  if ('stream' in source) {
    addAlarm(stack, `${capitalized(id)}Lag`, stack.given('AlarmsArn'), {
      alarmDescription: `${id}: 5 minutes behind the stream`,
      metric: worker.metric('IteratorAge', { statistic: Stats.MAXIMUM, period }),
      threshold: Duration.minutes(5).toMilliseconds(),
      evaluationPeriods: 1,
    });
  } else if ('every' in source) {
    addAlarm(stack, `${capitalized(id)}Errors`, stack.given('AlarmsArn'), {
      alarmDescription: `${id}: failed three times in 5 minutes`,
      metric: worker.metricErrors({ period }),
      threshold: 3,
      evaluationPeriods: 1,
    });
  }
};

/** Throttling and failures that no request's log line can tell of, messages put aside, and one page with all of it. */
export const addAlarms = (
  stack: Stack,
  {
    apiName,
    areas,
    storage,
    topicArn,
  }: {
    apiName: string;
    areas: readonly string[];
    storage: StorageStack;
    topicArn: string;
  },
): void => {
  const gateway = (metricName: string, statistic: string) =>
    new Metric({
      namespace: 'AWS/ApiGateway',
      metricName,
      dimensionsMap: { ApiName: apiName },
      statistic,
      period,
    });
  const gatewayErrors = gateway('5XXError', Stats.SUM);
  addAlarm(stack, 'GatewayErrors', topicArn, {
    alarmDescription: 'The API answered 5xx, crashes and time-outs included',
    metric: gatewayErrors,
    threshold: 10,
    evaluationPeriods: 1,
  });

  // Functions share the account's concurrency, so it runs out for all areas at once.
  const functionThrottles = new Metric({
    namespace: 'AWS/Lambda',
    metricName: 'Throttles',
    statistic: Stats.SUM,
    period,
  });
  addAlarm(stack, 'FunctionThrottles', topicArn, {
    alarmDescription: "The account's Lambda concurrency is used up",
    metric: functionThrottles,
    threshold: 1,
    evaluationPeriods: 1,
  });

  const tableMetric = (metricName: string) =>
    new Metric({
      namespace: 'AWS/DynamoDB',
      metricName,
      dimensionsMap: { TableName: storage.table.tableName },
      statistic: Stats.SUM,
      period,
    });
  const tableThrottles = new MathExpression({
    expression: 'reads + writes',
    usingMetrics: { reads: tableMetric('ReadThrottleEvents'), writes: tableMetric('WriteThrottleEvents') },
    label: 'throttled',
    period,
  });
  addAlarm(stack, 'TableThrottles', topicArn, {
    alarmDescription: 'The table refuses reads or writes: a partition is too hot',
    metric: tableThrottles,
    threshold: 10,
    evaluationPeriods: 1,
  });

  const waiting = storage.deadLetters.map((queue) =>
    queue.metricApproximateNumberOfMessagesVisible({
      period,
      statistic: Stats.MAXIMUM,
      label: queue.node.id,
    }),
  );
  waiting.forEach((metric, position) =>
    addAlarm(stack, storage.deadLetters[position]!.node.id, topicArn, {
      alarmDescription: 'Work was put aside after its last attempt',
      metric,
      threshold: 1,
      evaluationPeriods: 1,
    }),
  );

  const graph = (title: string, ...left: Metric[] | MathExpression[]) =>
    new GraphWidget({ title, left, width: 12, region: Aws.REGION });
  new Dashboard(stack, 'Dashboard', {
    dashboardName: apiName,
    widgets: [
      [graph('Requests', gateway('Count', Stats.SUM)), graph('5xx', gatewayErrors)],
      [graph('Server errors', ...areas.map(serverErrors)), graph('Latency, p99', ...areas.map(latency))],
      [graph('Functions throttled', functionThrottles), graph('Table throttled', tableThrottles)],
      [graph('Put aside', ...waiting)],
    ],
  });
};
