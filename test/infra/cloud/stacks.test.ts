import { type Catalogue, functionName, loadCatalogue, type WorkerEntry } from '../../../infra/catalogue.ts';
import { physicalName } from '../../../infra/cloud/names.ts';
import * as errors from '../../../shared/base/errors.ts';
import { QUEUE_DELIVERIES, QUEUES } from '../../../shared/base/queues.ts';
import { OUTBOX_FILTER, TABLE } from '../../../shared/db/table/table.ts';
import { grantsOf } from '../../../shared/http/operation/grants.ts';
import { routeOf } from '../../../shared/http/operation/surface.ts';
import { operationEntries, workerEntry, WORKERS } from './catalogues.ts';
import {
  actionsOf,
  bodyIn,
  filled,
  type LambdaFunction,
  list,
  newApp,
  ofType,
  type Resource,
  type Role,
  statementsOf,
  type Template,
  templatesOf,
} from './templates.ts';

const nameOf = (entry: { file: string }): string => physicalName({ prefix: 'inspection-service' }, entry);

/** The worker of `WORKERS` with this id, under another name than those of the service. */
const sample = (id: string): WorkerEntry => {
  const { worker } = WORKERS.find((entry) => entry.worker.id === id)!;
  return workerEntry({ ...worker, id: `${id}Sample` });
};

let catalogue: Catalogue;
let templates: Template[];

beforeAll(async () => {
  catalogue = await loadCatalogue();
  // The samples make sure that there is a worker for each kind of source.
  const workers = [...catalogue.workers, ...WORKERS.map(({ worker }) => sample(worker.id))];
  catalogue = { ...catalogue, workers };
  ({ templates } = await templatesOf(catalogue));
}, 120_000);

const functionNamed = (name: string, from = templates): Resource<LambdaFunction> => {
  const found = ofType<LambdaFunction>(from, 'AWS::Lambda::Function').filter(
    ({ Properties }) => Properties.FunctionName === name,
  );
  expect(found).toHaveLength(1);
  return found[0]!;
};

const roleOf = ({ Properties }: Resource<LambdaFunction>, from = templates): Resource<Role> =>
  ofType<Role>(from, 'AWS::IAM::Role').find(({ id }) => id === Properties.Role['Fn::GetAtt'][0])!;

/** The service that a grant names, by the partitions that a statement is limited to. */
const SYSTEM_SERVICES: Record<string, string> = { 'LINK#*': 'link', 'VISITS#*': 'visits' };

