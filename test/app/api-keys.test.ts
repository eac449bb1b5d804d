import { sha256 } from '../../shared/base/encoding.ts';
import { scopeFor } from '../../shared/domain/key-scopes.ts';
import { authenticateKey, MAX_REFUSALS_PER_MINUTE } from '../../shared/organizations/authentication.ts';
import { KEY_SCOPES } from '../../shared/schemas/api-key.ts';
import { keys } from '../../shared/table/keys.ts';
import { getSystemRows, queryRows } from '../../shared/table/rows.ts';
import type { AccessTask } from '../../shared/table/tasks.ts';
import { as, locs } from '../support/call.ts';
import { operationEntries } from '../support/catalogue.ts';
import { useClock } from '../support/clock.ts';
import { waitingTasks } from '../support/outbox.ts';
import { auditOf, newPerson, onBehalfOf, type Person } from '../support/people.ts';
import { letKeysAct, type SignedIn, signIn } from '../support/signed-in.ts';

let person: Person;
let admin: SignedIn;
let inspector: SignedIn;

beforeAll(async () => {
  person = await newPerson('Harbour');
  inspector = await signIn(person, 'inspector');
});

// Each test has an admin of its own, because a person may make only so many changes in a minute.
beforeEach(async () => {
  admin = await signIn(person);
});

const HOUR_S = 3_600;
const clock = useClock();

const authenticated = (key: string) => authenticateKey(key, Date.now(), '203.0.113.7');

/** A key that somebody has made in the app. */
const newKey = (body: object = {}, maker = admin) =>
  as(maker).app.createApiKey({ body: { name: 'Sync', access: 'read_write', ...body } });

/** The secret that works after a rotation, if there is one. */
const rotated = async ({ id, key }: { id: string; key: string }, which: string): Promise<string> =>
  which === 'its own secret'
    ? key
    : (await as(admin).app.rotateApiKey({ params: { key_id: id }, body: { overlap_hours: 2 } })).key;

const statusOf = async (key: string): Promise<number> => (await as(key).try.organization.get()).status;

const listedKey = async (id: string) =>
  (await as(admin).app.listApiKeys()).find((listed: { id: string }) => listed.id === id);

