import * as errors from '../../shared/base/errors.ts';
import { SAFE_HEADERS } from '../../shared/base/headers.ts';
import { logLine } from '../../shared/base/log.ts';
import { createScheduledWorker } from '../../shared/http/worker/worker-handler.ts';
import * as apiKeys from '../../shared/organizations/api-keys.ts';
import { as } from '../support/call.ts';
import { effort } from '../support/effort.ts';
import { logged } from '../support/logged.ts';
import { actingKey, newPerson, onBehalfOf } from '../support/people.ts';

const METRICS_NAMESPACE = 'InspectionService/trial';

/** The log lines of a worker's run. */
const linesOf = async (variables: Record<string, string>, failure?: Error) => {
  const before = { ...process.env };
  Object.assign(process.env, { LOG_LEVEL: 'info' }, variables);
  const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    const source = { every: '5 minutes' } as const;
    const run = async () => {
      if (failure) throw failure;
    };
    await createScheduledWorker({ id: 'trial', summary: '', source }, run)().catch(() => undefined);
    return write.mock.calls.map(([line]) => JSON.parse(String(line)));
  } finally {
    write.mockRestore();
    process.env = before;
  }
};

/** The metrics of a worker's log line. */
const metricsOf = async (variables: Record<string, string>, failure?: Error) =>
  (await linesOf(variables, failure))[0]._aws.CloudWatchMetrics;

describe('the metrics of a log line', () => {
  test('are in the namespace of the deployment, by area, and by operation on demand', async () => {
    expect(await metricsOf({ METRICS_NAMESPACE })).toMatchObject([
      { Namespace: METRICS_NAMESPACE, Dimensions: [['area']] },
    ]);
    expect(await metricsOf({ METRICS_NAMESPACE, OPERATION_METRICS: 'true' })).toMatchObject([
      { Namespace: METRICS_NAMESPACE, Dimensions: [['area'], ['operation']] },
    ]);
  });

  test('stay in a deployed function that logs failures alone, without anything else of the line', async () => {
    const [line, ...others] = await linesOf({ METRICS_NAMESPACE, LOG_LEVEL: 'error' });
    expect(others).toEqual([]);
    const { _aws, ...rest } = line;
    expect(_aws.CloudWatchMetrics).toEqual(await metricsOf({ METRICS_NAMESPACE }));
    const metrics = _aws.CloudWatchMetrics[0].Metrics as { Name: string }[];
    const numbers = metrics.map(({ Name }) => Name);
    expect(Object.keys(rest).toSorted()).toEqual([...numbers, 'area', 'operation'].toSorted());

    const [failed] = await linesOf({ METRICS_NAMESPACE, LOG_LEVEL: 'error' }, new Error('off'));
    expect(failed).toMatchObject({ level: 'error', error: { message: 'off' } });
    expect(await linesOf({ LOG_LEVEL: 'error' })).toEqual([]);
    expect(await linesOf({ METRICS_NAMESPACE, LOG_LEVEL: 'silent' })).toEqual([]);
  });

  test.each([
    ['KeyFailure', Object.assign(new Error('off'), { name: 'DisabledException' })],
    ['SessionFailure', Object.assign(new Error('denied'), { isOfSession: true })],
  ])('count a %s for the whole deployment', async (metric, cause) => {
    expect(await metricsOf({ METRICS_NAMESPACE }, errors.unavailable('The database', cause))).toContainEqual({
      Namespace: METRICS_NAMESPACE,
      Dimensions: [[]],
      Metrics: [{ Name: metric, Unit: 'Count' }],
    });
  });
});

describe('LOG_LEVEL', () => {
  test.each([
    ['info', ['info', 'error']],
    ['error', ['error']],
    ['silent', []],
  ])('%s writes lines of the levels %j', async (level, expected) => {
    const lines = await logged(() => {
      logLine('info', { message: 'done' });
      logLine('error', { message: 'failed' });
    }, level);
    expect(lines.map((line) => JSON.parse(line).level)).toEqual(expected);
  });
});

