import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { App } from 'aws-cdk-lib';
import type { Catalogue } from '../../../infra/catalogue.ts';
import { physicalName } from '../../../infra/cloud/names.ts';
import { appOf } from '../../../infra/cloud/stacks.ts';
import type { Audience } from '../../../shared/http/operation/surface.ts';
import { emptyBundles } from './catalogues.ts';
import { filled, ofType, readTemplates, type Resource, type Template } from './resources.ts';

export * from './resources.ts';

export interface Statement {
  Effect: string;
  Action: string | string[];
  Resource: unknown;
  Condition?: Record<string, Record<string, unknown>>;
}

export interface Role {
  Path?: unknown;
  AssumeRolePolicyDocument: { Statement: Statement[] };
  Policies: { PolicyDocument: { Statement: Statement[] } }[];
}

export interface LambdaFunction {
  FunctionName: string;
  Description: string;
  Architectures: string[];
  Runtime: string;
  Handler: string;
  Timeout: number;
  ReservedConcurrentExecutions?: number;
  Role: { 'Fn::GetAtt': [string, 'Arn'] };
  LoggingConfig: { LogGroup: { Ref: string } };
  Environment: { Variables: Record<string, unknown> };
}

interface Integration {
  type: string;
  uri: unknown;
  credentials: unknown;
  timeoutInMillis: number;
  responseTransferMode?: string;
}

export interface ApiBody {
  paths: Record<
    string,
    Record<string, { operationId: string; 'x-amazon-apigateway-integration': Integration }>
  >;
  'x-amazon-apigateway-binary-media-types': string[];
  'x-amazon-apigateway-gateway-responses': Record<
    string,
    {
      statusCode?: number;
      responseTemplates: { 'application/json': string };
      responseParameters: Record<string, string>;
    }
  >;
}

const FOLDER = mkdtempSync(join(tmpdir(), 'deployments-'));
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

/**
 * The app of a catalogue, in a folder that is deleted after the tests. It is checked by cdk-nag, but not by CDK's own
 * validation, whose findings never fail a synthesis, and which starts anew in each file.
 */
export const newApp = (catalogue: Catalogue, context: Record<string, unknown> = {}): Promise<App> =>
  appOf(
    catalogue,
    { context, outdir: mkdtempSync(join(FOLDER, 'app-')), builtinCloudFormationValidation: false },
    emptyBundles,
  );

/** The templates of a deployment, with the metadata that the CDK command line adds. */
export const templatesOf = async (
  catalogue: Catalogue,
  context: Record<string, unknown> = {},
): Promise<{ folder: string; templates: Template[] }> => {
  const app = await newApp(catalogue, { 'aws:cdk:enable-asset-metadata': true, ...context });
  const { directory: folder } = app.synth();
  return { folder, templates: readTemplates(folder) };
};

/** The API of an audience. */
export const apiIn = (templates: readonly Template[], audience: Audience): Resource<{ Body: ApiBody }> =>
  ofType<{ Body: ApiBody }>(templates, 'AWS::ApiGateway::RestApi').find(
    ({ id }) => id.startsWith('People') === (audience === 'people'),
  )!;

export const bodyIn = (templates: readonly Template[], audience: Audience): ApiBody =>
  apiIn(templates, audience).Properties.Body;

/** What the links of a deployment begin with. */
export const publicUrlIn = (templates: readonly Template[]): string =>
  filled(
    ofType<{ Parameters?: Record<string, unknown> }>(templates, 'AWS::CloudFormation::Stack')
      .map(({ Properties }) => Properties.Parameters?.['PublicUrl'])
      .find((url) => url !== undefined),
  );

export const list = <Value>(value: Value | Value[]): Value[] => (Array.isArray(value) ? value : [value]);

export const statementsOf = ({ Properties }: Resource<Role>): Statement[] =>
  Properties.Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);

export const actionsOf = (role: Resource<Role>, service: string): string[] =>
  statementsOf(role)
    .flatMap(({ Action }) => list(Action))
    .filter((action) => action.startsWith(`${service}:`))
    .toSorted();

