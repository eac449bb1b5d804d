import { loadCatalogue } from '../../../../infra/catalogue.ts';
import { MONITORED } from '../../../../infra/cost/model.ts';
import { THROTTLE } from '../../../../infra/gateway.ts';
import { commands } from '../../../../infra/operator/commands.ts';
import { ceilings } from '../../../../infra/operator/pages/ceilings.ts';
import { METRICS } from '../../../../shared/base/log.ts';
import { QUEUES } from '../../../../shared/base/queues.ts';
import { TABLE } from '../../../../shared/table/table.ts';
import { operationEntries, WORKERS } from '../catalogues.ts';
import {
  type Alarm,
  alarmsIn,
  filled,
  type LambdaFunction,
  ofType,
  type Resource,
  type Template,
  templatesOf,
} from '../templates.ts';

const operations = operationEntries(20);

/** The namespace of the deployment's own metrics. */
const NAMESPACE = 'InspectionService/inspection-service';

let templates: Template[];
beforeAll(async () => {
  ({ templates } = await templatesOf({ operations, workers: WORKERS }));
});

/** The dimensions of an alarm's metric, by name. */
const dimensionsOf = ({ Properties: { Dimensions = [] } }: Resource<Alarm>): Record<string, string> =>
  Object.fromEntries(Dimensions.map(({ Name, Value }) => [Name, filled(Value)]));

/** The alarms on one metric of one namespace. */
const alarmsOn = (namespace: string, metric: string): Resource<Alarm>[] =>
  alarmsIn(templates).filter(
    ({ Properties }) => Properties.Namespace === namespace && Properties.MetricName === metric,
  );

describe('every alarm', () => {
  test('notifies the topic, also when it is over, which CloudWatch of this account alone may publish to', () => {
    for (const { Properties } of alarmsIn(templates)) {
      expect(Properties.AlarmActions).toHaveLength(1);
      expect(filled(Properties.AlarmActions[0])).toMatch(/^<Alarms/);
      expect(Properties.OKActions).toEqual(Properties.AlarmActions);
    }
    const [policy] = ofType<{ PolicyDocument: { Statement: object[] } }>(templates, 'AWS::SNS::TopicPolicy');
    expect(policy!.Properties.PolicyDocument.Statement).toContainEqual(
      expect.objectContaining({
        Effect: 'Allow',
        Action: 'sns:Publish',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      }),
    );
  });
});

describe('the text of every alarm', () => {
  const texts = () =>
    ofType<Alarm>(templates, 'AWS::CloudWatch::Alarm').map(({ Properties }) =>
      filled(Properties.AlarmDescription),
    );

  test('says what to do, within the 1,024 characters of CloudWatch', () => {
    for (const text of texts()) {
      expect(text).toMatch(/^[A-Z].*\. To do: .*(aws \w|npm run -s operator -- |saved query )/i);
      expect(text.length).toBeLessThanOrEqual(1_024);
    }
  });

  test('names only commands, saved queries and logs that there are', () => {
    const named = (pattern: RegExp) =>
      new Set(texts().flatMap((text) => [...text.matchAll(pattern)].map(([, name]) => name!)));
    const flags = Object.entries(commands).map(
      ([name, { options }]) => [name, Object.keys(options.shape)] as const,
    );
    for (const command of named(/operator -- ([a-z -]*[a-z])/g)) {
      const [name, known] = flags.find(([each]) => command === each || command.startsWith(`${each} `))!;
      const given = command.slice(name.length).match(/(?<=--)[a-z-]+/g) ?? [];
      expect(known).toEqual(expect.arrayContaining(given));
    }
    for (const log of named(/aws logs tail '([^']+)'/g))
      expect(log).toMatch(/^\/aws\/lambda\/inspection-service-[a-z-]+-[0-9a-f]{3}$/);
    const queries = ofType<{ Name: string }>(templates, 'AWS::Logs::QueryDefinition').map(
      ({ Properties }) => Properties.Name,
    );
    expect(queries).toEqual(expect.arrayContaining([...named(/saved query ([a-z/-]+)/g)]));
  });
});

