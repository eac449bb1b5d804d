import { QUEUES } from '../../../shared/base/queues.ts';
import { TABLE } from '../../../shared/db/table/table.ts';
import { operationEntries, WORKERS } from './catalogues.ts';
import { ofType, type Resource, type Template, templatesOf } from './templates.ts';

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
