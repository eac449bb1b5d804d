/* oxlint-disable no-new -- a construct adds itself to its scope */
import { resolve } from 'node:path';
import { App, type AppProps, Aws, CfnOutput, Stack, Tags } from 'aws-cdk-lib';
import type { SpecRestApi } from 'aws-cdk-lib/aws-apigateway';
import { ManagedPolicy, PermissionsBoundary } from 'aws-cdk-lib/aws-iam';
import { QUEUES } from '../../shared/base/queues.ts';
import { isProbe } from '../../shared/http/operation/surface.ts';
import type { Catalogue } from '../catalogue.ts';
import { AUDIENCES, STAGE } from '../gateway.ts';
import { addAlarms, addAlarmTopic, addDashboard, addQueries } from './alarms.ts';
import { addApis } from './api.ts';
import { addBudget } from './budget.ts';
import { type Bundles, bundleCompiled, hasSmokeHook } from './bundle.ts';
import { addChecks } from './checks.ts';
import { AreaStack } from './functions/areas.ts';
import { addRollout, isGradual } from './functions/rollout.ts';
import { addSmokeHook } from './functions/smoke-hook.ts';
import type { DeploymentValues } from './functions/stack.ts';
import { addTenantRole } from './functions/tenant-role.ts';
import { WorkersStack } from './functions/workers.ts';
import { addMailFeedback } from './mail-feedback.ts';
import { apiName, checkAreaCodes, metricsNamespace, physicalName, queueValue } from './names.ts';
import { environmentOf, frontOf, type Settings, settingsOf } from './settings.ts';
import { addSignIn } from './sign-in.ts';
import { StorageStack } from './storage.ts';

/**
 * The URL of the API for people, which every link begins with, and where cookies are set. That of its stage would wait
 * for the deployment, which waits for the functions.
 */
const peopleUrlOf = ({ publicUrl, peopleDomain }: Settings, { restApiId }: SpecRestApi): string =>
  publicUrl ??
  (peopleDomain
    ? `https://${peopleDomain}`
    : `https://${restApiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}/${STAGE}`);

/** What the stacks of functions have to know about the storage. */
const valuesOf = (
  storage: StorageStack,
  alarmTopicArn: string,
): Omit<DeploymentValues, 'PublicUrl' | 'OidcIssuer' | 'OidcClientId'> => {
  const { table, bucket, key, credentialsKey, queues, undelivered, failedRuns } = storage;
  return {
    TableName: table.tableName,
    TableArn: table.tableArn,
    StreamArn: table.tableStreamArn!,
    BucketName: bucket.bucketName,
    BucketArn: bucket.bucketArn,
    KeyArn: key.keyArn,
    CredentialsKeyArn: credentialsKey.keyArn,
    UndeliveredArn: undelivered.queueArn,
    FailedRunsArn: failedRuns.queueArn,
    AlarmsArn: alarmTopicArn,
    ...(Object.fromEntries(
      QUEUES.flatMap((name) => [
        [queueValue(name, 'Arn'), queues[name].queueArn],
        [queueValue(name, 'Url'), queues[name].queueUrl],
      ]),
    ) as Pick<DeploymentValues, ReturnType<typeof queueValue>>),
  };
};

/**
 * The whole deployment, for any account and region. It is one stack with nested stacks: one for the storage, one for
 * each area and one for the workers. So CloudFormation's maximum of 500 resources applies to an area, not to the
 * whole service.
 */