const partitionsOf = ({ Condition }: { Condition?: Record<string, Record<string, unknown>> }): string =>
  String(Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'] ?? '');

const grantedBy = (role: Resource<Role>) => [
  ...statementsOf(role).flatMap((statement) =>
    list(statement.Action)
      .filter((action) => action.startsWith('dynamodb:'))
      .map((action) => action.replace('dynamodb', SYSTEM_SERVICES[partitionsOf(statement)] ?? 'table')),
  ),
  ...actionsOf(role, 's3').map((action) => action.replace('s3:', 'bucket:')),
  ...statementsOf(role)
    .filter(({ Action }) => Action === 'sqs:SendMessage')
    .map(({ Resource }) => `queue:${filled(Resource)}`),
];

const asGranted = (grants: readonly string[]) =>
  grants
    .map((grant) =>
      grant.replace(
        /^queue:(\w)(\w*):SendMessage$/,
        (_, first: string, rest: string) => `queue:<${first.toUpperCase()}${rest}QueueArn>`,
      ),
    )
    .toSorted();

describe('the deployment', () => {
  const withinLimits = (all: Template[]) => {
    for (const { resources, bytes } of all) {
      expect(resources.length).toBeLessThan(400);
      expect(bytes).toBeLessThan(700_000);
    }
  };

  test('stays within the quotas of CloudFormation', () => withinLimits(templates));

  test('stays within them with twice as many operations', async () => {
    const doubled = await templatesOf({ operations: operationEntries(300), workers: WORKERS });
    withinLimits(doubled.templates);
    expect(ofType(doubled.templates, 'AWS::Lambda::Function')).toHaveLength(303);
  }, 120_000);

  test('gives nested stacks only the parameters that they use', () => {
    for (const { name, parameters, text } of templates.filter(({ name }) => name.includes('nested'))) {
      for (const parameter of parameters)
        expect([name, text.includes(`"Ref": "${parameter}"`)]).toEqual([name, true]);
    }
  });

  test('outputs what the people who deploy need to know', () => {
    const outputs = templates.find(({ name }) => name === 'inspection-service.template.json')!.outputs;
    expect(outputs.toSorted()).toEqual(['AlarmsTopic', 'ApiUrl', 'BucketName', 'TableName']);
  });

  test.each([
    'architecture',
    'rowLevelSecurity',
    'cloudWatchRole',
    'reservedConcurrency',
    'prefix',
    'mailFrom',
    'mailWindow',
    'inspectionUrl',
    'tracing',
  ])('refuses a wrong value of %s, and names the flag', async (flag) => {
    const context = { [flag]: 'Neither' };
    await expect(newApp({ operations: [], workers: [] }, context)).rejects.toThrow(flag);
  });
});

describe('the functions', () => {
  test('are one for each operation, with its own role and log', () => {
    for (const entry of catalogue.operations) {
      const { Properties } = functionNamed(nameOf(entry));
      expect(Properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Description: entry.operation.summary,
        Handler: `${functionName(entry)}.handler`,
        Environment: { Variables: { AREA: entry.area, TABLE_NAME: { Ref: 'TableName' } } },
      });
      expect(Properties.FunctionName.length).toBeLessThanOrEqual(64);
    }
    const functions = ofType<LambdaFunction>(templates, 'AWS::Lambda::Function');
    expect(functions).toHaveLength(catalogue.operations.length + catalogue.workers.length);
    expect(new Set(functions.map(({ Properties }) => Properties.Role['Fn::GetAtt'][0])).size).toBe(
      functions.length,
    );
    const logs = ofType<{ RetentionInDays: number }>(templates, 'AWS::Logs::LogGroup');
    for (const { Properties } of functions) {
      const log = logs.find(({ id }) => id === Properties.LoggingConfig.LogGroup.Ref);
      expect(log!.Properties.RetentionInDays).toBe(90);
    }
  });

  test('may do exactly what their operations declare, without row-level security', async () => {
    const open = await templatesOf(catalogue, { rowLevelSecurity: 'false' });
    for (const entry of catalogue.operations) {
      const role = roleOf(functionNamed(nameOf(entry), open.templates), open.templates);
      expect(grantedBy(role).toSorted()).toEqual(asGranted(grantsOf(entry.operation)));
    }
    expect(open.templates.map(({ text }) => text).join('')).not.toContain('TenantRole');
  }, 60_000);

  test('have variables for the bucket and the queues only if they may use them', () => {
    for (const entry of catalogue.operations) {
      const grants = grantsOf(entry.operation);
      const { Variables } = functionNamed(nameOf(entry)).Properties.Environment;
      expect('BUCKET_NAME' in Variables).toBe(grants.some((grant) => grant.startsWith('bucket:')));
      for (const queue of QUEUES) {
        expect(`${queue.toUpperCase()}_QUEUE_URL` in Variables).toBe(
          grants.includes(`queue:${queue}:SendMessage`),
        );
      }
    }
  });

  test('may query the indexes, each by its name, if they may query the table', () => {
    for (const { worker, ...entry } of WORKERS.map(({ worker }) => sample(worker.id))) {
      const table = statementsOf(roleOf(functionNamed(nameOf(entry)))).find(({ Resource }) =>
        list(Resource).some((resource) => filled(resource) === '<TableArn>'),
      )!;
      const indexes = worker.grants.includes('table:Query')
        ? TABLE.indexes.map(({ name }) => `<TableArn>/index/${name}`)
        : [];
      expect(list(table.Resource).map(filled)).toEqual(['<TableArn>', ...indexes]);
    }
  });

  test('have no permission for `*`', () => {
    for (const role of ofType<Role>(templates, 'AWS::IAM::Role')) {
      if (!role.Properties.Policies) continue;
      for (const { Resource, Action } of statementsOf(role)) {
        expect(list(Resource)).not.toContain('*');
        expect(list(Action).join(' ')).not.toContain('*');
      }
    }
  });

  test('are built for the requested architecture', async () => {
    const operations = operationEntries(1);
    const { templates } = await templatesOf({ operations, workers: [] }, { architecture: 'x86_64' });
    const [only] = ofType<LambdaFunction>(templates, 'AWS::Lambda::Function');
    expect(only!.Properties.Architectures).toEqual(['x86_64']);
  }, 60_000);
});

