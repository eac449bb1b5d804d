/* oxlint-disable no-new -- a construct adds itself to its scope */
import { Aws, type Stack } from 'aws-cdk-lib';
import { Dashboard, GraphWidget, type MathExpression, type Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { addAlarm } from './alarms/alarm.ts';
import {
  deadLetters,
  functionThrottles,
  gatewayErrors,
  latency,
  requests,
  serverErrors,
  storedDeadLetters,
  tableThrottles,
} from './alarms/metrics.ts';
import type { StorageStack } from './storage.ts';

/** The topic that receives all alarms. */
export const addAlarmTopic = (stack: Stack): Topic => {
  const topic = new Topic(stack, 'Alarms', { enforceSSL: true });
  // `enforceSSL` adds a policy, which replaces the default one, so CloudWatch has to be allowed explicitly.
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

/** The parts of the deployment that are watched. */
interface Watched {
  apiName: string;
  areas: readonly string[];
  storage: StorageStack;
}

/**
 * Alarms for failures that no request logs: errors of the gateway itself, throttling, and messages in a dead-letter
 * queue.
 */
export const addAlarms = (stack: Stack, { apiName, storage }: Watched, topicArn: string): void => {
  addAlarm(stack, 'GatewayErrors', topicArn, {
    alarmDescription:
      'The API answered 10 or more requests with 5xx within 5 minutes, including crashes and timeouts',
    metric: gatewayErrors(apiName),
    threshold: 10,
    evaluationPeriods: 1,
  });
  addAlarm(stack, 'FunctionThrottles', topicArn, {
    alarmDescription: "Lambda throttled a function: the account's concurrency is used up",
    metric: functionThrottles(),
    threshold: 1,
    evaluationPeriods: 1,
  });
  addAlarm(stack, 'TableThrottles', topicArn, {
    alarmDescription:
      'DynamoDB throttled 10 or more requests within 5 minutes: one partition gets too many of them',
    metric: tableThrottles(storage),
    threshold: 10,
    evaluationPeriods: 1,
  });
  addAlarm(stack, 'StoredDeadLetters', topicArn, {
    alarmDescription: 'Work has failed at every attempt. The log line "gone to the dead letters" says why',
    metric: storedDeadLetters(),
    threshold: 1,
    evaluationPeriods: 1,
  });
  for (const { id, metric } of deadLetters(storage)) {
    addAlarm(stack, id, topicArn, {
      alarmDescription: 'This queue contains work that failed at every attempt',
      metric,
      threshold: 1,
      evaluationPeriods: 1,
    });
  }
};

const graph = (title: string, ...left: Metric[] | MathExpression[]): GraphWidget =>
  new GraphWidget({ title, left, width: 12, region: Aws.REGION });

/** One page with the metrics of the API, the functions, the table and the dead-letter queues. */
export const addDashboard = (stack: Stack, { apiName, areas, storage }: Watched): void => {
  new Dashboard(stack, 'Dashboard', {
    dashboardName: apiName,
    widgets: [
      [graph('Requests', requests(apiName)), graph('5xx', gatewayErrors(apiName))],
      [graph('Server errors', ...areas.map(serverErrors)), graph('Latency, p99', ...areas.map(latency))],
      [graph('Functions throttled', functionThrottles()), graph('Table throttled', tableThrottles(storage))],
      [graph('Dead-letter queues', ...deadLetters(storage).map(({ metric }) => metric))],
    ],
  });
};
