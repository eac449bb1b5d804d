import { appId, type Catalogue, loadCatalogue } from '../../../../infra/catalogue.ts';
import { AUDIENCES, MAX_PATH_NODES, nodesOf } from '../../../../infra/gateway.ts';
import * as errors from '../../../../shared/base/errors.ts';
import { type Audience, audienceOf, routesOf } from '../../../../shared/http/operation/surface.ts';
import { allEntries } from '../../../support/catalogue.ts';
import { operationEntries } from '../catalogues.ts';
import {
  apiIn,
  bodyIn,
  filled,
  functionNamed,
  list,
  nameOf,
  newApp,
  ofType,
  partitionsOf,
  publicUrlIn,
  roleOf,
  statementsOf,
  type Template,
  templatesOf,
} from '../templates.ts';

let catalogue: Catalogue;
let templates: Template[];

beforeAll(async () => {
  catalogue = { ...(await loadCatalogue()), workers: [] };
  ({ templates } = await templatesOf(catalogue));
});

/** The routes of an API, each with its method and path, but for HEAD, which goes where GET does. */
const routesIn = (audience: Audience) =>
  Object.entries(bodyIn(templates, audience).paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, route]) =>
      method === 'head' ? [] : [{ ...route, method: method.toUpperCase(), path }],
    ),
  );

/** How many more path nodes the API of an audience may have. */
const roomFor = (audience: Audience): number => {
  const routes = allEntries().flatMap(({ operation }) => routesOf(operation));
  const own = routes.filter((route) => audienceOf(route) === audience);
  return MAX_PATH_NODES - nodesOf(own.map(({ path }) => path)).size;
};

describe.each(AUDIENCES.map((audience) => [audience, roomFor(audience)] as const))(
  'the API for %s, which has room for %i more path nodes',
  (audience, room) => {
    test('has room for a tenth more', () => {
      expect(room).toBeGreaterThanOrEqual(MAX_PATH_NODES / 10);
    });

    test('has one route for each operation, which leads to its function', () => {
      const routes = routesIn(audience);
      const declared = catalogue.operations.flatMap(({ operation }) =>
        routesOf(operation).flatMap((route, position) =>
          audienceOf(route) === audience
            ? `${operation.method} ${route.path} ${position === 0 ? operation.id : appId(operation.id)}`
            : [],
        ),
      );
      expect(
        routes.map(({ method, path, operationId }) => `${method} ${path} ${operationId}`).toSorted(),
      ).toEqual(declared.toSorted());
      expect(routes.every(({ path }) => path.startsWith('/v1/') === (audience === 'machines'))).toBe(true);
    });

    test('answers HEAD by the function of each GET, and by no other', () => {
      for (const methods of Object.values(bodyIn(templates, audience).paths)) {
        const integrationOf = (method: string) => methods[method]?.['x-amazon-apigateway-integration'];
        expect(integrationOf('head')).toEqual(integrationOf('get'));
      }
    });

    test('streams only lists, and waits a little longer than the function may run', () => {
      for (const { method, path, 'x-amazon-apigateway-integration': integration } of routesIn(audience)) {
        const entry = catalogue.operations.find(
          ({ operation }) =>
            operation.method === method && routesOf(operation).some((route) => route.path === path),
        )!;
        const { id, list } = entry.operation;
        const name = nameOf(entry);
        expect([id, integration.responseTransferMode]).toEqual([id, list ? 'STREAM' : undefined]);
        expect(filled(integration.uri)).toBe(
          `arn:aws:apigateway:eu-west-1:lambda:path/${
            list ? '2021-11-15' : '2015-03-31'
          }/functions/arn:aws:lambda:eu-west-1:123456789012:function:${name}:live/${
            list ? 'response-streaming-invocations' : 'invocations'
          }`,
        );
        expect(functionNamed(name, templates).Properties.Timeout * 1_000).toBeLessThan(
          integration.timeoutInMillis,
        );
      }
    });
  },
);