test('each ceiling has an alarm on the metric that it names', () => {
  const alarms = alarmsIn(templates);
  for (const ceiling of ceilings({ operations, workers: WORKERS })) {
    if ('before' in ceiling) continue;
    const { alarm, metric } = ceiling;
    const name = metric.match(/[A-Z]\w+(?= of|$)/g)!.find((word) => word !== 'AWS')!;
    const watching = alarms.filter(({ id }) => id.replace(/[0-9A-F]{8}$/, '') === alarm);
    // The worker that hands on is not in this catalogue, but the one that has the stream.
    if (alarm === 'HandOnOutboxLag') expect(alarmsOn('AWS/Lambda', name)).toHaveLength(1);
    else expect([alarm, watching.map(({ Properties }) => Properties.MetricName)]).toEqual([alarm, [name]]);
  }
});

test('somebody is told before API Gateway refuses requests', () => {
  const alarms = alarmsOn('AWS/ApiGateway', 'Count').map(({ Properties }) => Properties);
  expect(alarms).toMatchObject(
    [THROTTLE.machines.rate, THROTTLE.people.rate].map((rate) => ({
      Period: 300,
      Threshold: rate * 300 * 0.8,
    })),
  );
});

test('missing data raises only the alarms of what must happen all the time', () => {
  const isLeast = ({ Properties }: Resource<Alarm>) => Properties.TreatMissingData === 'breaching';
  const all = alarmsIn(templates);
  expect(all.filter(isLeast).map(({ Properties }) => Properties)).toMatchObject([
    { MetricName: 'Invocations', Threshold: 1, Period: 900, ComparisonOperator: 'LessThanThreshold' },
  ]);
  for (const { Properties } of all.filter((alarm) => !isLeast(alarm)))
    expect(Properties).toMatchObject({
      TreatMissingData: 'notBreaching',
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
    });
});

test.each([
  ['on-call@example.com', 'email'],
  ['https://events.example.com/alarms', 'https'],
])('%s gets the alarms, when it is set', async (alarmReceiver, Protocol) => {
  expect(ofType(templates, 'AWS::SNS::Subscription')).toEqual([]);
  const set = await templatesOf({ operations: operations.slice(0, 1), workers: [] }, { alarmReceiver });
  expect(ofType(set.templates, 'AWS::SNS::Subscription').map(({ Properties }) => Properties)).toMatchObject([
    { Protocol, Endpoint: alarmReceiver },
  ]);
});

