import { Aws, RemovalPolicy, type Stack } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  AccessLogField,
  ApiDefinition,
  EndpointType,
  LogGroupLogDestination,
  MethodLoggingLevel,
  RestApiMode,
  SpecRestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { PolicyDocument, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { OperationEntry } from '../catalogue.ts';
import { GATEWAY_TIMEOUT } from '../limits.ts';
import { nameOf } from './bundle.ts';
import { acknowledge } from './checks.ts';
import { allow } from './grants.ts';
import type { Settings } from './settings.ts';

const SECONDS = 1_000;

const STAGE = 'live';

/** API Gateway's default quota of path nodes in one API; more need a request to AWS. */
const MOST_NODES = 300;

const template = (detail: string) => ({ 'application/json': `{"detail": ${detail}}` });
const fixed = (statusCode: number, detail: string) => ({
  statusCode,
  responseTemplates: template(JSON.stringify(detail)),
});
const malformed = { statusCode: 400, responseTemplates: template('$context.error.messageString') };
// A Bearer header on an unknown route is read as a signature, and the default text may repeat it.
const unknownRoute = fixed(404, 'not found');
const outOfReach = fixed(503, 'the service is briefly unavailable, try again');
const overLimit = fixed(429, 'rate limit exceeded');

/** What the gateway itself answers: the contract's statuses and its one error body (contract, "Errors"). */
const GATEWAY_RESPONSES = {
  DEFAULT_4XX: { responseTemplates: template('$context.error.messageString') },
  // A crashed function is 502 by default, which the contract does not have.
  DEFAULT_5XX: fixed(500, 'internal server error'),
  MISSING_AUTHENTICATION_TOKEN: unknownRoute,
  INVALID_SIGNATURE: unknownRoute,
  ACCESS_DENIED: unknownRoute,
  RESOURCE_NOT_FOUND: unknownRoute,
  REQUEST_TOO_LARGE: malformed,
  UNSUPPORTED_MEDIA_TYPE: malformed,
  BAD_REQUEST_BODY: malformed,
  THROTTLED: overLimit,
  QUOTA_EXCEEDED: overLimit,
  INTEGRATION_TIMEOUT: outOfReach,
  INTEGRATION_FAILURE: outOfReach,
} as const;

/** The path nodes of an API, its root included: what the gateway counts. */
const nodesOf = (paths: readonly string[]): Set<string> =>
  new Set(
    paths.flatMap((path) =>
      path.split('/').map((_, position, segments) => segments.slice(0, position + 1).join('/')),
    ),
  );

/** @throws Error for two variables at one place of a path: a node has one variable child at most. */
const checkVariables = (nodes: ReadonlySet<string>): void => {
  const variables = new Map<string, string>();
  for (const node of nodes) {
    const [, parent, variable] = node.match(/^(.*)\/(\{\w+\})$/) ?? [];
    if (parent === undefined || variable === undefined) continue;
    const other = variables.get(parent) ?? variable;
    if (other !== variable) throw new Error(`${parent} is followed by both ${other} and ${variable}`);
    variables.set(parent, variable);
  }
};

/**
 * The API as the gateway imports it: OpenAPI reduced to routes, each to its function by the physical name.
 * @throws Error for two operations of one method and path, and for path nodes that an API may not have.
 */
const bodyOf = (operations: readonly OperationEntry[], { prefix }: Settings, roleArn: string) => {
  const paths: Record<string, Record<string, object>> = {};
  for (const entry of operations) {
    const { id, method, path, list } = entry.operation;
    const routes = (paths[`/v1${path}`] ??= {});
    if (routes[method.toLowerCase()]) throw new Error(`${id} is a second ${method} ${path}`);
    const functionArn = `arn:${Aws.PARTITION}:lambda:${Aws.REGION}:${Aws.ACCOUNT_ID}:function:${prefix}-${nameOf(entry)}`;
    const invocations = list
      ? `2021-11-15/functions/${functionArn}/response-streaming-invocations`
      : `2015-03-31/functions/${functionArn}/invocations`;
    routes[method.toLowerCase()] = {
      operationId: id,
      parameters: Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => ({
        name,
        in: 'path',
        required: true,
        schema: { type: 'string' },
      })),
      responses: {},
      'x-amazon-apigateway-integration': {
        type: 'aws_proxy',
        httpMethod: 'POST',
        uri: `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}:lambda:path/${invocations}`,
        credentials: roleArn,
        timeoutInMillis: GATEWAY_TIMEOUT[list ? 'streamed' : 'buffered'] * SECONDS,
        ...(list && { responseTransferMode: 'STREAM' }),
      },
    };
  }
  const nodes = nodesOf(Object.keys(paths));
  if (nodes.size >= MOST_NODES) {
    throw new Error(`${nodes.size} path nodes; an API has fewer than ${MOST_NODES}`);
  }
  checkVariables(nodes);
  return {
    openapi: '3.0.1',
    info: { title: prefix, version: '1' },
    paths,
    'x-amazon-apigateway-binary-media-types': ['*/*'],
    'x-amazon-apigateway-gateway-responses': GATEWAY_RESPONSES,
  };
};