describe('POST /app/api-keys', () => {
  test('201 with the key once; only its prefix and hash are stored', async () => {
    const body = { name: 'Sync', access: 'read_only', expires: '30d' };
    const made = await as(admin).app.createApiKey({ body });
    expect(made).toMatchObject({ name: 'Sync', access: 'read_only', status: 'active', last_used_at: null });
    expect(Date.parse(made.expires_at) - Date.parse(made.created_at)).toBe(30 * 86_400_000);
    expect(made.key).toMatch(/^ak_[0-9A-Za-z]{8}_[0-9A-Za-z]{36}$/);
    const { key, ...listed } = made;
    expect((await as(key).try.organization.get()).status).toBe(200);
    const { body: all } = await as(admin).try.app.listApiKeys();
    expect(all).toHaveLength(3);
    expect(all.at(-1)).toEqual({
      ...listed,
      last_used_at: expect.any(String),
      last_used_from: '127.0.0.1',
    });
    expect(made).toMatchObject({ created_by: admin.userId, created_by_name: 'Ada' });
    // The platform team made the first keys.
    expect(all[0]).toMatchObject({ created_by: null });
    expect(await authenticated(key)).toMatchObject({ key_maker: admin.userId });
    expect(await authenticated(person.key)).not.toHaveProperty('key_maker');
    const rows = await Array.fromAsync(queryRows(admin.caller, { partition: keys.all(admin.caller, 'KEY') }));
    expect(JSON.stringify(rows)).not.toContain(key);
  });

  test('201 with the right to act for members, which the audit log tells; 422 for a key that may only read', async () => {
    const body = { name: 'Field app', access: 'read_write', act_for_members: true };
    const { id, key } = await as(admin).app.createApiKey({ body });
    await letKeysAct(inspector);
    const headers = onBehalfOf({ user_id: inspector.caller.user_id });
    expect((await as(key).try.correctiveActions.listMy({ headers })).status).toBe(200);
    const listed = await as(admin).app.listApiKeys();
    expect(listed.find((one: { id: string }) => one.id === id)).toMatchObject({ act_for_members: true });
    expect((await auditOf(person)).find(({ target_id }) => target_id === id)).toMatchObject({
      action: 'key.created',
      changes: { act_for_members: { from: false, to: true } },
    });
    const refused = await as(admin).try.app.createApiKey({ body: { ...body, access: 'read_only' } });
    expect([refused.status, locs(refused)]).toEqual([422, ['body.act_for_members']]);
  });

  test('the admins are mailed of a key that may act for members, and of no other', async () => {
    const other = await newPerson('Elsewhere');
    const [maker, colleague] = [await signIn(other), await signIn(other)];
    await signIn(other, 'approver');
    await newKey({ name: 'Reader', access: 'read_only' }, maker);
    await newKey({ name: 'Field app', act_for_members: true }, maker);
    const mails = (await waitingTasks(other.caller)).flatMap(({ data }) =>
      'what' in data && data.what === 'access' ? [data as AccessTask] : [],
    );
    expect(mails.map(({ event, member, actor }) => [event, member, actor])).toEqual(
      Array.from({ length: 3 }, () => ['acting_key_made', 'Field app', 'Ada']),
    );
    expect(new Set(mails.map(({ to }) => to.user_id))).toEqual(
      new Set([other.adminId, maker.userId, colleague.userId]),
    );
  });

  test('400 with an idempotency key: the reply has a secret, which is not kept', async () => {
    const body = { name: 'Once', access: 'read_write' };
    const headers = { 'Idempotency-Key': 'one' };
    expect((await as(admin).try.app.createApiKey({ body, headers })).status).toBe(400);
    expect((await as(admin).app.createApiKey({ body })).expires_at).toBeNull();
  });
});

describe('POST /app/api-keys/{key_id}/revoke', () => {
  test('200 revokeApiKey: the key ends at once; again changes nothing', async () => {
    const { id, key } = await as(admin).app.createApiKey({
      body: { name: 'Old', access: 'read_write' },
    });
    for (const _ of [1, 2])
      expect((await as(admin).try.app.revokeApiKey({ params: { key_id: id } })).body).toBeNull();
    expect((await as(key).try.organization.get()).status).toBe(401);
    const { body } = await as(admin).try.app.listApiKeys();
    expect(body.find((listed: { id: string }) => listed.id === id).status).toBe('revoked');
    const { body: log } = await as(admin).try.app.listAuditRecords({ query: { action: ['key.revoked'] } });
    expect(log).toMatchObject([{ target_id: id, actor: { id: admin.userId, name: 'Ada', kind: 'person' } }]);
  });
});

describe('scopes of a key', () => {
  test('each path of the machine API begins with one, or with /me', () => {
    const needed = operationEntries()
      .filter(({ operation }) => operation.access !== 'person')
      .flatMap(({ operation }) => scopeFor(operation) ?? []);
    expect(needed.filter((scope) => !KEY_SCOPES.includes(scope))).toEqual([]);
    const areas = (scopes: readonly string[]) => new Set(scopes.map((scope) => scope.split(':')[0]));
    expect(areas(KEY_SCOPES)).toEqual(areas(needed));
  });

  test('403 naming the scope that the key lacks; write includes read, and everybody may read /me', async () => {
    const { key } = await newKey({ scopes: ['locations:write', 'org:read'] });
    const limited = as(key);
    expect((await limited.try.locations.create({ body: { name: 'Pier' } })).status).toBe(201);
    expect((await limited.try.locations.list()).status).toBe(200);
    expect((await limited.try.organization.get()).status).toBe(200);
    expect((await limited.try.me.getMyProfile()).status).toBe(200);
    const written = await limited.try.organization.update({ body: { name: 'Theirs' } });
    expect([written.status, written.body.detail]).toEqual([403, 'This API key lacks the scope org:write.']);
    const foreign = await limited.try.inspections.list();
    expect([foreign.status, foreign.body.detail]).toEqual([
      403,
      'This API key lacks the scope inspections:read.',
    ]);
  });

  test('422 for a scope that there is not, none at all, and one to write of a key that may only read', async () => {
    const refused = async (body: object) => {
      const reply = await as(admin).try.app.createApiKey({
        body: { name: 'Sync', access: 'read_write', ...body },
      });
      return [reply.status, locs(reply)];
    };
    expect(await refused({ scopes: ['everything:read'] })).toEqual([422, ['body.scopes.0']]);
    expect(await refused({ scopes: [] })).toEqual([422, ['body.scopes']]);
    expect(
      await refused({ access: 'read_only', scopes: ['issues:read', 'issues:write'], act_for_members: true }),
    ).toEqual([422, ['body.act_for_members', 'body.scopes']]);
    const { id } = await newKey({ access: 'read_only' });
    const changed = await as(admin).try.app.updateApiKey({
      params: { key_id: id },
      body: { scopes: ['issues:write'] },
    });
    expect([changed.status, locs(changed)]).toEqual([422, ['body.scopes']]);
  });
});