describe('the workers', () => {
  const mappingOf = (entry: WorkerEntry) => {
    const { id } = functionNamed(nameOf(entry));
    return ofType<{ FunctionName: { Ref: string } }>(templates, 'AWS::Lambda::EventSourceMapping').find(
      ({ Properties }) => Properties.FunctionName.Ref === id,
    )!.Properties;
  };

  test('on a queue report which messages failed', () => {
    expect(mappingOf(sample('renderReport'))).toMatchObject({
      EventSourceArn: { Ref: 'RenderQueueArn' },
      BatchSize: 1,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
  });

  test('on the stream get only outbox rows, and put what they cannot deliver into a queue', () => {
    expect(mappingOf(sample('handOn'))).toMatchObject({
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
    const { id } = functionNamed(nameOf(sample('sweep')));
    const rules = ofType<{ ScheduleExpression: string; Targets: { Arn: unknown }[] }>(
      templates,
      'AWS::Events::Rule',
    );
    const rule = rules.find(({ Properties }) => filled(Properties.Targets[0]!.Arn) === `<${id}.Arn>`);
    expect(rule!.Properties.ScheduleExpression).toBe('rate(5 minutes)');
    expect(rule!.Properties.Targets).toMatchObject([{ RetryPolicy: { MaximumEventAgeInSeconds: 300 } }]);
  });

  test('on the clock never run twice at once, and a failed run is not repeated but kept', () => {
    const { id, Properties } = functionNamed(nameOf(sample('sweep')));
    const configs = ofType<{ FunctionName: { Ref: string } }>(templates, 'AWS::Lambda::EventInvokeConfig');
    const config = configs.find((each) => each.Properties.FunctionName.Ref === id)!;
    expect(config.Properties).toMatchObject({
      MaximumRetryAttempts: 0,
      MaximumEventAgeInSeconds: 300,
      DestinationConfig: { OnFailure: { Destination: { Ref: 'FailedRunsArn' } } },
    });
    const role = roleOf(functionNamed(nameOf(sample('sweep'))));
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
  }, 60_000);

  test('on a queue may offer its messages again, a few times', () => {
    const { Properties } = functionNamed(nameOf(sample('renderReport')));
    expect(Properties.Environment.Variables).toMatchObject({ RENDER_QUEUE_URL: { Ref: 'RenderQueueUrl' } });
    const source = statementsOf(roleOf(functionNamed(nameOf(sample('renderReport'))))).find(({ Action }) =>
      list(Action).includes('sqs:ReceiveMessage'),
    )!;
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
  }, 60_000);
});

const mailer = workerEntry({
  id: 'mail',
  summary: 'Mails',
  source: { queue: 'mail' },
  grants: ['table:GetItem', 'mail:SendEmail'],
});

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
  }, 60_000);

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
  }, 60_000);

  test('is not sent when the deployment names no address', async () => {
    const { variables, allowed } = await deployed({});
    expect(variables).toMatchObject({ MAIL_FROM: '', AWS_ENDPOINT_URL_SESV2: '' });
    expect(allowed).toEqual([]);
  }, 60_000);
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
  }, 60_000);
});

