import { QUEUES } from '../../../shared/base/queues.ts';
import { TABLE } from '../../../shared/db/table/table.ts';
import { operationEntries, WORKERS } from './catalogues.ts';
import {
  type Alarm,
  alarmsIn,
  filled,
  ofType,
  type Resource,
  type Template,
  templatesOf,
} from './templates.ts';

const operations = operationEntries(20);

let templates: Template[];
beforeAll(async () => {
  ({ templates } = await templatesOf({ operations, workers: WORKERS }));
}, 60_000);

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
