import * as members from '../../../shared/organizations/members/members.ts';
import { change } from '../../../shared/table/change.ts';
import { keys } from '../../../shared/table/keys.ts';
import { queryRows } from '../../../shared/table/rows.ts';
import * as write from '../../../shared/table/writes.ts';
import { as } from '../../support/call.ts';
import { auditOf, newPerson } from '../../support/people.ts';
import { operator, operatorWithin } from '../../support/processes/operator.ts';
import { draftedFamily } from '../../templates/fixtures.ts';

const json = async (...args: string[]) => JSON.parse((await operatorWithin(...args, '--json')).out);

describe('the operator’s command line', () => {
  test('creates an organization with a key that works until it is revoked, and writes audit records', async () => {
    // As a process, which the other commands are not.
    const first = await operator(...'org create --name City --admin-email a@example.com --json'.split(' '));
    const { org_id, admin_user_id } = JSON.parse(first.out);
    const member = await json(
      'member',
      'add',
      '--org',
      org_id,
      '--name',
      'Ada',
      '--email',
      'ada@example.com',
      '--role',
      'inspector',
    );
    const created = await json(
      'key',
      'create',
      '--org',
      org_id,
      '--name',
      'Sync',
      '--access',
      'read_only',
      '--expires',
      '30d',
    );
    expect(created).toMatchObject({
      id: expect.any(String),
      key: expect.stringMatching(/^ak_\w{8}_\w{36}$/),
      prefix: created.key.slice(0, 11),
      user_id: expect.any(String),
    });

    expect(await as(created).organization.get()).toMatchObject({
      id: org_id,
      owner_user_id: admin_user_id,
    });
    const people = await as(created).members.list();
    expect(people.map(({ user_id, role }: { user_id: string; role: string }) => [user_id, role])).toEqual(
      expect.arrayContaining([
        [admin_user_id, 'admin'],
        [member.user_id, 'inspector'],
        [created.user_id, 'api'],
      ]),
    );

    const [listed] = await json('key', 'list', '--org', org_id);
    expect(listed).toMatchObject({ id: created.id, name: 'Sync', access: 'read_only', status: 'active' });
    expect(Date.parse(listed.expires_at) - Date.parse(listed.created_at)).toBe(30 * 86_400_000);
    expect(listed.last_used_at).toEqual(expect.any(String));
    expect(JSON.stringify(listed)).not.toContain(created.key.slice(12));

    await json('key', 'revoke', '--org', org_id, '--id', created.id);
    await json('key', 'revoke', '--org', org_id, '--id', created.id);
    expect((await as(created).try.organization.get()).status).toBe(401);
    expect(await json('key', 'list', '--org', org_id)).toMatchObject([{ status: 'revoked' }]);

    const caller = { org_id, user_id: 'operator', name: 'operator' };
    const records = await Array.fromAsync(
      queryRows<{ action: string; target_id: string }>(caller, { partition: keys.audit.partition(caller) }),
    );
    expect(records.map(({ action, target_id }) => [action, target_id])).toEqual([
      ['organization.created', org_id],
      ['member.added', member.user_id],
      ['key.created', created.id],
      ['key.revoked', created.id],
    ]);
  });

  test('creates a key that may act for members, unless it may only read', async () => {
    const { org_id } = (await newPerson('Acting')).caller;
    const command = ['key', 'create', '--org', org_id, '--name', 'App', '--act-for-members', '--access'];
    expect(await json(...command, 'read_write')).toMatchObject({ act_for_members: true });
    const refused = await operatorWithin(...command, 'read_only');
    const complained = 'a key that may only read cannot act for members\n';
    expect(refused).toEqual({ code: 1, out: '', complained });
  });

  test('adds people for whom keys may act, unless it is told that they have not said so', async () => {
    const person = await newPerson('Vouched');
    const add = (email: string, ...more: string[]) =>
      json(
        ...`member add --org ${person.caller.org_id} --name Ada --email ${email} --role inspector`.split(' '),
        ...more,
      );
    const vouched = await add('ada@example.com');
    const silent = await add('bea@example.com', '--no-consent');
    const of = async (user_id: string) =>
      (await person.members.get({ params: { user_id } })).acting_consented_at;
    expect([await of(vouched.user_id), await of(silent.user_id)]).toEqual([expect.any(String), null]);
    const { org_id, admin_user_id } = await json(
      ...'org create --name Quay --admin-email cy@example.com --no-consent'.split(' '),
    );
    const admin = await members.find({ org_id, user_id: 'operator', name: 'operator' }, admin_user_id);
    expect(admin!.acting_consented_at).toBeNull();
  });

  test('changes the settings that grant rights, which no key can', async () => {
    const person = await newPerson('Careful');
    const { org_id } = person.caller;
    const org = await json('org', 'set', '--org', org_id, '--owner', person.adminId, '--four-eyes', 'all');
    expect(org).toMatchObject({ id: org_id, owner_user_id: person.adminId, four_eyes_verification: true });
    const { id } = await draftedFamily(person.key);
    const allow = (allowed: string) =>
      json('family', 'allow-api', '--org', org_id, '--family', id, '--allow', allowed);
    expect(await allow('true')).toEqual({ id, allow_api: true });
    expect(await allow('false')).toEqual({ id, allow_api: false });
    const set = (...options: string[]) => json('family', 'set', '--org', org_id, '--family', id, ...options);
    expect((await auditOf(person)).slice(-3)).toMatchObject([
      { action: 'organization.updated', actor_id: 'operator' },
      { action: 'family.updated', target_id: id, changes: { 'settings.approval.allow_api': { to: true } } },
      { action: 'family.updated', target_id: id, changes: { 'settings.approval.allow_api': { to: false } } },
    ]);
    expect(await set('--four-eyes', 'false')).toEqual({ id, four_eyes: false, signed_in_only: false });
    expect(await set('--signed-in-only', 'true')).toEqual({ id, four_eyes: false, signed_in_only: true });
  });

  test('sets how many mails an organization may send in a day', async () => {
    const person = await newPerson('Talkative');
    const set = (mails: string) =>
      operatorWithin('org', 'set', '--org', person.caller.org_id, '--max-mails', mails, '--json');
    const max_per_day = { to_members: 2_000, to_others: 1_000, report_recipients: 500 };
    expect(JSON.parse((await set('1000')).out)).toMatchObject({ mails: { waiting: 0, max_per_day } });
    expect(await set('0')).toMatchObject({ code: 2, complained: expect.stringContaining('max-mails') });
    expect((await person.organization.get()).mails.max_per_day).toEqual(max_per_day);
    const changed = (await auditOf(person)).filter(({ action }) => action === 'organization.updated');
    expect(changed).toMatchObject([
      { actor_id: 'operator', changes: { mail_limits: { from: null, to: { to_others: 1_000 } } } },
    ]);
  });

  test('sets how much an organization may store', async () => {
    const person = await newPerson('Spacious');
    const set = (gigabytes: string) =>
      operatorWithin('org', 'set', '--org', person.caller.org_id, '--max-storage-gb', gigabytes, '--json');
    expect(JSON.parse((await set('1.5')).out)).toMatchObject({
      id: person.caller.org_id,
      storage: { used_bytes: 0, max_bytes: 1_500_000_000 },
    });
    await set('1.5');
    expect(await set('much')).toMatchObject({
      code: 2,
      complained: expect.stringContaining('max-storage-gb'),
    });
    const { storage } = await person.organization.get();
    expect(storage).toEqual({ used_bytes: 0, max_bytes: 1_500_000_000 });
    const changed = (await auditOf(person)).filter(({ action }) => action === 'organization.updated');
    expect(changed).toMatchObject([
      { actor_id: 'operator', changes: { max_storage_bytes: { from: null, to: 1_500_000_000 } } },
    ]);
  });

  test('finds and repairs wrong counters, and its exit code says whether any are left', async () => {
    const { caller } = await newPerson('Checked');
    const org = ['org', 'check', '--org', caller.org_id, '--json'];
    expect(await operatorWithin(...org)).toMatchObject({ code: 0, complained: '' });

    const key = keys.counter(caller, 'INSPECTION', 0);
    await change(caller, () => ({ writes: [write.update(key, { add: { completed: 1 } })], reply: null }));
    const found = await operator(...org);
    expect([found.code, JSON.parse(found.out)]).toMatchObject([1, { found: 1, mended: 0 }]);
    const mended = await operatorWithin(...org, '--repair');
    expect([mended.code, JSON.parse(mended.out)]).toMatchObject([0, { found: 1, mended: 1 }]);
    expect(await operatorWithin(...org)).toMatchObject({ code: 0 });
  });

  test('explains wrong commands and flags, and changes nothing', async () => {
    const unknown = '0190f3c2-0000-7000-8000-000000000009';
    const tries = await Promise.all([
      operator('org', 'rename'),
      operatorWithin('key', 'create', '--org', 'x', '--name', ' ', '--access', 'all'),
      operator('key', 'list', '--org', unknown),
      operatorWithin('key', 'list', '--organization', unknown),
    ]);
    expect(tries.map(({ code, out }) => [code, out])).toEqual([
      [2, ''],
      [2, ''],
      [1, ''],
      [2, ''],
    ]);
    expect(tries[0].complained).toContain('unknown command org rename; did you mean org resume?');
    expect(tries[1].complained.split('\n').map((line) => line.split(':')[0])).toEqual([
      '--org',
      '--name',
      '--access',
      '',
      'Usage',
      '',
    ]);
    expect(tries[2].complained).toBe('The organization does not exist.\n');
    expect(tries[3].complained).toContain('unknown option --organization');
  });
});
