/* oxlint-disable no-new -- a construct adds itself to its scope */
import { Aws, CfnOutput, type Stack } from 'aws-cdk-lib';
import { CfnApplication, CfnDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { PolicyDocument, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Alias, type CfnAlias, type Function, type IVersion } from 'aws-cdk-lib/aws-lambda';
import { acknowledge } from '../checks.ts';
import type { Settings } from '../settings.ts';
import { allow } from './grants.ts';

/**
 * The alias that requests, queues, the stream and the clock invoke. It points to the version of the last deployment that
 * has succeeded. A version cannot change, so what runs while a deployment goes on is one of two whole releases, and a
 * deployment that fails points the alias back.
 */
export const ALIAS = 'live';

/** How CodeDeploy moves the requests of a function to its new version, by the setting `rollout`. */
const CONFIGURATIONS: Partial<Record<Settings['rollout'], string>> = {
  'canary-5-minutes': 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
  'canary-15-minutes': 'CodeDeployDefault.LambdaCanary10Percent15Minutes',
  'canary-30-minutes': 'CodeDeployDefault.LambdaCanary10Percent30Minutes',
  'linear-10-minutes': 'CodeDeployDefault.LambdaLinear10PercentEvery1Minute',
  'linear-30-minutes': 'CodeDeployDefault.LambdaLinear10PercentEvery3Minutes',
};

/** Whether requests move to new versions by and by, so that an alarm can stop it. */
export const isGradual = ({ rollout }: Pick<Settings, 'rollout'>): boolean => rollout in CONFIGURATIONS;

/** What CodeDeploy watches while it moves a function, and runs afterwards. */
interface Brake {
  /** The role by which it acts. */
  roleArn: string;
  /** The names of the alarms that stop it. */
  alarms: readonly string[];
  /** The name of the function that tries the service when all requests have been moved. */
  hook?: string | undefined;
}

/**
 * Gives a function its alias.
 *
 * Without a gradual rollout CloudFormation moves the alias at once, and nothing else is created. A gradual one needs a
 * deployment group for each function, because a group carries out one deployment at a time, and most changes of shared
 * code change most functions. CodeDeploy allows 1,000 groups for an application and 1,300 deployments at once (AWS
 * CodeDeploy, "Quotas"), so the 250 functions are far below; groups and deployments of functions cost nothing. CodeDeploy
 * acts only on functions whose code or configuration has changed.
 *
 * The alarms that stop it are those of an area and of the APIs, not one for each function: a function that is called
 * twice an hour would tell nothing in five minutes.
 */
export const addAlias = (
  stack: Stack,
  id: string,
  target: Function,
  settings: Settings,
  brake: Brake | undefined,
): Alias => {
  // CDK's own classes do not meet its interfaces under `exactOptionalPropertyTypes`.
  const version = target.currentVersion as IVersion;
  const alias = new Alias(stack, `${id}Live`, { aliasName: ALIAS, version });
  if (!brake) return alias;
  const group = new CfnDeploymentGroup(stack, `${id}Rollout`, {
    applicationName: settings.prefix,
    serviceRoleArn: brake.roleArn,
    deploymentConfigName: CONFIGURATIONS[settings.rollout]!,
    deploymentStyle: { deploymentType: 'BLUE_GREEN', deploymentOption: 'WITH_TRAFFIC_CONTROL' },
    alarmConfiguration: { enabled: true, alarms: brake.alarms.map((name) => ({ name })) },
    autoRollbackConfiguration: {
      enabled: true,
      events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM', 'DEPLOYMENT_STOP_ON_REQUEST'],
    },
  });
  (alias.node.defaultChild as CfnAlias).cfnOptions.updatePolicy = {
    codeDeployLambdaAliasUpdate: {
      applicationName: settings.prefix,
      deploymentGroupName: group.ref,
      ...(brake.hook && { afterAllowTrafficHook: brake.hook }),
    },
  };
  return alias;
};

/**
 * The application that all deployment groups belong to, and the role by which CodeDeploy acts.
 * @param hook the name of the function that tries the service, if there is one
 */
export const addRollout = (stack: Stack, { prefix }: Settings, hook: string | undefined): Role => {
  new CfnApplication(stack, 'Rollout', { applicationName: prefix, computePlatform: 'Lambda' });
  const functions = `arn:${Aws.PARTITION}:lambda:${Aws.REGION}:${Aws.ACCOUNT_ID}:function:${prefix}-*`;
  const role = new Role(stack, 'RolloutRole', {
    description: 'CodeDeploy moves requests to the new versions of functions',
    assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
    inlinePolicies: {
      rollout: new PolicyDocument({
        statements: [
          allow(
            ['lambda:GetAlias', 'lambda:UpdateAlias', 'lambda:GetProvisionedConcurrencyConfig'],
            [functions],
          ),
          allow(['cloudwatch:DescribeAlarms'], ['*']),
          ...(hook
            ? [
                allow(
                  ['lambda:InvokeFunction'],
                  [`arn:${Aws.PARTITION}:lambda:${Aws.REGION}:${Aws.ACCOUNT_ID}:function:${hook}`],
                ),
              ]
            : []),
        ],
      }),
    },
  });
  acknowledge(role, {
    [`IAM5[Resource::arn:<AWS::Partition>:lambda:<AWS::Region>:<AWS::AccountId>:function:${prefix}-*]`]:
      'A policy is too small to list all functions of this deployment, and all of them are rolled out.',
    'IAM5[Resource::*]': 'CodeDeploy describes all alarms of a deployment group in one call.',
  });
  new CfnOutput(stack, 'RolloutApplication', {
    value: prefix,
    description: 'The application of CodeDeploy that shows how the functions are moved to their new versions',
  });
  return role;
};