describe('the storage', () => {
  test('is encrypted with our own key, which rotates', () => {
    const [key] = ofType(templates, 'AWS::KMS::Key');
    expect(key!.Properties['EnableKeyRotation']).toBe(true);
    const [table] = ofType(templates, 'AWS::DynamoDB::Table');
    expect(table!.Properties['SSESpecification']).toEqual({
      KMSMasterKeyId: { 'Fn::GetAtt': [key!.id, 'Arn'] },
      SSEEnabled: true,
      SSEType: 'KMS',
    });
    const [bucket] = ofType(templates, 'AWS::S3::Bucket');
    expect(JSON.stringify(bucket!.Properties['BucketEncryption'])).toContain(key!.id);
    for (const queue of ofType(templates, 'AWS::SQS::Queue')) {
      expect(queue.Properties['SqsManagedSseEnabled']).toBe(true);
    }
  });

  test('outlives the stack, and can be restored for a month', () => {
    const kept = ['AWS::KMS::Key', 'AWS::DynamoDB::Table', 'AWS::S3::Bucket', 'AWS::SQS::Queue'].flatMap(
      (type) => ofType(templates, type),
    );
    expect(kept).toHaveLength(4 + 2 + 2 * QUEUES.length);
    for (const resource of kept) {
      expect(resource).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
    }
    expect(ofType(templates, 'AWS::DynamoDB::Table')[0]!.Properties).toMatchObject({
      DeletionProtectionEnabled: true,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    });
    expect(ofType(templates, 'AWS::S3::Bucket')[0]!.Properties).toMatchObject({
      VersioningConfiguration: { Status: 'Enabled' },
    });
  });

  test('has the table of the definition', () => {
    const [{ Properties }] = ofType(templates, 'AWS::DynamoDB::Table') as [Resource];
    const schema = (keys: { partitionKey: string; sortKey: string }) => [
      { AttributeName: keys.partitionKey, KeyType: 'HASH' },
      { AttributeName: keys.sortKey, KeyType: 'RANGE' },
    ];
    expect(Properties).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: schema(TABLE),
      GlobalSecondaryIndexes: TABLE.indexes.map((index) => ({
        IndexName: index.name,
        KeySchema: schema(index),
        Projection: { ProjectionType: 'KEYS_ONLY' },
      })),
      StreamSpecification: { StreamViewType: 'NEW_IMAGE' },
      TimeToLiveSpecification: { AttributeName: TABLE.timeToLive, Enabled: true },
    });
  });

  test('is not public, and accepts only TLS', () => {
    const buckets = ofType(templates, 'AWS::S3::Bucket');
    expect(buckets).toHaveLength(2);
    for (const { Properties } of buckets) {
      expect(Properties['PublicAccessBlockConfiguration']).toEqual({
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      });
    }
    const policies = [
      ...ofType(templates, 'AWS::S3::BucketPolicy'),
      ...ofType(templates, 'AWS::SQS::QueuePolicy'),
    ];
    expect(policies).toHaveLength(2 + 2 + 2 * QUEUES.length);
    for (const { Properties } of policies) {
      expect((Properties['PolicyDocument'] as { Statement: object[] }).Statement[0]).toMatchObject({
        Effect: 'Deny',
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      });
    }
  });

  test('logs every access to the bucket, by signed links too', () => {
    const [bucket, log] = ofType(templates, 'AWS::S3::Bucket');
    expect(bucket!.Properties['LoggingConfiguration']).toEqual({ DestinationBucketName: { Ref: log!.id } });
    const policy = ofType(templates, 'AWS::S3::BucketPolicy').find(
      ({ Properties }) => (Properties['Bucket'] as { Ref: string }).Ref === log!.id,
    );
    const { Statement } = policy!.Properties['PolicyDocument'] as { Statement: object[] };
    expect(Statement).toHaveLength(2);
    expect(Statement[1]).toMatchObject({
      Effect: 'Allow',
      Action: 's3:PutObject',
      Principal: { Service: 'logging.s3.amazonaws.com' },
      Condition: { ArnLike: { 'aws:SourceArn': { 'Fn::GetAtt': [bucket!.id, 'Arn'] } } },
    });
  });
});

