import { Aws, CfnParameter, Duration, FileSystem, NestedStack, RemovalPolicy, Token } from 'aws-cdk-lib';
import { PolicyDocument, type PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type Alias, Architecture, Code, Function, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { QueueName } from '../../../shared/base/queues.ts';
import { OWNED_PREFIXES } from '../../../shared/files/objects.ts';
import { allVendors } from '../../../shared/integrations/vendors.ts';
import type { Grant } from '../../grants.ts';
import { DEFAULT_MEMORY } from '../../limits.ts';
import type { Bundles } from '../bundle.ts';
import { acknowledge } from '../checks.ts';
import { capitalized, configurationSetName, metricsNamespace, physicalName, queueValue } from '../names.ts';
import type { Settings } from '../settings.ts';
import {
  allow,
  makesLinks,
  queuesOf,
  type Resources,
  usesBucket,
  usesCredentials,
  usesMail,
  usesTable,
} from './grants.ts';
import { addAlias, isGradual } from './rollout.ts';

/**
 * The hash of a function's code. The function is deployed again when it changes. It leaves out V8's code cache, which
 * has other bytes each time.
 */
export const hashOf = (folder: string): string =>
  FileSystem.fingerprint(folder, { exclude: ['*.cache'], extraHash: process.versions.v8 });

/** Values of the deployment that the stacks of functions need. */
export type DeploymentValues = Readonly<
  Record<
    | 'TableName'
    | 'TableArn'
    | 'StreamArn'
    | 'BucketName'
    | 'BucketArn'
    | 'KeyArn'
    | 'CredentialsKeyArn'
    | 'UndeliveredArn'
    | 'FailedRunsArn'
    | 'AlarmsArn'
    | 'PublicUrl'
    | 'OidcIssuer'
    | 'OidcClientId'
    | `${Capitalize<QueueName>}Queue${'Arn' | 'Url'}`,
    string
  > & {
    TenantRoleArn?: string;
    /** Only of a deployment that is rolled out gradually. */
    RolloutRoleArn?: string;
    /** The names of the alarms that stop such a deployment. */
    MachinesErrorsAlarm?: string;
    PeopleErrorsAlarm?: string;
    StoredDeadLettersAlarm?: string;
  }
>;

export interface Deployment {
  settings: Settings;
  bundles: Bundles;
  values: DeploymentValues;
  /** The name of the function that tries the service at the end of a gradual rollout, if there is one. */
  hook?: string | undefined;
}

export const ARCHITECTURE = { arm64: Architecture.ARM_64, x86_64: Architecture.X86_64 } as const;

const WILDCARDS = Object.fromEntries(
  OWNED_PREFIXES.map((prefix) => [
    `IAM5[Resource::<BucketArn>/${prefix}*]`,
    'Object keys are created at run time. The wildcard is limited to the prefixes that they have.',
  ]),
);

const TRACING_ACTIONS = ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'];

const TRACING_WILDCARD = {
  'IAM5[Resource::*]': 'X-Ray has no resources for the actions by which traces are sent.',
};

interface FunctionProps {
  /** In the catalogue. */
  file: string;
  id: string;
  summary: string;
  /** MB. */
  memory?: number | undefined;
  /** Seconds. */
  timeout: number;
  /** How many instances may run at once. The account keeps this concurrency for the function. */
  reservedConcurrency?: number | undefined;
  /** What it may do. The function gets variables for the resources that they name. */
  grants: readonly Grant[];
  /** The queue that it reads. */
  queue?: QueueName | undefined;
  statements: PolicyStatement[];
  variables?: Record<string, string>;
  /** The name of the function that tries the service when this one has been rolled out. */
  hook?: string | undefined;
}

/** A function, and what everything that invokes it names. */
export interface Deployed {
  target: Function;
  live: Alias;
}

/** The IAM path of the roles of functions that serve requests. Only these roles may assume the tenant role. */
export const operationsPath = ({ prefix }: Settings) => `/${prefix}/${Aws.REGION}/operations/`;

/** A nested stack of functions. Each function has a role and a log of its own. */
export abstract class FunctionsStack extends NestedStack {
  readonly deployment: Deployment;

  constructor(scope: Construct, id: string, deployment: Deployment) {
    super(scope, id);
    this.deployment = deployment;
  }

  /**
   * A value of the deployment, as a parameter of this stack. CDK would create the parameter itself, but under a name
   * that is known only after synthesis, and the acknowledged findings need the name earlier.
   */
  value(name: keyof DeploymentValues): string {
    const existing = this.node.tryFindChild(name);
    if (existing) return (existing as CfnParameter).valueAsString;
    const value = this.deployment.values[name];
    if (value === undefined) throw new Error(`this deployment has no ${name}`);
    this.setParameter(name, value);
    return new CfnParameter(this, name).valueAsString;
  }

  protected resources(): Resources {
    return {
      tableArn: () => this.value('TableArn'),
      objectArns: () => OWNED_PREFIXES.map((prefix) => `${this.value('BucketArn')}/${prefix}*`),
      keyArn: () => this.value('KeyArn'),
      credentialsKeyArn: () => this.value('CredentialsKeyArn'),
      queueArn: (queue) => this.value(queueValue(queue, 'Arn')),
      identityArns: () => this.#identityArns(),
    };
  }

  /** The names of the alarms that stop the rollout of this stack's functions. */
  protected abstract brakes(): string[];

  /** @throws Error when the function's name is longer than AWS allows */
  protected addFunction(props: FunctionProps, rolePath: string): Deployed {
    const { settings, bundles } = this.deployment;
    const { file, id, summary, memory = DEFAULT_MEMORY, timeout, grants } = props;
    const name = physicalName(settings, { file });
    const { folder, handler, architecture } = bundles.get(file)!;
    const construct = capitalized(id);
    const logGroup = new LogGroup(this, `${construct}Log`, {
      logGroupName: `/aws/lambda/${name}`,
      retention: Number(settings.logRetention) as RetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = this.#addRole(`${construct}Role`, rolePath, props.statements, logGroup);
    const environment = {
      METRICS_NAMESPACE: metricsNamespace(settings),
      ...(settings.logLevel === 'error' && { LOG_LEVEL: 'error' }),
      ...(settings.operationMetrics && { OPERATION_METRICS: 'true' }),
      ...this.#variablesOf(grants, props.queue),
      ...props.variables,
    };
    const target = new Function(this, construct, {
      functionName: name,
      description: summary,
      runtime: Runtime.NODEJS_24_X,
      architecture: ARCHITECTURE[architecture],
      code: Code.fromAsset(folder, { assetHash: hashOf(folder) }),
      handler,
      memorySize: memory,
      timeout: Duration.seconds(timeout),
      ...(props.reservedConcurrency !== undefined && {
        reservedConcurrentExecutions: props.reservedConcurrency,
      }),
      role: role.withoutPolicyUpdates(),
      logGroup,
      tracing: settings.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
      environment,
    });
    for (const value of this.#givenTo(environment)) target.invalidateVersionBasedOn(value);
    const brake = isGradual(settings)
      ? { roleArn: this.value('RolloutRoleArn'), alarms: this.brakes(), hook: props.hook }
      : undefined;
    return { target, live: addAlias(this, construct, target, settings, brake) };
  }

  /**
   * The values that a function's variables take from parameters of this stack, as far as the settings name them. A new
   * version is published when one changes, such as the name of an imported table: the template of the function alone,
   * which CDK compares, would be the same, and the alias would stay at the version with the former value.
   */
  #givenTo(environment: Readonly<Record<string, string>>): string[] {
    const used = new Set(Object.values(environment));
    return Object.entries(this.deployment.values).flatMap(([name, value]) => {
      const parameter = this.node.tryFindChild(name) as CfnParameter | undefined;
      return parameter && used.has(parameter.valueAsString) && !Token.isUnresolved(value)
        ? [`${name}=${value}`]
        : [];
    });
  }

  #addRole(id: string, path: string, statements: PolicyStatement[], log: LogGroup): Role {
    const { tracing } = this.deployment.settings;
    const role = new Role(this, id, {
      path,
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: {
        grants: new PolicyDocument({
          statements: [
            ...statements,
            allow(['logs:CreateLogStream', 'logs:PutLogEvents'], [log.logGroupArn]),
            ...(tracing ? [allow(TRACING_ACTIONS, ['*'])] : []),
          ],
        }),
      },
    });
    if (statements.some(({ actions }) => actions.some((action) => action.startsWith('s3:')))) {
      acknowledge(role, WILDCARDS);
    }
    if (tracing) acknowledge(role, TRACING_WILDCARD);
    return role;
  }

  // SES checks the permission on the address if the address is verified, and on its domain if the domain is.
  #identityArns(): string[] {
    const { mailFrom } = this.deployment.settings;
    if (!mailFrom) return [];
    return [
      ...[mailFrom, mailFrom.split('@')[1]!].map((identity) =>
        this.formatArn({ service: 'ses', resource: 'identity', resourceName: identity }),
      ),
      this.formatArn({
        service: 'ses',
        resource: 'configuration-set',
        resourceName: configurationSetName(this.deployment.settings),
      }),
    ];
  }

  // The endpoints are empty in the cloud, where the SDK knows them. They are named here because SAM can set only the
  // variables that the template names.
  #variablesOf(grants: readonly Grant[], source: QueueName | undefined): Record<string, string> {
    const queues = [...queuesOf(grants), ...(source ? [source] : [])];
    return {
      ...(usesTable(grants) && {
        TABLE_NAME: this.value('TableName'),
        AWS_ENDPOINT_URL_DYNAMODB: '',
        // A change gives it to the task of a mail.
        MAIL_WINDOW_SECONDS: this.deployment.settings.mailWindow,
      }),
      ...(usesBucket(grants) && { BUCKET_NAME: this.value('BucketName'), AWS_ENDPOINT_URL_S3: '' }),
      ...(usesMail(grants) && {
        MAIL_FROM: this.deployment.settings.mailFrom ?? '',
        MAIL_CONFIGURATION_SET: this.deployment.settings.mailFrom
          ? configurationSetName(this.deployment.settings)
          : '',
        INSPECTION_URL: this.deployment.settings.inspectionUrl ?? '',
        AWS_ENDPOINT_URL_SESV2: '',
      }),
      ...(usesCredentials(grants) && {
        CREDENTIALS_KEY_ID: this.value('CredentialsKeyArn'),
        AWS_ENDPOINT_URL_KMS: '',
        ...Object.fromEntries(allVendors().map(({ id }) => [`${id.toUpperCase()}_API_URL`, ''])),
      }),
      ...(makesLinks(grants) && { PUBLIC_URL: this.value('PublicUrl') }),
      ...(queues.length > 0 && { AWS_ENDPOINT_URL_SQS: '' }),
      ...Object.fromEntries(
        queues.map((queue) => [`${queue.toUpperCase()}_QUEUE_URL`, this.value(queueValue(queue, 'Url'))]),
      ),
    };
  }
}
