import { ArnFormat, Stack } from 'aws-cdk-lib';
import { AccountRootPrincipal, PolicyDocument, Role, SessionTagsPrincipal } from 'aws-cdk-lib/aws-iam';
import { OWNED_PREFIXES } from '../../../shared/files/objects.ts';
import type { Catalogue } from '../../catalogue.ts';
import { grantsOf } from '../../grants.ts';
import { acknowledge } from '../checks.ts';
import type { Settings } from '../settings.ts';
import type { StorageStack } from '../storage.ts';
import { leadingKeys, statementsOf, tenantGrants } from './grants.ts';
import { operationsPath } from './stack.ts';

/** The tags of a session: the id of its organization, for rows and secrets, and its alias, for objects. */
const TAGS = ['org_id', 'alias'] as const;

/** IAM replaces this variable with a tag of the session. */
const tag = (name: (typeof TAGS)[number]) => `\${aws:PrincipalTag/${name}}`;

const ORGANIZATION = tag('org_id');

/**
 * The role through which requests reach rows, objects, the credentials of vendors and the secrets of webhooks. A
 * session of it reaches only the organization that it is tagged with, and only functions that serve requests may assume
 * it. Rows of no organization that are written in one transaction with its own are an exception; the session policy of a
 * function allows them only if its grants do. IAM checks an index by the index's own partition key, so those keys begin
 * with the organization as well.
 */
export const addTenantRole = (storage: StorageStack, { operations }: Catalogue, settings: Settings): Role => {
  const { table, bucket, key, credentialsKey, queues } = storage;
  const functions = Stack.of(storage).formatArn({
    service: 'iam',
    region: '',
    resource: 'role',
    resourceName: `${operationsPath(settings).slice(1)}*`,
    arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
  });
  const granted = tenantGrants([...new Set(operations.flatMap(grantsOf))]);
  const role = new Role(storage, 'TenantRole', {
    description: 'Access to the rows, objects and credentials of one organization',
    assumedBy: new SessionTagsPrincipal(
      new AccountRootPrincipal().withConditions({
        ArnLike: { 'aws:PrincipalArn': functions },
        'ForAllValues:StringEquals': { 'aws:TagKeys': [...TAGS] },
        Null: { 'aws:RequestTag/org_id': 'false' },
      }),
    ),
    inlinePolicies: {
      organization: new PolicyDocument({
        statements: statementsOf(
          granted,
          {
            tableArn: () => table.tableArn,
            objectArns: () =>
              OWNED_PREFIXES.map((prefix) => `${bucket.bucketArn}/${prefix}${tag('alias')}/*`),
            keyArn: () => key.keyArn,
            credentialsKeyArn: () => credentialsKey.keyArn,
            queueArn: (queue) => queues[queue].queueArn,
            // Requests send no mail; a worker does.
            identityArns: () => [],
          },
          leadingKeys(`ORG#${ORGANIZATION}`, `ORG#${ORGANIZATION}#*`),
          ORGANIZATION,
        ),
      }),
    },
  });
  // The checks name a bucket of the stack by its id, and an existing one by its ARN.
  const shown = settings.existingBucket
    ? `arn:<AWS::Partition>:s3:::${settings.existingBucket}`
    : `<${storage.resolve(bucket.bucketArn)['Fn::GetAtt'][0]}.Arn>`;
  for (const prefix of OWNED_PREFIXES) {
    acknowledge(role, {
      [`IAM5[Resource::${shown}/${prefix}<aws:PrincipalTag/alias>/*]`]:
        'Object keys are created at run time. The wildcard is limited to the prefix of one organization.',
    });
  }
  return role;
};