describe('networks of a key', () => {
  test.each([
    [['203.0.113.0/24'], '203.0.113.255', '203.0.114.0'],
    [['198.51.100.7'], '198.51.100.7', '198.51.100.8'],
    [['2001:db8::/32'], '2001:db8:1::1', '2001:db9::1'],
    [['198.51.100.7', '2001:db8::/32'], '2001:db8::9', '::1'],
    [['203.0.113.0/24'], '::ffff:203.0.113.9', '::ffff:203.0.114.9'],
  ])('%j let in %s and not %s', async (networks, within, outside) => {
    const { id, key } = await newKey({ networks });
    const from = (sourceIp: string) => as(key).try.organization.get({ sourceIp });
    expect((await from(within)).status).toBe(200);
    const refused = await from(outside);
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      'This API key cannot be used from this network.',
    ]);
    // Whoever looks sees where the key was tried.
    expect(await listedKey(id)).toMatchObject({ networks, last_used_from: outside });
  });

  test.each(['its own secret', 'the secret before a rotation'])(
    '403, and 429 beyond the limit of refusals; with %s, none counts among the requests of the key',
    async (which) => {
      const made = await newKey({ networks: ['203.0.113.0/24'] });
      const next = await rotated(made, which);
      const from = (sourceIp: string) => as(made.key).try.organization.get({ sourceIp });
      const statuses = [];
      for (let count = 0; count < MAX_REFUSALS_PER_MINUTE + 2; count += 1)
        statuses.push((await from('198.51.100.7')).status);
      expect(statuses.slice(0, -2)).toEqual(Array(MAX_REFUSALS_PER_MINUTE).fill(403));
      expect(statuses.slice(-2)).toEqual([429, 429]);
      expect((await from('203.0.113.9')).status).toBe(200);
      const [row] = await getSystemRows([keys.apiKey(sha256(next))]);
      expect(row).toMatchObject({ count: 1, requests: 1 });
    },
  );

  test('403 for a read-only key in another network, a request that it could not make anyway', async () => {
    const { key } = await newKey({ access: 'read_only', networks: ['203.0.113.0/24'] });
    const refused = await as(key).try.locations.create({
      body: { name: 'Pier' },
      sourceIp: '198.51.100.7',
    });
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      'This API key cannot be used from this network.',
    ]);
  });

  test('422 for what is no network', async () => {
    const networks = ['203.0.113.0/33', 'office', '203.0.113.0/24', '2001:db8::/129', ''];
    const refused = await as(admin).try.app.createApiKey({
      body: { name: 'Sync', access: 'read_only', networks },
    });
    expect([refused.status, locs(refused)]).toEqual([
      422,
      ['body.networks.0', 'body.networks.1', 'body.networks.3', 'body.networks.4'],
    ]);
  });
});

