import { Aws } from 'aws-cdk-lib';
import { type Conditions, Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { QUEUES, type QueueName } from '../../../shared/base/queues.ts';
import { TABLE } from '../../../shared/table/table.ts';
import type { Grant } from '../../grants.ts';

/**
 * The ARNs of the resources that grants name. They are functions, because an ARN becomes a parameter of the stack when
 * it is first asked for, and a stack has only the parameters that it uses.
 */
export interface Resources {
  tableArn: () => string;
  /** The objects of the bucket. Their keys are unknown in advance, so each ends with a wildcard. */
  objectArns: () => string[];
  keyArn: () => string;
  credentialsKeyArn: () => string;
  queueArn: (name: QueueName) => string;
  /** The verified sender identities, and what watches their mails. Empty when the deployment sends no mail. */
  identityArns: () => string[];
}

/** The partitions of rows that belong to no organization, by the service that their grants name. */
const SYSTEM_PARTITIONS = {
  link: 'LINK#*',
  visits: 'VISITS#*',
  key: 'KEY#*',
  session: 'SESSION#*',
  person: 'PERSON#*',
  email: 'EMAIL#*',
} as const;

/** Those that are written in one transaction with rows of an organization, by the client of that organization. */
const SHARED_TRANSACTIONS = ['key', 'person', 'email'] as const satisfies SystemService[];

/** What KMS seals, by the service that the grants name, and the owner that its encryption context names. */
const SEALED = { credential: 'connection', secret: 'webhook' } as const;

type SealedService = keyof typeof SEALED;
const SEALED_SERVICES = Object.keys(SEALED) as SealedService[];

type SystemService = keyof typeof SYSTEM_PARTITIONS;
const SYSTEM_SERVICES = Object.keys(SYSTEM_PARTITIONS) as SystemService[];

const isSystemGrant = (grant: Grant): boolean =>
  SYSTEM_SERVICES.some((service) => grant.startsWith(`${service}:`));

/** Those of the grants that concern no organization. A function has them by its own role. */
export const systemGrants = (grants: readonly Grant[]): Grant[] => grants.filter(isSystemGrant);

/** Those of the grants that the client of an organization needs. */
export const tenantGrants = (grants: readonly Grant[]): Grant[] =>
  grants.filter((grant) =>
    ['table', 'bucket', ...SEALED_SERVICES, ...SHARED_TRANSACTIONS].some((service) =>
      grant.startsWith(`${service}:`),
    ),
  );

const actionsOf = (
  grants: readonly Grant[],
  service: 'table' | 'bucket' | SealedService | SystemService,
): string[] =>
  grants
    .filter((grant) => grant.startsWith(`${service}:`))
    .map((grant) => grant.split(':')[1]!)
    .toSorted();

export const queuesOf = (grants: readonly Grant[]): QueueName[] =>
  QUEUES.filter((queue) => grants.includes(`queue:${queue}:SendMessage`));

export const usesTable = (grants: readonly Grant[]): boolean =>
  actionsOf(grants, 'table').length > 0 || systemGrants(grants).length > 0;
/** Whether a function makes links, and so has to know where the pages are. */
export const makesLinks = (grants: readonly Grant[]): boolean => grants.includes('link:PutItem');
export const usesMail = (grants: readonly Grant[]): boolean => grants.includes('mail:SendEmail');
export const usesCredentials = (grants: readonly Grant[]): boolean =>
  SEALED_SERVICES.some((service) => actionsOf(grants, service).length > 0);
export const usesBucket = (grants: readonly Grant[]): boolean => actionsOf(grants, 'bucket').length > 0;

// SES's SendEmail needs the second action for a raw message.
const MAIL_ACTIONS = ['ses:SendEmail', 'ses:SendRawEmail'];

// DynamoDB and S3 use the key by these actions, with the permissions of the caller.
const KEY_ACTIONS = ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey'];

/** The uses of the key of credentials by a function's grants. Those of each kind of owner have a condition of their own. */
const sealedUses = (grants: readonly Grant[], organization?: string) =>
  SEALED_SERVICES.flatMap((service) => {
    const actions = actionsOf(grants, service).map((action) => `kms:${action}`);
    return actions.length > 0 ? [{ actions, conditions: ownedBy(SEALED[service], organization) }] : [];
  });

/**
 * Every use of the key of credentials must name the owner and its organization, so that the log of KMS tells them, and
 * nothing is ever encrypted with the key that another owner could open.
 * @param organization the only one whose secrets may be used; that of any caller without it
 */
const ownedBy = (owner: string, organization?: string): Conditions => ({
  Null: { 'kms:EncryptionContext:organization': 'false', [`kms:EncryptionContext:${owner}`]: 'false' },
  ...(organization && { StringEquals: { 'kms:EncryptionContext:organization': organization } }),
});

/**
 * The IAM statements of a function's grants, one for each kind of resource. They include the use of the encryption
 * key, but only through DynamoDB and S3. A grant to query the table includes its indexes.
 * @param onTable conditions on the access to the table
 * @param organization the only one whose credentials and secrets may be used
 */
export const statementsOf = (
  grants: readonly Grant[],
  { tableArn, objectArns, keyArn, credentialsKeyArn, queueArn, identityArns }: Resources,
  onTable?: Conditions,
  organization?: string,
): PolicyStatement[] => {
  const table = actionsOf(grants, 'table');
  const bucket = actionsOf(grants, 'bucket');
  const identities = usesMail(grants) ? identityArns() : [];
  const services = [...(usesTable(grants) ? ['dynamodb'] : []), ...(bucket.length > 0 ? ['s3'] : [])];
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
    ...SYSTEM_SERVICES.flatMap((service) => {
      const actions = actionsOf(grants, service).map((action) => `dynamodb:${action}`);
      return actions.length > 0
        ? [allow(actions, [tableArn()], leadingKeys(SYSTEM_PARTITIONS[service]))]
        : [];
    }),
    ...(bucket.length > 0
      ? [
          allow(
            bucket.map((action) => `s3:${action}`),
            objectArns(),
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
    ...sealedUses(grants, organization).map(({ actions, conditions }) =>
      allow(actions, [credentialsKeyArn()], conditions),
    ),
    ...queuesOf(grants).map((queue) => allow(['sqs:SendMessage'], [queueArn(queue)])),
    ...(identities.length > 0 ? [allow(MAIL_ACTIONS, identities)] : []),
  ];
};

export const allow = (actions: string[], resources: string[], conditions?: Conditions): PolicyStatement =>
  new PolicyStatement({ effect: Effect.ALLOW, actions, resources, ...(conditions && { conditions }) });

/** Limits access to these partitions. `ForAllValues` also matches a request without keys; `Null` excludes that. */
export const leadingKeys = (...patterns: string[]): Conditions => ({
  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': patterns },
  Null: { 'dynamodb:LeadingKeys': 'false' },
});

/**
 * The policy of one function's sessions of the tenant role: they may do what the function's own grants say, and reach
 * rows of no organization only where these say so. It need not name resources, because a session policy can only reduce
 * what the role allows. `ForAllValues` is true of requests that have no rows, such as those of S3.
 */
export const sessionPolicyOf = (grants: readonly Grant[]): string => {
  const shared = SHARED_TRANSACTIONS.filter((service) => actionsOf(grants, service).length > 0);
  const onTable = (['table', ...shared] as const).flatMap((service) => actionsOf(grants, service));
  const allowed = (Action: string[], Condition: Conditions) =>
    // IAM refuses a statement without actions.
    Action.length > 0 ? [{ Effect: 'Allow', Action, Resource: '*', Condition }] : [];
  return JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      ...allowed(
        [
          ...new Set(onTable.map((action) => `dynamodb:${action}`)),
          ...actionsOf(grants, 'bucket').map((action) => `s3:${action}`),
        ],
        {
          'ForAllValues:StringLike': {
            'dynamodb:LeadingKeys': ['ORG#*', ...shared.map((service) => SYSTEM_PARTITIONS[service])],
          },
        },
      ),
      // Only through these services: otherwise every function could use the key of credentials.
      ...allowed(KEY_ACTIONS, { StringLike: { 'kms:ViaService': ['dynamodb.*', 's3.*'] } }),
      ...sealedUses(grants).flatMap(({ actions, conditions }) => allowed(actions, conditions)),
    ],
  });
};
