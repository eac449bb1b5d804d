import { grantsOf, isGrant } from '../../infra/grants.ts';

type Granted = Parameters<typeof grantsOf>[0];
type Declared = Extract<Granted, { operation: unknown }>['operation'];

const CLAIM = ['table:UpdateItem', 'table:PutItem', 'table:DeleteItem', 'table:Query'];
const SESSION = ['session:BatchGetItem', 'session:UpdateItem', 'visits:UpdateItem'];

const id = 'trial';

describe('grantsOf', () => {
  test.each<[string, Declared, NonNullable<Granted['recorded']>['grants'], string[]]>([
    [
      'a GET: what is recorded, and the one of authentication',
      { id, method: 'GET', access: 'read' },
      ['table:GetItem'],
      ['table:UpdateItem', 'table:GetItem'],
    ],
    [
      'a POST that changes something: those of its idempotency key too',
      { id, method: 'POST', access: 'write' },
      ['table:PutItem', 'bucket:GetObject'],
      [...CLAIM, 'bucket:GetObject'],
    ],
    [
      'a POST that only reads: none of these',
      { id, method: 'POST', access: 'read' },
      [],
      ['table:UpdateItem'],
    ],
    [
      'an operation that signed-in people call as well: those of either way',
      { id, method: 'GET', access: 'read', app: { path: '/me' } },
      [],
      ['table:UpdateItem', ...SESSION, 'table:GetItem'],
    ],
    [
      'an operation of the app: the session and the member, and nothing of a key',
      { id, surface: 'app', method: 'POST', access: 'write', roles: ['admin'] },
      ['table:PutItem'],
      [...SESSION, 'table:GetItem', 'table:PutItem', 'table:UpdateItem'],
    ],
    [
      'an operation of the app for everybody with a session: no member',
      { id, surface: 'app', method: 'POST', access: 'write', roles: 'any' },
      [],
      SESSION,
    ],
    ['a page: what is recorded', { id, link: 'report' }, ['link:BatchGetItem'], ['link:BatchGetItem']],
    ['a step of the sign-in: the same', { id, surface: 'browser' }, ['person:Query'], ['person:Query']],
    ['a file that pages load: the same', { id, loadedBy: 'pages' }, [], []],
  ])('of %s', (_, operation, grants, expected) =>
    expect(grantsOf({ operation, recorded: { grants } })).toEqual(expected),
  );

  test('of a worker: what is recorded, and an upgrade in place of the rows that it writes', () => {
    const ofWorker = (grants: NonNullable<Granted['recorded']>['grants']) =>
      grantsOf({ worker: { id }, recorded: { grants } });
    expect(ofWorker(['table:Query'])).toEqual(['table:Query']);
    expect(ofWorker(['table:DeleteItem'])).toEqual(['table:DeleteItem', 'table:UpdateItem']);
  });

  test('says what to do about a function that is not recorded, so that none is deployed', () =>
    expect(() => grantsOf({ worker: { id }, recorded: undefined })).toThrow('npm run record'));
});

test('no function may be granted to read the whole table, or to delete keys', () => {
  expect(['table:Query', 'key:UpdateItem', 'queue:mail:SendMessage'].every(isGrant)).toBe(true);
  expect(['table:Scan', 'key:DeleteItem', 'queue:mail:DeleteMessage', 'mail:Delete'].some(isGrant)).toBe(
    false,
  );
});
