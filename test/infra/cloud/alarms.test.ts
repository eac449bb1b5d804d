import { QUEUES } from '../../../shared/base/queues.ts';
import { TABLE } from '../../../shared/db/table/table.ts';
import { operationEntries, WORKERS } from './catalogues.ts';
import {
  type Alarm,
  alarmsIn,
  filled,
  type LambdaFunction,
  ofType,
  type Resource,
  type Template,
  templatesOf,
} from './templates.ts';

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
  test('notifies the topic, which CloudWatch of this account alone may publish to', () => {
    for (const { Properties } of alarmsIn(templates)) {
      expect(Properties.AlarmActions).toHaveLength(1);
      expect(filled(Properties.AlarmActions[0])).toMatch(/^<Alarms/);
      expect(Properties).toMatchObject({
        ComparisonOperator: 'GreaterThanOrEqualToThreshold',
        TreatMissingData: 'notBreaching',
      });
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

/** Whether a value names a resource of the deployment, or contains its prefix. */
const isOwn = (value: unknown): boolean =>
  typeof value === 'string' ? value.includes('inspection-service') : filled(value).startsWith('<');

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
    expect(body).not.toContain('"AWS/Lambda"');
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
        Expression: 'IF(deliveries >= 100, 100 * failed / deliveries, 0)',
      });
    }
  });
});

describe('the alarms of the queues', () => {
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
