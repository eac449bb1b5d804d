import { ArnFormat, Stack } from 'aws-cdk-lib';
import { AccountRootPrincipal, PolicyDocument, Role, SessionTagsPrincipal } from 'aws-cdk-lib/aws-iam';
import { grantsOf } from '../../shared/http/grants.ts';
import type { Catalogue } from '../catalogue.ts';
import { acknowledge } from './checks.ts';
import { operationsPath } from './functions.ts';
import { leadingKeys, statementsOf } from './grants.ts';
import type { Settings } from './settings.ts';
import type { StorageStack } from './storage.ts';

/** IAM's own name for the organization of a session. */
const ORGANIZATION = '${aws:PrincipalTag/org_id}';

/**
 * The role through which requests reach rows and objects: it can touch one organization's, the one that the
 * session is tagged with, and only the functions that serve requests may take it on. An index is held to its
 * own partition key, so that begins with the organization too.
 */
export const addTenantRole = (storage: StorageStack, { operations }: Catalogue, settings: Settings): Role => {
  const { table, bucket, key, queues } = storage;
  const functions = Stack.of(storage).formatArn({
    service: 'iam',
    region: '',
    resource: 'role',
    resourceName: `${operationsPath(settings).slice(1)}*`,
    arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
  });
  const granted = [...new Set(operations.flatMap(({ operation }) => grantsOf(operation)))].filter(
    (grant) => !grant.startsWith('queue:'),
  );
  const role = new Role(storage, 'TenantRole', {
    description: 'One organization in the table and the bucket',
    assumedBy: new SessionTagsPrincipal(
      new AccountRootPrincipal().withConditions({
        ArnLike: { 'aws:PrincipalArn': functions },
        'ForAllValues:StringEquals': { 'aws:TagKeys': ['org_id'] },
        Null: { 'aws:RequestTag/org_id': 'false' },
      }),
    ),
    inlinePolicies: {
      organization: new PolicyDocument({
        statements: statementsOf(
          granted,
          {
            tableArn: () => table.tableArn,
            objectsArn: () => `${bucket.bucketArn}/org/${ORGANIZATION}/*`,
            keyArn: () => key.keyArn,
            queueArn: (queue) => queues[queue].queueArn,
            // No request mails by itself.
            identityArns: () => [],
          },
          leadingKeys(`ORG#${ORGANIZATION}`, `ORG#${ORGANIZATION}#*`),
        ),
      }),
    },
  });
  acknowledge(role, {
    [`IAM5[Resource::<${storage.resolve(bucket.bucketArn)['Fn::GetAtt'][0]}.Arn>/org/<aws:PrincipalTag/org_id>/*]`]:
      'Keys of objects are made at run time; the wildcard ends at the prefix of the one organization.',
  });
  return role;
};
