import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../../shared/base/caller.ts';
import { tenantClients, type TenantCredentials } from '../../shared/base/tenancy.ts';
import { clientOf, systemClient } from '../../shared/db/table/client.ts';
import { keys } from '../../shared/db/table/keys.ts';
import { getRow } from '../../shared/db/table/rows.ts';
import { objectKey, signedUrl } from '../../shared/storage/objects.ts';
import { type Fault, installFaults, on, withFault } from '../support/faults.ts';

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
    await sleep(1);
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

const tableKeyId = async (caller: Caller) => (await clientOf(caller).config.credentials()).accessKeyId;
const urlKeyId = async (caller: Caller) => {
  const url = await signedUrl(caller, objectKey(caller, 'documents', 'a'));
  return new URL(url).searchParams.get('X-Amz-Credential')!.split('/')[0];
};

describe('row-level security, in a warm function that serves several organizations', () => {
  test('signs the calls of each organization with the credentials of its own session', async () => {
    await withFault(sts, async () => {
      // In turns and at the same time, as requests come.
      const callers = [one, other, one, other];
      const ids = callers.map(({ org_id }) => `key-of-${org_id}`);
      expect(await Promise.all(callers.map(tableKeyId))).toEqual(ids);
      expect(await Promise.all(callers.map(urlKeyId))).toEqual(ids);
    });
  });

  test('asks STS once for each organization and service, with the organization as tag and the grants as policy', async () => {
    const callers = [newCaller(), newCaller()];
    await withFault(sts, async () => {
      for (const caller of [...callers, ...callers]) await getRow(caller, keys.organization(caller));
    });
    expect(assumed).toEqual(
      callers.map(({ org_id }) => ({
        RoleArn: ROLE,
        RoleSessionName: `org-${org_id}`,
        DurationSeconds: 3_600,
        Tags: [{ Key: 'org_id', Value: org_id }],
        Policy: POLICY,
      })),
    );
  });

  test('keeps the rights of a function itself for rows that belong to no organization', async () => {
    const own = (await systemClient().config.credentials()).accessKeyId;
    expect(own).not.toContain('key-of-');
    await withFault(sts, () => tableKeyId(one));
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
      await expect(withFault(refusing(answer), () => clientOf(caller).config.credentials())).rejects.toThrow(
        /denied|gave no credentials/,
      );
    }
    expect(new Set(sent)).toEqual(new Set(['STSClient AssumeRole']));
  });
});

describe('tenantClients', () => {
  const callerOf = (number: number): Caller => ({ org_id: `org-${number}`, user_id: 'u', name: 'n' });
  const newClients = () => {
    const made: (TenantCredentials | undefined)[] = [];
    const clients = tenantClients((credentials) => {
      made.push(credentials);
      return { credentials };
    });
    return { made, clients };
  };

  test('renews a session early enough for the URLs that it signs, which are valid for 15 minutes', async () => {
    const { clients } = newClients();
    const before = Date.now();
    const { expiration } = await withFault(sts, () => clients.of(callerOf(1)).credentials!());
    const left = expiration!.getTime() - before;
    // An hour, minus 15 minutes, minus the time in which the SDK itself renews.
    expect(left).toBeLessThanOrEqual(45 * 60_000);
    expect(left).toBeGreaterThanOrEqual(30 * 60_000);
  });

  test('keeps one client for each organization, and drops the oldest of more than fifty', () => {
    const { made, clients } = newClients();
    const firstOne = clients.of(callerOf(0));
    for (let number = 1; number < 50; number += 1) clients.of(callerOf(number));
    expect(clients.of(callerOf(0))).toBe(firstOne);
    expect(made).toHaveLength(50);
    clients.of(callerOf(50));
    expect(clients.of(callerOf(0))).not.toBe(firstOne);
    expect(made).toHaveLength(52);
  });

  test('shares one client without a role', () => {
    delete process.env['TENANT_ROLE_ARN'];
    const { made, clients } = newClients();
    expect(clients.of(callerOf(1))).toBe(clients.of(callerOf(2)));
    expect(clients.shared()).toBe(clients.of(callerOf(1)));
    expect(made).toEqual([undefined]);
  });
});
