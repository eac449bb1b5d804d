/* oxlint-disable no-new -- a construct adds itself to its scope */
import { Aws, CfnOutput, RemovalPolicy, type Stack } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  AccessLogField,
  ApiDefinition,
  BasePathMapping,
  type CfnRestApi,
  DomainName,
  EndpointAccessMode,
  EndpointType,
  LogGroupLogDestination,
  MethodLoggingLevel,
  RestApiMode,
  SecurityPolicy,
  SpecRestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { PolicyDocument, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { FilterPattern, LogGroup, MetricFilter, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import type { Audience } from '../../shared/http/operation/surface.ts';
import type { OperationEntry } from '../catalogue.ts';
import { STAGE, THROTTLE } from '../gateway.ts';
import { THROTTLED_REQUESTS } from './alarms/metrics.ts';
import { apiBody } from './api/body.ts';
import { acknowledge } from './checks.ts';
import { allow } from './functions/grants.ts';
import { apiName, metricsNamespace } from './names.ts';
import { type Front, frontOf, type Settings } from './settings.ts';

/** How the ids of the resources of each API begin. */
const IDS = { machines: '', people: 'People' } as const satisfies Record<Audience, string>;

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

/** What both APIs of a deployment share. */
interface Shared {
  operations: readonly OperationEntry[];
  settings: Settings;
  /** By which they invoke the functions. */
  role: Role;
}

/** A log of each request, from which the requests are counted that Lambda has throttled. */
const addAccessLog = (stack: Stack, id: string, settings: Settings): LogGroup => {
  const logGroup = new LogGroup(stack, `${id}AccessLog`, {
    retention: RetentionDays.ONE_YEAR,
    removalPolicy: RemovalPolicy.RETAIN,
  });
  new MetricFilter(stack, `${id}${THROTTLED_REQUESTS}Filter`, {
    logGroup,
    filterPattern: FilterPattern.stringValue('$.integration_status', '=', '429'),
    metricNamespace: metricsNamespace(settings),
    metricName: THROTTLED_REQUESTS,
    metricValue: '1',
  });
  return logGroup;
};

/**
 * Where an API is reached, and what it is protected by, as the settings say: a domain and a web ACL. The domain maps to
 * the root of the stage, because the paths begin with `/v1` themselves, or are those of pages.
 */
const addFront = (
  stack: Stack,
  api: SpecRestApi,
  id: string,
  { domain, certificate, webAcl }: Front,
): void => {
  if (webAcl)
    new CfnWebACLAssociation(stack, `${id}WebAcl`, {
      resourceArn: api.deploymentStage.stageArn,
      webAclArn: webAcl,
    });
  if (!domain || !certificate) return;
  const domainName = new DomainName(stack, `${id}Domain`, {
    domainName: domain,
    certificate: Certificate.fromCertificateArn(stack, `${id}Certificate`, certificate),
    endpointType: EndpointType.REGIONAL,
    ...TLS,
  });
  new BasePathMapping(stack, `${id}Mapping`, { domainName, restApi: api, stage: api.deploymentStage });
  new CfnOutput(stack, `${id}DomainTarget`, {
    value: domainName.domainNameAliasDomainName,
    description: `Point the DNS record of ${domain} to this name`,
  });
};

/** The REST API of one audience. */
const addApi = (stack: Stack, audience: Audience, { operations, settings, role }: Shared): SpecRestApi => {
  const { prefix, tracing } = settings;
  const id = IDS[audience];
  const { rate, burst } = THROTTLE[audience];
  const name = apiName(settings, audience);
  const accessLog = addAccessLog(stack, id, settings);
  // The role is one for all APIs of an account, so the first one creates it.
  const cloudWatchRole = settings.cloudWatchRole && audience === 'machines';
  const body = apiBody(operations, audience, name, { prefix, roleArn: role.roleArn });
  const api = new SpecRestApi(stack, `${id}Api`, {
    restApiName: name,
    apiDefinition: ApiDefinition.fromInline(body),
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
      throttlingRateLimit: rate,
      throttlingBurstLimit: burst,
    },
  });
  // Otherwise the API's own address accepts TLS 1.0 (API Gateway, "Supported security policies").
  Object.assign(api.node.defaultChild as CfnRestApi, TLS);
  // Without this, API Gateway would create the log group itself and keep its logs for ever.
  const executionLog = new LogGroup(stack, `${id}ExecutionLog`, {
    logGroupName: `API-Gateway-Execution-Logs_${api.restApiId}/${STAGE}`,
    retention: RetentionDays.THREE_MONTHS,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  api.deploymentStage.node.addDependency(executionLog);
  // This output would repeat ours under a generated name.
  api.node.tryRemoveChild('Endpoint');
  addFront(stack, api, `${id}Api`, frontOf(settings, audience));
  acknowledge(api, {
    APIG2:
      'The functions validate requests, because they report all problems at once in the form of the contract.',
    APIG3: 'Requests are limited per key, person and link. The account that deploys may name a web ACL.',
    ...(cloudWatchRole && {
      'IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]':
        "AWS maintains this policy for API Gateway's own logs.",
    }),
  });
  return api;
};

/**
 * The two REST APIs of all operations: one for machines (`/v1`), and one for people (`/app`, `/admin` and the pages).
 * Each has its own path nodes, throttle, access log, domain and web ACL. An operation of both has one function.
 */
export const addApis = (
  stack: Stack,
  operations: readonly OperationEntry[],
  settings: Settings,
): Record<Audience, SpecRestApi> => {
  const shared: Shared = { operations, settings, role: addInvokeRole(stack, settings.prefix) };
  const machines = addApi(stack, 'machines', shared);
  const people = addApi(stack, 'people', shared);
  const account = machines.node.tryFindChild('Account');
  if (account) people.deploymentStage.node.addDependency(account);
  return { machines, people };
};