test('a certificate that is about to end is told in time, once where both APIs have it', async () => {
  const arn = (id: string) => `arn:aws:acm:eu-west-1:123456789012:certificate/${id}`;
  const watched = async (api: string, people: string) => {
    const { templates: all } = await templatesOf(
      { operations: operations.slice(0, 1), workers: [] },
      {
        apiDomain: 'api.example.com',
        apiCertificate: arn(api),
        peopleDomain: 'app.example.com',
        peopleCertificate: arn(people),
      },
    );
    return alarmsIn(all).filter(({ Properties }) => Properties.MetricName === 'DaysToExpiry');
  };
  const both = await watched('1a', '2b');
  expect(both.map((alarm) => dimensionsOf(alarm))).toEqual([
    { CertificateArn: arn('1a') },
    { CertificateArn: arn('2b') },
  ]);
  for (const { Properties } of both) {
    expect(Properties).toMatchObject({
      Namespace: 'AWS/CertificateManager',
      Statistic: 'Minimum',
      Period: 86_400,
      Threshold: 30,
      ComparisonOperator: 'LessThanThreshold',
      // One that has ended is counted no longer.
      TreatMissingData: 'breaching',
    });
    expect(Properties.AlarmDescription).toMatch(/To do: aws acm describe-certificate --certificate-arn '/);
  }
  expect(await watched('1a', '1a')).toHaveLength(1);
  expect(alarmsOn('AWS/CertificateManager', 'DaysToExpiry')).toEqual([]);
});

describe('the alarms of what is at fault outside', () => {
  test.each([
    ['AWS/DynamoDB', 'SystemErrors', 5],
    ['AWS/Events', 'FailedInvocations', 1],
    [NAMESPACE, 'KeyFailure', 1],
    [NAMESPACE, 'SessionFailure', 5],
    [NAMESPACE, 'DisabledEndpoints', 5],
    [NAMESPACE, 'FailedSyncs', 50],
  ])('watch %s %s', (namespace, metric, threshold) => {
    const alarms = alarmsOn(namespace, metric);
    expect(alarms.length).toBeGreaterThan(0);
    for (const { Properties } of alarms) expect(Properties.Threshold).toBe(threshold);
  });
});

/** Whether a value names a resource of the deployment, or contains its prefix. */
const isOwn = (value: unknown): boolean =>
  typeof value === 'string' ? value.includes('inspection-service') : filled(value).startsWith('<');

describe('the dashboard', () => {
  interface Widget {
    properties: { title: string; metrics: [string, string, ...unknown[]][] };
  }
  const widgets = (): Widget[] => {
    const [{ Properties }] = ofType(templates, 'AWS::CloudWatch::Dashboard') as [Resource];
    return (JSON.parse(filled(Properties['DashboardBody'])) as { widgets: Widget[] }).widgets;
  };
  const areas = [...new Set(operations.map(({ area }) => area))].toSorted();
  const workers = WORKERS.map(({ worker: { id } }) => id).toSorted();

  /** What the lines of a graph are called. */
  const labels = (title: string): string[] =>
    widgets()
      .find(({ properties }) => properties.title === title)!
      .properties.metrics.map((metric) => (metric.at(-1) as { label: string }).label)
      .toSorted();

  test.each(['Areas: requests', 'Areas: server errors', 'Areas: latency, p99, ms'])(
    'shows "%s" of each area',
    (title) => expect(labels(title)).toEqual(areas),
  );

  test.each([
    'Workers: runs',
    'Workers: runs that failed',
    'Workers: duration, p99, ms',
    'Workers: instances',
  ])('shows "%s" of each worker', (title) => expect(labels(title)).toEqual(workers));

  test('shows what is saturated: Lambda, the queues, the table and its indexes', () => {
    const metrics = widgets().flatMap(({ properties }) => properties.metrics.map(([, name]) => name));
    expect(metrics).toEqual(
      expect.arrayContaining(['ThrottledRequests', 'ReadThrottleEvents', 'WriteThrottleEvents']),
    );
    expect(metrics.filter((name) => name === 'ApproximateAgeOfOldestMessage')).toHaveLength(QUEUES.length);
  });
});

describe('the saved queries', () => {
  test('read only what log lines have', () => {
    const texts = ofType<{ Name: string; QueryString: string }>(templates, 'AWS::Logs::QueryDefinition');
    expect(texts.map(({ Properties }) => Properties.Name).toSorted()).toEqual(
      ['crashes', 'errors', 'operations', 'organizations', 'slow'].map(
        (name) => `inspection-service/${name}`,
      ),
    );
    const known =
      /^(level|operation|error|name|message|org_id|key_id|Latency|ColdStart|ServerError|ClientError|TableCalls|timestamp|log)$/;
    const words = /^(filter|stats|by|as|sort|desc|limit|like|count|sum|avg|pct|latest|ispresent)$/;
    for (const { Properties } of texts) {
      const aliases = new Set([...Properties.QueryString.matchAll(/ as (\w+)/g)].map(([, name]) => name));
      const used = Properties.QueryString.replaceAll(/"[^"]*"|\/[^/]*\//g, '').match(/[A-Za-z]\w*/g)!;
      const unknown = used.filter((word) => !known.test(word) && !words.test(word) && !aliases.has(word));
      expect([Properties.Name, unknown]).toEqual([Properties.Name, []]);
    }
  });
});

describe('two deployments in one account', () => {
  test('have no metric in common', () => {
    const shared = alarmsIn(templates).filter(
      ({ Properties: { Namespace, Dimensions = [] } }) =>
        Namespace !== NAMESPACE && !Dimensions.some(({ Value }) => isOwn(Value)),
    );
    expect(shared.map(({ id }) => id)).toEqual([]);
  });

  test('log their metrics into namespaces of their own', () => {
    for (const { Properties } of ofType<LambdaFunction>(templates, 'AWS::Lambda::Function')) {
      expect(Properties.Environment.Variables).toMatchObject({ METRICS_NAMESPACE: NAMESPACE });
    }
  });

  test('have dashboards of different names, also with one prefix in two regions', () => {
    const [{ Properties }] = ofType(templates, 'AWS::CloudWatch::Dashboard') as [Resource];
    expect(filled(Properties['DashboardName'])).toBe('inspection-service-eu-west-1');
    const body = filled(Properties['DashboardBody']);
    expect(body).toContain(`["${NAMESPACE}","ServerError","area","members"`);
    // Those of Lambda are by a function, whose name has the prefix: without it, they are of the whole account.
    for (const [, name] of body.matchAll(/"AWS\/Lambda",[^\]]*?"FunctionName","([^"]*)"/g))
      expect(name).toMatch(/^inspection-service-/);
    expect(body.match(/"AWS\/Lambda"/g)).toHaveLength(body.match(/"FunctionName"/g)!.length);
  });
});

