import { CodeDeployClient, PutLifecycleEventHookExecutionStatusCommand } from '@aws-sdk/client-codedeploy';
import { runSmoke } from './run.ts';

/** What CodeDeploy tells a hook (AWS CodeDeploy, "AppSpec 'hooks' section for an AWS Lambda deployment"). */
interface Hook {
  DeploymentId: string;
  LifecycleEventHookExecutionId: string;
}

const log = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

/**
 * Does the main job of the service when all requests have been moved to the new versions of its functions. When the job
 * fails, so does the deployment, and CloudFormation brings back the versions of before.
 *
 * Variables: `API_URL`, without `/v1`, and `API_KEY`, which reads and writes.
 */
export const handler = async ({ DeploymentId, LifecycleEventHookExecutionId }: Hook): Promise<void> => {
  const { API_URL: url = '', API_KEY: key = '' } = process.env;
  const total = await runSmoke({ url, key }, log);
  log({ step: 'smoke test', ...total });
  await new CodeDeployClient().send(
    new PutLifecycleEventHookExecutionStatusCommand({
      deploymentId: DeploymentId,
      lifecycleEventHookExecutionId: LifecycleEventHookExecutionId,
      status: total.ok ? 'Succeeded' : 'Failed',
    }),
  );
};
