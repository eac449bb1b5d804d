/* oxlint-disable no-new -- a construct adds itself to its scope */
import { resolve } from 'node:path';
import { App, type AppProps, CfnOutput, Stack } from 'aws-cdk-lib';
import { QUEUES } from '../../shared/base/queues.ts';
import type { Catalogue } from '../catalogue.ts';
import { addAlarms, addAlarmTopic } from './alarms.ts';
import { addApi } from './api.ts';
import { AreaStack } from './areas.ts';
import { type Bundles, bundle } from './bundle.ts';
import { addChecks } from './checks.ts';
import { type Given, queuePart } from './functions.ts';
import { type Settings, settingsOf } from './settings.ts';
import { StorageStack } from './storage.ts';
import { addTenantRole } from './tenant.ts';
import { WorkersStack } from './workers.ts';

/**
 * The whole deployment, of any account and region: one stack to deploy, within it one for what is stored, one for
 * each area and one for the workers. CloudFormation's 500 resources are then an area's limit, not the service's.
 */
class ServiceStack extends Stack {
  constructor(app: App, catalogue: Catalogue, settings: Settings, bundles: Bundles) {
    super(app, settings.prefix, {
      description: 'Field inspections: a machine API',
      analyticsReporting: false,
    });
    const alarms = addAlarmTopic(this);
    const storage = new StorageStack(this, catalogue.workers);
    const { table, bucket, key, queues, undelivered } = storage;
    const given: Given = {
      TableName: table.tableName,
      TableArn: table.tableArn,
      StreamArn: table.tableStreamArn!,
      BucketName: bucket.bucketName,
      BucketArn: bucket.bucketArn,
      KeyArn: key.keyArn,
      UndeliveredArn: undelivered.queueArn,
      AlarmsArn: alarms.topicArn,
      ...(Object.fromEntries(
        QUEUES.flatMap((name) => [
          [queuePart(name, 'Arn'), queues[name].queueArn],
          [queuePart(name, 'Url'), queues[name].queueUrl],
        ]),
      ) as Pick<Given, ReturnType<typeof queuePart>>),
      ...(settings.rowLevelSecurity && {
        TenantRoleArn: addTenantRole(storage, catalogue, settings).roleArn,
      }),
    };
    const deployment = { settings, bundles, given };
    const areas = Object.entries(Object.groupBy(catalogue.operations, ({ area }) => area));
    const stacks = areas.map(([area, operations]) => new AreaStack(this, area, operations!, deployment));
    // A stack without resources cannot be deployed.
    if (catalogue.workers.length > 0) new WorkersStack(this, catalogue.workers, deployment);

    const api = addApi(this, catalogue.operations, settings);
    api.latestDeployment!.node.addDependency(...stacks);
    addAlarms(this, {
      apiName: settings.prefix,
      areas: areas.map(([area]) => area),
      storage,
      topicArn: alarms.topicArn,
    });

    new CfnOutput(this, 'ApiUrl', { value: api.url, description: 'Without /v1, which the paths carry' });
    new CfnOutput(this, 'TableName', { value: table.tableName });
    new CfnOutput(this, 'BucketName', { value: bucket.bucketName });
    new CfnOutput(this, 'AlarmsTopic', {
      value: alarms.topicArn,
      description: 'Subscribe whoever is on call',
    });
  }
}

/**
 * The app of a catalogue, checked. `bundling` makes the functions' code; by default what is deployed.
 * @throws Error for a setting, a name or a route that cannot be deployed.
 */
export const appOf = async (
  catalogue: Catalogue,
  props: AppProps = {},
  bundling: typeof bundle = bundle,
): Promise<App> => {
  const app = new App(props);
  const settings = settingsOf(app);
  const bundles = await bundling(catalogue, settings.architecture, resolve(app.outdir, 'bundles'));
  new ServiceStack(app, catalogue, settings, bundles);
  addChecks(app);
  return app;
};
