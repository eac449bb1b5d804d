/* oxlint-disable no-new -- a construct adds itself to its scope */
import { Aws, Stack } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { CfnConfigurationSet, CfnConfigurationSetEventDestination } from 'aws-cdk-lib/aws-ses';
import { addAlarm, operator, PERIOD } from './alarms/alarm.ts';
import { configurationSetName } from './names.ts';
import type { Settings } from './settings.ts';
import type { StorageStack } from './storage.ts';

/**
 * The parts of its mails that SES lets bounce, or be reported as unwanted, before it reviews an account: 5% and 0.1%
 * (Amazon SES, "Reputation metrics messages"). The alarms come a little earlier.
 */
const RATES = [
  { id: 'Bounces', metricName: 'Reputation.BounceRate', threshold: 0.04, what: '4% of the mails bounced' },
  {
    id: 'Complaints',
    metricName: 'Reputation.ComplaintRate',
    threshold: 0.0008,
    what: '0.08% of the mails were reported as unwanted',
  },
] as const;

/**
 * Brings what becomes of the deployment's mails into the queue of feedback: from SES through EventBridge, to which SES
 * sends by itself. Two alarms watch the rates for which SES would pause the account.
 */
export const addMailFeedback = (storage: StorageStack, settings: Settings, topicArn: string): void => {
  const name = configurationSetName(settings);
  const set = new CfnConfigurationSet(storage, 'Mails', {
    name,
    reputationOptions: { reputationMetricsEnabled: true },
  });
  const destination = new CfnConfigurationSetEventDestination(storage, 'MailEvents', {
    configurationSetName: name,
    eventDestination: {
      name: 'feedback',
      enabled: true,
      matchingEventTypes: ['BOUNCE', 'COMPLAINT', 'DELIVERY', 'REJECT'],
      eventBridgeDestination: {
        eventBusArn: Stack.of(storage).formatArn({
          service: 'events',
          resource: 'event-bus',
          resourceName: 'default',
        }),
      },
    },
  });
  destination.addResourceDependency(set);
  new Rule(storage, 'MailFeedback', {
    description: 'Brings what became of mails into a queue',
    eventPattern: {
      source: ['aws.ses'],
      detail: { mail: { tags: { 'ses:configuration-set': [name] } } },
    },
    targets: [new SqsQueue(storage.queues.feedback)],
  });
  for (const { id, metricName, threshold, what } of RATES) {
    addAlarm(storage, id, topicArn, {
      what: `${what}. SES pauses an account for not much more`,
      act: `aws sesv2 get-account --region ${Aws.REGION} shows whether sending is allowed; the organizations that cause it have their mails paused: ${operator('org set --mails paused --org')} <id> pauses another one`,
      metric: new Metric({
        namespace: 'AWS/SES',
        metricName,
        dimensionsMap: { 'ses:configuration-set': name },
        statistic: Stats.MAXIMUM,
        period: PERIOD,
      }),
      threshold,
      evaluationPeriods: 1,
    });
  }
};
