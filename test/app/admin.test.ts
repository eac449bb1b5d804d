import { gzipSync } from 'node:zlib';
import * as showAdmin from '../../functions/app/show-admin.ts';
import * as getPageFile from '../../functions/public/get-page-file.ts';
import { LANGUAGES } from '../../shared/base/i18n/languages.ts';
import { routesOf } from '../../shared/http/operation/surface.ts';
import { ADMIN_TABS } from '../../shared/http/pages/admin-data.ts';
import { firstFiles } from '../../shared/http/pages/web-files.ts';
import * as sessions from '../../shared/organizations/people/sessions.ts';
import { as, checkSafeHeaders, invoke } from '../support/call.ts';
import { newPerson, type Person } from '../support/people.ts';
import { expectRecorded, usesOfOperation } from '../support/recorded.ts';
import { installRecorder, recording } from '../support/recorder.ts';
import { anyIdentity, type SignedIn, signIn } from '../support/signed-in.ts';
import { BROWSER } from '../support/visit.ts';

installRecorder();

/** The most that the page, its style and its program may weigh, in compressed bytes. */
const MAX_BYTES = 60 * 1024;

const { operation } = showAdmin;

let person: Person;
let admin: SignedIn;

beforeAll(async () => {
  person = await newPerson('Harbour & Sons');
  admin = await signIn(person);
});

/** Opens the page, as a browser does. */
const open = async (
  session: string | null,
  tab?: string,
  headers: Record<string, string> = {},
  id?: string,
) => {
  const params = { ...(tab !== undefined && { tab }), ...(id !== undefined && { id }) };
  const answer = await invoke(
    showAdmin,
    { params },
    { ...BROWSER, ...(session !== null && { Cookie: `__Host-session=${session}` }), ...headers },
    Buffer.alloc(0),
  );
  checkSafeHeaders(answer);
  return answer;
};

/** What the page gives to its program. */
const dataOf = (text: string): Record<string, unknown> => {
  const [, data = ''] = /data-page="([^"]*)"/.exec(text) ?? [];
  const plain = data.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<');
  return JSON.parse(plain.replaceAll('&gt;', '>').replaceAll('&amp;', '&'));
};