// No query and no header: they may hold secrets. The route, not the path, for the same reason.
const ACCESS_LOG = AccessLogFormat.custom(
  JSON.stringify({
    request_id: AccessLogField.contextRequestId(),
    time: AccessLogField.contextRequestTime(),
    source_ip: AccessLogField.contextIdentitySourceIp(),
    method: AccessLogField.contextHttpMethod(),
    route: AccessLogField.contextResourcePath(),
    status: AccessLogField.contextStatus(),
    response_length: AccessLogField.contextResponseLength(),
    latency: AccessLogField.contextResponseLatency(),
    integration_latency: AccessLogField.contextIntegrationLatency(),
    error: AccessLogField.contextErrorResponseType(),
  }),
);

/** The REST API of all operations, stage `live`. A custom domain maps to its root: paths carry /v1 themselves. */
export const addApi = (
  stack: Stack,
  operations: readonly OperationEntry[],
  settings: Settings,
): SpecRestApi => {
  const functions = `arn:${Aws.PARTITION}:lambda:${Aws.REGION}:${Aws.ACCOUNT_ID}:function:${settings.prefix}-*`;
  const role = new Role(stack, 'ApiRole', {
    assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
    inlinePolicies: {
      functions: new PolicyDocument({ statements: [allow(['lambda:InvokeFunction'], [functions])] }),
    },
  });
  acknowledge(role, {
    [`IAM5[Resource::arn:<AWS::Partition>:lambda:<AWS::Region>:<AWS::AccountId>:function:${settings.prefix}-*]`]:
      'The functions of this deployment are more than a policy can name; none of them is reached by another route.',
  });
  const accessLog = new LogGroup(stack, 'AccessLog', {
    retention: RetentionDays.ONE_YEAR,
    removalPolicy: RemovalPolicy.RETAIN,
  });
  const api = new SpecRestApi(stack, 'Api', {
    restApiName: settings.prefix,
    apiDefinition: ApiDefinition.fromInline(bodyOf(operations, settings, role.roleArn)),
    // What the body no longer has goes away.
    mode: RestApiMode.OVERWRITE,
    endpointTypes: [EndpointType.REGIONAL],
    cloudWatchRole: true,
    deployOptions: {
      stageName: STAGE,
      accessLogDestination: new LogGroupLogDestination(accessLog),
      accessLogFormat: ACCESS_LOG,
      loggingLevel: MethodLoggingLevel.ERROR,
      dataTraceEnabled: false,
      throttlingRateLimit: 1_000,
      throttlingBurstLimit: 2_000,
    },
  });
  // The gateway makes this log itself, to be kept for ever, unless it is there before the stage.
  const executionLog = new LogGroup(stack, 'ExecutionLog', {
    logGroupName: `API-Gateway-Execution-Logs_${api.restApiId}/${STAGE}`,
    retention: RetentionDays.THREE_MONTHS,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  api.deploymentStage.node.addDependency(executionLog);
  // Its output would repeat ours under a generated name.
  api.node.tryRemoveChild('Endpoint');
  acknowledge(api, {
    APIG2:
      'Requests are validated by the functions, which answer all problems at once in the form of the contract.',
    APIG3: 'Calls are limited key by key; a web ACL in front is the choice of the account that deploys.',
    'IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]':
      "The policy that AWS maintains for the gateway's own logs.",
  });
  return api;
};
