import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { acknowledge } from './checks.ts';
import type { Settings } from './settings.ts';

/** When copies are made, in UTC, and how long each is kept. */
const COPIES = [
  { name: 'daily', schedule: Schedule.cron({ hour: '3', minute: '0' }), kept: Duration.days(35) },
  {
    name: 'monthly',
    schedule: Schedule.cron({ day: '1', hour: '4', minute: '0' }),
    kept: Duration.days(365),
  },
] as const;

/** AWS's policies for whoever copies: the second one is for buckets. */
const POLICIES = [
  'service-role/AWSBackupServiceRolePolicyForBackup',
  'AWSBackupServiceRolePolicyForS3Backup',
];

/** What is copied. */
interface Copied {
  table: ITable;
  bucket: IBucket;
  key: IKey;
}

/**
 * Copies the table and the bucket into a vault, and each copy into a vault of another account where one is set: a copy
 * that nobody who has taken over this account can delete. The vault's key is that of the table, because AWS Backup copies
 * into another account only what is encrypted with a key of ours.
 */
export const addBackup = (
  scope: Construct,
  { table, bucket, key }: Copied,
  { backupCopyTo, prefix }: Settings,
): void => {
  const vault = new BackupVault(scope, 'BackupVault', {
    backupVaultName: prefix,
    encryptionKey: key,
    removalPolicy: RemovalPolicy.RETAIN,
  });
  const copyActions = backupCopyTo
    ? [BackupVault.fromBackupVaultArn(scope, 'BackupCopies', backupCopyTo)]
    : [];
  const plan = new BackupPlan(scope, 'BackupPlan', {
    backupPlanName: prefix,
    backupVault: vault,
    backupPlanRules: COPIES.map(
      ({ name, schedule, kept }) =>
        new BackupPlanRule({
          ruleName: name,
          scheduleExpression: schedule,
          deleteAfter: kept,
          copyActions: copyActions.map((destinationBackupVault) => ({
            destinationBackupVault,
            deleteAfter: kept,
          })),
        }),
    ),
  });
  const role = new Role(scope, 'BackupRole', {
    assumedBy: new ServicePrincipal('backup.amazonaws.com'),
    managedPolicies: POLICIES.map((name) => ManagedPolicy.fromAwsManagedPolicyName(name)),
  });
  for (const name of POLICIES)
    acknowledge(role, {
      [`IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${name}]`]:
        'AWS maintains these policies for what AWS Backup needs of each service.',
    });
  plan.addSelection('Backed', {
    role,
    resources: [BackupResource.fromArn(table.tableArn), BackupResource.fromArn(bucket.bucketArn)],
    disableDefaultBackupPolicy: true,
  });
};