describe('row-level security, which is on by default', () => {
  const operations = operationEntries(20);
  let secured: Template[];

  beforeAll(async () => {
    ({ templates: secured } = await templatesOf({ operations, workers: WORKERS }));
  }, 60_000);

  const tenantRole = () =>
    ofType<Role>(secured, 'AWS::IAM::Role').find(({ id }) => id.startsWith('TenantRole'))!;

  test('functions reach only API keys by themselves, and everything else through the tenant role', () => {
    const functions = ofType<LambdaFunction>(secured, 'AWS::Lambda::Function');
    for (const entry of operations) {
      const found = functions.find(({ Properties }) => Properties.FunctionName === nameOf(entry))!;
      const role = roleOf(found, secured);
      const table = statementsOf(role).filter(({ Action }) =>
        list(Action).some((action) => action.startsWith('dynamodb:')),
      );
      expect(table).toEqual([
        {
          Effect: 'Allow',
          Action: 'dynamodb:UpdateItem',
          Resource: { Ref: 'TableArn' },
          Condition: {
            'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['KEY#*'] },
            Null: { 'dynamodb:LeadingKeys': 'false' },
          },
        },
      ]);
      expect(actionsOf(role, 's3')).toEqual([]);
      expect(actionsOf(role, 'sts')).toEqual(['sts:AssumeRole', 'sts:TagSession']);
      const { TENANT_ROLE_ARN, TENANT_SESSION_POLICY } = found.Properties.Environment.Variables;
      expect(TENANT_ROLE_ARN).toEqual({ Ref: 'TenantRoleArn' });
      const { Statement } = JSON.parse(TENANT_SESSION_POLICY as string) as {
        Statement: { Action: string[] };
      };
      expect(Statement.Action.filter((action) => !action.startsWith('kms:')).toSorted()).toEqual(
        grantsOf(entry.operation)
          .filter((grant) => !grant.startsWith('queue:'))
          .map((grant) => grant.replace('table:', 'dynamodb:').replace('bucket:', 's3:'))
          .toSorted(),
      );
      expect((TENANT_SESSION_POLICY as string).length).toBeLessThan(2_048);
    }
  });

  test('pages follow links and count visits by themselves, and other functions make links', () => {
    const partitions = (id: string) => {
      const entry = catalogue.operations.find(({ operation }) => operation.id === id)!;
      const { Properties, ...found } = functionNamed(nameOf(entry));
      const { TENANT_SESSION_POLICY, PUBLIC_URL } = Properties.Environment.Variables;
      expect(TENANT_SESSION_POLICY).not.toMatch(/link:|visits:/);
      const statements = statementsOf(roleOf({ ...found, Properties })).flatMap((statement) =>
        list(statement.Action)
          .filter((action) => action.startsWith('dynamodb:'))
          .map((action) => `${action} ${partitionsOf(statement)}`),
      );
      return { statements: statements.toSorted(), hasUrl: PUBLIC_URL !== undefined };
    };
    expect(partitions('stopMails')).toEqual({
      statements: ['dynamodb:BatchGetItem LINK#*', 'dynamodb:UpdateItem VISITS#*'],
      hasUrl: false,
    });
    expect(partitions('createShareLink')).toEqual({
      statements: ['dynamodb:PutItem LINK#*', 'dynamodb:UpdateItem KEY#*'],
      hasUrl: true,
    });
  });

  test('the URL in links is that of the API, unless the deployment names another one', async () => {
    const urlOf = (from: Template[]) =>
      filled(
        ofType<{ Parameters?: Record<string, unknown> }>(from, 'AWS::CloudFormation::Stack')
          .map(({ Properties }) => Properties.Parameters?.['PublicUrl'])
          .find((url) => url !== undefined),
      );
    expect(urlOf(templates)).toMatch(/^https:\/\/<Api\w+>\.execute-api\.eu-west-1\.amazonaws\.com\/live$/);
    const one = catalogue.operations.filter(({ operation }) => operation.id === 'createShareLink');
    const named = await templatesOf({ operations: one, workers: [] }, { publicUrl: 'https://i.example.com' });
    expect(urlOf(named.templates)).toBe('https://i.example.com');
    await expect(
      templatesOf({ operations: one, workers: [] }, { publicUrl: 'http://i.example.com' }),
    ).rejects.toThrow('publicUrl');
  }, 60_000);

  test('the tenant role reaches only the rows and objects of one organization', () => {
    const statements = statementsOf(tenantRole());
    const table = statements.find(({ Action }) => list(Action).includes('dynamodb:Query'))!;
    const organization = 'ORG#${aws:PrincipalTag/org_id}';
    expect(table.Condition).toEqual({
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [organization, `${organization}#*`] },
      Null: { 'dynamodb:LeadingKeys': 'false' },
    });
    const objects = statements.find(({ Action }) => list(Action).includes('s3:PutObject'))!;
    expect(list(objects.Resource).map((arn) => filled(arn).replace(/^<Bucket\w+\.Arn>/, ''))).toEqual([
      '/org/${aws:PrincipalTag/org_id}/*',
      '/pending/org/${aws:PrincipalTag/org_id}/*',
    ]);
    expect(statements.flatMap(({ Action }) => list(Action))).not.toContain('dynamodb:Scan');
  });

  test('only functions that serve requests may assume the tenant role, with the organization as the only tag', () => {
    const [statement] = tenantRole().Properties.AssumeRolePolicyDocument.Statement;
    expect(statement!.Action).toEqual(['sts:AssumeRole', 'sts:TagSession']);
    const { ArnLike, ...rest } = statement!.Condition!;
    expect(rest).toEqual({
      'ForAllValues:StringEquals': { 'aws:TagKeys': ['org_id'] },
      Null: { 'aws:RequestTag/org_id': 'false' },
    });
    const trusted = filled(ArnLike!['aws:PrincipalArn']);
    expect(trusted).toBe('arn:aws:iam::123456789012:role/inspection-service/eu-west-1/operations/*');
    for (const { Properties } of ofType<LambdaFunction>(secured, 'AWS::Lambda::Function')) {
      const role = ofType<Role>(secured, 'AWS::IAM::Role').find(
        ({ id }) => id === Properties.Role['Fn::GetAtt'][0],
      )!;
      const serves = 'AREA' in Properties.Environment.Variables;
      expect(trusted === `arn:aws:iam::123456789012:role${filled(role.Properties.Path)}*`).toBe(serves);
    }
  });
});

