/* oxlint-disable no-new -- a construct adds itself to its scope */
import { Aws, type Stack } from 'aws-cdk-lib';
import { Dashboard, GraphWidget, type Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Audience } from '../../shared/http/operation/surface.ts';
import { addAlarm } from './alarms/alarm.ts';
import {
  deadLetters,
  deliveries,
  failedDeliveries,
  failedDeliveriesShare,
  gatewayErrors,
  latency,
  pausedMails,
  requests,
  serverErrors,
  storedDeadLetters,
  tableThrottles,
  throttledRequests,
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
  prefix: string;
  /** That for machines, and that for people. */
  apiNames: Readonly<Record<Audience, string>>;
  /** Of the deployment's own metrics. */
  namespace: string;
  areas: readonly string[];
  storage: StorageStack;
}

/**
 * Alarms for failures that no request logs: errors of the gateway itself, throttling, and messages in a dead-letter
 * queue.
 */
export const addAlarms = (
  stack: Stack,
  { apiNames, namespace, storage }: Watched,
  topicArn: string,
): void => {
  for (const [id, audience] of [
    ['GatewayErrors', 'machines'],
    ['PeopleGatewayErrors', 'people'],
  ] as const) {
    addAlarm(stack, id, topicArn, {
      alarmDescription: `The API for ${audience} answered 10 or more requests with 5xx within 5 minutes, including crashes and timeouts`,
      metric: gatewayErrors(apiNames[audience]),
      threshold: 10,
      evaluationPeriods: 1,
    });
  }
  addAlarm(stack, 'ThrottledRequests', topicArn, {
    alarmDescription: "Lambda throttled a request: the account's concurrency is used up",
    metric: throttledRequests(namespace),
    threshold: 1,
    evaluationPeriods: 1,
  });
  for (const { id, what, metric } of tableThrottles(storage)) {
    addAlarm(stack, id, topicArn, {
      alarmDescription: `DynamoDB throttled 10 or more ${what} within 5 minutes: one partition gets too many of them`,
      metric,
      threshold: 10,
      evaluationPeriods: 1,
    });
  }
  addAlarm(stack, 'StoredDeadLetters', topicArn, {
    alarmDescription: 'Work has failed at every attempt. The log line "gone to the dead letters" says why',
    metric: storedDeadLetters(namespace),
    threshold: 1,
    evaluationPeriods: 1,
  });
  addAlarm(stack, 'PausedMails', topicArn, {
    alarmDescription:
      'The mails of an organization are paused: too many bounced or were reported as unwanted. The log line "mails are paused" names it',
    metric: pausedMails(namespace),
    threshold: 1,
    evaluationPeriods: 1,
  });
  addAlarm(stack, 'FailedDeliveries', topicArn, {
    alarmDescription:
      'Half of the deliveries to webhooks or more failed for 15 minutes: the way to the internet may be cut off',
    metric: failedDeliveriesShare(namespace),
    threshold: 50,
    evaluationPeriods: 3,
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

const graph = (title: string, ...left: Metric[]): GraphWidget =>
  new GraphWidget({ title, left, width: 12, region: Aws.REGION });

/** One page with the metrics of the API, the functions, the table and the dead-letter queues. */
export const addDashboard = (
  stack: Stack,
  { prefix, apiNames, namespace, areas, storage }: Watched,
): void => {
  new Dashboard(stack, 'Dashboard', {
    // The dashboards of all regions share one list of names.
    dashboardName: `${prefix}-${Aws.REGION}`,
    widgets: [
      [
        graph('Requests', ...Object.values(apiNames).map(requests)),
        graph('5xx', ...Object.values(apiNames).map(gatewayErrors)),
      ],
      [
        graph('Server errors', ...areas.map((area) => serverErrors(namespace, area))),
        graph('Latency, p99', ...areas.map((area) => latency(namespace, area))),
      ],
      [
        graph('Requests throttled', throttledRequests(namespace)),
        graph('Table and indexes throttled', ...tableThrottles(storage).map(({ metric }) => metric)),
      ],
      [
        graph('Dead-letter queues', ...deadLetters(storage).map(({ metric }) => metric)),
        graph('Deliveries to webhooks', deliveries(namespace), failedDeliveries(namespace)),
      ],
    ],
  });
};
