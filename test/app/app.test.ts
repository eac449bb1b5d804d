import { keys } from '../../shared/table/keys.ts';
import { getRow } from '../../shared/table/rows.ts';
import { as, locs } from '../support/call.ts';
import { newPerson, type Person } from '../support/people.ts';
import { type SignedIn, signIn } from '../support/signed-in.ts';

let person: Person;
let admin: SignedIn;
let inspector: SignedIn;

beforeAll(async () => {
  person = await newPerson('Harbour');
  admin = await signIn(person);
  inspector = await signIn(person, 'inspector');
  const { id } = await as(admin).app.createApiKey({ body: { name: 'Old', access: 'read_write' } });
  await as(admin).app.revokeApiKey({ params: { key_id: id } });
});

describe('PATCH /app/organization', () => {
  test('200 with the settings that grant rights, which a key may not change', async () => {
    const body = { four_eyes_verification: true };
    expect((await person.try.organization.update({ body })).status).toBe(403);
    expect((await as(admin).try.organization.update({ body })).body).toMatchObject(body);
    const { body: log } = await as(admin).try.app.listAuditRecords({ query: { limit: 1 } });
    expect(log[0]).toMatchObject({
      action: 'organization.updated',
      changes: { four_eyes_verification: { from: null, to: true } },
    });
  });

  test('409 for another version, by If-Match, and 304 for a reply that the browser has', async () => {
    const { headers } = await as(admin).try.organization.get();
    const stale = { headers: { 'If-Match': '"1"' }, body: { name: 'New' } };
    expect((await as(admin).try.organization.update(stale)).status).toBe(409);
    const known = { headers: { 'If-None-Match': headers['etag']! } };
    expect((await as(admin).try.organization.get(known)).status).toBe(304);
  });
});

describe('GET /app/profile', () => {
  test('200 getOwnProfile, updateOwnProfile: the member that the person is', async () => {
    const { body } = await as(inspector).try.app.getOwnProfile();
    expect(body).toMatchObject({
      id: inspector.userId,
      kind: 'person',
      role: 'inspector',
      locale: 'en',
      own: { locale: null, timezone: null },
    });
    const changed = await as(inspector).try.app.updateOwnProfile({
      body: { name: 'Ada King', locale: 'el' },
    });
    expect(changed.body).toMatchObject({ name: 'Ada King', locale: 'el', timezone: 'UTC' });
    expect((await as(inspector).try.app.getOwnProfile()).body).toEqual(changed.body);
    const email = await as(inspector).try.app.updateOwnProfile({ body: { email: 'other@example.com' } });
    expect(locs(email)).toEqual(['body.email']);
  });

  test('200 for preferences of one’s own', async () => {
    const body = { ui: { theme: 'dark' }, notifications: { sync_status: false } };
    await as(inspector).me.updateMyPreferences({ body });
    expect((await as(inspector).try.me.getMyPreferences()).body).toMatchObject(body);
    expect((await as(admin).try.me.getMyPreferences()).body.ui).toEqual({});
  });
});

describe('GET /app/audit', () => {
  const ask = (query: Record<string, string | number | readonly string[]>) =>
    as(admin).try.app.listAuditRecords({ query });

  test('200 listAuditRecords: newest first, by page, actor, action and period', async () => {
    const { body: all } = await ask({});
    const times = all.map(({ at }: { at: string }) => at);
    expect(times).toEqual(times.toSorted().toReversed());
    const pages: unknown[] = [];
    for (let cursor = ''; ;) {
      const { body, headers } = await ask({ limit: 2, ...(cursor && { cursor }) });
      pages.push(...body);
      cursor = new URLSearchParams(/<[^>]*\?(.*)>/.exec(headers['link'] ?? '')?.[1]).get('cursor') ?? '';
      if (!cursor) break;
    }
    expect(pages).toEqual(all);
    const byAda = (await ask({ actor_id: admin.userId, action: ['key.created', 'key.revoked'] })).body;
    expect(new Set(byAda.map(({ actor }: { actor: { id: string } }) => actor.id))).toEqual(
      new Set([admin.userId]),
    );
    const middle = all[Math.floor(all.length / 2)].at as string;
    const since = (await ask({ from: middle })).body;
    const until = (await ask({ to: middle })).body;
    expect([...since, ...until]).toEqual(all);
    expect(until.length).toBeGreaterThan(0);
    expect((await ask({ from: middle, to: middle })).body).toEqual([]);
  });

  test('200 as CSV, in which no text becomes a formula', async () => {
    const hostile = await signIn(person, 'admin', {
      ...admin.identity,
      subject: 'x',
      email: 'x@y.example',
      name: '=HYPERLINK("evil")',
    });
    await as(hostile).organization.update({ body: { name: 'Renamed' } });
    const { status, headers, text } = await ask({ format: 'csv', limit: 1 });
    expect([status, headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(headers['content-disposition']).toContain('audit.csv');
    const [names, row] = text.replace('\uFEFF', '').split('\r\n');
    expect(names).toBe('at,action,actor_id,actor_name,actor_kind,target_id,changes,acted_via_key_id');
    expect(row).toContain(`"'=HYPERLINK(""evil"")"`);
  });

  test('records are kept for 400 days', async () => {
    const { body } = await ask({ limit: 1 });
    const row = await getRow(admin.caller, keys.audit(admin.caller, body[0].id));
    const { ttl } = row as unknown as { ttl: number };
    expect(Math.abs(ttl - Date.parse(body[0].at) / 1_000 - 400 * 86_400)).toBeLessThan(2);
  });

  test('422 for a cursor of another session, and for an action that there is not', async () => {
    const { headers } = await ask({ limit: 1 });
    const cursor = new URLSearchParams(/<[^>]*\?(.*)>/.exec(headers['link']!)![1]).get('cursor')!;
    const other = await signIn(person);
    expect((await as(other).try.app.listAuditRecords({ query: { limit: 1, cursor } })).status).toBe(422);
    expect((await ask({ action: ['member.deleted'] })).status).toBe(422);
  });
});