describe('the alarms of the API', () => {
  test('watch its 5xx, and the requests that Lambda throttled', () => {
    const gateways = alarmsOn('AWS/ApiGateway', '5XXError');
    expect(gateways.map(dimensionsOf)).toEqual([
      { ApiName: 'inspection-service' },
      { ApiName: 'inspection-service-people' },
    ]);
    expect(gateways[1]!.Properties).toMatchObject({
      Statistic: 'Sum',
      Period: 300,
      Threshold: 10,
      EvaluationPeriods: 1,
    });
    const [throttles] = alarmsOn(NAMESPACE, 'ThrottledRequests');
    expect(throttles!.Properties).toMatchObject({
      Statistic: 'Sum',
      Period: 300,
      Threshold: 1,
      EvaluationPeriods: 1,
    });
    const filters = ofType<{ LogGroupName: { Ref: string } }>(templates, 'AWS::Logs::MetricFilter');
    for (const { Properties } of filters)
      expect(Properties).toMatchObject({
        FilterPattern: '{ $.integration_status = "429" }',
        MetricTransformations: [
          { MetricNamespace: NAMESPACE, MetricName: 'ThrottledRequests', MetricValue: '1' },
        ],
      });
    expect(filters.map(({ Properties }) => Properties.LogGroupName.Ref)).toEqual([
      expect.stringMatching(/^AccessLog/),
      expect.stringMatching(/^PeopleAccessLog/),
    ]);
  });
});

describe('the alarms of an area', () => {
  test.each([
    ['ServerError', 'Sum', 5, 1],
    ['Latency', 'p99', 3_000, 3],
  ])('watch %s', (metric, Statistic, Threshold, EvaluationPeriods) => {
    const alarms = alarmsOn(NAMESPACE, metric);
    const areas = new Set(operations.map(({ area }) => area));
    expect(new Set(alarms.map((alarm) => dimensionsOf(alarm)['area']))).toEqual(areas);
    for (const { Properties } of alarms) {
      expect(Properties).toMatchObject({ Statistic, Period: 300, Threshold, EvaluationPeriods });
    }
  });
});