describe('PATCH /app/api-keys/{key_id}', () => {
  test('200 updateApiKey: with the next request, and null takes a limit away', async () => {
    const { id, key } = await newKey();
    const change = (body: object) => as(admin).app.updateApiKey({ params: { key_id: id }, body });
    expect(await change({ scopes: ['issues:read'], networks: ['203.0.113.0/24'] })).toMatchObject({
      scopes: ['issues:read'],
      networks: ['203.0.113.0/24'],
    });
    expect(await statusOf(key)).toBe(403);
    expect(await change({ networks: null })).toMatchObject({ scopes: ['issues:read'], networks: null });
    expect(await statusOf(key)).toBe(403);
    expect(await change({ scopes: null })).toMatchObject({ scopes: null, networks: null });
    expect(await statusOf(key)).toBe(200);
    const actions = (await auditOf(person)).filter(({ target_id }) => target_id === id);
    expect(actions.map(({ action }) => action)).toEqual([
      'key.created',
      'key.updated',
      'key.updated',
      'key.updated',
    ]);
    expect(actions[1]!.changes).toMatchObject({ scopes: { from: null, to: ['issues:read'] } });
  });

  test('409 for a key that has ended, 404 for that of another organization', async () => {
    const { id } = await newKey();
    await as(admin).app.revokeApiKey({ params: { key_id: id } });
    const request = { params: { key_id: id }, body: { scopes: null } };
    const ended = await as(admin).try.app.updateApiKey(request);
    expect([ended.status, ended.body.detail]).toEqual([409, 'The API key is revoked.']);
    const rotated = await as(admin).try.app.rotateApiKey({ params: { key_id: id }, body: {} });
    expect([rotated.status, rotated.body.detail]).toEqual([409, 'The API key is revoked.']);
    const stranger = await signIn(await newPerson('Elsewhere'));
    expect((await as(stranger).try.app.updateApiKey(request)).status).toBe(404);
    expect((await as(stranger).try.app.rotateApiKey({ params: { key_id: id }, body: {} })).status).toBe(404);
  });
});