const linksIn = (text: string): string[] =>
  [...text.matchAll(/href="[^"]*\/admin\/([\w-]+)"/g)].map(([, tab]) => tab!);

describe('GET /admin', () => {
  test('has paths for its tabs and for what they show too', () => {
    expect(routesOf(operation)).toEqual([
      { surface: 'admin', path: '/admin' },
      { surface: 'admin', path: '/admin/{tab}' },
      { surface: 'admin', path: '/admin/{tab}/{id}' },
    ]);
  });

  test.each([
    ['no tab', undefined, '/admin'],
    ['a tab', 'members', '/admin/members'],
    ['a tab that there is not', '//evil.example', '/admin'],
  ])('302 showAdmin to the sign-in without a session, and back, for %s', async (_, tab, path) => {
    const unknown = Buffer.alloc(32, 'a').toString('base64url');
    for (const session of [null, 'short', unknown]) {
      const { status, headers, text } = await open(session, tab);
      expect([status, text]).toEqual([302, '']);
      expect(headers['location']).toBe(`${process.env['PUBLIC_URL']}/app/sign-in?return_to=${path}`);
    }
  });

  test('200 with nothing that somebody else could read, and uses what is recorded', async () => {
    const { result, sent } = await recording(() => open(admin.session, 'members'));
    expect(result.status).toBe(200);
    expectRecorded(operation.id, usesOfOperation([sent]));
    expect(result.headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src( 'sha256-[\w+/=]+')+; script-src 'self'; connect-src 'self'; img-src data: blob: http[^ ;]+;(?!.*(unsafe|\*))/,
    );
    // Whoever signs in later in this browser gets a page of their own.
    expect(result.headers['vary']).toBe('Accept-Encoding, Accept-Language, Cookie');
    expect(result.headers['cache-control']).toBe('no-store');
    expect(result.text).toContain('Harbour &amp; Sons');
    expect(result.text).not.toContain(admin.session);
    expect(result.text.match(/<script/g)).toHaveLength(1);
    expect(result.text).not.toMatch(/\son\w+=|style="/);
  });

  test('200 with the tabs of the role, and a page that says so for another tab', async () => {
    expect(linksIn((await open(admin.session)).text)).toEqual([...ADMIN_TABS]);
    for (const role of ['approver', 'inspector'] as const) {
      const { session } = await signIn(person, role);
      const own = await open(session);
      expect(linksIn(own.text)).toEqual(['inspections', 'corrective-actions', 'profile']);
      expect(own.text).toContain('What is assigned to you, or awaits your decision.');
      const other = await open(session, 'api-keys');
      expect(other.text).toContain('Only admins can open this page');
      expect(other.text).not.toContain('skeleton"');
    }
  });

  test('404 with a page for people for a tab or an object that there is not', async () => {
    for (const [tab, id] of [['nonsense'], ['members', 'x']] as const) {
      const { status, headers, text } = await open(admin.session, tab, {}, id);
      expect([status, headers['x-error-code'], text.includes('This page does not exist')]).toEqual([
        404,
        'not_found',
        true,
      ]);
    }
    for (const [tab, id] of [['reports'], ['inspections', 'any']] as const)
      expect((await open(admin.session, tab, {}, id)).status).toBe(200);
    const { headers } = await open(null, 'inspections', {}, 'any');
    expect(headers['location']).toMatch(/return_to=\/admin\/inspections\/any$/);
  });

  test('200 with a choice for somebody in several organizations, and a clear page for somebody in none', async () => {
    const { identity } = admin;
    const other = await newPerson('Quay');
    await signIn({ caller: other.caller }, 'inspector', identity);
    const { token } = await sessions.begin(identity, null, Date.now());
    const choice = await open(token);
    expect(choice.text).toContain('Choose an organization');
    expect(dataOf(choice.text)['organizations']).toMatchObject([
      { name: 'Harbour & Sons', role: 'admin' },
      { name: 'Quay', role: 'inspector' },
    ]);
    expect((await open(admin.session)).text).toContain('<select id="organization"');
    const nobody = anyIdentity();
    const nowhere = await open((await sessions.begin(nobody, null, Date.now())).token);
    expect(nowhere.text).toContain('You are not a member of any organization');
    expect(nowhere.text).toContain(nobody.email);
  });

  test('200 in the language that the person has chosen, else in that of the browser', async () => {
    const { session } = await signIn(person, 'inspector');
    const german = await open(session, 'profile', { 'Accept-Language': 'de-AT' });
    expect([german.headers['content-language'], german.text.includes('Abmelden')]).toEqual(['de', true]);
    await as({ session }).app.updateOwnProfile({
      body: { locale: 'ar-EG', timezone: 'Africa/Cairo' },
    });
    const arabic = await open(session, 'profile', { 'Accept-Language': 'de-AT' });
    expect(arabic.text).toContain('<html lang="ar" dir="rtl">');
    expect(dataOf(arabic.text)).toMatchObject({ locale: 'ar-EG', timezone: 'Africa/Cairo' });
  });

  test('weighs less than 60 KB with its style and its program, compressed, in every language', async () => {
    const files = await Promise.all(
      firstFiles('admin').map((file) => invoke(getPageFile, { params: { file } }, {}, Buffer.alloc(0))),
    );
    expect(files.map(({ status }) => status)).toEqual(files.map(() => 200));
    const program = files.reduce((sum, { bytes }) => sum + gzipSync(bytes).length, 0);
    for (const language of LANGUAGES) {
      const { text } = await open(admin.session, 'api-keys', { 'Accept-Language': language });
      expect([language, gzipSync(text).length + program < MAX_BYTES]).toEqual([language, true]);
    }
  });
});