describe('the APIs', () => {
  test('have a throttle, logs and a deployment of their own', () => {
    type Stage = {
      RestApiId: { Ref: string };
      AccessLogSetting: { DestinationArn: unknown };
      MethodSettings: object[];
    };
    const stages = ofType<Stage>(templates, 'AWS::ApiGateway::Stage').map(({ Properties }) => Properties);
    expect(stages.map(({ RestApiId }) => RestApiId.Ref).toSorted()).toEqual(
      AUDIENCES.map((audience) => apiIn(templates, audience).id),
    );
    expect(new Set(stages.map(({ AccessLogSetting }) => filled(AccessLogSetting.DestinationArn))).size).toBe(
      2,
    );
    expect(stages.map(({ MethodSettings }) => MethodSettings[0])).toEqual([
      expect.objectContaining({ ThrottlingRateLimit: 1_000, ThrottlingBurstLimit: 2_000 }),
      expect.objectContaining({ ThrottlingRateLimit: 500, ThrottlingBurstLimit: 1_000 }),
    ]);
  });

  // Without a policy, a regional API accepts TLS 1.0.
  test('take TLS 1.2 or later with forward secrecy, at their own addresses too', () => {
    const apis = ofType(templates, 'AWS::ApiGateway::RestApi');
    expect(apis).toHaveLength(2);
    for (const { Properties } of apis)
      expect(Properties).toMatchObject({
        SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
        EndpointAccessMode: 'STRICT',
      });
  });

  test('have domains and web ACLs by setting, and links lead to that of people', async () => {
    const arn = (service: string, rest: string) => `arn:aws:${service}:eu-west-1:123456789012:${rest}`;
    const front = {
      apiDomain: 'api.example.com',
      apiCertificate: arn('acm', 'certificate/1'),
      peopleDomain: 'i.example.com',
      peopleCertificate: arn('acm', 'certificate/2'),
      peopleWebAcl: arn('wafv2', 'regional/webacl/people/3'),
    };
    const operations = catalogue.operations.filter(({ operation }) =>
      ['getSession', 'getOrganization'].includes(operation.id),
    );
    const { templates: fronted } = await templatesOf({ operations, workers: [] }, front);
    const domains = ofType<{ DomainName: { Ref: string }; RestApiId: { Ref: string } }>(
      fronted,
      'AWS::ApiGateway::BasePathMapping',
    ).map(({ Properties }) => [Properties.DomainName.Ref, Properties.RestApiId.Ref]);
    expect(domains).toEqual([
      [expect.stringMatching(/^ApiDomain/), apiIn(fronted, 'machines').id],
      [expect.stringMatching(/^PeopleApiDomain/), apiIn(fronted, 'people').id],
    ]);
    expect(
      ofType(fronted, 'AWS::ApiGateway::DomainName').map(({ Properties }) => Properties['DomainName']),
    ).toEqual([front.apiDomain, front.peopleDomain]);
    const [association, ...others] = ofType(fronted, 'AWS::WAFv2::WebACLAssociation');
    expect([association!.Properties['WebACLArn'], others]).toEqual([front.peopleWebAcl, []]);
    expect(filled(association!.Properties['ResourceArn'])).toContain(
      `/restapis/<${apiIn(fronted, 'people').id}>/`,
    );
    expect(publicUrlIn(fronted)).toBe('https://i.example.com');
    await expect(newApp({ operations: [], workers: [] }, { apiDomain: 'api.example.com' })).rejects.toThrow(
      'apiDomain and apiCertificate',
    );
  });

  test('answers errors itself with the statuses and the error body of the contract', () => {
    const responses = bodyIn(templates, 'people')['x-amazon-apigateway-gateway-responses'];
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
    for (const audience of AUDIENCES)
      expect(bodyIn(templates, audience)).toMatchObject({
        'x-amazon-apigateway-binary-media-types': ['*/*'],
        'x-amazon-apigateway-gateway-responses': responses,
      });
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
    const areas = new Set(catalogue.operations.map(({ area }) => area)).size;
    const deployments = ofType(templates, 'AWS::ApiGateway::Deployment');
    expect(
      deployments.map(
        (deployment) => list((deployment as unknown as { DependsOn: string[] }).DependsOn).length,
      ),
    ).toEqual([areas, areas]);
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

describe('public pages', () => {
  test('follow links and count visits by themselves, and other functions make links', () => {
    const functionOf = (id: string) => {
      const entry = catalogue.operations.find(({ operation }) => operation.id === id)!;
      const { Properties, ...found } = functionNamed(nameOf(entry), templates);
      const { TENANT_SESSION_POLICY, PUBLIC_URL } = Properties.Environment.Variables;
      expect(TENANT_SESSION_POLICY).not.toMatch(/link:|visits:/);
      const statements = statementsOf(roleOf({ ...found, Properties }, templates)).flatMap((statement) =>
        list(statement.Action)
          .filter((action) => action.startsWith('dynamodb:'))
          .map((action) => `${action} ${partitionsOf(statement)}`),
      );
      return { statements: statements.toSorted(), hasUrl: PUBLIC_URL !== undefined };
    };
    expect(functionOf('stopMails')).toEqual({
      statements: ['dynamodb:BatchGetItem LINK#*', 'dynamodb:UpdateItem VISITS#*'],
      hasUrl: false,
    });
    expect(functionOf('createShareLink')).toEqual({
      statements: [
        // People make them too.
        'dynamodb:BatchGetItem SESSION#*',
        'dynamodb:PutItem LINK#*',
        'dynamodb:UpdateItem KEY#* ORG#*#REQUEST#*',
        'dynamodb:UpdateItem SESSION#*',
        'dynamodb:UpdateItem VISITS#*',
      ],
      hasUrl: true,
    });
  });

  test('are linked to by the URL of the API for people, unless the deployment names another one', async () => {
    expect(publicUrlIn(templates)).toMatch(
      /^https:\/\/<PeopleApi\w+>\.execute-api\.eu-west-1\.amazonaws\.com\/live$/,
    );
    const operations = catalogue.operations.filter(({ operation }) => operation.id === 'createShareLink');
    const named = await templatesOf({ operations, workers: [] }, { publicUrl: 'https://i.example.com' });
    expect(publicUrlIn(named.templates)).toBe('https://i.example.com');
    const insecure = templatesOf({ operations, workers: [] }, { publicUrl: 'http://i.example.com' });
    await expect(insecure).rejects.toThrow('publicUrl');
  });
});
