import { Preferences } from '../../shared/schemas/preferences.ts';
import { Profile } from '../../shared/schemas/profile.ts';
import { as } from '../support/call.ts';
import { newPerson, type Person } from '../support/people.ts';

let person: Person;
beforeAll(async () => {
  person = await newPerson('Harbour');
});

describe('GET /me/profile', () => {
  test('200 with the API key, and the organization’s locale and time zone', async () => {
    const reader = await newPerson('Pier');
    await reader.organization.update({ body: { locale: 'el-GR', timezone: 'Europe/Athens' } });
    const { status, body } = await as(reader.readOnlyKey).try.me.getMyProfile();
    expect(status).toBe(200);
    expect(Profile.parse(body)).toMatchObject({
      kind: 'api_key',
      name: 'Pier, reading',
      locale: 'el-GR',
      timezone: 'Europe/Athens',
      organization_id: reader.caller.org_id,
      key: { prefix: reader.readOnlyKey.slice(0, 11), access: 'read_only' },
    });
    expect(Date.parse(body.key.expires_at)).toBeGreaterThan(Date.now() + 29 * 86_400_000);
    expect((await reader.me.getMyProfile()).key.expires_at).toBeNull();
  });
});

describe('PATCH /me/profile', () => {
  test('200, and the member has the new name too', async () => {
    const changes = { name: 'ERP', locale: 'pt-PT', timezone: 'Europe/Lisbon' };
    const { status, body } = await person.try.me.updateMyProfile({ body: changes });
    expect([status, body]).toEqual([200, { ...body, ...changes }]);
    const { user_id } = person.caller;
    expect((await person.members.get({ params: { user_id } })).name).toBe('ERP');
    expect(await person.me.getMyProfile()).toEqual(body);
    const cleared = await person.me.updateMyProfile({ body: { timezone: null } });
    expect(cleared.timezone).toBe('UTC');
  });

  test('200 for an empty body, which changes nothing', async () => {
    const before = await person.me.getMyProfile();
    expect(await person.me.updateMyProfile({ body: {} })).toEqual(before);
  });

  test('403 for a read-only key', async () => {
    expect((await as(person.readOnlyKey).try.me.updateMyProfile({ body: {} })).status).toBe(403);
  });

  test('422 for a field that cannot be changed here', async () => {
    const { status, body } = await person.try.me.updateMyProfile({
      body: { email: 'a@example.com' },
    });
    expect([status, body.detail[0].type]).toEqual([422, 'extra_forbidden']);
  });
});

const ALL_ON = {
  new_assignments: true,
  overdue_inspections: true,
  ca_due: true,
  ca_due_soon: true,
  approval_outcomes: true,
  inspection_outcomes: true,
  sync_status: true,
};

describe('GET /me/preferences', () => {
  test('200 with every notification on at first', async () => {
    const { status, body } = await as(person.readOnlyKey).try.me.getMyPreferences();
    expect([status, Preferences.parse(body)]).toEqual([200, { ui: {}, notifications: ALL_ON }]);
  });
});

describe('PATCH /me/preferences', () => {
  test('200: ui is replaced, notifications are merged', async () => {
    const patch = (body: object) => person.me.updateMyPreferences({ body });
    expect(await patch({})).toEqual({ ui: {}, notifications: ALL_ON });
    await patch({ ui: { columns: ['a', 'b'], dark: true }, notifications: { ca_due: false } });
    const body = await patch({ ui: { dark: false }, notifications: { sync_status: false } });
    expect(body).toEqual({
      ui: { dark: false },
      notifications: { ...ALL_ON, ca_due: false, sync_status: false },
    });
    expect(await person.me.getMyPreferences()).toEqual(body);
  });

  test('200 for ui with as many levels as JSON may have, returned unchanged', async () => {
    const deep = Array.from({ length: 55 }).reduce<unknown>((inner) => ({ inner }), [null, '', -0.5]);
    const body = await person.me.updateMyPreferences({ body: { ui: { deep } } });
    expect(body.ui).toEqual({ deep });
    expect((await person.me.getMyPreferences()).ui).toEqual({ deep });
  });

  test('200 of twenty concurrent changes, and none is lost', async () => {
    const { key } = await newPerson('Busy');
    const names = Object.keys(ALL_ON);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, turn) =>
        as(key).try.me.updateMyPreferences({
          body: { notifications: { [names[turn % names.length]!]: false } },
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const { notifications } = await as(key).me.getMyPreferences();
    expect(Object.values(notifications)).toEqual(names.map(() => false));
  });

  test('422 for ui above 64 KB, an unknown notification, and one that is not a boolean', async () => {
    for (const body of [
      { ui: { text: 'x'.repeat(65_536) } },
      { notifications: { news: true } },
      { notifications: { ca_due: null } },
      { ui: null },
    ]) {
      expect((await person.try.me.updateMyPreferences({ body })).status).toBe(422);
    }
  });
});
