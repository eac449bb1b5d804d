import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import type { Caller } from '../../shared/base/caller.ts';
import { aliasOf, tenantClients } from '../../shared/base/tenancy.ts';
import { objectKey, signedUrl } from '../../shared/files/objects.ts';
import { systemClient } from '../../shared/table/client.ts';
import { keys } from '../../shared/table/keys.ts';
import { getRow } from '../../shared/table/rows.ts';
import { useClock } from '../support/clock.ts';
import { type Fault, installFaults, on, withFault } from '../support/faults.ts';
import { newCallers } from '../support/tenants.ts';

installFaults();

const ROLE = 'arn:aws:iam::123456789012:role/tenant';
const POLICY = '{"Version":"2012-10-17","Statement":[]}';

/** What the role was assumed for, in order. */
let assumed: Record<string, unknown>[];

/** STS, as far as it concerns us: its credentials carry the session's organization. */
const sts: Fault = on(
  ({ client }) => client === 'STSClient',
  async ({ command, input }) => {
    expect(command).toBe('AssumeRole');
    assumed.push(input);
    const [{ Value: org }] = input['Tags'] as [{ Value: string }];
    await turn();
    return {
      Credentials: {
        AccessKeyId: `key-of-${org}`,
        SecretAccessKey: 'secret',
        SessionToken: `session-of-${org}`,
        Expiration: new Date(Date.now() + 3_600_000),
      },
    };
  },
);

const newCaller = (): Caller => ({ org_id: randomUUID(), user_id: 'u', name: 'n' });
const [one, other] = [newCaller(), newCaller()];

beforeEach(() => {
  assumed = [];
  Object.assign(process.env, { TENANT_ROLE_ARN: ROLE, TENANT_SESSION_POLICY: POLICY });
});

afterEach(() => {
  delete process.env['TENANT_ROLE_ARN'];
  delete process.env['TENANT_SESSION_POLICY'];
});

const clients = tenantClients((confined) => ({ config: confined, send: () => undefined }));
const keyId = async (caller: Caller): Promise<string> => {
  const session = await clients.run(caller, ({ config }) => config.credentials!());
  return session.accessKeyId;
};
const urlKeyId = async (caller: Caller) => {
  const url = await signedUrl(caller, objectKey(caller, 'documents', 'a'));
  return new URL(url).searchParams.get('X-Amz-Credential')!.split('/')[0];
};

describe('row-level security, in a warm function that serves several organizations', () => {
  const clock = useClock();

  test('signs the calls of each organization with the credentials of its own session', async () => {
    await withFault(sts, async () => {
      // In turns and at the same time, as requests come.
      const callers = [one, other, one, other];
      const ids = callers.map(({ org_id }) => `key-of-${org_id}`);
      expect(await Promise.all(callers.map(keyId))).toEqual(ids);
      expect(await Promise.all(callers.map(urlKeyId))).toEqual(ids);
    });
  });

  test('gives each of more organizations than it keeps its own session, at the same time', async () => {
    const callers = newCallers(1_500);
    await withFault(sts, async () => {
      const ids = await Promise.all([...callers, ...callers].map(keyId));
      expect(ids).toEqual([...callers, ...callers].map(({ org_id }) => `key-of-${org_id}`));
    });
  });

  test('asks STS once for all that an organization sends, with the organization as tags and the grants as policy', async () => {
    const callers = newCallers(2);
    await withFault(sts, async () => {
      await Promise.all([...callers, ...callers].map((caller) => getRow(caller, keys.organization(caller))));
      await Promise.all([...callers, ...callers].map(urlKeyId));
    });
    expect(assumed).toEqual(
      callers.map((caller) => ({
        RoleArn: ROLE,
        RoleSessionName: `org-${aliasOf(caller)}`,
        DurationSeconds: 3_600,
        Tags: [
          { Key: 'org_id', Value: caller.org_id },
          { Key: 'alias', Value: aliasOf(caller) },
        ],
        Policy: POLICY,
      })),
    );
  });

  test('keeps the rights of a function itself for rows that belong to no organization', async () => {
    const own = (await systemClient().config.credentials()).accessKeyId;
    expect(own).not.toContain('key-of-');
    await withFault(sts, () => getRow(one, keys.organization(one)));
    expect((await systemClient().config.credentials()).accessKeyId).toBe(own);
  });

  test('sends nothing when STS refuses, or gives no credentials', async () => {
    const caller = newCaller();
    const sent: string[] = [];
    const refusing =
      (answer: () => Promise<object>): Fault =>
      ({ client, command, send }) => {
        sent.push(`${client} ${command}`);
        return client === 'STSClient' ? answer() : send();
      };
    for (const answer of [() => Promise.reject(new Error('denied')), () => Promise.resolve({})]) {
      await expect(withFault(refusing(answer), () => keyId(caller))).rejects.toThrow(
        /denied|gave no credentials/,
      );
    }
    expect(new Set(sent)).toEqual(new Set(['STSClient AssumeRole']));
  });

  test('renews a session early enough for the URLs that it signs, which are valid for 15 minutes', async () => {
    const caller = newCaller();
    await withFault(sts, async () => {
      await keyId(caller);
      clock.pass(39 * 60);
      await keyId(caller);
      expect(assumed).toHaveLength(1);
      clock.pass(2 * 60);
      await Promise.all([keyId(caller), keyId(caller)]);
      expect(assumed).toHaveLength(2);
    });
  });

  test('goes on with a session that STS does not renew, until its URLs would outlive it', async () => {
    const caller = newCaller();
    const denied: Fault = on(
      ({ client }) => client === 'STSClient',
      () => Promise.reject(new Error('denied')),
    );
    await withFault(sts, () => keyId(caller));
    clock.pass(41 * 60);
    await expect(withFault(denied, () => keyId(caller))).resolves.toBe(`key-of-${caller.org_id}`);
    clock.pass(4 * 60);
    await expect(withFault(denied, () => keyId(caller))).rejects.toThrow('denied');
  });

  test('signs nothing outside the work of an organization', async () => {
    const signing = clients.run(one, ({ config }) => config.credentials!);
    await expect(signing()).rejects.toThrow('no organization to sign for');
  });
});

test('all organizations share one client without a role', () => {
  delete process.env['TENANT_ROLE_ARN'];
  const clientFor = (caller: Caller) => clients.run(caller, (client) => client);
  expect(clientFor(one)).toBe(clients.shared());
  expect(clientFor(other)).toBe(clients.shared());
  expect(clients.shared().config).toEqual({});
});
