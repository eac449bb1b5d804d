import { type Catalogue, loadCatalogue, type WorkerEntry } from '../../../../infra/catalogue.ts';
import { MAX_CONCURRENCY } from '../../../../infra/limits.ts';
import { DEFAULT_BATCH_SIZE } from '../../../../infra/limits.ts';
import { QUEUE_DELIVERIES, QUEUES } from '../../../../shared/base/queues.ts';
import { SLOTS } from '../../../../shared/schemas/slots.ts';
import { OUTBOX_FILTER } from '../../../../shared/table/table.ts';
import { operationEntries, sampleWorker, serviceWithSamples, workerEntry, WORKERS } from '../catalogues.ts';
import {
  aliasOf,
  filled,
  functionNamed,
  grantedBy,
  type LambdaFunction,
  list,
  nameOf,
  newApp,
  ofType,
  roleOf,
  statementsOf,
  type Template,
  templatesOf,
} from '../templates.ts';

let catalogue: Catalogue;
let templates: Template[];

beforeAll(async () => {
  catalogue = { ...(await serviceWithSamples()), operations: [] };
  ({ templates } = await templatesOf(catalogue));
});

describe('the workers', () => {
  const mappingOf = (entry: WorkerEntry) => {
    const { id } = aliasOf(functionNamed(nameOf(entry), templates), templates);
    return ofType<{ FunctionName: unknown }>(templates, 'AWS::Lambda::EventSourceMapping').find(
      ({ Properties }) => JSON.stringify(Properties.FunctionName).includes(`{"Ref":"${id}"}`),
    )!.Properties;
  };

  test('on a queue report which messages failed', () => {
    expect(mappingOf(sampleWorker('renderReport'))).toMatchObject({
      EventSourceArn: { Ref: 'RenderQueueArn' },
      BatchSize: 1,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
  });

  test('on the stream get only outbox rows, and put what they cannot deliver into a queue', () => {
    expect(mappingOf(sampleWorker('handOn'))).toMatchObject({
      EventSourceArn: { Ref: 'StreamArn' },
      FilterCriteria: { Filters: [{ Pattern: JSON.stringify(OUTBOX_FILTER) }] },
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      BisectBatchOnFunctionError: true,
      MaximumRetryAttempts: 10,
      MaximumRecordAgeInSeconds: 12 * 3_600,
      BatchSize: 100,
      // From the newest record on, it would miss what was written before the deployment was complete.
      StartingPosition: 'TRIM_HORIZON',
      DestinationConfig: { OnFailure: { Destination: { Ref: 'UndeliveredArn' } } },
    });
  });

  test('on the clock run by a schedule', () => {
    const { id } = aliasOf(functionNamed(nameOf(sampleWorker('sweep')), templates), templates);
    const rules = ofType<{ ScheduleExpression: string; Targets: { Arn: unknown }[] }>(
      templates,
      'AWS::Events::Rule',
    );
    const rule = rules.find(({ Properties }) => filled(Properties.Targets[0]!.Arn) === `<${id}>`);
    expect(rule!.Properties.ScheduleExpression).toBe('rate(5 minutes)');
    expect(rule!.Properties.Targets).toMatchObject([{ RetryPolicy: { MaximumEventAgeInSeconds: 300 } }]);
  });

  test('on the clock never run twice at once, and a failed run is not repeated but kept', () => {
    const { id, Properties } = functionNamed(nameOf(sampleWorker('sweep')), templates);
    const configs = ofType<{ FunctionName: { Ref: string } }>(templates, 'AWS::Lambda::EventInvokeConfig');
    const config = configs.find((each) => each.Properties.FunctionName.Ref === id)!;
    expect(config.Properties).toMatchObject({
      MaximumRetryAttempts: 0,
      MaximumEventAgeInSeconds: 300,
      Qualifier: 'live',
      DestinationConfig: { OnFailure: { Destination: { Ref: 'FailedRunsArn' } } },
    });
    const role = roleOf(functionNamed(nameOf(sampleWorker('sweep')), templates), templates);
    expect(grantedBy(role)).toContain('queue:<FailedRunsArn>');
    expect(Properties.ReservedConcurrentExecutions).toBe(1);
    const scheduled = catalogue.workers.filter(({ worker }) => 'every' in worker.source);
    expect(configs).toHaveLength(scheduled.length);
  });

  test('on the clock have ended before the next run begins', async () => {
    const slow = workerEntry({ ...WORKERS[2]!.worker, timeout: 300 });
    await expect(newApp({ operations: [], workers: [slow] })).rejects.toThrow(
      'sweep runs every 5 minutes, so its timeout of 300 s is too long',
    );
  });

  test('have reserved concurrency, unless the account has none to reserve', async () => {
    const reservedIn = (from: Template[]) =>
      ofType<LambdaFunction>(from, 'AWS::Lambda::Function').flatMap(
        ({ Properties }) => Properties.ReservedConcurrentExecutions ?? [],
      );
    const own = { operations: operationEntries(1), workers: WORKERS };
    const [reserved, shared] = [
      (await templatesOf(own)).templates,
      (await templatesOf(own, { reservedConcurrency: 'false' })).templates,
    ];
    expect(reservedIn(reserved)).toEqual([20, 50, 1]);
    expect(reservedIn(shared)).toEqual([]);
    for (const from of [reserved, shared]) {
      const mappings = ofType<{ ScalingConfig?: object }>(from, 'AWS::Lambda::EventSourceMapping');
      expect(mappings.flatMap(({ Properties }) => Properties.ScalingConfig ?? [])).toEqual([
        { MaximumConcurrency: 20 },
      ]);
    }
  });

  test('are never all taken by the slots of one organization, where work takes minutes', () => {
    const { queue } = MAX_CONCURRENCY;
    expect(SLOTS.BULK_EXPORT.most).toBeLessThanOrEqual(queue / 2);
    expect(SLOTS.SYNC.most).toBeLessThanOrEqual(queue / 2);
    expect(SLOTS.WEBHOOK.most).toBeLessThanOrEqual((queue * DEFAULT_BATCH_SIZE.queue) / 2);
  });

  test('read standard queues, which are fair by the groups of messages, each by as many instances as are reserved', async () => {
    const { templates: all } = await templatesOf({ ...(await loadCatalogue()), operations: [] });
    const queues = ofType<{ FifoQueue?: boolean }>(all, 'AWS::SQS::Queue');
    expect(queues.filter(({ Properties }) => Properties.FifoQueue)).toEqual([]);
    const mappings = ofType<{ EventSourceArn: { Ref: string }; ScalingConfig?: object }>(
      all,
      'AWS::Lambda::EventSourceMapping',
    ).filter(({ Properties }) => Properties.EventSourceArn.Ref !== 'StreamArn');
    expect(mappings).toHaveLength(QUEUES.length);
    for (const { Properties } of mappings) {
      expect(Properties.ScalingConfig).toEqual({ MaximumConcurrency: MAX_CONCURRENCY.queue });
    }
  });

  test('on a queue may offer its messages again, a few times', () => {
    const { Properties } = functionNamed(nameOf(sampleWorker('renderReport')), templates);
    expect(Properties.Environment.Variables).toMatchObject({ RENDER_QUEUE_URL: { Ref: 'RenderQueueUrl' } });
    const source = statementsOf(
      roleOf(functionNamed(nameOf(sampleWorker('renderReport')), templates), templates),
    ).find(({ Action }) => list(Action).includes('sqs:ReceiveMessage'))!;
    expect(source).toMatchObject({
      Action: expect.arrayContaining(['sqs:ChangeMessageVisibility', 'sqs:DeleteMessage']),
      Resource: { Ref: 'RenderQueueArn' },
    });
    const queues = ofType<{ RedrivePolicy?: { maxReceiveCount: number }; MessageRetentionPeriod?: number }>(
      templates,
      'AWS::SQS::Queue',
    );
    const [deadLetters, working] = [/DeadLetters|Undelivered|FailedRuns/, /Queue/].map((kind) =>
      queues.filter(({ id }) => kind.test(id)),
    ) as [typeof queues, typeof queues];
    expect(working.map(({ Properties }) => Properties.RedrivePolicy?.maxReceiveCount)).toEqual(
      QUEUES.map(() => QUEUE_DELIVERIES),
    );
    expect(deadLetters.map(({ Properties }) => Properties.MessageRetentionPeriod)).toEqual(
      Array.from({ length: 2 + QUEUES.length }, () => 14 * 86_400),
    );
  });

  test('render reports within 90 seconds', () => {
    const { worker } = catalogue.workers.find(({ worker }) => worker.id === 'renderReport')!;
    expect(worker.timeout).toBe(90);
    const queue = ofType(templates, 'AWS::SQS::Queue').find(({ id }) => id.startsWith('RenderQueue'))!;
    expect(queue.Properties['VisibilityTimeout']).toBe(540);
  });

  test('have finished or failed long before their queue offers a message again', async () => {
    const [render] = WORKERS;
    const slow = workerEntry({ ...render!.worker, timeout: 500 });
    const { templates } = await templatesOf({ operations: [], workers: [slow] });
    const queue = ofType(templates, 'AWS::SQS::Queue').find(({ id }) => id.startsWith('RenderQueue'))!;
    expect(queue.Properties['VisibilityTimeout']).toBe(3_000);
  });
});

const mailer = workerEntry({ id: 'mail', summary: 'Mails', source: { queue: 'mail' } }, [
  'table:GetItem',
  'mail:SendEmail',
]);

describe('mail', () => {
  const deployed = async (context: Record<string, unknown>) => {
    const { templates } = await templatesOf({ operations: [], workers: [mailer] }, context);
    const [only] = ofType<LambdaFunction>(templates, 'AWS::Lambda::Function');
    const statements = statementsOf(roleOf(only!, templates));
    return {
      variables: only!.Properties.Environment.Variables,
      allowed: statements.filter(({ Action }) => list(Action).some((action) => action.startsWith('ses:'))),
    };
  };

  test('is sent only from the address that the deployment names', async () => {
    const { variables, allowed } = await deployed({ mailFrom: 'inspections@mail.example.com' });
    expect(variables).toMatchObject({ MAIL_FROM: 'inspections@mail.example.com' });
    expect(allowed).toMatchObject([{ Action: ['ses:SendEmail', 'ses:SendRawEmail'] }]);
    expect(list(allowed[0]!.Resource).map(filled)).toEqual([
      'arn:aws:ses:eu-west-1:123456789012:identity/inspections@mail.example.com',
      'arn:aws:ses:eu-west-1:123456789012:identity/mail.example.com',
      'arn:aws:ses:eu-west-1:123456789012:configuration-set/inspection-service',
    ]);
  });

  test('is watched: what becomes of it comes into a queue, and rates that SES would act on raise an alarm', async () => {
    const { templates } = await templatesOf(
      { operations: [], workers: [mailer] },
      { mailFrom: 'inspections@mail.example.com' },
    );
    const only = (type: string) => ofType(templates, type).map(({ Properties }) => Properties);
    expect(only('AWS::SES::ConfigurationSet')).toMatchObject([
      { Name: 'inspection-service', ReputationOptions: { ReputationMetricsEnabled: true } },
    ]);
    expect(only('AWS::SES::ConfigurationSetEventDestination')).toMatchObject([
      {
        EventDestination: {
          Enabled: true,
          MatchingEventTypes: ['BOUNCE', 'COMPLAINT', 'DELIVERY', 'REJECT'],
        },
      },
    ]);
    expect(only('AWS::Events::Rule')).toMatchObject([
      {
        EventPattern: {
          source: ['aws.ses'],
          detail: { mail: { tags: { 'ses:configuration-set': ['inspection-service'] } } },
        },
      },
    ]);
    const rates = only('AWS::CloudWatch::Alarm').filter(({ Namespace }) => Namespace === 'AWS/SES');
    expect(rates.map(({ MetricName, Threshold }) => [MetricName, Threshold])).toEqual([
      ['Reputation.BounceRate', 0.04],
      ['Reputation.ComplaintRate', 0.0008],
    ]);
  });

  test('is not sent when the deployment names no address', async () => {
    const { variables, allowed } = await deployed({});
    expect(variables).toMatchObject({ MAIL_FROM: '', AWS_ENDPOINT_URL_SESV2: '' });
    expect(allowed).toEqual([]);
  });
});

describe('tracing', () => {
  const deployed = async (context: Record<string, unknown>) => {
    const { templates } = await templatesOf({ operations: [], workers: [mailer] }, context);
    const [only] = ofType<LambdaFunction>(templates, 'AWS::Lambda::Function');
    const [stage] = ofType(templates, 'AWS::ApiGateway::Stage');
    const actions = statementsOf(roleOf(only!, templates)).flatMap(({ Action }) => list(Action));
    return {
      function: (only!.Properties as { TracingConfig?: object }).TracingConfig,
      gateway: stage!.Properties['TracingEnabled'],
      isAllowed: actions.includes('xray:PutTraceSegments'),
    };
  };

  test('is on only if the deployment says so', async () => {
    expect(await deployed({ tracing: 'true' })).toEqual({
      function: { Mode: 'Active' },
      gateway: true,
      isAllowed: true,
    });
    expect(await deployed({})).toEqual({ function: undefined, gateway: false, isAllowed: false });
  });
});