describe('the log line of a request', () => {
  test('has the code of a refusal, and the key where it is known', async () => {
    const person = await newPerson('Writer');
    const codeOf = async (key: string | null) => {
      const [line] = await logged(() => as(key).try.clientAccounts.create({ body: { name: 'Acme' } }));
      const { code, status, key_id } = JSON.parse(line!);
      return { code, status, key_id };
    };
    const { id: key_id } = (await apiKeys.list(person.caller))[0]!;
    expect(await codeOf(person.key)).toEqual({ status: 201, key_id });
    expect(await codeOf(null)).toEqual({ code: 'api_key_unknown', status: 401 });
    const { key, id } = await apiKeys.create(person.caller, {
      name: 'x',
      access: 'read_only',
      expires: 'never',
    });
    expect(await codeOf(key)).toEqual({ code: 'api_key_read_only', status: 403, key_id: id });
    await apiKeys.revoke(person.caller, id);
    expect(await codeOf(key)).toEqual({ code: 'api_key_revoked', status: 401, key_id: id });
  });

  test('has the member for whom a key acts, beside the key', async () => {
    const person = await newPerson('Writer');
    const { key, id } = await actingKey(person);
    const member = { user_id: person.adminId };
    const lineOf = async (headers: Record<string, string>) =>
      JSON.parse((await logged(() => as(key).try.correctiveActions.listMy({ headers })))[0]!);
    expect(await lineOf(onBehalfOf(member))).toMatchObject({ key_id: id, user_id: person.adminId });
    expect(await lineOf({})).not.toHaveProperty('user_id');
  });

  test('has no key, header, query or body, and is one line whatever a client sends', async () => {
    const person = await newPerson('Writer');
    const secrets = ['Sekret\n{"level":"error"}', 'hidden-header', 'hidden-query'];
    const lines = await logged(() =>
      person.try.clientAccounts.create({
        query: { secret: secrets[2]! },
        headers: { 'Idempotency-Key': secrets[1]!, 'X-Forwarded-For': secrets[1]! },
        body: { name: secrets[0], unknown: secrets[0] },
      }),
    );
    expect(lines).toHaveLength(1);
    expect(lines[0]!.indexOf('\n')).toBe(lines[0]!.length - 1);
    for (const secret of [...secrets, 'Sekret', person.key, person.key.slice(12)])
      expect(lines[0]).not.toContain(secret);
  });
});

describe('any log line', () => {
  test.each([
    ['Email address is not verified: ada.b+c@mail.example.co.uk', 'Email address is not verified: …@…'],
    ['<ada@example.com>, "bob@example.org"', '<…@…>, \\"…@…\\"'],
    ['at node_modules/@aws-sdk/core/a.js:1:2', 'at node_modules/@aws-sdk/core/a.js:1:2'],
    ['zod@4.6.7', 'zod@4.6.7'],
  ])('has no mail address, not even in the message of an error: %s', async (message, shown) => {
    const [line] = await logged(() => logLine('error', { error: { message } }));
    expect(line).toContain(`"message":"${shown}"`);
  });

  test('has of a key only its public prefix', async () => {
    const { key, prefix } = apiKeys.newApiKey();
    const [line] = await logged(() => logLine('error', { error: { message: `Bearer ${key}` } }));
    expect(line).toContain(`Bearer ${prefix}_…`);
    expect(line).not.toContain(key.slice(12));
  });

  test('takes little time for a long text', async () => {
    const begin = effort();
    await logged(() => logLine('error', { a: 'a.'.repeat(500_000), b: `${'a'.repeat(500_000)}@` }));
    expect(effort() - begin).toBeLessThan(300);
  });
});

test('no reply is guessed at, kept, or asked for again without TLS', () =>
  expect(SAFE_HEADERS).toEqual({
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'strict-transport-security': 'max-age=31536000; includeSubDomains',
  }));
