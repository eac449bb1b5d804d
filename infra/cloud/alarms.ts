/* oxlint-disable no-new -- a construct adds itself to its scope */
import { Aws, type Stack } from 'aws-cdk-lib';
import { type Alarm, Dashboard, GraphWidget, type IMetric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnQueryDefinition } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription, UrlSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Audience } from '../../shared/http/operation/surface.ts';
import { THROTTLE } from '../gateway.ts';
import { addAlarm, errorsOf, operator, PERIOD } from './alarms/alarm.ts';
import {
  areaRequests,
  certificateDays,
  deadLetters,
  deliveries,
  disabledEndpoints,
  failedDeliveries,
  failedDeliveriesShare,
  failedSyncsShare,
  faults,
  gatewayErrors,
  latency,
  oldestMessages,
  pausedMails,
  requests,
  serverErrors,
  storedDeadLetters,
  tableErrors,
  tableThrottles,
  throttledRequests,
  workerMetric,
} from './alarms/metrics.ts';
import { physicalName } from './names.ts';
import type { StorageStack } from './storage.ts';

/** The topic that receives all alarms. @param receiver an email address or an HTTPS URL */
export const addAlarmTopic = (stack: Stack, receiver: string | undefined): Topic => {
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
  if (receiver)
    topic.addSubscription(
      receiver.startsWith('https:') ? new UrlSubscription(receiver) : new EmailSubscription(receiver),
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
  workers: readonly { id: string; functionName: string }[];
  storage: StorageStack;
  /** ARNs of the certificates of the domains. */
  certificates: readonly string[];
}

/** What is done about work that waits or was given up. */
const REDRIVE = `${operator('dead-letters list')} says why; when the cause is mended, ${operator('dead-letters redrive --all')}`;

/** The share of the requests which API Gateway admits at which somebody is told. */
const NEAR_PERCENT = 80;

/** Certificate Manager renews 60 days before the end, so one with fewer days than this has a fault. */
const CERTIFICATE_DAYS = 30;

/** Minutes that a message may wait: longer than all attempts of work that fails take together. */
const MAX_AGE_MINUTES = 60;

/**
 * Alarms for failures that no request logs, such as errors of the gateway itself and throttling, and for those that
 * concern the whole deployment.
 * @returns the names of those that stop a rollout
 */
export const addAlarms = (
  stack: Stack,
  { prefix, apiNames, namespace, storage, certificates }: Omit<Watched, 'areas' | 'workers'>,
  topicArn: string,
): { MachinesErrorsAlarm: string; PeopleErrorsAlarm: string; StoredDeadLettersAlarm: string } => {
  const add = (id: string, limit: Partial<Parameters<typeof addAlarm>[3]> & Told): Alarm =>
    addAlarm(stack, id, topicArn, { threshold: 1, evaluationPeriods: 1, ...limit });
  const tableName = storage.table.tableName;
  const nameOf = (worker: string): string =>
    physicalName({ prefix }, { file: `functions/workers/${worker}.ts` });

  const [machinesErrors, peopleErrors] = (
    [
      ['GatewayErrors', 'machines'],
      ['PeopleGatewayErrors', 'people'],
    ] as const
  ).map(([id, audience]) =>
    add(id, {
      what: `The API for ${audience} answered 10 or more requests with 5xx within 5 minutes, including crashes and timeouts`,
      act: `run the saved query ${prefix}/errors; what crashed or took too long is not in it, but in the saved query ${prefix}/crashes; ${operator('doctor')}`,
      metric: gatewayErrors(apiNames[audience]),
      threshold: 10,
    }),
  ) as [Alarm, Alarm];
  for (const [id, audience] of [
    ['NearThrottle', 'machines'],
    ['PeopleNearThrottle', 'people'],
  ] as const) {
    const { rate } = THROTTLE[audience];
    add(id, {
      what: `The API for ${audience} got ${NEAR_PERCENT}% of the requests or more that it admits, for 5 minutes: ${rate} a second`,
      act: `run the saved query ${prefix}/organizations, which names the organization with most requests; ${operator('org set')} limits it. If all grow, raise THROTTLE in infra/gateway.ts and deploy`,
      metric: requests(apiNames[audience]),
      threshold: (rate * PERIOD.toSeconds() * NEAR_PERCENT) / 100,
    });
  }
  add('ThrottledRequests', {
    what: "Lambda throttled a request: the account's concurrency is used up",
    act: 'aws lambda get-account-settings; ask AWS for a higher quota of concurrent executions, or deploy with -c reservedConcurrency=false',
    metric: throttledRequests(namespace),
  });
  for (const { id, what, metric } of tableThrottles(storage)) {
    add(id, {
      what: `DynamoDB throttled 10 or more ${what} within 5 minutes: one partition gets too many of them`,
      act: `run the saved query ${prefix}/organizations, which names the organization with most requests; ${operator('org set')} limits it`,
      metric,
      threshold: 10,
    });
  }
  add('TableErrors', {
    what: 'DynamoDB failed 5 or more calls with an error of its own within 5 minutes',
    act: `look at https://health.aws.amazon.com; nothing is lost, because calls are sent again; aws dynamodb describe-table --table-name '${tableName}'`,
    metric: tableErrors(tableName),
    threshold: 5,
  });
  add('KeyFailures', {
    what: 'A key of KMS cannot be used: files, rows, credentials or secrets cannot be read',
    act: `aws kms describe-key --key-id '${storage.key.keyId}' and '${storage.credentialsKey.keyId}'; if one is Disabled, aws kms enable-key --key-id; if PendingDeletion, aws kms cancel-key-deletion --key-id`,
    metric: faults(namespace, 'KeyFailure'),
  });
  add('SessionFailures', {
    what: 'STS refused or throttled 5 or more sessions of the tenant role within 5 minutes',
    act: `run the saved query ${prefix}/errors; if it says Throttling, ask AWS for a higher rate of AssumeRole; if AccessDenied, deploy again`,
    metric: faults(namespace, 'SessionFailure'),
    threshold: 5,
  });
  const storedFailures = add('StoredDeadLetters', {
    what: 'Work has failed at every attempt',
    act: REDRIVE,
    metric: storedDeadLetters(namespace),
  });
  add('PausedMails', {
    what: 'The mails of an organization are paused: too many bounced or were reported as unwanted',
    act: `the log line "mails are paused" names the organization; ask it which addresses are wrong, then ${operator('org set --mails resumed --org')} <id>`,
    metric: pausedMails(namespace),
  });
  add('FailedDeliveries', {
    what: 'Half of the deliveries to webhooks or more failed for 15 minutes: the way to the internet may be cut off',
    act: `${errorsOf(nameOf('deliver-webhooks'))}; deliveries are repeated for days, so nothing has to be sent again`,
    metric: failedDeliveriesShare(namespace),
    threshold: 50,
    evaluationPeriods: 3,
  });
  add('DisabledEndpoints', {
    what: 'The service has switched off a webhook that failed for too long, or is gone',
    act: `the log line "an endpoint is disabled" names the organization; ${operator('webhook list --org')} <id>; its admins are told by mail. If many are, look at FailedDeliveries`,
    metric: disabledEndpoints(namespace),
    threshold: 5,
  });
  add('FailedSyncs', {
    what: 'Half of the syncs with vendors or more failed for 15 minutes',
    act: `${errorsOf(nameOf('sync-source'))} names the sources; if all are of one vendor, look at its status page. Syncs are repeated by their schedules`,
    metric: failedSyncsShare(namespace),
    threshold: 50,
    evaluationPeriods: 3,
  });
  for (const { id, metric } of deadLetters(storage)) {
    add(id, { what: 'This queue contains work that failed at every attempt', act: REDRIVE, metric });
  }
  for (const [position, arn] of certificates.entries()) {
    add(`Certificate${position + 1}`, {
      what: `The certificate ${arn} ends in less than ${CERTIFICATE_DAYS} days, or has ended: Certificate Manager has not renewed it`,
      act: `aws acm describe-certificate --certificate-arn '${arn}' --query 'Certificate.[Type,NotAfter,RenewalSummary]'; one of type AMAZON_ISSUED is renewed when the DNS records of its DomainValidationOptions exist; one of type IMPORTED has to be imported again: aws acm import-certificate --certificate-arn '${arn}'`,
      metric: certificateDays(arn),
      threshold: CERTIFICATE_DAYS,
      isLeast: true,
    });
  }
  for (const { id, metric } of oldestMessages(storage)) {
    add(`${id}Age`, {
      what: `A message has waited in this queue for ${MAX_AGE_MINUTES} minutes or more`,
      act: `${operator('doctor')} shows how much waits and why; if its worker is throttled, see that alarm`,
      metric,
      threshold: MAX_AGE_MINUTES * 60,
    });
  }
  return {
    MachinesErrorsAlarm: machinesErrors.alarmName,
    PeopleErrorsAlarm: peopleErrors.alarmName,
    StoredDeadLettersAlarm: storedFailures.alarmName,
  };
};

type Told = Pick<Parameters<typeof addAlarm>[3], 'what' | 'act' | 'metric' | 'isLeast'>;

/** What is asked of the logs, by the name of the saved query. Whoever runs one chooses the log groups of the deployment. */
const QUERIES = {
  errors:
    'filter level = "error" | stats count(*) as times, latest(@timestamp) as last by operation, error.name, error.message | sort times desc',
  crashes:
    'filter @message like /Task timed out|Runtime exited|Runtime.ExitError/ | stats count(*) as times, latest(@timestamp) as last by @log | sort times desc',
  slow: 'filter ispresent(Latency) | stats count(*) as times, pct(Latency, 50) as p50, pct(Latency, 99) as p99, sum(ColdStart) as cold by operation | sort p99 desc',
  operations:
    'filter ispresent(Latency) | stats count(*) as times, sum(ServerError) as failed, sum(ClientError) as refused, avg(TableCalls) as calls by operation | sort times desc',
  organizations:
    'filter ispresent(org_id) | stats count(*) as times, sum(TableCalls) as calls, sum(ServerError) as failed by org_id, key_id | sort times desc | limit 50',
};

/** Saves the queries that show what the metrics of areas leave out: single operations and organizations. */
export const addQueries = (stack: Stack, { prefix }: Pick<Watched, 'prefix'>): void => {
  for (const [name, queryString] of Object.entries(QUERIES))
    new CfnQueryDefinition(stack, `Query-${name}`, { name: `${prefix}/${name}`, queryString });
};

const graph = (title: string, ...left: IMetric[]): GraphWidget =>
  new GraphWidget({ title, left, width: 12, region: Aws.REGION });

/**
 * One page: of each area and each worker its traffic, errors, latency and saturation, and what all of them stand on. An
 * area is saturated when Lambda or the table throttles it, a worker when its instances are used up and its queue waits.
 */
export const addDashboard = (
  stack: Stack,
  { prefix, apiNames, namespace, areas, workers, storage }: Omit<Watched, 'certificates'>,
): void => {
  const ofAreas = (metric: (namespace: string, area: string) => IMetric): IMetric[] =>
    areas.map((area) => metric(namespace, area));
  const ofWorkers = (...[metricName, statistic]: [Parameters<typeof workerMetric>[1], string]): IMetric[] =>
    workers.map((worker) => workerMetric(worker, metricName, statistic));
  new Dashboard(stack, 'Dashboard', {
    // The dashboards of all regions share one list of names.
    dashboardName: `${prefix}-${Aws.REGION}`,
    widgets: [
      [
        graph('APIs: requests', ...Object.values(apiNames).map(requests)),
        graph('APIs: 5xx', ...Object.values(apiNames).map(gatewayErrors)),
      ],
      [
        graph('Areas: requests', ...ofAreas(areaRequests)),
        graph('Areas: server errors', ...ofAreas(serverErrors)),
      ],
      [
        graph('Areas: latency, p99, ms', ...ofAreas(latency)),
        graph('Areas: requests throttled by Lambda', throttledRequests(namespace)),
      ],
      [
        graph('Workers: runs', ...ofWorkers('Invocations', Stats.SUM)),
        graph('Workers: runs that failed', ...ofWorkers('Errors', Stats.SUM)),
      ],
      [
        graph('Workers: duration, p99, ms', ...ofWorkers('Duration', Stats.p(99))),
        graph('Workers: instances', ...ofWorkers('ConcurrentExecutions', Stats.MAXIMUM)),
      ],
      [
        graph('Queues: age of the oldest message, s', ...oldestMessages(storage).map(({ metric }) => metric)),
        graph('Dead-letter queues', ...deadLetters(storage).map(({ metric }) => metric)),
      ],
      [
        graph('Table and indexes throttled', ...tableThrottles(storage).map(({ metric }) => metric)),
        graph('Deliveries to webhooks', deliveries(namespace), failedDeliveries(namespace)),
      ],
    ],
  });
};
