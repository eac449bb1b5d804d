import {
  type Catalogue,
  functionName,
  loadCatalogue,
  type OperationEntry,
} from '../../../../infra/catalogue.ts';
import { physicalName } from '../../../../infra/cloud/names.ts';
import { grantsOf } from '../../../../infra/grants.ts';
import { MAX_STACK_PERCENT, MAX_TEMPLATE } from '../../../../infra/limits.ts';
import { QUEUES } from '../../../../shared/base/queues.ts';
import { TABLE } from '../../../../shared/table/table.ts';
import { operationEntries, sampleWorker, serviceWithSamples, WORKERS } from '../catalogues.ts';
import {
  filled,
  functionNamed,
  grantedBy,
  keyUse,
  keyUseOf,
  type LambdaFunction,
  list,
  nameOf,
  newApp,
  ofType,
  type Role,
  roleOf,
  statementsOf,
  type Template,
  templatesOf,
} from '../templates.ts';

let catalogue: Catalogue;
let templates: Template[];

beforeAll(async () => {
  catalogue = await serviceWithSamples();
  ({ templates } = await templatesOf(catalogue));
});

const asGranted = (grants: readonly string[]) =>
  grants
    .map((grant) =>
      grant.replace(
        /^queue:(\w)(\w*):SendMessage$/,
        (_, first: string, rest: string) => `queue:<${first.toUpperCase()}${rest}QueueArn>`,
      ),
    )
    .toSorted();

describe('the deployment', () => {
  const withinLimits = (all: Template[]) => {
    for (const { resources, bytes } of all) {
      expect(resources.length).toBeLessThan(400);
      // CloudFormation takes 1 MB. The routes of both APIs stand in one template.
      expect(bytes).toBeLessThan(800_000);
    }
  };

  test('stays within the quotas of CloudFormation', () => withinLimits(templates));

  test('leaves room to grow in each stack, of whose template CloudFormation takes 1 MB and 500 resources', async () => {
    const service = await loadCatalogue();
    const sharesOf = ({ bytes, resources }: Template) => ({
      bytes: (100 * bytes) / MAX_TEMPLATE.bytes,
      resources: (100 * resources.length) / MAX_TEMPLATE.resources,
    });
    for (const context of [{}, { rollout: 'canary-5-minutes' }]) {
      const { templates: whole } = await templatesOf(service, context);
      // A run shows how much room is left, long before a stack has none.
      const lines = whole.map((template) => {
        const { bytes, resources } = sharesOf(template);
        const count = String(template.resources.length).padStart(4);
        return `  ${bytes.toFixed(1).padStart(5)} % of the bytes  ${count} resources, ${resources.toFixed(1).padStart(5)} %  ${template.name}`;
      });
      process.stdout.write(
        `${[`Of CloudFormation's limits, ${JSON.stringify(context)}`, ...lines].join('\n')}\n`,
      );
      const full = whole.filter(
        (template) => Math.max(...Object.values(sharesOf(template))) > MAX_STACK_PERCENT,
      );
      expect(full.map(({ name }) => name)).toEqual([]);
    }
  });

  test('stays within them with twice as many operations', async () => {
    const doubled = await templatesOf({ operations: operationEntries(300), workers: WORKERS });
    withinLimits(doubled.templates);
    expect(ofType(doubled.templates, 'AWS::Lambda::Function')).toHaveLength(303);
  });

  test('gives nested stacks only the parameters that they use', () => {
    for (const { name, parameters, text } of templates.filter(({ name }) => name.includes('nested'))) {
      for (const parameter of parameters)
        expect([name, text.includes(`"Ref":"${parameter}"`)]).toEqual([name, true]);
    }
  });

  test('outputs what the people who deploy need to know', () => {
    const outputs = templates.find(({ name }) => name === 'inspection-service.template.json')!.outputs;
    expect(outputs.toSorted()).toEqual([
      'AlarmsTopic',
      'ApiUrl',
      'BucketName',
      'PeopleUrl',
      'TableName',
      'UserPoolId',
    ]);
  });

  test.each([
    'architecture',
    'rowLevelSecurity',
    'cloudWatchRole',
    'reservedConcurrency',
    'prefix',
    'mailFrom',
    'mailWindow',
    'inspectionUrl',
    'oidcIssuer',
    'tracing',
  ])('refuses a wrong value of %s, and names the flag', async (flag) => {
    const context = { [flag]: 'Neither' };
    await expect(newApp({ operations: [], workers: [] }, context)).rejects.toThrow(flag);
  });
});

