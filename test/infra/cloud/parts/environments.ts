import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environmentOf } from '../../../../infra/cloud/settings.ts';
import { operationEntries, WORKERS } from '../catalogues.ts';
import { newApp, ofType, type Template, templatesOf } from '../templates.ts';

const CATALOGUE = { operations: operationEntries(20), workers: WORKERS };
const MAIL = { mailFrom: 'no-reply@example.com' };

const folder = mkdtempSync(join(tmpdir(), 'environments-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, settings: object): void =>
  writeFileSync(join(folder, `${name}.ts`), `export const environment = ${JSON.stringify(settings)};\n`);

const WHOLE = {
  prefix: 'here',
  account: '123456789012',
  region: 'eu-west-1',
  alarmReceiver: 'on-call@example.com',
};

/** Properties that name nothing of their own: a metric that somebody else counts, a stage of an API, a key of a row. */
const NO_NAMES = /^(MetricName|StageName|AttributeName|IndexName)$/;

/** Whether a value is the same for every deployment with these settings: it refers to no resource. */
const isFixed = (text: string): boolean =>
  !text.includes('Fn::GetAtt') &&
  [...text.matchAll(/"Ref":"([^"]+)"/g)].every(([, name]) => name!.startsWith('AWS::'));

/** The names that a deployment gives, which an account holds once: physical names, exports, and where metrics stand. */
const namesIn = (templates: readonly Template[]): string[] =>
  templates.flatMap(({ resources, text }) => [
    ...resources.flatMap(({ Type, Properties }) =>
      Object.entries(Properties ?? {})
        .filter(([property]) => /^(\w*Name|Domain)$/.test(property) && !NO_NAMES.test(property))
        // An alias is of its function.
        .filter(() => Type !== 'AWS::Lambda::Alias')
        .map(([property, value]) => `${Type} ${property} ${JSON.stringify(value)}`)
        .filter(isFixed),
    ),
    ...Array.from(text.matchAll(/"Export": *\{[^}]*"Name": *"([^"]+)"/g), ([, name]) => `export ${name}`),
    ...Array.from(text.matchAll(/InspectionService\/[\w-]+/g), ([namespace]) => namespace),
  ]);

describe('two environments in one account', () => {
  test('share no physical name, export or path', async () => {
    const [staging, production] = await Promise.all(
      ['staging', 'production'].map(async (env) => {
        const { templates } = await templatesOf(CATALOGUE, { env, account: WHOLE.account, ...MAIL });
        return namesIn(templates);
      }),
    );
    expect(staging!.length).toBeGreaterThan(20);
    expect(staging!.filter((name) => production!.includes(name))).toEqual([]);
  });
});

describe('an environment', () => {
  let templates: Template[];
  beforeAll(async () => {
    const settings = {
      env: 'staging',
      tags: 'team=inspections,cost-center=42',
      permissionsBoundary: 'arn:aws:iam::123456789012:policy/boundary',
      maxTableUnits: '4000',
      logLevel: 'error',
    };
    ({ templates } = await templatesOf(CATALOGUE, settings));
  });

  test('bounds every role', () => {
    const roles = ofType<{ PermissionsBoundary?: string }>(templates, 'AWS::IAM::Role');
    expect(roles.length).toBeGreaterThan(0);
    for (const { id, Properties } of roles)
      expect([id, Properties.PermissionsBoundary]).toEqual([id, 'arn:aws:iam::123456789012:policy/boundary']);
  });

  test('tags what it deploys', () => {
    const [table] = ofType<{ Tags: unknown }>(templates, 'AWS::DynamoDB::Table');
    expect(table!.Properties.Tags).toEqual([
      { Key: 'cost-center', Value: '42' },
      { Key: 'team', Value: 'inspections' },
    ]);
  });

  test('caps the table and each of its indexes', () => {
    const [table] = ofType<{ OnDemandThroughput: object; GlobalSecondaryIndexes: object[] }>(
      templates,
      'AWS::DynamoDB::Table',
    );
    const OnDemandThroughput = { MaxReadRequestUnits: 4_000, MaxWriteRequestUnits: 4_000 };
    expect(table!.Properties).toMatchObject({ OnDemandThroughput });
    for (const index of table!.Properties.GlobalSecondaryIndexes)
      expect(index).toMatchObject({ OnDemandThroughput });
  });

  test('says how much its functions log, and how long that is kept', () => {
    const functions = ofType<{ Environment: { Variables: object } }>(templates, 'AWS::Lambda::Function');
    const logged = functions.filter(
      ({ Properties }) => 'METRICS_NAMESPACE' in (Properties.Environment?.Variables ?? {}),
    );
    expect(logged.length).toBeGreaterThan(0);
    for (const { Properties } of logged)
      expect(Properties.Environment.Variables).toMatchObject({ LOG_LEVEL: 'error' });
    const logs = ofType<{ LogGroupName?: unknown; RetentionInDays: number }>(
      templates,
      'AWS::Logs::LogGroup',
    );
    const own = logs.filter(({ Properties }) =>
      JSON.stringify(Properties.LogGroupName ?? '').includes('/aws/lambda/'),
    );
    expect(new Set(own.map(({ Properties }) => Properties.RetentionInDays))).toEqual(new Set([30]));
  });

  test('has somebody told before its budget is spent', () => {
    const [budget] = ofType<{ Budget: object; NotificationsWithSubscribers: object[] }>(
      templates,
      'AWS::Budgets::Budget',
    );
    expect(budget!.Properties.Budget).toMatchObject({ BudgetLimit: { Amount: 200, Unit: 'USD' } });
    expect(budget!.Properties.NotificationsWithSubscribers).toHaveLength(2);
  });
});

describe('an environment is refused', () => {
  test('that does not exist', async () => {
    await expect(newApp(CATALOGUE, { env: 'moon' })).rejects.toThrow(
      'there is no environment moon in infra/environments; there are production and staging',
    );
  });

  test('that sets what is no setting', async () => {
    write('odd', { ...WHOLE, colour: 'blue' });
    await expect(environmentOf('odd', folder)).rejects.toThrow('odd sets colour, which is no setting');
  });

  test.each(Object.keys(WHOLE))('that does not set %s', async (name) => {
    write(`no-${name}`, { ...WHOLE, [name]: undefined });
    await expect(environmentOf(`no-${name}`, folder)).rejects.toThrow(`no-${name} does not set ${name}`);
  });

  test('whose value is not allowed', async () => {
    await expect(newApp(CATALOGUE, { env: 'staging', region: 'europe' })).rejects.toThrow(
      'region=europe must match',
    );
  });
});