describe('the API', () => {
  test('has one route for each operation, which leads to its function', () => {
    const routes = Object.entries(bodyIn(templates).paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, { operationId }]) => `${method.toUpperCase()} ${path} ${operationId}`,
      ),
    );
    expect(routes.toSorted()).toEqual(
      catalogue.operations
        .map(({ operation }) => `${operation.method} ${routeOf(operation)} ${operation.id}`)
        .toSorted(),
    );
  });

  test('streams only lists, and waits a little longer than the function may run', () => {
    for (const entry of catalogue.operations) {
      const { id, method, list } = entry.operation;
      const route = bodyIn(templates).paths[routeOf(entry.operation)]![method.toLowerCase()]!;
      const integration = route['x-amazon-apigateway-integration'];
      const name = nameOf(entry);
      expect([id, integration.responseTransferMode]).toEqual([id, list ? 'STREAM' : undefined]);
      expect(filled(integration.uri)).toBe(
        `arn:aws:apigateway:eu-west-1:lambda:path/${
          list ? '2021-11-15' : '2015-03-31'
        }/functions/arn:aws:lambda:eu-west-1:123456789012:function:${name}/${
          list ? 'response-streaming-invocations' : 'invocations'
        }`,
      );
      expect(functionNamed(nameOf(entry)).Properties.Timeout * 1_000).toBeLessThan(
        integration.timeoutInMillis,
      );
    }
  });

  test('answers errors itself with the statuses and the error body of the contract', () => {
    const responses = bodyIn(templates)['x-amazon-apigateway-gateway-responses'];
    expect(
      Object.fromEntries(Object.entries(responses).map(([type, { statusCode }]) => [type, statusCode])),
    ).toEqual({
      DEFAULT_4XX: undefined,
      DEFAULT_5XX: 500,
      MISSING_AUTHENTICATION_TOKEN: 404,
      INVALID_SIGNATURE: 404,
      ACCESS_DENIED: 404,
      RESOURCE_NOT_FOUND: 404,
      REQUEST_TOO_LARGE: 400,
      UNSUPPORTED_MEDIA_TYPE: 400,
      BAD_REQUEST_BODY: 400,
      THROTTLED: 429,
      QUOTA_EXCEEDED: 429,
      INTEGRATION_TIMEOUT: 503,
      INTEGRATION_FAILURE: 503,
    });
    const codes = new Set(Object.values(errors).map(({ code }) => `'${code}'`));
    for (const [type, { responseTemplates, responseParameters }] of Object.entries(responses)) {
      expect(codes).toContain(responseParameters['gatewayresponse.header.X-Error-Code']);
      expect(responseParameters).toMatchObject({
        'gatewayresponse.header.x-content-type-options': "'nosniff'",
        'gatewayresponse.header.cache-control': "'no-store'",
      });
      expect(responseParameters['gatewayresponse.header.x-request-id']).toBe('context.requestId');
      const text = responseTemplates['application/json'].replace(
        '$context.error.messageString',
        '"a \\"text\\""',
      );
      expect([type, Object.keys(JSON.parse(text) as object)]).toEqual([type, ['detail']]);
    }
    expect(JSON.parse(responses['THROTTLED']!.responseTemplates['application/json'])).toEqual({
      detail: errors.rateLimitExceeded().detail,
    });
    expect(bodyIn(templates)['x-amazon-apigateway-binary-media-types']).toEqual(['*/*']);
  });

  test('logs each request without anything that may contain a secret', () => {
    const [stage] = ofType<{ StageName: string; AccessLogSetting: { Format: string } }>(
      templates,
      'AWS::ApiGateway::Stage',
    );
    expect(stage!.Properties.StageName).toBe('live');
    const fields = Object.values(
      JSON.parse(stage!.Properties.AccessLogSetting.Format) as Record<string, string>,
    );
    expect(fields).toContain('$context.resourcePath');
    expect(fields.join(' ')).not.toMatch(/authorizer|header|querystring|\$context\.path|requestOverride/i);
  });

  test('creates the account-wide role for its logs only if the account has none', async () => {
    const types = ['AWS::ApiGateway::Account', 'AWS::IAM::Role'] as const;
    const logging = (from: Template[]) =>
      types.map(
        (type) => ofType(from, type).filter(({ id }) => /^Api(Account|CloudWatchRole)/.test(id)).length,
      );
    expect(logging(templates)).toEqual([1, 1]);
    // It may serve other APIs by now.
    expect(ofType(templates, 'AWS::ApiGateway::Account')[0]).toMatchObject({ DeletionPolicy: 'Retain' });
    const without = await templatesOf(
      { operations: operationEntries(1), workers: [] },
      { cloudWatchRole: 'false' },
    );
    expect(logging(without.templates)).toEqual([0, 0]);
  }, 60_000);

  test('logs errors only, and never the contents of requests', () => {
    const [stage] = ofType<{ MethodSettings: object[] }>(templates, 'AWS::ApiGateway::Stage');
    expect(stage!.Properties.MethodSettings).toEqual([
      {
        HttpMethod: '*',
        ResourcePath: '/*',
        DataTraceEnabled: false,
        LoggingLevel: 'ERROR',
        ThrottlingRateLimit: 1_000,
        ThrottlingBurstLimit: 2_000,
      },
    ]);
    const logs = ofType<{ RetentionInDays: number }>(templates, 'AWS::Logs::LogGroup');
    const retention = (name: string) =>
      logs.find(({ id }) => id.startsWith(name))!.Properties.RetentionInDays;
    expect([retention('AccessLog'), retention('ExecutionLog')]).toEqual([365, 90]);
  });

  test('is deployed after its functions', () => {
    const [deployment] = ofType(templates, 'AWS::ApiGateway::Deployment');
    const areas = new Set(catalogue.operations.map(({ area }) => area)).size;
    expect(list((deployment as unknown as { DependsOn: string[] }).DependsOn)).toHaveLength(areas);
  });

  const altered = (change: object) => {
    const [first, second] = operationEntries(2) as [Catalogue['operations'][0], Catalogue['operations'][0]];
    const operation = { ...second.operation, ...change };
    return newApp({ operations: [first, { ...second, operation }], workers: [] });
  };

  test('refuses two operations with the same method and path', async () => {
    await expect(altered({ path: '/organization-0' })).rejects.toThrow('second GET /v1/organization-0');
  });

  test('refuses two variables after one path node, which API Gateway does not import', async () => {
    const [first, second] = operationEntries(2) as [Catalogue['operations'][0], Catalogue['operations'][0]];
    const at = (entry: typeof first, path: string) => ({ ...entry, operation: { ...entry.operation, path } });
    const operations = [at(first, '/cranes/{crane_id}'), at(second, '/cranes/{id}/parts')];
    await expect(newApp({ operations, workers: [] })).rejects.toThrow('{crane_id} and {id}');
  });

  test('refuses more path nodes than one API may have', async () => {
    const operations = operationEntries(300).map((entry, position) => ({
      ...entry,
      operation: { ...entry.operation, path: `/cranes-${position}` },
    }));
    await expect(newApp({ operations, workers: [] })).rejects.toThrow('302 path nodes');
  });

  test('refuses a function name that is too long for AWS', async () => {
    const [entry] = operationEntries(1) as [Catalogue['operations'][0]];
    const operations = [{ ...entry, file: `functions/organization/${'x'.repeat(60)}.ts` }];
    await expect(newApp({ operations, workers: [] })).rejects.toThrow('64 characters');
  });
});
