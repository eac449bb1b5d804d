import { Aws, Duration, RemovalPolicy, SecretValue, type Stack } from 'aws-cdk-lib';
import type { SpecRestApi } from 'aws-cdk-lib/aws-apigateway';
import { PolicyDocument, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Code, Function, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { STAGE } from '../../gateway.ts';
import { DEFAULT_MEMORY } from '../../limits.ts';
import { MAX_CLEANING_TIME, MAX_TIME } from '../../smoke/run.ts';
import { type Bundles, SMOKE_HOOK } from '../bundle.ts';
import { acknowledge } from '../checks.ts';
import type { Settings } from '../settings.ts';
import { allow } from './grants.ts';
import { ARCHITECTURE, hashOf } from './stack.ts';

/** Beyond what the test and its cleaning up may take, in seconds. */
const MARGIN = 30;

/**
 * The function that does the main job of the service by the API for machines, when requests have been moved to the new
 * versions. It reaches the service as an integration does, so it may do nothing but log and tell CodeDeploy.
 * @returns its name
 */
export const addSmokeHook = (
  stack: Stack,
  machines: SpecRestApi,
  { prefix, smokeKey, apiDomain, logRetention }: Settings,
  bundles: Bundles,
): string => {
  const name = `${prefix}-smoke-hook`;
  const { folder, handler, architecture } = bundles.get(SMOKE_HOOK)!;
  const logGroup = new LogGroup(stack, 'SmokeHookLog', {
    logGroupName: `/aws/lambda/${name}`,
    retention: Number(logRetention) as RetentionDays,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const group = `arn:${Aws.PARTITION}:codedeploy:${Aws.REGION}:${Aws.ACCOUNT_ID}:deploymentgroup:${prefix}/*`;
  const role = new Role(stack, 'SmokeHookRole', {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    inlinePolicies: {
      grants: new PolicyDocument({
        statements: [
          allow(['codedeploy:PutLifecycleEventHookExecutionStatus'], [group]),
          allow(['logs:CreateLogStream', 'logs:PutLogEvents'], [logGroup.logGroupArn]),
        ],
      }),
    },
  });
  acknowledge(role, {
    [`IAM5[Resource::arn:<AWS::Partition>:codedeploy:<AWS::Region>:<AWS::AccountId>:deploymentgroup:${prefix}/*]`]:
      'The groups of this deployment only. Their names are made by CloudFormation.',
  });
  // The address that the API has without a domain. That of its stage would wait for the deployment, which waits for this.
  const url = apiDomain
    ? `https://${apiDomain}`
    : `https://${machines.restApiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}/${STAGE}`;
  // oxlint-disable-next-line no-new -- a construct adds itself to its scope
  new Function(stack, 'SmokeHook', {
    functionName: name,
    description: 'Tries the service at the end of a rollout',
    runtime: Runtime.NODEJS_24_X,
    architecture: ARCHITECTURE[architecture],
    code: Code.fromAsset(folder, { assetHash: hashOf(folder) }),
    handler,
    memorySize: DEFAULT_MEMORY,
    timeout: Duration.seconds((MAX_TIME + MAX_CLEANING_TIME) / 1_000 + MARGIN),
    role: role.withoutPolicyUpdates(),
    logGroup,
    environment: {
      API_URL: url,
      // CloudFormation puts the value there; the template has only the name of the secret.
      API_KEY: SecretValue.secretsManager(smokeKey!).unsafeUnwrap(),
    },
  });
  return name;
};
