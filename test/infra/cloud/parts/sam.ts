import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadCatalogue } from '../../../../infra/catalogue.ts';
import { startEngines } from '../../../../infra/local/engines.ts';
import { samVariables, templatesIn } from '../../../../infra/sam/environment.ts';
import { operationEntries, WORKERS } from '../catalogues.ts';
import { bodyIn, filled, type LambdaFunction, ofType, type Template, templatesOf } from '../templates.ts';

let folder: string;
let templates: Template[];

beforeAll(async () => {
  ({ folder, templates } = await templatesOf({ operations: operationEntries(20), workers: WORKERS }));
});

const functions = () => ofType<LambdaFunction>(templates, 'AWS::Lambda::Function');

describe('SAM', () => {
  test('finds the code of each function and the template of each nested stack', () => {
    for (const [type, property] of [
      ['AWS::Lambda::Function', 'Code'],
      ['AWS::CloudFormation::Stack', 'TemplateURL'],
    ] as const) {
      const resources = ofType(templates, type);
      expect(resources.length).toBeGreaterThan(0);
      for (const { Metadata } of resources) {
        expect(Metadata?.['aws:asset:property']).toBe(property);
        expect(existsSync(join(folder, Metadata?.['aws:asset:path'] as string))).toBe(true);
      }
    }
  });

  // SAM reads the name from the integration's URI, after it has filled in the pseudo parameters.
  test('finds the function of each route by its name', () => {
    const names = functions().map(({ Properties }) => Properties.FunctionName);
    const routes = Object.values(bodyIn(templates, 'machines').paths).flatMap((methods) =>
      Object.values(methods),
    );
    // Ten of the twenty are GETs, which HEAD goes to as well.
    expect(routes).toHaveLength(30);
    for (const { 'x-amazon-apigateway-integration': integration } of routes) {
      const [arn] = filled(integration.uri).match(/arn:aws:lambda:[^:]+:[^:]+:function:[^:/]+(?::[^/]+)?/)!;
      expect(names).toContain(arn.match(/.*:function:([^:]*)/)![1]);
    }
  });
});

describe('the variables for SAM', () => {
  const environment = {
    TABLE_NAME: 'inspections',
    BUCKET_NAME: 'files',
    CREDENTIALS_KEY_ID: 'credentials',
    RENDER_QUEUE_URL: 'http://127.0.0.1:4000/000000000000/render',
    AWS_ENDPOINT_URL: 'http://127.0.0.1:4000',
    AWS_ENDPOINT_URL_DYNAMODB: 'http://localhost:8000/',
  };
  const variables = (given: Record<string, string> = environment) =>
    samVariables(templatesIn(folder), given, 'host.docker.internal');

  test('are for each function those that its template names', () => {
    const byFunction = variables();
    expect(Object.keys(byFunction).toSorted()).toEqual(
      functions()
        .map(({ id }) => id)
        .toSorted(),
    );
    for (const { id, Properties } of functions()) {
      const declared = Object.entries(Properties.Environment.Variables).flatMap(([name, value]) =>
        typeof value === 'string' && value !== '' && !name.startsWith('TENANT_') ? [] : [name],
      );
      expect(Object.keys(byFunction[id]!).toSorted()).toEqual(declared.toSorted());
    }
  });

  test('lead from a container to the engines on its host', () => {
    const all = Object.assign({}, ...Object.values(variables())) as Record<string, string>;
    expect(all).toEqual({
      TABLE_NAME: 'inspections',
      BUCKET_NAME: 'files',
      CREDENTIALS_KEY_ID: 'credentials',
      RENDER_QUEUE_URL: 'http://host.docker.internal:4000/000000000000/render',
      AWS_ENDPOINT_URL_DYNAMODB: 'http://host.docker.internal:8000/',
      AWS_ENDPOINT_URL_KMS: 'http://host.docker.internal:4000',
      AWS_ENDPOINT_URL_S3: 'http://host.docker.internal:4000',
      AWS_ENDPOINT_URL_SQS: 'http://host.docker.internal:4000',
      MONDAY_API_URL: '',
      TENANT_ROLE_ARN: '',
      TENANT_SESSION_POLICY: '',
    });
  });

  test('are, for the whole service, those of a running one', async () => {
    const whole = await templatesOf(await loadCatalogue());
    const engines = await startEngines({ dataDir: null });
    await engines.stop();
    const running = { ...engines.environment, OIDC_ISSUER: 'http://127.0.0.1:3000', OIDC_CLIENT_ID: 'local' };
    const all = samVariables(templatesIn(whole.folder), running, 'localhost');
    expect(Object.keys(all)).toHaveLength(ofType(whole.templates, 'AWS::Lambda::Function').length);
    for (const [name, value] of Object.entries(Object.assign({}, ...Object.values(all)) as object))
      if (name in running) expect([name, value]).toEqual([name, expect.stringMatching(/./)]);
  });

  test('lead to the vendor that the service was started with', () => {
    const given = { ...environment, MONDAY_API_URL: 'http://127.0.0.1:4010/v2' };
    const urls = Object.values(variables(given)).flatMap((each) => each['MONDAY_API_URL'] ?? []);
    expect(new Set(urls)).toEqual(new Set(['http://host.docker.internal:4010/v2']));
  });

  test('are refused with the names of missing variables', () => {
    expect(() => variables({ TABLE_NAME: 'inspections' })).toThrow(
      'AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL_KMS, AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL_SQS, BUCKET_NAME, CREDENTIALS_KEY_ID, RENDER_QUEUE_URL',
    );
  });

  test('have no tenant role, because the emulators have none', async () => {
    const secured = await templatesOf({ operations: operationEntries(1), workers: [] });
    const [only] = Object.values(samVariables(templatesIn(secured.folder), environment, 'localhost'));
    expect(only).toMatchObject({ TENANT_ROLE_ARN: '', TENANT_SESSION_POLICY: '' });
  });
});
