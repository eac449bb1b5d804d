/* oxlint-disable no-new -- a construct adds itself to its scope */
import { Aws, RemovalPolicy, type Stack } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  AccessLogField,
  ApiDefinition,
  type CfnRestApi,
  EndpointAccessMode,
  EndpointType,
  LogGroupLogDestination,
  MethodLoggingLevel,
  RestApiMode,
  SecurityPolicy,
  SpecRestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { PolicyDocument, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { FilterPattern, LogGroup, MetricFilter, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { OperationEntry } from '../catalogue.ts';
import { STAGE } from '../gateway.ts';
import { THROTTLED_REQUESTS } from './alarms/metrics.ts';
import { apiBody } from './api/body.ts';
import { acknowledge } from './checks.ts';
import { allow } from './functions/grants.ts';
import { metricsNamespace } from './names.ts';
import type { Settings } from './settings.ts';

/** Requests that API Gateway admits for all keys together: per second, and at once. */
const MAX_REQUESTS = { rate: 1_000, burst: 2_000 };

/** TLS 1.2 and 1.3, only with ciphers that have forward secrecy. The host of a request must be that of its TLS. */
const TLS = {
  securityPolicy: SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09,
  endpointAccessMode: EndpointAccessMode.STRICT,
};

// Query strings, headers and paths are left out, because they may contain secrets. The route has no values in it.
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
    // 429 when Lambda throttled the function.
    integration_status: AccessLogField.contextIntegrationStatus(),
    integration_latency: AccessLogField.contextIntegrationLatency(),
    error: AccessLogField.contextErrorResponseType(),
  }),
);

/** The role by which API Gateway invokes the functions of this deployment. */
const addInvokeRole = (stack: Stack, prefix: string): Role => {
  const functions = `arn:${Aws.PARTITION}:lambda:${Aws.REGION}:${Aws.ACCOUNT_ID}:function:${prefix}-*`;
  const role = new Role(stack, 'ApiRole', {
    assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
    inlinePolicies: {
      functions: new PolicyDocument({ statements: [allow(['lambda:InvokeFunction'], [functions])] }),
    },
  });
  acknowledge(role, {
    [`IAM5[Resource::arn:<AWS::Partition>:lambda:<AWS::Region>:<AWS::AccountId>:function:${prefix}-*]`]:
      'A policy is too small to list all functions of this deployment. Each route invokes only its own function.',
  });
  return role;
};

/**
 * The REST API of all operations. A custom domain maps to the root of its stage, because the paths begin with `/v1`
 * themselves, or are those of pages.
 */
export const addApi = (
  stack: Stack,
  operations: readonly OperationEntry[],
  settings: Settings,
): SpecRestApi => {
  const { prefix, cloudWatchRole, tracing } = settings;
  const role = addInvokeRole(stack, prefix);
  const accessLog = new LogGroup(stack, 'AccessLog', {
    retention: RetentionDays.ONE_YEAR,
    removalPolicy: RemovalPolicy.RETAIN,
  });
  new MetricFilter(stack, `${THROTTLED_REQUESTS}Filter`, {
    logGroup: accessLog,
    filterPattern: FilterPattern.stringValue('$.integration_status', '=', '429'),
    metricNamespace: metricsNamespace(settings),
    metricName: THROTTLED_REQUESTS,
    metricValue: '1',
  });
  const api = new SpecRestApi(stack, 'Api', {
    restApiName: prefix,
    apiDefinition: ApiDefinition.fromInline(apiBody(operations, prefix, role.roleArn)),
    // Removes the routes that the body no longer has.
    mode: RestApiMode.OVERWRITE,
    endpointTypes: [EndpointType.REGIONAL],
    cloudWatchRole,
    deployOptions: {
      stageName: STAGE,
      accessLogDestination: new LogGroupLogDestination(accessLog),
      accessLogFormat: ACCESS_LOG,
      loggingLevel: MethodLoggingLevel.ERROR,
      dataTraceEnabled: false,
      tracingEnabled: tracing,
      throttlingRateLimit: MAX_REQUESTS.rate,
      throttlingBurstLimit: MAX_REQUESTS.burst,
    },
  });
  // Otherwise the API's own address accepts TLS 1.0 (API Gateway, "Supported security policies").
  Object.assign(api.node.defaultChild as CfnRestApi, TLS);
  // Without this, API Gateway would create the log group itself and keep its logs for ever.
  const executionLog = new LogGroup(stack, 'ExecutionLog', {
    logGroupName: `API-Gateway-Execution-Logs_${api.restApiId}/${STAGE}`,
    retention: RetentionDays.THREE_MONTHS,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  api.deploymentStage.node.addDependency(executionLog);
  // This output would repeat `ApiUrl` under a generated name.
  api.node.tryRemoveChild('Endpoint');
  acknowledge(api, {
    APIG2:
      'The functions validate requests, because they report all problems at once in the form of the contract.',
    APIG3: 'Requests are limited per key. The account that deploys may add a web ACL.',
    ...(cloudWatchRole && {
      'IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]':
        "AWS maintains this policy for API Gateway's own logs.",
    }),
  });
  return api;
};
