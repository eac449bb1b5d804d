import { QUEUES } from '../../../../shared/base/queues.ts';
import { TABLE } from '../../../../shared/table/table.ts';
import { operationEntries, WORKERS } from '../catalogues.ts';
import { filled, newApp, ofType, type Resource, type Template, templatesOf } from '../templates.ts';

let templates: Template[];

beforeAll(async () => {
  ({ templates } = await templatesOf({ operations: operationEntries(1), workers: WORKERS }));
});

describe('the storage', () => {
  test('is encrypted with our own key, which rotates', () => {
    const [key, credentials] = ofType(templates, 'AWS::KMS::Key');
    for (const each of [key, credentials]) expect(each!.Properties['EnableKeyRotation']).toBe(true);
    expect(credentials!.id).toMatch(/^CredentialsKey/);
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
    expect(kept).toHaveLength(5 + 2 + 2 * QUEUES.length);
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

describe('what is deleted by itself', () => {
  const rulesOf = (bucket: Resource): object[] => {
    const { Rules } = bucket.Properties['LifecycleConfiguration'] as { Rules: Record<string, unknown>[] };
    return Rules.map(({ Status, ...rule }) => ({ isOn: Status === 'Enabled', ...rule }));
  };

  test('of the bucket: what is under way after two days, exports after 31, and old versions', () => {
    const [bucket, log] = ofType(templates, 'AWS::S3::Bucket');
    expect(rulesOf(bucket!)).toEqual([
      { isOn: true, Id: 'unfinished-uploads', AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } },
      {
        isOn: true,
        Id: 'pending',
        Prefix: 'pending/',
        ExpirationInDays: 2,
        NoncurrentVersionExpiration: { NoncurrentDays: 1 },
      },
      {
        isOn: true,
        Id: 'exports',
        Prefix: 'exports/',
        ExpirationInDays: 31,
        NoncurrentVersionExpiration: { NoncurrentDays: 1 },
      },
      {
        isOn: true,
        Id: 'replaced-and-deleted',
        NoncurrentVersionExpiration: { NoncurrentDays: 30 },
        ExpiredObjectDeleteMarker: true,
      },
    ]);
    expect(rulesOf(log!)).toEqual([{ isOn: true, Id: 'old', ExpirationInDays: 90 }]);
  });

  test('of the table: rows whose time has come', () => {
    expect(ofType(templates, 'AWS::DynamoDB::Table')[0]!.Properties['TimeToLiveSpecification']).toEqual({
      AttributeName: 'ttl',
      Enabled: true,
    });
  });
});

describe('the people who sign in', () => {
  test('do not sign up by themselves, have long passwords, and outlive the stack', () => {
    const pools = ofType(templates, 'AWS::Cognito::UserPool');
    expect(pools).toHaveLength(1);
    expect(pools[0]).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
    expect(pools[0]!.Properties).toMatchObject({
      AdminCreateUserConfig: { AllowAdminCreateUserOnly: true },
      DeletionProtection: 'ACTIVE',
      UsernameAttributes: ['email'],
      UsernameConfiguration: { CaseSensitive: false },
      AutoVerifiedAttributes: ['email'],
      MfaConfiguration: 'OPTIONAL',
      EnabledMfas: ['SOFTWARE_TOKEN_MFA'],
      AccountRecoverySetting: { RecoveryMechanisms: [{ Name: 'verified_email', Priority: 1 }] },
      Policies: {
        PasswordPolicy: {
          MinimumLength: 12,
          RequireLowercase: true,
          RequireUppercase: true,
          RequireNumbers: true,
          RequireSymbols: true,
          TemporaryPasswordValidityDays: 7,
        },
      },
    });
  });

  test('come by the code flow alone, to one address, for minutes', () => {
    const [client, ...others] = ofType(templates, 'AWS::Cognito::UserPoolClient');
    expect(others).toEqual([]);
    expect(client!.Properties).toMatchObject({
      AllowedOAuthFlows: ['code'],
      AllowedOAuthScopes: ['openid', 'email', 'profile'],
      GenerateSecret: false,
      PreventUserExistenceErrors: 'ENABLED',
      AccessTokenValidity: 5,
      IdTokenValidity: 5,
      RefreshTokenValidity: 60,
    });
    const { CallbackURLs, LogoutURLs, ExplicitAuthFlows } = client!.Properties;
    const endOf = (urls: unknown): string | undefined => /\/app[^"]*/.exec(JSON.stringify(urls))?.[0];
    expect([endOf(CallbackURLs), endOf(LogoutURLs)]).toEqual(['/app/sign-in/callback', '/app/sign-in']);
    expect((CallbackURLs as unknown[]).concat(LogoutURLs)).toHaveLength(2);
    expect(ExplicitAuthFlows).toEqual(['ALLOW_REFRESH_TOKEN_AUTH']);
  });
});

describe('existing storage', () => {
  const STREAM =
    'arn:aws:dynamodb:eu-west-1:123456789012:table/inspections-restored/stream/2026-01-01T00:00:00.000';
  const KEY = 'arn:aws:kms:eu-west-1:123456789012:key/0b1c';
  const existing = {
    existingTable: 'inspections-restored',
    existingTableStream: STREAM,
    existingBucket: 'inspections-files',
    existingKey: KEY,
    existingCredentialsKey: `${KEY}2`,
  };

  test('is used instead of new storage, by the functions and by the roles', async () => {
    const { templates: all } = await templatesOf(
      { operations: operationEntries(7), workers: WORKERS },
      existing,
    );
    const left = ['AWS::DynamoDB::Table', 'AWS::S3::Bucket', 'AWS::KMS::Key'].flatMap((type) =>
      ofType(all, type),
    );
    expect(left).toEqual([]);
    const stacks = ofType<{ Parameters?: Record<string, unknown> }>(all, 'AWS::CloudFormation::Stack');
    const given = Object.assign({}, ...stacks.map(({ Properties }) => Properties.Parameters ?? {}));
    expect(given).toMatchObject({
      TableName: 'inspections-restored',
      StreamArn: STREAM,
      BucketName: 'inspections-files',
      KeyArn: KEY,
      CredentialsKeyArn: `${KEY}2`,
    });
    expect(filled(given.TableArn)).toBe('arn:aws:dynamodb:eu-west-1:123456789012:table/inspections-restored');
    const storage = all.find(({ name }) => name.includes('Storage'))!;
    const role = storage.resources.find(({ id }) => id.startsWith('TenantRole'))!;
    expect(JSON.stringify(role)).toContain('table/inspections-restored');
    expect(JSON.stringify(role)).toContain('inspections-files');
  });

  test('is an imported table alone after a restore: the new versions of functions name it', async () => {
    const catalogue = { operations: operationEntries(7), workers: WORKERS };
    const versions = async (context: object) =>
      ofType((await templatesOf(catalogue, { ...context })).templates, 'AWS::Lambda::Version').map(
        ({ id }) => id,
      );
    const before = new Set(await versions({}));
    const table = { existingTable: 'inspections-restored', existingTableStream: STREAM };
    const after = await versions(table);
    expect(after).toHaveLength(before.size);
    expect(after.filter((id) => before.has(id))).toEqual([]);
    const { templates: all } = await templatesOf(catalogue, table);
    expect(ofType(all, 'AWS::DynamoDB::Table')).toEqual([]);
    expect(ofType(all, 'AWS::S3::Bucket')).toHaveLength(2);
  });

  test('needs the stream of the table', async () => {
    const table = { existingTable: 'inspections-restored' };
    await expect(newApp({ operations: [], workers: WORKERS }, table)).rejects.toThrow(
      'existingTable and existingTableStream must be set together',
    );
  });

  test('passes the checks', async () => {
    const app = await newApp({ operations: operationEntries(7), workers: WORKERS }, existing);
    expect(() => app.synth({ skipValidation: false })).not.toThrow();
  });
});

describe('backups', () => {
  const VAULT = 'arn:aws:backup:eu-central-1:333333333333:backup-vault:inspections';
  const backedUp = async (context: object) =>
    (await templatesOf({ operations: operationEntries(1), workers: WORKERS }, { ...context })).templates;
  const rulesOf = (all: Template[]) =>
    ofType<{ BackupPlan: { BackupPlanRule: object[] } }>(all, 'AWS::Backup::BackupPlan').flatMap(
      ({ Properties }) => Properties.BackupPlan.BackupPlanRule,
    );

  test('are made of the table and the bucket where the setting says so', async () => {
    expect(rulesOf(templates)).toEqual([]);
    const all = await backedUp({ backup: 'true' });
    expect(rulesOf(all)).toMatchObject([
      { RuleName: 'daily', Lifecycle: { DeleteAfterDays: 35 } },
      { RuleName: 'monthly', Lifecycle: { DeleteAfterDays: 365 } },
    ]);
    const [selection] = ofType<{ BackupSelection: { Resources: unknown[] } }>(
      all,
      'AWS::Backup::BackupSelection',
    );
    const backed = selection!.Properties.BackupSelection.Resources.map(filled);
    const [table] = ofType(all, 'AWS::DynamoDB::Table');
    const [bucket] = ofType(all, 'AWS::S3::Bucket');
    expect(backed).toEqual([`<${table!.id}.Arn>`, `<${bucket!.id}.Arn>`]);
    expect(ofType(all, 'AWS::Backup::BackupVault')).toMatchObject([{ DeletionPolicy: 'Retain' }]);
  });

  test('are copied into another account', async () => {
    for (const rule of rulesOf(await backedUp({ backup: 'true', backupCopyTo: VAULT })))
      expect(rule).toMatchObject({ CopyActions: [{ DestinationBackupVaultArn: VAULT }] });
  });

  test('are copied only where they are made', async () => {
    await expect(newApp({ operations: [], workers: WORKERS }, { backupCopyTo: VAULT })).rejects.toThrow(
      'backupCopyTo needs backup=true',
    );
  });
});

test('files move to a cheaper class when they are old, where the setting says so', async () => {
  const rules = (all: Template[]) => JSON.stringify(ofType(all, 'AWS::S3::Bucket')[0]!.Properties);
  expect(rules(templates)).not.toContain('STANDARD_IA');
  const { templates: cheaper } = await templatesOf(
    { operations: operationEntries(1), workers: WORKERS },
    { infrequentAccess: 'true' },
  );
  expect(rules(cheaper)).toContain('{"StorageClass":"STANDARD_IA","TransitionInDays":90}');
});

test('the stack cannot be deleted before somebody has said so', async () => {
  const protectedIn = async (context: object) => {
    const app = await newApp({ operations: operationEntries(1), workers: WORKERS }, { ...context });
    return app.synth().getStackByName('inspection-service').terminationProtection;
  };
  expect(await protectedIn({})).toBe(true);
  expect(await protectedIn({ terminationProtection: 'false' })).toBe(false);
});
