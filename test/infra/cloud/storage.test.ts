import { QUEUES } from '../../../shared/base/queues.ts';
import { TABLE } from '../../../shared/db/table/table.ts';
import { operationEntries, WORKERS } from './catalogues.ts';
import { ofType, type Resource, type Template, templatesOf } from './templates.ts';

let templates: Template[];

beforeAll(async () => {
  ({ templates } = await templatesOf({ operations: operationEntries(1), workers: WORKERS }));
}, 120_000);

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
