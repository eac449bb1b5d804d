import { loadCatalogue, type OperationEntry } from '../../../infra/catalogue.ts';
import {
  functionNamed,
  list,
  nameOf,
  partitionsOf,
  publicUrlIn,
  roleOf,
  statementsOf,
  type Template,
  templatesOf,
} from './templates.ts';

/** A page that follows links, and an operation that makes one. */
let operations: OperationEntry[];
let templates: Template[];

beforeAll(async () => {
  const ids = new Set(['stopMails', 'createShareLink']);
  ({ operations } = await loadCatalogue());
  operations = operations.filter(({ operation }) => ids.has(operation.id));
  ({ templates } = await templatesOf({ operations, workers: [] }));
});

describe('public pages', () => {
  test('follow links and count visits by themselves, and other functions make links', () => {
    const functionOf = (id: string) => {
      const entry = operations.find(({ operation }) => operation.id === id)!;
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
    const named = await templatesOf({ operations, workers: [] }, { publicUrl: 'https://i.example.com' });
    expect(publicUrlIn(named.templates)).toBe('https://i.example.com');
    const insecure = templatesOf({ operations, workers: [] }, { publicUrl: 'http://i.example.com' });
    await expect(insecure).rejects.toThrow('publicUrl');
  });
});
