import type { Catalogue } from '../../../../infra/catalogue.ts';
import { serviceWithSamples } from '../catalogues.ts';
import {
  aliasOf,
  bodyIn,
  filled,
  functionNamed,
  type LambdaFunction,
  nameOf,
  newApp,
  ofType,
  type Resource,
  type Role,
  statementsOf,
  type Template,
  templatesOf,
} from '../templates.ts';

type Aliased = Resource & {
  UpdatePolicy?: {
    CodeDeployLambdaAliasUpdate: {
      ApplicationName: string;
      DeploymentGroupName: { Ref: string };
      AfterAllowTrafficHook?: string;
    };
  };
  DependsOn?: string[];
};

interface Group {
  ApplicationName: string;
  DeploymentConfigName: string;
  AlarmConfiguration: { Enabled: boolean; Alarms: { Name: { Ref: string } }[] };
  AutoRollbackConfiguration: { Enabled: boolean; Events: string[] };
}

let catalogue: Catalogue;
let plain: Template[];
let gradual: Template[];

beforeAll(async () => {
  catalogue = await serviceWithSamples();
  ({ templates: plain } = await templatesOf(catalogue));
  ({ templates: gradual } = await templatesOf(catalogue, {
    rollout: 'canary-15-minutes',
    smokeKey: 'inspections/smoke-key',
  }));
});

const functions = (templates: Template[]) =>
  ofType<LambdaFunction>(templates, 'AWS::Lambda::Function').filter(
    ({ Properties }) => !Properties.FunctionName.endsWith('-smoke-hook'),
  );

const versionOf = (entry: { file: string }, templates: Template[]): string =>
  aliasOf(functionNamed(nameOf(entry), templates), templates).Properties.FunctionVersion['Fn::GetAtt'][0];

const versionsIn = (templates: Template[]): string[] =>
  ofType(templates, 'AWS::Lambda::Version').map(({ id }) => id);

describe('each function', () => {
  test('has an alias at its newest version', () => {
    for (const found of functions(plain)) {
      const { Properties } = aliasOf(found, plain);
      expect(Properties.Name).toBe('live');
      const version = ofType<{ FunctionName: { Ref: string } }>(plain, 'AWS::Lambda::Version').find(
        ({ id }) => id === Properties.FunctionVersion['Fn::GetAtt'][0],
      )!;
      expect(version.Properties.FunctionName.Ref).toBe(found.id);
    }
  });

  test('is invoked by this alias only: by both APIs, the queues, the stream and the clock', () => {
    for (const audience of ['machines', 'people'] as const) {
      const routes = Object.values(bodyIn(plain, audience).paths).flatMap((methods) =>
        Object.values(methods),
      );
      for (const {
        'x-amazon-apigateway-integration': { uri },
      } of routes)
        expect(filled(uri)).toMatch(/:function:[\w-]+:live\/(response-streaming-)?invocations$/);
    }
    const aliases = ofType(plain, 'AWS::Lambda::Alias').map(({ id }) => `{"Ref":"${id}"}`);
    const invoked = ['EventSourceMapping', 'Permission']
      .flatMap((type) => ofType<{ FunctionName: unknown }>(plain, `AWS::Lambda::${type}`))
      .map(({ Properties }) => Properties.FunctionName);
    const targets = ofType<{ Targets: { Arn: unknown }[] }>(plain, 'AWS::Events::Rule').flatMap(
      ({ Properties }) => Properties.Targets.map(({ Arn }) => Arn),
    );
    const named = [...invoked, ...targets].map((target) => JSON.stringify(target));
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((target) => !aliases.some((alias) => target.includes(alias)))).toEqual([]);
  });

  test('gets a new version only when its code or its variables have changed', async () => {
    const [first, ...others] = catalogue.operations;
    const { templates } = await templatesOf({
      ...catalogue,
      operations: [{ ...first!, operation: { ...first!.operation, memory: 2_000 } }, ...others],
    });
    const before = new Set(versionsIn(plain));
    expect(versionsIn(templates).filter((id) => !before.has(id))).toEqual([versionOf(first!, templates)]);
  });

  test('gets a new version when a value changes that its stack gets as a parameter', async () => {
    const { templates } = await templatesOf(catalogue, { publicUrl: 'https://i.example.com' });
    const other = await templatesOf(catalogue, { publicUrl: 'https://j.example.com' });
    const linked = functions(templates).filter(
      ({ Properties }) => 'PUBLIC_URL' in Properties.Environment.Variables,
    );
    const before = new Set(versionsIn(templates));
    const changed = versionsIn(other.templates).filter((id) => !before.has(id));
    expect(linked.length).toBeGreaterThan(0);
    expect(changed).toHaveLength(linked.length);
  });
});

