import { Aws, CfnParameter, Duration, NestedStack, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyDocument, type PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { QueueName } from '../../shared/base/queues.ts';
import type { Grant } from '../../shared/http/grants.ts';
import type { Worker } from '../../shared/http/worker.ts';
import { type Bundles, nameOf } from './bundle.ts';
import { acknowledge } from './checks.ts';
import { allow, queuesOf, type Resources, usesBucket, usesMail, usesTable } from './grants.ts';
import type { Settings } from './settings.ts';

type QueuePart = `${Capitalize<QueueName>}Queue${'Arn' | 'Url'}`;

/** What functions, whatever their stack, are given of the rest of the deployment. */
export type Given = Readonly<
  Record<
    | 'TableName'
    | 'TableArn'
    | 'StreamArn'
    | 'BucketName'
    | 'BucketArn'
    | 'KeyArn'
    | 'UndeliveredArn'
    | 'AlarmsArn'
    | QueuePart,
    string
  > & { TenantRoleArn?: string }
>;

export const capitalized = <Text extends string>(text: Text) =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}` as Capitalize<Text>;

export const queuePart = (queue: QueueName, part: 'Arn' | 'Url') =>
  `${capitalized(queue)}Queue${part}` as const;

/** Seconds that a worker may take. */
export const timeoutOf = ({ timeout = 60 }: Worker): number => timeout;

const ARCHITECTURE = { arm64: Architecture.ARM_64, x86_64: Architecture.X86_64 } as const;

interface FunctionProps {
  file: string;
  id: string;
  summary: string;
  /** MB. */
  memory?: number | undefined;
  /** Seconds. */
  timeout: number;
  /** What it declares; the names of what these reach are its variables. */
  grants: readonly Grant[];
  statements: PolicyStatement[];
  variables?: Record<string, string>;
}

/** Where roles of functions that serve requests stand, as IAM paths; the tenant role trusts no other. */
export const operationsPath = ({ prefix }: Settings) => `/${prefix}/${Aws.REGION}/operations/`;

export interface Deployment {
  settings: Settings;
  bundles: Bundles;
  given: Given;
}

/** A part of the service: some functions, each with its role and its log, and what it takes of the deployment. */
export class FunctionsStack extends NestedStack {
  readonly deployment: Deployment;

  constructor(scope: Construct, id: string, deployment: Deployment) {
    super(scope, id);
    this.deployment = deployment;
  }

  /**
   * A value of the deployment, as a parameter of this stack. CDK would make one itself, under a name that is
   * known only after synthesis; the acknowledged findings need it before.
   */
  given(name: keyof Given): string {
    const existing = this.node.tryFindChild(name);
    if (existing) return (existing as CfnParameter).valueAsString;
    const value = this.deployment.given[name];
    if (value === undefined) throw new Error(`this deployment has no ${name}`);
    this.setParameter(name, value);
    return new CfnParameter(this, name).valueAsString;
  }

  protected resources(): Resources {
    return {
      tableArn: () => this.given('TableArn'),
      objectsArn: () => `${this.given('BucketArn')}/org/*`,
      keyArn: () => this.given('KeyArn'),
      queueArn: (queue) => this.given(queuePart(queue, 'Arn')),
      identityArns: () => this.#identityArns(),
    };
  }

  /** @throws Error when AWS would refuse the function's name. */
  protected addFunction(props: FunctionProps, rolePath: string): Function {
    const { settings, bundles } = this.deployment;
    const { file, id, summary, memory = 512, timeout, grants, statements } = props;
    const name = `${settings.prefix}-${nameOf({ file })}`;
    if (name.length > 64) throw new Error(`${name} has more than the 64 characters of a function's name`);
    const { folder, handler, architecture } = bundles.get(file)!;
    const construct = capitalized(id);
    const logGroup = new LogGroup(this, `${construct}Log`, {
      logGroupName: `/aws/lambda/${name}`,
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new Role(this, `${construct}Role`, {
      path: rolePath,
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: {
        grants: new PolicyDocument({
          statements: [
            ...statements,
            allow(['logs:CreateLogStream', 'logs:PutLogEvents'], [logGroup.logGroupArn]),
          ],
        }),
      },
    });
    if (statements.some(({ actions }) => actions.some((action) => action.startsWith('s3:')))) {
      acknowledge(role, WILDCARDS);
    }
    return new Function(this, construct, {
      functionName: name,
      description: summary,
      runtime: Runtime.NODEJS_24_X,
      architecture: ARCHITECTURE[architecture],
      code: Code.fromAsset(folder),
      handler,
      memorySize: memory,
      timeout: Duration.seconds(timeout),
      role: role.withoutPolicyUpdates(),
      logGroup,
      environment: { ...this.#variablesOf(grants), ...props.variables },
    });
  }

  // IAM asks for the address where that is verified itself, and for its domain where that is.
  #identityArns(): string[] {
    const { mailFrom } = this.deployment.settings;
    if (!mailFrom) return [];
    return [mailFrom, mailFrom.split('@')[1]!].map((identity) =>
      this.formatArn({ service: 'ses', resource: 'identity', resourceName: identity }),
    );
  }

  // The endpoints are empty in the cloud, where the SDK knows them; a local run can only give a value to a
  // variable that the template names.
  #variablesOf(grants: readonly Grant[]): Record<string, string> {
    return {
      ...(usesTable(grants) && { TABLE_NAME: this.given('TableName'), AWS_ENDPOINT_URL_DYNAMODB: '' }),
      ...(usesBucket(grants) && { BUCKET_NAME: this.given('BucketName'), AWS_ENDPOINT_URL_S3: '' }),
      ...(usesMail(grants) && {
        MAIL_FROM: this.deployment.settings.mailFrom ?? '',
        AWS_ENDPOINT_URL_SESV2: '',
      }),
      ...(queuesOf(grants).length > 0 && { AWS_ENDPOINT_URL_SQS: '' }),
      ...Object.fromEntries(
        queuesOf(grants).map((queue) => [
          `${queue.toUpperCase()}_QUEUE_URL`,
          this.given(queuePart(queue, 'Url')),
        ]),
      ),
    };
  }
}

const WILDCARDS = {
  'IAM5[Resource::<BucketArn>/org/*]':
    'Keys of objects are made at run time; the wildcard ends at the prefix that all of them have.',
};