describe('the alarms of the workers', () => {
  test('watch whether scheduled runs fail again and again', () => {
    expect(alarmsOn('AWS/Lambda', 'Errors').map(({ Properties }) => Properties)).toMatchObject([
      { Statistic: 'Sum', Period: 900, Threshold: 2, EvaluationPeriods: 1 },
    ]);
  });

  test('watch throttling of each, and how far the stream has advanced', () => {
    const throttles = alarmsOn('AWS/Lambda', 'Throttles');
    expect(throttles).toHaveLength(WORKERS.length);
    for (const { Properties } of throttles) {
      expect(Properties).toMatchObject({
        Statistic: 'Sum',
        Period: 300,
        Threshold: 1,
        EvaluationPeriods: 1,
      });
    }
    expect(alarmsOn('AWS/Lambda', 'IteratorAge').map(({ Properties }) => Properties)).toMatchObject([
      { Statistic: 'Maximum', Period: 300, Threshold: 300_000, EvaluationPeriods: 1 },
    ]);
  });
});

describe('the alarms of the table', () => {
  test.each(['ReadThrottleEvents', 'WriteThrottleEvents'])(
    'watch %s of the table and of each index',
    (metric) => {
      const alarms = alarmsOn('AWS/DynamoDB', metric);
      const watched = alarms.map((alarm) => dimensionsOf(alarm)['GlobalSecondaryIndexName']);
      expect(watched).toEqual([undefined, ...TABLE.indexes.map(({ name }) => name)]);
      for (const alarm of alarms) {
        expect(dimensionsOf(alarm)['TableName']).toMatch(/Table/);
        expect(alarm.Properties).toMatchObject({
          Statistic: 'Sum',
          Period: 300,
          Threshold: 10,
          EvaluationPeriods: 1,
        });
      }
    },
  );
});

describe('the alarm of the webhooks', () => {
  test('is raised when half of many deliveries fail for 15 minutes, whoever they are for', () => {
    for (const metric of ['Deliveries', 'FailedDeliveries']) {
      const [alarm, ...others] = alarmsOn(NAMESPACE, metric);
      expect(others).toEqual([]);
      expect(dimensionsOf(alarm!)).toEqual({ operation: 'deliveries' });
      expect(alarm!.Properties).toMatchObject({
        Statistic: 'Sum',
        Period: 300,
        Threshold: 50,
        EvaluationPeriods: 3,
        Expression: 'IF(attempts >= 100, 100 * failed / attempts, 0)',
      });
    }
  });
});

describe('the alarms of the queues', () => {
  test('are raised by a message that has waited for an hour, and messages are kept for fourteen days', () => {
    const alarms = alarmsOn('AWS/SQS', 'ApproximateAgeOfOldestMessage');
    expect(alarms).toHaveLength(QUEUES.length);
    for (const { Properties } of alarms)
      expect(Properties).toMatchObject({ Statistic: 'Maximum', Threshold: 3_600 });
    for (const { Properties } of ofType(templates, 'AWS::SQS::Queue'))
      expect(Properties['MessageRetentionPeriod']).toBe(14 * 24 * 3_600);
  });

  test('are raised by the first message in any dead-letter queue', () => {
    const alarms = alarmsOn('AWS/SQS', 'ApproximateNumberOfMessagesVisible');
    expect(alarms).toHaveLength(QUEUES.length + 1);
    for (const alarm of alarms) {
      expect(dimensionsOf(alarm)['QueueName']).toMatch(/DeadLetters|Undelivered/);
      expect(alarm.Properties).toMatchObject({
        Statistic: 'Maximum',
        Period: 300,
        Threshold: 1,
        EvaluationPeriods: 1,
      });
    }
  });
});

test('what CloudWatch bills of the deployment is about what the stacks have', async () => {
  const catalogue = await loadCatalogue();
  const { templates: whole } = await templatesOf(catalogue);
  const alarms = ofType(whole, 'AWS::CloudWatch::Alarm').length;
  expect(Math.abs(alarms / MONITORED.alarms - 1)).toBeLessThan(0.1);
  const areas = new Set(catalogue.operations.map(({ area }) => area)).size;
  // Of each area and of the workers those of runs; besides, those of single lines.
  const metrics = (areas + 1) * METRICS.runs.length + METRICS.events.length + METRICS.faults.length;
  expect(Math.abs(metrics / MONITORED.metrics - 1)).toBeLessThan(0.1);
});