describe('a rollout', () => {
  const groups = () => ofType<Group>(gradual, 'AWS::CodeDeploy::DeploymentGroup');

  test('is all at once unless a setting says otherwise', () => {
    expect(ofType(plain, 'AWS::CodeDeploy::DeploymentGroup')).toEqual([]);
    expect(plain.map(({ text }) => text).join('')).not.toContain('CodeDeploy');
  });

  test('moves each function by a deployment group of its own, which alarms stop', () => {
    const aliases = ofType(gradual, 'AWS::Lambda::Alias') as Aliased[];
    expect(aliases).toHaveLength(functions(gradual).length);
    const used = aliases.map(({ UpdatePolicy }) => {
      const { ApplicationName, DeploymentGroupName } = UpdatePolicy!.CodeDeployLambdaAliasUpdate;
      expect(ApplicationName).toBe('inspection-service');
      return DeploymentGroupName.Ref;
    });
    expect(new Set(used)).toEqual(new Set(groups().map(({ id }) => id)));
    expect(groups()).toHaveLength(aliases.length);
    for (const { Properties } of groups()) {
      expect(Properties).toMatchObject({
        ApplicationName: 'inspection-service',
        DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent15Minutes',
        AlarmConfiguration: { Enabled: true },
        AutoRollbackConfiguration: {
          Enabled: true,
          Events: expect.arrayContaining(['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM']),
        },
      });
      expect(Properties.AlarmConfiguration.Alarms.length).toBeGreaterThan(0);
    }
  });

  test('of an area is stopped by its own errors and those of both APIs', () => {
    for (const { resources } of gradual.filter(({ name }) => name.includes('Locations'))) {
      const own = resources.find(
        ({ id, Type }) => Type === 'AWS::CloudWatch::Alarm' && id.startsWith('ServerErrors'),
      )!;
      for (const { Type, Properties } of resources)
        if (Type === 'AWS::CodeDeploy::DeploymentGroup')
          expect(
            (Properties as unknown as Group).AlarmConfiguration.Alarms.map(({ Name }) => Name.Ref),
          ).toEqual([own.id, 'MachinesErrorsAlarm', 'PeopleErrorsAlarm']);
    }
    expect(gradual.some(({ name }) => name.includes('Locations'))).toBe(true);
  });

  test('ends with the smoke test, when every other function has been moved', () => {
    const aliases = ofType(gradual, 'AWS::Lambda::Alias') as Aliased[];
    const hooked = aliases.filter(
      ({ UpdatePolicy }) => UpdatePolicy!.CodeDeployLambdaAliasUpdate.AfterAllowTrafficHook,
    );
    expect(hooked).toHaveLength(1);
    const [last] = hooked;
    expect(last!.UpdatePolicy!.CodeDeployLambdaAliasUpdate.AfterAllowTrafficHook).toBe(
      'inspection-service-smoke-hook',
    );
    const probe = catalogue.operations.find(({ operation }) => operation.id === 'getHealth')!;
    expect(aliasOf(functionNamed(nameOf(probe), gradual), gradual).id).toBe(last!.id);

    const within = gradual.find(({ resources }) => resources.some(({ id }) => id === last!.id))!;
    const inStack = within.resources.filter(
      ({ Type, id }) => Type === 'AWS::Lambda::Alias' && id !== last!.id,
    );
    expect(last!.DependsOn).toEqual(expect.arrayContaining(inStack.map(({ id }) => id)));
    const stacks = ofType(gradual, 'AWS::CloudFormation::Stack') as Aliased[];
    const holding = (name: string) => stacks.find(({ id }) => id.startsWith(name))!;
    const others = stacks.filter(({ id }) => !/^(Public|Storage)/.test(id)).map(({ id }) => id);
    expect(holding('PublicNestedStack').DependsOn).toEqual(expect.arrayContaining(others));
  });

  test('lets CodeDeploy do nothing but move these functions and run the test', () => {
    const role = ofType<Role>(gradual, 'AWS::IAM::Role').find(({ id }) => id.startsWith('RolloutRole'))!;
    expect(statementsOf(role).map(({ Action }) => Action)).toEqual([
      ['lambda:GetAlias', 'lambda:UpdateAlias', 'lambda:GetProvisionedConcurrencyConfig'],
      'cloudwatch:DescribeAlarms',
      'lambda:InvokeFunction',
    ]);
  });

  test('gives the test its key from the secret, which no template shows', () => {
    const hook = functionNamed('inspection-service-smoke-hook', gradual);
    expect(JSON.stringify(hook.Properties.Environment.Variables['API_KEY'])).toContain(
      '{{resolve:secretsmanager:inspections/smoke-key:SecretString:::}}',
    );
  });

  test('stays within the quotas of CloudFormation and CodeDeploy', () => {
    for (const { name, resources, bytes } of gradual) {
      expect([name, resources.length < 450]).toEqual([name, true]);
      expect([name, Math.max(bytes, 800_000)]).toEqual([name, 800_000]);
    }
    expect(groups().length).toBeLessThan(1_000);
    for (const { Properties } of groups())
      expect(Properties.AlarmConfiguration.Alarms.length).toBeLessThanOrEqual(10);
  });

  test('of a kind that does not exist is refused', async () => {
    await expect(newApp(catalogue, { rollout: 'slowly' })).rejects.toThrow(
      'rollout=slowly must be all-at-once or',
    );
  });
});
