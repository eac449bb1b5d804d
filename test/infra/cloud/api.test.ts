import { appId, type Catalogue, loadCatalogue } from '../../../infra/catalogue.ts';
import * as errors from '../../../shared/base/errors.ts';
import { routeOf, routesOf } from '../../../shared/http/operation/surface.ts';
import { operationEntries } from './catalogues.ts';
import {
  bodyIn,
  filled,
  functionNamed,
  list,
  nameOf,
  newApp,
  ofType,
  type Template,
  templatesOf,
} from './templates.ts';

let catalogue: Catalogue;
let templates: Template[];

beforeAll(async () => {
  catalogue = { ...(await loadCatalogue()), workers: [] };
  ({ templates } = await templatesOf(catalogue));
});

describe('the API', () => {
  test('has one route for each operation, which leads to its function', () => {
    const routes = Object.entries(bodyIn(templates).paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { operationId }]) =>
        method === 'head' ? [] : [`${method.toUpperCase()} ${path} ${operationId}`],
      ),
    );
    expect(routes.toSorted()).toEqual(
      catalogue.operations
        .flatMap(({ operation }) =>
          routesOf(operation).map(
            ({ path }, position) =>
              `${operation.method} ${path} ${position === 0 ? operation.id : appId(operation.id)}`,
          ),
        )
        .toSorted(),
    );
  });

  test('answers HEAD by the function of each GET, and by no other', () => {
    for (const methods of Object.values(bodyIn(templates).paths)) {
      const integrationOf = (method: string) => methods[method]?.['x-amazon-apigateway-integration'];
      expect(integrationOf('head')).toEqual(integrationOf('get'));
    }
  });

  test('streams only lists, and waits a little longer than the function may run', () => {
    for (const entry of catalogue.operations) {
      const { id, method, list } = entry.operation;
      const route = bodyIn(templates).paths[routeOf(entry.operation)]![method.toLowerCase()]!;
      const integration = route['x-amazon-apigateway-integration'];
      const name = nameOf(entry);
      expect([id, integration.responseTransferMode]).toEqual([id, list ? 'STREAM' : undefined]);
      expect(filled(integration.uri)).toBe(
        `arn:aws:apigateway:eu-west-1:lambda:path/${
          list ? '2021-11-15' : '2015-03-31'
        }/functions/arn:aws:lambda:eu-west-1:123456789012:function:${name}/${
          list ? 'response-streaming-invocations' : 'invocations'
        }`,
      );
      expect(functionNamed(nameOf(entry), templates).Properties.Timeout * 1_000).toBeLessThan(
        integration.timeoutInMillis,
      );
    }
  });

  test('answers errors itself with the statuses and the error body of the contract', () => {
    const responses = bodyIn(templates)['x-amazon-apigateway-gateway-responses'];
    expect(
      Object.fromEntries(Object.entries(responses).map(([type, { statusCode }]) => [type, statusCode])),
    ).toEqual({
      DEFAULT_4XX: undefined,
      UNAUTHORIZED: 401,
      DEFAULT_5XX: 500,
      MISSING_AUTHENTICATION_TOKEN: 404,
      INVALID_SIGNATURE: 404,
      ACCESS_DENIED: 404,
      RESOURCE_NOT_FOUND: 404,
      REQUEST_TOO_LARGE: 400,
      UNSUPPORTED_MEDIA_TYPE: 400,
      BAD_REQUEST_BODY: 400,
      THROTTLED: 429,
      QUOTA_EXCEEDED: 429,
      INTEGRATION_TIMEOUT: 503,
      INTEGRATION_FAILURE: 503,
    });
    const codes = new Set(Object.values(errors).map(({ code }) => `'${code}'`));
    for (const [type, { responseTemplates, responseParameters }] of Object.entries(responses)) {
      expect(codes).toContain(responseParameters['gatewayresponse.header.X-Error-Code']);
      expect(responseParameters).toMatchObject({
        'gatewayresponse.header.x-content-type-options': "'nosniff'",
        'gatewayresponse.header.cache-control': "'no-store'",
      });
      expect(responseParameters['gatewayresponse.header.x-request-id']).toBe('context.requestId');
      const text = responseTemplates['application/json'].replace(
        '$context.error.messageString',
        '"a \\"text\\""',
      );
      expect([type, Object.keys(JSON.parse(text) as object)]).toEqual([type, ['detail']]);
    }
    expect(JSON.parse(responses['THROTTLED']!.responseTemplates['application/json'])).toEqual({
      detail: errors.rateLimitExceeded().detail,
    });
    expect(responses['UNAUTHORIZED']!.responseParameters['gatewayresponse.header.WWW-Authenticate']).toBe(
      `'Bearer realm="v1"'`,
    );
    expect(bodyIn(templates)['x-amazon-apigateway-binary-media-types']).toEqual(['*/*']);
  });

  test('logs each request without anything that may contain a secret', () => {
    const [stage] = ofType<{ StageName: string; AccessLogSetting: { Format: string } }>(
      templates,
      'AWS::ApiGateway::Stage',
    );
    expect(stage!.Properties.StageName).toBe('live');
    const fields = Object.values(
      JSON.parse(stage!.Properties.AccessLogSetting.Format) as Record<string, string>,
    );
    expect(fields).toContain('$context.resourcePath');
    expect(fields.join(' ')).not.toMatch(/authorizer|header|querystring|\$context\.path|requestOverride/i);
  });

  test('creates the account-wide role for its logs only if the account has none', async () => {
    const types = ['AWS::ApiGateway::Account', 'AWS::IAM::Role'] as const;
    const logging = (from: Template[]) =>
      types.map(
        (type) => ofType(from, type).filter(({ id }) => /^Api(Account|CloudWatchRole)/.test(id)).length,
      );
    expect(logging(templates)).toEqual([1, 1]);
    // It may serve other APIs by now.
    expect(ofType(templates, 'AWS::ApiGateway::Account')[0]).toMatchObject({ DeletionPolicy: 'Retain' });
    const without = await templatesOf(
      { operations: operationEntries(1), workers: [] },
      { cloudWatchRole: 'false' },
    );
    expect(logging(without.templates)).toEqual([0, 0]);
  });

  test('logs errors only, and never the contents of requests', () => {
    const [stage] = ofType<{ MethodSettings: object[] }>(templates, 'AWS::ApiGateway::Stage');
    expect(stage!.Properties.MethodSettings).toEqual([
      {
        HttpMethod: '*',
        ResourcePath: '/*',
        DataTraceEnabled: false,
        LoggingLevel: 'ERROR',
        ThrottlingRateLimit: 1_000,
        ThrottlingBurstLimit: 2_000,
      },
    ]);
    const logs = ofType<{ RetentionInDays: number }>(templates, 'AWS::Logs::LogGroup');
    const retention = (name: string) =>
      logs.find(({ id }) => id.startsWith(name))!.Properties.RetentionInDays;
    expect([retention('AccessLog'), retention('ExecutionLog')]).toEqual([365, 90]);
  });

  test('is deployed after its functions', () => {
    const [deployment] = ofType(templates, 'AWS::ApiGateway::Deployment');
    const areas = new Set(catalogue.operations.map(({ area }) => area)).size;
    expect(list((deployment as unknown as { DependsOn: string[] }).DependsOn)).toHaveLength(areas);
  });

  const altered = (change: object) => {
    const [first, second] = operationEntries(2) as [Catalogue['operations'][0], Catalogue['operations'][0]];
    const operation = { ...second.operation, ...change };
    return newApp({ operations: [first, { ...second, operation }], workers: [] });
  };

  test('refuses two operations with the same method and path', async () => {
    await expect(altered({ path: '/organization-0' })).rejects.toThrow('second GET /v1/organization-0');
  });

  test('refuses two variables after one path node, which API Gateway does not import', async () => {
    const [first, second] = operationEntries(2) as [Catalogue['operations'][0], Catalogue['operations'][0]];
    const at = (entry: typeof first, path: string) => ({ ...entry, operation: { ...entry.operation, path } });
    const operations = [at(first, '/cranes/{crane_id}'), at(second, '/cranes/{id}/parts')];
    await expect(newApp({ operations, workers: [] })).rejects.toThrow('{crane_id} and {id}');
  });

  test('refuses more path nodes than one API may have', async () => {
    const operations = operationEntries(300).map((entry, position) => ({
      ...entry,
      operation: { ...entry.operation, path: `/cranes-${position}` },
    }));
    await expect(newApp({ operations, workers: [] })).rejects.toThrow('302 path nodes');
  });

  test('refuses a function name that is too long for AWS', async () => {
    const [entry] = operationEntries(1) as [Catalogue['operations'][0]];
    const operations = [{ ...entry, file: `functions/organization/${'x'.repeat(60)}.ts` }];
    await expect(newApp({ operations, workers: [] })).rejects.toThrow('64 characters');
  });
});