describe('the functions', () => {
  test('are one for each operation, with its own role and log', () => {
    for (const entry of catalogue.operations) {
      const { Properties } = functionNamed(nameOf(entry), templates);
      expect(Properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Description: entry.operation.summary,
        Handler: `${functionName(entry)}.handler`,
        Environment: {
          Variables: {
            AREA: entry.area,
            // A step of the sign-in, and a file of the pages, reach no row.
            ...(grantsOf(entry).length > 0 && { TABLE_NAME: { Ref: 'TableName' } }),
          },
        },
      });
      expect(Properties.FunctionName.length).toBeLessThanOrEqual(64);
    }
    const functions = ofType<LambdaFunction>(templates, 'AWS::Lambda::Function');
    expect(functions).toHaveLength(catalogue.operations.length + catalogue.workers.length);
    expect(new Set(functions.map(({ Properties }) => Properties.Role['Fn::GetAtt'][0])).size).toBe(
      functions.length,
    );
    const logs = ofType<{ RetentionInDays: number }>(templates, 'AWS::Logs::LogGroup');
    for (const { Properties } of functions) {
      const log = logs.find(({ id }) => id === Properties.LoggingConfig.LogGroup.Ref);
      expect(log!.Properties.RetentionInDays).toBe(90);
    }
  });

  test('have variables for the bucket and the queues only if they may use them', () => {
    for (const entry of catalogue.operations) {
      const grants = grantsOf(entry);
      const { Variables } = functionNamed(nameOf(entry), templates).Properties.Environment;
      expect('BUCKET_NAME' in Variables).toBe(grants.some((grant) => grant.startsWith('bucket:')));
      for (const queue of QUEUES) {
        expect(`${queue.toUpperCase()}_QUEUE_URL` in Variables).toBe(
          grants.includes(`queue:${queue}:SendMessage`),
        );
      }
    }
  });

  test('may query the indexes, each by its name, if they may query the table', () => {
    for (const entry of WORKERS.map(({ worker }) => sampleWorker(worker.id))) {
      const table = statementsOf(roleOf(functionNamed(nameOf(entry), templates), templates)).find(
        ({ Resource }) => list(Resource).some((resource) => filled(resource) === '<TableArn>'),
      )!;
      const indexes = grantsOf(entry).includes('table:Query')
        ? TABLE.indexes.map(({ name }) => `<TableArn>/index/${name}`)
        : [];
      expect(list(table.Resource).map(filled)).toEqual(['<TableArn>', ...indexes]);
    }
  });

  test('have no permission for `*`', () => {
    for (const role of ofType<Role>(templates, 'AWS::IAM::Role')) {
      if (!role.Properties.Policies) continue;
      for (const { Resource, Action } of statementsOf(role)) {
        expect(list(Resource)).not.toContain('*');
        expect(list(Action).join(' ')).not.toContain('*');
      }
    }
  });

  test('are built for the requested architecture', async () => {
    const operations = operationEntries(1);
    const { templates } = await templatesOf({ operations, workers: [] }, { architecture: 'x86_64' });
    const [only] = ofType<LambdaFunction>(templates, 'AWS::Lambda::Function');
    expect(only!.Properties.Architectures).toEqual(['x86_64']);
  });
});

describe('the functions, without row-level security', () => {
  let open: Template[];

  beforeAll(async () => {
    ({ templates: open } = await templatesOf(catalogue, { rowLevelSecurity: 'false' }));
  });

  test('may do exactly what is recorded of their operations', () => {
    for (const entry of catalogue.operations) {
      const role = roleOf(functionNamed(nameOf(entry), open), open);
      expect(grantedBy(role).toSorted()).toEqual(asGranted(grantsOf(entry)));
    }
    expect(open.map(({ text }) => text).join('')).not.toContain('TenantRole');
  });

  test('may use the encryption key only through the services that they may use', () => {
    const uses = [...catalogue.operations, ...WORKERS.map(({ worker }) => sampleWorker(worker.id))].map(
      (entry) => {
        const grants = grantsOf(entry);
        const services = [
          ...(grants.some((grant) => !/^(bucket|queue|mail):/.test(grant)) ? ['dynamodb'] : []),
          ...(grants.some((grant) => grant.startsWith('bucket:')) ? ['s3'] : []),
        ];
        const role = roleOf(functionNamed(nameOf(entry), open), open);
        expect(keyUseOf(role)).toEqual(services.length === 0 ? undefined : keyUse('<KeyArn>', services));
        return services.join(' and ');
      },
    );
    expect(new Set(uses)).toEqual(new Set(['', 'dynamodb', 'dynamodb and s3']));
  });
});

const inArea = (entry: OperationEntry, area: string): OperationEntry => ({
  ...entry,
  file: `functions/${area}/operation.ts`,
  area,
});

/** The names of a deployment's resources that CloudFormation does not make itself, except for those of the API. */
const namesOf = async (operations: OperationEntry[]): Promise<string[]> => {
  const { templates } = await templatesOf({ operations, workers: [] });
  return templates
    .filter(({ name }) => name.includes('nested'))
    .flatMap(({ resources }) =>
      resources.flatMap(({ Type, Properties }) =>
        Object.entries(Properties ?? {}).flatMap(([property, value]) =>
          property === `${Type.split('::')[2]}Name` ? [JSON.stringify(value)] : [],
        ),
      ),
    );
};

describe('an operation that moves to another area', () => {
  test('has other physical names there, because the old ones still exist', async () => {
    const [entry] = operationEntries(1) as [OperationEntry];
    const [before, after] = [
      await namesOf([inArea(entry, 'templates')]),
      await namesOf([inArea(entry, 'reports')]),
    ];
    expect(before).toHaveLength(2);
    expect(after).toHaveLength(2);
    expect(before.filter((name) => after.includes(name))).toEqual([]);
  });

  test('cannot move between areas of the same code, which synthesis refuses', async () => {
    const [first, second] = operationEntries(2) as [OperationEntry, OperationEntry];
    const code = (area: string) => physicalName({ prefix: 'p' }, inArea(first, area));
    let number = 0;
    while (code(`area-${number}`) !== code('templates')) number += 1;
    const operations = [inArea(first, 'templates'), inArea(second, `area-${number}`)];
    await expect(newApp({ operations, workers: [] })).rejects.toThrow(
      `templates and area-${number} have the same code`,
    );
  });
});
