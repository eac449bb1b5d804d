import { Aws } from 'aws-cdk-lib';
import { type Conditions, Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { QueueName } from '../../shared/base/queues.ts';
import { TABLE } from '../../shared/db/table/table.ts';
import type { Grant } from '../../shared/http/grants.ts';

/** How IAM names what grants are on; asked for what is needed only, a stack has no parameter to spare. */
export interface Resources {
  tableArn: () => string;
  /** The bucket's objects, with the one wildcard that their keys need. */
  objectsArn: () => string;
  keyArn: () => string;
  queueArn: (name: QueueName) => string;
  /** What is verified to mail from; none where the deployment mails nothing. */
  identityArns: () => string[];
}

const actionsOf = (grants: readonly Grant[], service: 'table' | 'bucket'): string[] =>
  grants
    .filter((grant) => grant.startsWith(`${service}:`))
    .map((grant) => grant.split(':')[1]!)
    .toSorted();

export const queuesOf = (grants: readonly Grant[]): QueueName[] =>
  grants.filter((grant) => grant.startsWith('queue:')).map((grant) => grant.split(':')[1] as QueueName);

export const usesTable = (grants: readonly Grant[]): boolean => actionsOf(grants, 'table').length > 0;
export const usesMail = (grants: readonly Grant[]): boolean => grants.includes('mail:SendEmail');
export const usesBucket = (grants: readonly Grant[]): boolean => actionsOf(grants, 'bucket').length > 0;

// IAM asks for the second of a mail that comes as it shall be sent, and a SendEmail sends either.
const MAIL_ACTIONS = ['ses:SendEmail', 'ses:SendRawEmail'];

// What DynamoDB and S3 do with the key on behalf of whoever reads and writes through them.
const KEY_ACTIONS = ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey'];

/**
 * A function's grants in IAM's words, one statement for each kind of resource, and with them the use of the key
 * that encrypts these, through their own services only. A Query may go to the table's indexes as well.
 */
export const statementsOf = (
  grants: readonly Grant[],
  { tableArn, objectsArn, keyArn, queueArn, identityArns }: Resources,
  onTable?: Conditions,
): PolicyStatement[] => {
  const table = actionsOf(grants, 'table');
  const bucket = actionsOf(grants, 'bucket');
  const identities = usesMail(grants) ? identityArns() : [];
  const services = [...(table.length > 0 ? ['dynamodb'] : []), ...(bucket.length > 0 ? ['s3'] : [])];
  const indexes = table.includes('Query')
    ? TABLE.indexes.map(({ name }) => `${tableArn()}/index/${name}`)
    : [];
  return [
    ...(table.length > 0
      ? [
          allow(
            table.map((action) => `dynamodb:${action}`),
            [tableArn(), ...indexes],
            onTable,
          ),
        ]
      : []),
    ...(bucket.length > 0
      ? [
          allow(
            bucket.map((action) => `s3:${action}`),
            [objectsArn()],
          ),
        ]
      : []),
    ...(services.length > 0
      ? [
          allow(KEY_ACTIONS, [keyArn()], {
            StringEquals: {
              'kms:ViaService': services.map((service) => `${service}.${Aws.REGION}.${Aws.URL_SUFFIX}`),
            },
          }),
        ]
      : []),
    ...queuesOf(grants).map((queue) => allow(['sqs:SendMessage'], [queueArn(queue)])),
    ...(identities.length > 0 ? [allow(MAIL_ACTIONS, identities)] : []),
  ];
};

export const allow = (actions: string[], resources: string[], conditions?: Conditions): PolicyStatement =>
  new PolicyStatement({ effect: Effect.ALLOW, actions, resources, ...(conditions && { conditions }) });

/** Rows of these partitions only. `ForAllValues` holds for a request without keys too, hence the `Null`. */
export const leadingKeys = (...patterns: string[]): Conditions => ({
  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': patterns },
  Null: { 'dynamodb:LeadingKeys': 'false' },
});

/**
 * What a session of the tenant role may do for one function: its own grants. The resources are the role's to
 * name: a session policy can only take away.
 */
export const sessionPolicyOf = (grants: readonly Grant[]): string =>
  JSON.stringify({
    Version: '2012-10-17',
    Statement: {
      Effect: 'Allow',
      Action: [
        ...actionsOf(grants, 'table').map((action) => `dynamodb:${action}`),
        ...actionsOf(grants, 'bucket').map((action) => `s3:${action}`),
        ...KEY_ACTIONS,
      ],
      Resource: '*',
    },
  });