class ServiceStack extends Stack {
  constructor(app: App, catalogue: Catalogue, settings: Settings, bundles: Bundles) {
    super(app, settings.prefix, {
      description: 'Field inspections: a machine API',
      analyticsReporting: false,
      terminationProtection: settings.terminationProtection,
      ...(settings.account &&
        settings.region && { env: { account: settings.account, region: settings.region } }),
    });
    const { topicArn } = addAlarmTopic(this, settings.alarmReceiver);
    addBudget(this, settings);
    const storage = new StorageStack(this, catalogue.workers, settings);
    // Before the functions, which put the people's URL into links. The deployments wait for them, the APIs do not.
    const { machines, people } = addApis(this, catalogue.operations, settings);
    if (settings.mailFrom) addMailFeedback(storage, settings, topicArn);
    const url = peopleUrlOf(settings, people);
    const provider = addSignIn(this, storage, settings, url);
    const values: DeploymentValues = {
      ...valuesOf(storage, topicArn),
      PublicUrl: url,
      OidcIssuer: provider.issuer,
      OidcClientId: provider.clientId,
      // IAM refuses a role's policy without statements.
      ...(settings.rowLevelSecurity &&
        catalogue.operations.length > 0 && {
          TenantRoleArn: addTenantRole(storage, catalogue, settings).roleArn,
        }),
    };
    const apiNames = { machines: apiName(settings, 'machines'), people: apiName(settings, 'people') };
    const namespace = metricsNamespace(settings);
    const certificates = new Set(
      AUDIENCES.flatMap((audience) => frontOf(settings, audience).certificate ?? []),
    );
    const brakes = addAlarms(
      this,
      { prefix: settings.prefix, apiNames, namespace, storage, certificates: [...certificates] },
      topicArn,
    );
    const hook = hasSmokeHook(settings) ? addSmokeHook(this, machines, settings, bundles) : undefined;
    if (isGradual(settings)) {
      const { roleArn } = addRollout(this, settings, hook);
      Object.assign(values, { RolloutRoleArn: roleArn, ...brakes });
    }
    checkAreaCodes([...catalogue.operations, ...catalogue.workers].map(({ file }) => file));
    const deployment = { settings, bundles, values, hook };
    const byArea = Object.entries(Object.groupBy(catalogue.operations, ({ area }) => area));
    const stacks = byArea.map(([area, operations]) => new AreaStack(this, area, operations!, deployment));
    // CloudFormation refuses a stack without resources.
    const workers =
      catalogue.workers.length > 0 ? [new WorkersStack(this, catalogue.workers, deployment)] : [];
    // The smoke test begins when everything else has been moved.
    const probing = byArea.findIndex(([, operations]) =>
      operations!.some(({ operation }) => isProbe(operation)),
    );
    if (hook && probing >= 0)
      stacks[probing]!.node.addDependency(...stacks.filter((_, n) => n !== probing), ...workers);

    for (const api of [machines, people]) api.latestDeployment!.node.addDependency(...stacks);
    const watched = {
      prefix: settings.prefix,
      apiNames,
      namespace,
      areas: byArea.map(([area]) => area),
      workers: catalogue.workers.map(({ file, worker: { id } }) => ({
        id,
        functionName: physicalName(settings, { file }),
      })),
      storage,
    };
    addDashboard(this, watched);
    addQueries(this, watched);

    const output = (id: string, value: string, description?: string) =>
      new CfnOutput(this, id, { value, ...(description && { description }) });
    output('ApiUrl', machines.url, 'For machines. Without /v1, which is part of every path');
    output('PeopleUrl', url, 'The base of links, and with /admin the app');
    output('TableName', storage.table.tableName);
    output('BucketName', storage.bucket.bucketName);
    if (provider.userPoolId) output('UserPoolId', provider.userPoolId, 'The people who can sign in');
    output('AlarmsTopic', topicArn, 'Subscribe the people on call to this topic');
  }
}

/**
 * The CDK app of a catalogue, with its checks.
 * @param bundling makes the code of the functions
 * @throws Error for a setting, a name or a route that cannot be deployed
 */
export const appOf = async (
  catalogue: Catalogue,
  props: AppProps = {},
  bundling: typeof bundleCompiled = bundleCompiled,
): Promise<App> => {
  const app = new App({
    ...props,
    // A template may have 1 MB, and a third of it would be indentation. This holds for nested stacks as well.
    context: { '@aws-cdk/core:suppressTemplateIndentation': true, ...props.context },
  });
  const settings = settingsOf(app, await environmentOf(app.node.tryGetContext('env') as string | undefined));
  const bundles = await bundling(catalogue, settings, resolve(app.outdir, 'bundles'));
  new ServiceStack(app, catalogue, settings, bundles);
  for (const [, name, value] of settings.tags?.matchAll(/([^=,]+)=([^,]+)/g) ?? [])
    Tags.of(app).add(name!, value!);
  if (settings.permissionsBoundary)
    PermissionsBoundary.of(app).apply(
      ManagedPolicy.fromManagedPolicyArn(
        app.node.findChild(settings.prefix),
        'Boundary',
        settings.permissionsBoundary,
      ),
    );
  addChecks(app);
  return app;
};