/** The name of an operation's or worker's function. */
export const nameOf = (entry: { file: string }): string =>
  physicalName({ prefix: 'inspection-service' }, entry);

export const functionNamed = (name: string, templates: readonly Template[]): Resource<LambdaFunction> => {
  const found = ofType<LambdaFunction>(templates, 'AWS::Lambda::Function').filter(
    ({ Properties }) => Properties.FunctionName === name,
  );
  expect(found).toHaveLength(1);
  return found[0]!;
};

export interface Alias {
  Name: string;
  FunctionName: { Ref: string };
  FunctionVersion: { 'Fn::GetAtt': [string, 'Version'] };
}

/** The alias of a function, by which everything invokes it. */
export const aliasOf = ({ id }: Resource<LambdaFunction>, templates: readonly Template[]): Resource<Alias> =>
  ofType<Alias>(templates, 'AWS::Lambda::Alias').find(
    ({ Properties }) => Properties.FunctionName.Ref === id,
  )!;

export const roleOf = (
  { Properties }: Resource<LambdaFunction>,
  templates: readonly Template[],
): Resource<Role> =>
  ofType<Role>(templates, 'AWS::IAM::Role').find(({ id }) => id === Properties.Role['Fn::GetAtt'][0])!;

/** The service that a grant names, by the partitions that a statement is limited to. */
const SYSTEM_SERVICES: Record<string, string> = {
  'LINK#*': 'link',
  'VISITS#*': 'visits',
  'KEY#*': 'key',
  'KEY#* ORG#*#REQUEST#*': 'key',
  'SESSION#*': 'session',
  'PERSON#*': 'person',
  'EMAIL#*': 'email',
};

/** The partitions that a statement is limited to. */
export const partitionsOf = ({
  Condition,
}: {
  Condition?: Record<string, Record<string, unknown>>;
}): string =>
  ((Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'] ?? []) as string[]).join(' ');

/** The statements by which a role may use the key of credentials. */
export const credentialUseOf = (role: Resource<Role>): Statement[] =>
  statementsOf(role).filter(({ Resource }) => /CredentialsKey/.test(list(Resource).map(filled).join(' ')));

/** What a role may do with the table, the bucket, the queues and the credentials, as operations declare it. */
export const grantedBy = (role: Resource<Role>): string[] => [
  ...statementsOf(role).flatMap((statement) =>
    list(statement.Action)
      .filter((action) => action.startsWith('dynamodb:'))
      .map((action) => action.replace('dynamodb', SYSTEM_SERVICES[partitionsOf(statement)] ?? 'table')),
  ),
  ...actionsOf(role, 's3').map((action) => action.replace('s3:', 'bucket:')),
  ...statementsOf(role)
    .filter(({ Action }) => Action === 'sqs:SendMessage')
    .map(({ Resource }) => `queue:${filled(Resource)}`),
  ...credentialUseOf(role).flatMap(({ Action, Condition }) =>
    list(Action).map((action) =>
      action.replace(
        'kms:',
        'kms:EncryptionContext:webhook' in Condition!['Null']! ? 'secret:' : 'credential:',
      ),
    ),
  ),
];

/** The use of the encryption key through services of this region, as `keyUseOf` returns it. */
export const keyUse = (key: string, services: readonly string[]) => ({
  actions: ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey'],
  resources: [key],
  services: services.map((service) => `${service}.eu-west-1.amazonaws.com`),
});

/** The statement by which a role may use the encryption key; undefined for none. */
export const keyUseOf = (role: Resource<Role>) => {
  const found = statementsOf(role).filter(({ Action }) => list(Action).includes('kms:GenerateDataKey'));
  expect(found.length).toBeLessThanOrEqual(1);
  const [statement] = found;
  if (!statement) return undefined;
  const { Effect, Action, Resource, Condition = {} } = statement;
  const { 'kms:ViaService': services, ...others } = Condition['StringEquals'] ?? {};
  expect([Effect, Object.keys(Condition), others]).toEqual(['Allow', ['StringEquals'], {}]);
  return {
    actions: Action,
    resources: list(Resource).map(filled),
    services: list(services).map(filled),
  };
};