describe('POST /app/api-keys/{key_id}/rotate', () => {
  const rotate = (id: string, body: object = {}, by = admin) =>
    as(by).app.rotateApiKey({ params: { key_id: id }, body });

  test('200 rotateApiKey: both secrets are one key until the overlap ends', async () => {
    const made = await newKey({ scopes: ['org:read', 'locations:read'] });
    const { key: next, ...renewed } = await rotate(made.id, { overlap_hours: 2 });
    expect(renewed).toMatchObject({
      id: made.id,
      user_id: made.user_id,
      scopes: made.scopes,
      status: 'active',
    });
    expect(renewed.prefix).not.toBe(made.prefix);
    expect(Date.parse(renewed.previous!.until) - Date.parse(renewed.rotated_at)).toBe(2 * HOUR_S * 1_000);
    expect([await statusOf(made.key), await statusOf(next)]).toEqual([200, 200]);
    const { request_number = 0, ...former } = await authenticated(made.key);
    expect(await authenticated(next)).toEqual({ ...former, request_number: request_number + 1 });
    expect((await listedKey(made.id)).previous).toMatchObject({
      prefix: made.prefix,
      last_used_at: expect.any(String),
    });
    // What is changed holds for both.
    await as(admin).app.updateApiKey({ params: { key_id: made.id }, body: { scopes: ['locations:read'] } });
    expect([await statusOf(made.key), await statusOf(next)]).toEqual([403, 403]);
    clock.pass(2 * HOUR_S);
    admin = await signIn(person);
    expect([await statusOf(made.key), await statusOf(next)]).toEqual([401, 403]);
    expect((await listedKey(made.id)).previous).toBeNull();
  });

  test('both secrets share the requests of a minute, and the cursors', async () => {
    const made = await newKey();
    const first = await as(made.key).try.members.list({ query: { limit: 1 } });
    const { key: next } = await rotate(made.id);
    const cursor = /cursor=([^&>]+)/.exec(first.headers['link'] ?? '')?.[1];
    expect(cursor).toBeDefined();
    const query = { limit: 1, cursor: decodeURIComponent(cursor!) };
    expect((await as(next).try.members.list({ query })).status).toBe(200);
    for (let sent = 0; sent < 298; sent += 1) await authenticated(sent % 2 ? made.key : next);
    await expect(authenticated(made.key)).rejects.toMatchObject({ status: 429 });
    await expect(authenticated(next)).rejects.toMatchObject({ status: 429 });
  });

  test('a list that one key began goes on with another of the organization, also when the first is revoked', async () => {
    const made = await newKey();
    const begun = await as(made.key).try.members.list({ query: { limit: 1 } });
    const cursor = new URL(/<(.*)>/.exec(begun.headers['link']!)![1]!).searchParams.get('cursor')!;
    await as(admin).app.revokeApiKey({ params: { key_id: made.id } });
    const query = { limit: 1, cursor };
    expect((await as((await newKey()).key).try.members.list({ query })).status).toBe(200);
    const stranger = await newPerson('Elsewhere');
    expect((await as(stranger.key).try.members.list({ query })).status).toBe(422);
  });

  test('a second rotation ends the secret before the last one; a revocation ends all', async () => {
    const made = await newKey();
    const { key: second } = await rotate(made.id);
    const { key: third } = await rotate(made.id);
    expect(await Promise.all([made.key, second, third].map(statusOf))).toEqual([401, 200, 200]);
    await as(admin).app.revokeApiKey({ params: { key_id: made.id } });
    expect(await Promise.all([made.key, second, third].map(statusOf))).toEqual([401, 401, 401]);
  });

  test('without an overlap the secret before it ends at once', async () => {
    const made = await newKey();
    const { key: next } = await rotate(made.id, { overlap_hours: 0 });
    expect([await statusOf(made.key), await statusOf(next)]).toEqual([401, 200]);
  });

  test('two rotations at once: one key has both new secrets behind each other, and the first one has ended', async () => {
    const made = await newKey();
    const renewed = await Promise.all([rotate(made.id), rotate(made.id)]);
    expect(await Promise.all(renewed.map(({ key }: { key: string }) => statusOf(key)))).toEqual([200, 200]);
    expect(await statusOf(made.key)).toBe(401);
  });

  test('under load no request is refused', async () => {
    const made = await newKey();
    let { key } = made;
    const statuses = new Map<number, number>();
    const over = new AbortController();
    const client = async (): Promise<void> => {
      while (!over.signal.aborted) {
        const status = await statusOf(key);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    const clients = [client(), client(), client()];
    // The new secret is used as soon as it is known, and requests with the former one are still under way.
    for (const _ of [1, 2, 3]) ({ key } = await rotate(made.id, { overlap_hours: 1 }));
    over.abort();
    await Promise.all(clients);
    expect([...statuses.keys()]).toEqual([200]);
  });

  test('it is valid as long as before, from now on; its maker is who rotated it', async () => {
    const made = await newKey({ expires: '30d' });
    clock.pass(24 * HOUR_S);
    const other = await signIn(person);
    const renewed = await rotate(made.id, {}, other);
    expect(Date.parse(renewed.expires_at) - Date.parse(renewed.rotated_at)).toBe(30 * 24 * HOUR_S * 1_000);
    expect([made.created_by, renewed.created_by]).toEqual([admin.userId, other.userId]);
    expect(await authenticated(renewed.key)).toMatchObject({ key_maker: other.userId });
    expect((await rotate(made.id, { expires: 'never' }, other)).expires_at).toBeNull();
    expect(
      (await auditOf(person)).filter(({ target_id }) => target_id === made.id).map(({ action }) => action),
    ).toEqual(['key.created', 'key.rotated', 'key.rotated']);
  });
});

describe('max_key_days of an organization', () => {
  test('no key is valid for longer; older ones go on and say so', async () => {
    const own = await newPerson('Strict');
    const strict = await signIn(own);
    const old = await newKey({}, strict);
    const refusedForKeys = await own.try.organization.update({ body: { max_key_days: 60 } });
    expect(refusedForKeys.status).toBe(403);
    await as(strict).organization.update({ body: { max_key_days: 60 } });
    const create = async (expires: string) => {
      const reply = await as(strict).try.app.createApiKey({
        body: { name: 'Sync', access: 'read_only', expires },
      });
      return reply.status === 201 ? 201 : [reply.status, locs(reply)];
    };
    expect(await Promise.all(['30d', '90d', 'never'].map(create))).toEqual([
      201,
      [422, ['body.expires']],
      [422, ['body.expires']],
    ]);
    const listed = await as(strict).app.listApiKeys();
    expect(listed.map((key: { name: string; is_too_old: boolean }) => [key.name, key.is_too_old])).toEqual([
      ['Strict', true],
      ['Strict, reading', false],
      ['Sync', true],
      ['Sync', false],
    ]);
    expect(await statusOf(old.key)).toBe(200);
    // A rotation brings it within the limit.
    const request = { params: { key_id: old.id } };
    expect((await as(strict).try.app.rotateApiKey({ ...request, body: { expires: '90d' } })).status).toBe(
      422,
    );
    const renewed = await as(strict).app.rotateApiKey({ ...request, body: {} });
    expect(Date.parse(renewed.expires_at) - Date.parse(renewed.rotated_at)).toBe(60 * 24 * HOUR_S * 1_000);
    expect(renewed.is_too_old).toBe(false);
  });
});

describe('the keys of somebody who goes', () => {
  const suspend = (userId: string, query: { keys?: string } = {}) =>
    as(admin).try.app.updateMember({ params: { user_id: userId }, query, body: { status: 'suspended' } });
  const remove = (userId: string, query: { keys?: string } = {}) =>
    as(admin).try.app.removeMember({ params: { user_id: userId }, query });

  test.each([
    ['suspended', suspend, 200],
    ['removed', remove, 204],
  ] as const)('409 naming them until somebody chooses, when their maker is %s', async (_, end, done) => {
    for (const choice of ['revoke', 'keep'] as const) {
      const leaver = await signIn(person);
      const [key, gone] = [
        await newKey({ name: 'Their sync' }, leaver),
        await newKey({ name: 'Old' }, leaver),
      ];
      await as(admin).app.revokeApiKey({ params: { key_id: gone.id } });
      const asked = await end(leaver.userId);
      expect([asked.status, asked.body.detail]).toEqual([
        409,
        'The member has made API keys that are active: Their sync. Say with keys=revoke or keys=keep what becomes of them.',
      ]);
      expect((await as(leaver).try.app.getSession()).status).toBe(200);
      expect((await end(leaver.userId, { keys: choice })).status).toBe(done);
      expect(await statusOf(key.key)).toBe(choice === 'revoke' ? 401 : 200);
    }
  });

  test('nobody is asked about a member without keys, nor about another change', async () => {
    const colleague = await signIn(person);
    expect((await suspend(colleague.userId)).status).toBe(200);
    const maker = await signIn(person);
    await newKey({}, maker);
    const params = { user_id: maker.userId };
    expect((await as(admin).try.app.updateMember({ params, body: { position: 'Lead' } })).status).toBe(200);
  });

  test('who has rotated a key is asked about it, and its first maker is not', async () => {
    const [first, second] = [await signIn(person), await signIn(person)];
    const { id } = await newKey({}, first);
    await as(second).app.rotateApiKey({ params: { key_id: id }, body: {} });
    expect([(await suspend(first.userId)).status, (await suspend(second.userId)).status]).toEqual([200, 409]);
  });

  test('a key that is made at the same time is asked about, or is not made', async () => {
    for (let round = 0; round < 5; round += 1) {
      const leaver = await signIn(person);
      const [made, ended] = await Promise.all([
        as(leaver).try.app.createApiKey({ body: { name: 'Quick', access: 'read_write' } }),
        suspend(leaver.userId),
      ]);
      expect([
        [201, 409],
        [401, 200],
      ]).toContainEqual([made.status, ended.status]);
    }
  });
});
