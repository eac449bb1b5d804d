import type { BrowserContextOptions, Page } from 'playwright-core';
import sharp from 'sharp';
import * as sessions from '../../shared/db/people/sessions.ts';
import { ADMIN_TABS } from '../../shared/pages/admin-data.ts';
import { actBy, brokenWords, isTooWide, PHONE, useBrowser, violationsOf } from '../support/browser.ts';
import { as } from '../support/call.ts';
import { useMonday } from '../support/monday.ts';
import { newPerson, type Person } from '../support/people.ts';
import { scaled } from '../support/scale.ts';
import { again, anyIdentity, makeOwner, type SignedIn, signIn } from '../support/signed-in.ts';

const KEY = /^ak_[0-9A-Za-z]{8}_[0-9A-Za-z]{36}$/;

const monday = useMonday();

const browser = useBrowser();

const newAdmin = async (name = 'Harbour'): Promise<SignedIn & { person: Person }> => {
  const person = await newPerson(name);
  return { ...(await signIn(person)), person };
};

const opened = async (
  who: { session: string },
  tab: string,
  options?: BrowserContextOptions,
): Promise<Page> => {
  const page = await browser.signedIn(who, options);
  await page.goto(`${browser.url()}/admin/${tab}`);
  await page.locator('.skeleton').waitFor({ state: 'detached' });
  return page;
};

const press = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' }).click();

const dialogOf = (page: Page) => page.getByRole('dialog');

/** What a page reads from the service, by the path. */
const requestsOf = (page: Page): string[] => {
  const paths: string[] = [];
  page.on('request', (request) => paths.push(new URL(request.url()).pathname));
  return paths;
};

describe('GET /admin in a browser', () => {
  test('leads to the sign-in without a session, and back to the same tab', async () => {
    const page = await browser.newPage();
    const answer = await page.request.get(`${browser.url()}/admin/audit-log`, { maxRedirects: 0 });
    expect([answer.status(), answer.headers()['location']]).toEqual([
      302,
      `${browser.url()}/app/sign-in?return_to=/admin/audit-log`,
    ]);
  });

  test('opens tabs by their links, and the history and a reload keep them', async () => {
    const page = await opened(await newAdmin(), 'api-keys');
    await page.getByRole('link', { name: 'Members' }).click();
    await page.locator('h1:focus', { hasText: 'Members' }).waitFor();
    expect([new URL(page.url()).pathname, await page.title()]).toEqual([
      '/admin/members',
      'Members · Harbour',
    ]);
    await page.reload();
    await page.getByRole('cell', { name: 'Active' }).first().waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
    await page.locator('nav a[aria-current=page]', { hasText: 'API keys' }).waitFor();
  });

  test('shows nothing of an admin to others, and asks for nothing of it', async () => {
    const admin = await newAdmin();
    for (const role of ['approver', 'inspector'] as const) {
      const page = await browser.signedIn(await signIn(admin.person, role));
      const paths = requestsOf(page);
      await page.goto(`${browser.url()}/admin/members`);
      await page.getByRole('heading', { name: 'Only admins can open this page' }).waitFor();
      expect(await page.content()).not.toContain(admin.identity.email);
      await page.getByRole('link', { name: 'Profile' }).click();
      await page.getByRole('button', { name: 'Leave Harbour' }).waitFor();
      expect(new Set(paths.filter((path) => path.startsWith('/app/')))).toEqual(
        new Set(['/app/profile', '/app/preferences', '/app/organizations', '/app/me/sessions']),
      );
    }
  });

  test('lets somebody in several organizations choose one, and another one later', async () => {
    const admin = await newAdmin('Harbour');
    const other = await newPerson('Quay');
    await signIn({ caller: other.caller }, 'inspector', admin.identity);
    const page = await opened(admin, 'members');
    await page.getByLabel('Organization').selectOption({ label: 'Quay' });
    await page.waitForURL('**/admin');
    await page.getByRole('heading', { level: 1, name: 'Inspections' }).waitFor();
    await page.getByRole('link', { name: 'Members' }).waitFor({ state: 'detached' });
  });

  test('signs out, and keeps nothing of what was entered', async () => {
    const admin = await newAdmin();
    const page = await opened(admin, 'api-keys');
    await page.route('**/app/sign-out', (route) => route.fulfill({ json: { redirect_url: null } }));
    await page.route('**/app/sign-in*', (route) => route.fulfill({ body: 'signed out' }));
    await press(page, 'New key');
    await dialogOf(page).getByLabel('Name').fill('Half made');
    await page.keyboard.press('Escape');
    await press(page, 'Sign out');
    await page.getByText('signed out').waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  test('says when the session has ended, keeps what was entered, and goes on after the sign-in', async () => {
    const admin = await newAdmin();
    const page = await opened(admin, 'api-keys');
    await press(page, 'New key');
    await dialogOf(page).getByLabel('Name').fill('Sync of the warehouse');
    await as(admin).try.app.endSession();
    await press(page, 'Create key');
    const link = dialogOf(page).getByRole('link', { name: 'Sign in again' });
    expect(await link.getAttribute('href')).toBe('/app/sign-in?return_to=%2Fadmin%2Fapi-keys');
    await actBy(page.context(), await again(admin), browser.url());
    await page.goto(`${browser.url()}/admin/api-keys`);
    expect(await dialogOf(page).getByLabel('Name').inputValue()).toBe('Sync of the warehouse');
    await press(page, 'Create key');
    await page.getByText('Copy the key now').waitFor();
  });

  test('moves nothing while it loads, on a phone and on a desk, and fits in 360 pixels', async () => {
    const admin = await newAdmin();
    for (const viewport of [
      { width: 360, height: 740 },
      { width: 1280, height: 900 },
    ]) {
      for (const tab of ['api-keys', 'organization', 'profile']) {
        const page = await browser.signedIn(admin, { viewport });
        await page.addInitScript(`
            globalThis.shifts = [];
            new PerformanceObserver((list) => shifts.push(...list.getEntries().map(({ value }) => value))).observe({
              type: 'layout-shift',
              buffered: true,
            });
          `);
        await page.goto(`${browser.url()}/admin/${tab}`);
        await page.waitForLoadState('networkidle');
        expect([tab, await isTooWide(page), await page.evaluate('shifts')]).toEqual([tab, false, []]);
        await page.context().close();
      }
    }
  });
});

describe('API keys', () => {
  test('creates a key once by a double click, shows it once, and revokes it', async () => {
    const admin = await newAdmin();
    const page = await opened(admin, 'api-keys');
    await press(page, 'New key');
    const dialog = dialogOf(page);
    await dialog.getByLabel('Name').fill('Warehouse');
    const acting = dialog.getByLabel('May act for members');
    await acting.check();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByLabel('Read only').check();
    await acting.waitFor({ state: 'detached' });
    await dialog.getByLabel('Expires').selectOption({ label: '90 days' });
    await dialog.getByRole('button', { name: 'Create key' }).dblclick();
    const secret = await page.getByLabel('API key', { exact: true }).inputValue();
    expect(secret).toMatch(KEY);
    expect(await violationsOf(page)).toEqual([]);
    const named = (await as(admin).app.listApiKeys()).filter(
      ({ name }: { name: string }) => name === 'Warehouse',
    );
    expect(named).toMatchObject([
      { access: 'read_only', act_for_members: false, status: 'active', prefix: secret.slice(0, 11) },
    ]);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await press(page, 'Copy');
    await dialog.getByText('Copied.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret);
    await press(page, 'Done');
    const row = page.getByRole('row', { name: /Warehouse/ });
    await row.waitFor();
    for (const look of [() => page.reload(), () => page.goto('about:blank').then(() => page.goBack())]) {
      await look();
      await row.waitFor();
      expect(await page.content()).not.toContain(secret);
      expect(
        await page.evaluate('JSON.stringify([sessionStorage, localStorage, history.state])'),
      ).not.toContain(secret.slice(12));
    }
    await row.getByRole('button', { name: 'Revoke: Warehouse' }).click();
    await dialog.getByRole('heading', { name: 'Revoke the key “Warehouse”?' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Revoke' }).dblclick();
    await row.getByText('Revoked').waitFor();
    await page.getByRole('status').getByText('The key “Warehouse” is revoked.').waitFor();
    expect((await as(secret).try.organization.get()).status).toBe(401);
  });

  test('limits and rotates a key, and asks what becomes of the keys of somebody who is suspended', async () => {
    const admin = await newAdmin();
    const maker = await signIn(admin);
    const made = await as(maker).app.createApiKey({ body: { name: 'Scales', access: 'read_write' } });
    const page = await opened(admin, 'api-keys');
    const row = page.getByRole('row', { name: /Scales/ });
    await row.getByText('by Ada').waitFor();
    await row.getByRole('button', { name: 'Limits: Scales' }).click();
    const dialog = dialogOf(page);
    await dialog.getByLabel('Only some areas').check();
    await dialog.getByLabel('/issues').selectOption({ label: 'Read & write' });
    await dialog.getByLabel('/locations').selectOption({ label: 'Read only' });
    await dialog.getByLabel('Networks').fill('somewhere');
    expect(await violationsOf(page)).toEqual([]);
    await press(page, 'Save');
    await dialog.getByText('Please check what you have entered here. (somewhere)').waitFor();
    await dialog.getByLabel('Networks').fill('127.0.0.1, 2001:db8::/32');
    await press(page, 'Save');
    await row.getByText('issues:write, locations:read').waitFor();
    await row.getByText('127.0.0.1, 2001:db8::/32').waitFor();
    await row.getByRole('button', { name: 'Rotate: Scales' }).click();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByLabel('The former secret works for').selectOption({ label: '7 more days' });
    await dialog.getByRole('button', { name: 'Rotate' }).click();
    const secret = await page.getByLabel('API key', { exact: true }).inputValue();
    expect([secret === made.key, KEY.test(secret)]).toEqual([false, true]);
    await press(page, 'Done');
    await row.getByText(/^Former secret until/).waitFor();
    for (const key of [made.key, secret]) expect((await as(key).try.locations.list()).status).toBe(200);
    // Who has rotated the key is its maker from then on.
    const other = await as(maker).app.createApiKey({ body: { name: 'Gate', access: 'read_only' } });
    await page.goto(page.url().replace('api-keys', 'members'));
    await page
      .locator('tr', { hasText: maker.identity.email })
      .getByRole('button', { name: /^Suspend/ })
      .click();
    await dialog.getByText('Ada has made API keys that still work:').waitFor();
    expect(await dialog.getByRole('listitem').allInnerTexts()).toEqual(['Gate']);
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Suspend' }).click();
    await page.getByRole('status').getByText('Ada is suspended.').waitFor();
    expect((await as(other.key).try.organization.get()).status).toBe(401);
    expect((await as(secret).try.locations.list()).status).toBe(200);
  });

  test('keeps nothing of a key that is half made when it is given up, and says what is missing at its field', async () => {
    const admin = await newAdmin();
    const before = (await as(admin).app.listApiKeys()).length;
    const page = await opened(admin, 'api-keys');
    await press(page, 'New key');
    await press(page, 'Create key');
    const name = dialogOf(page).getByLabel('Name');
    await dialogOf(page).getByText('Please fill this in.').waitFor();
    expect(await name.getAttribute('aria-invalid')).toBe('true');
    await name.fill('Half made');
    await page.reload();
    expect(await name.inputValue()).toBe('Half made');
    await page.keyboard.press('Escape');
    await dialogOf(page).waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('table').waitFor();
    expect(await dialogOf(page).count()).toBe(0);
    await press(page, 'New key');
    expect(await name.inputValue()).toBe('');
    expect(await as(admin).app.listApiKeys()).toHaveLength(before);
  });

  test('keeps what was entered when the service cannot be reached or is busy, and says what to do', async () => {
    const page = await opened(await newAdmin(), 'api-keys');
    await press(page, 'New key');
    const name = dialogOf(page).getByLabel('Name');
    await name.fill('Warehouse');
    await page.context().setOffline(true);
    await press(page, 'Create key');
    await page.getByText('No reply has arrived').waitFor();
    await page.context().setOffline(false);
    const busy = { status: 503, headers: { 'x-error-code': 'unavailable' }, json: { detail: 'Busy.' } };
    await page.route('**/app/api-keys', (route) => route.fulfill(busy), { times: 1 });
    await press(page, 'Create key');
    await page.getByText('The service is busy').waitFor();
    expect(await name.inputValue()).toBe('Warehouse');
    await press(page, 'Create key');
    await page.getByText('Copy the key now').waitFor();
  });
});

describe('Members', () => {
  test('invites, suspends, reactivates and removes somebody, and nothing happens to the owner', async () => {
    const admin = await newAdmin();
    await makeOwner(admin);
    const page = await opened(admin, 'members');
    await press(page, 'Invite a member');
    const dialog = dialogOf(page);
    await dialog.getByLabel('Email address').fill('not an address');
    await press(page, 'Send invitation');
    await dialog.locator('.wrong').waitFor();
    await dialog.getByLabel('Email address').fill('ben@example.com');
    await dialog.getByLabel('Approver').check();
    await press(page, 'Send invitation');
    const row = page.getByRole('row', { name: /ben@example.com/ });
    await row.getByText('Invited').waitFor();
    await row.getByRole('button', { name: /Resend/ }).click();
    await page.getByText('An invitation is on its way to ben@example.com.').waitFor();
    const other = await signIn(admin.person, 'inspector');
    await page.reload();
    const active = page.getByRole('row', { name: new RegExp(other.identity.email) });
    await active.getByRole('button', { name: /Suspend/ }).click();
    await dialog.getByRole('button', { name: 'Suspend' }).click();
    await active.getByText('Suspended').waitFor();
    await active.getByRole('button', { name: /Reactivate/ }).click();
    await active.getByText('Active', { exact: true }).waitFor();
    await row.getByRole('button', { name: /Remove/ }).click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await row.waitFor({ state: 'detached' });
    const owner = page.getByRole('row', { name: /Owner/ });
    await owner.getByRole('button', { name: /Remove/ }).click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByText('Hand the organization over first').waitFor();
    await page.keyboard.press('Escape');
    const members = await as(admin).members.list({ query: { role: ['admin'] } });
    expect(members.map(({ user_id }: { user_id: string }) => user_id)).toContain(admin.userId);
  });
});

describe('Organization', () => {
  test('saves settings and a logo, and shows what somebody else has saved instead of overwriting it', async () => {
    const admin = await newAdmin();
    const page = await opened(admin, 'organization');
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('Harbour Kitchens');
    await as(admin).organization.update({ body: { name: 'Quay', time_format: '12h' } });
    await press(page, 'Save');
    const notice = page.getByRole('alert');
    await notice.getByText('Name: now Quay, you have Harbour Kitchens').waitFor();
    expect((await as(admin).try.organization.get()).body.name).toBe('Quay');
    await press(page, 'Save my changes');
    await page.getByRole('status').getByText('Saved.').waitFor();
    const { body } = await as(admin).try.organization.get();
    expect(body).toMatchObject({ name: 'Harbour Kitchens', time_format: '12h' });
    await page.locator('header .whose').getByText('Harbour Kitchens', { exact: true }).waitFor();
    const image = { create: { width: 80, height: 40, channels: 3 as const, background: 'teal' } };
    const chooser = page.waitForEvent('filechooser');
    await press(page, 'Upload logo');
    const buffer = await sharp(image).png().toBuffer();
    await (await chooser).setFiles({ name: 'logo.png', mimeType: 'image/png', buffer });
    const logo = page.getByRole('img', { name: 'Logo' });
    await logo.waitFor();
    expect(
      await page.evaluate(`(async () => {
          const image = document.querySelector('img.logo');
          await image.decode();
          return image.naturalWidth;
        })()`),
    ).toBe(80);
    await press(page, 'Delete logo');
    await dialogOf(page).getByRole('button', { name: 'Delete logo' }).click();
    await page.getByText('There is no logo yet.').waitFor();
    await page.locator('header img').waitFor({ state: 'detached' });
  });
});

describe('Profile', () => {
  test('saves one’s own language, zone and notifications, and shows the page in them', async () => {
    const admin = await newAdmin();
    const inspector = await signIn(admin.person, 'inspector');
    const page = await opened(inspector, 'profile');
    await page.getByLabel('An inspection is completed').uncheck();
    await page.getByRole('button', { name: 'Save' }).last().click();
    await page.getByRole('status').getByText('Saved.').waitFor();
    await page.getByLabel('Time zone').selectOption('Europe/Athens');
    await page.getByLabel('Language').selectOption('de');
    await page.getByRole('button', { name: 'Save' }).first().click();
    await page.locator('html[lang=de]').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Profil' }).waitFor();
    const { body } = await as(inspector).try.app.getOwnProfile();
    expect(body.own).toEqual({ locale: 'de', timezone: 'Europe/Athens' });
    const { notifications } = (await as(inspector).try.me.getMyPreferences()).body;
    expect(notifications).toMatchObject({ inspection_outcomes: false, ca_due: true });
  });
});

describe('Sessions', () => {
  test('are listed in the profile, where one or all others are ended at once', async () => {
    const admin = await newAdmin();
    const [second, third, fourth] = [await again(admin), await again(admin), await again(admin)];
    const page = await opened(admin, 'profile');
    const rows = page.getByRole('table', { name: 'Where you are signed in' }).getByRole('row');
    await page.getByText('This device').waitFor();
    expect(await rows.count()).toBe(5);
    await page
      .getByRole('main')
      .getByRole('button', { name: /^Sign out: Unknown/ })
      .first()
      .click();
    await page.getByText('You are signed out there.').waitFor();
    await rows.nth(4).waitFor({ state: 'detached' });
    await press(page, 'Sign out everywhere else');
    await page.getByText('You are signed out everywhere else.').waitFor();
    await rows.nth(2).waitFor({ state: 'detached' });
    const statuses = [second, third, fourth, admin.session].map(
      async (session) => (await as({ session }).try.app.getSession()).status,
    );
    expect(await Promise.all(statuses)).toEqual([401, 401, 401, 200]);
  });
});

describe('Integrations', () => {
  test('connects a system, verifies, replaces and deletes the credential, which no draft keeps; a refused one can be entered again', async () => {
    const page = await opened(await newAdmin(), 'integrations');
    const { token } = monday();
    await press(page, 'Connect a system');
    const dialog = dialogOf(page);
    await dialog.getByLabel('Name').fill('Head office');
    const secret = dialog.locator('input[type=password]');
    await secret.fill('wrong-token-0123456789');
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('wrong-token');
    await dialog.getByRole('button', { name: 'Connect a system' }).dblclick();
    const card = page.getByRole('region', { name: 'Head office' });
    await card.getByText('Does not work').waitFor();
    expect(await card.count()).toBe(1);
    await secret.fill(token);
    await dialog.getByRole('button', { name: 'Connect a system' }).click();
    await card.getByText('Works').waitFor();
    await card.getByRole('button', { name: /Replace credential/ }).click();
    await secret.fill('wrong-token-0123456789');
    await dialog.getByRole('button', { name: 'Replace credential' }).click();
    await card.getByText('Does not work').waitFor();
    await secret.fill(token);
    await dialog.getByRole('button', { name: 'Replace credential' }).click();
    await card.getByText('Works').waitFor();
    await card.getByRole('button', { name: /Verify/ }).click();
    await page.getByText('Head office accepts the credential.').waitFor();
    await card.getByRole('button', { name: /Delete/ }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Nothing is connected yet.').waitFor();
  });
});

describe('Webhooks', () => {
  test('adds an endpoint once by a double click, shows its secret once, and edits, rotates and deletes it', async () => {
    const admin = await newAdmin();
    const page = await opened(admin, 'webhooks');
    await press(page, 'Add endpoint');
    const dialog = dialogOf(page);
    await dialog.getByLabel('URL').fill('ftp://hooks.example.com');
    await dialog.getByRole('button', { name: 'Add endpoint' }).click();
    await dialog.locator('.wrong').waitFor();
    await dialog.getByLabel('URL').fill('https://hooks.example.com/in');
    await dialog.getByLabel('Only some events').check();
    await dialog.getByLabel('issue.*').check();
    await dialog.getByRole('button', { name: 'Add endpoint' }).dblclick();
    const field = page.getByLabel('Secret', { exact: true });
    const secret = await field.inputValue();
    expect(secret).toMatch(/^whsec_/);
    await press(page, 'Done');
    const endpoint = page.getByRole('region', { name: 'https://hooks.example.com/in' });
    await endpoint.getByText('issue.*').waitFor();
    expect(await as(admin).webhooks.list()).toHaveLength(1);
    await page.reload();
    await endpoint.waitFor();
    expect(await page.content()).not.toContain(secret);
    await endpoint.getByRole('button', { name: /Edit/ }).click();
    await dialog.getByLabel('All events').check();
    await press(page, 'Save');
    await endpoint.getByText('All events').waitFor();
    await endpoint.getByRole('button', { name: /Replace secret/ }).click();
    await dialog.getByRole('button', { name: 'Replace secret' }).click();
    await page.getByText('The new secret is ready').waitFor();
    expect(await field.inputValue()).not.toBe(secret);
    await press(page, 'Done');
    await endpoint.getByText('The former secret works until').waitFor();
    await endpoint.getByRole('button', { name: /^Send test event/ }).click();
    await endpoint.getByRole('button', { name: /^Deliveries/ }).click();
    await endpoint.getByRole('row', { name: /webhook.test/ }).waitFor();
    await endpoint.getByRole('button', { name: /^Details/ }).click();
    await endpoint.getByText('POST https://hooks.example.com/in').waitFor();
    await endpoint.getByRole('button', { name: /^Disable/ }).click();
    await endpoint.getByText('Disabled – by hand').waitFor();
    await endpoint.getByRole('button', { name: /Delete/ }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There are no endpoints yet.').waitFor();
  });
});

/** An endpoint with this many test events, which nothing has sent. */
const newEndpoint = async (admin: SignedIn, events: number) => {
  const url = 'https://hooks.example.com/in';
  const webhook = await as(admin).webhooks.create({ body: { url, types: ['*'] } });
  for (let n = 0; n < events; n += 1) await as(admin).webhooks.test({ params: { webhook_id: webhook.id } });
  return webhook;
};

describe('Deliveries', () => {
  test('show their details right below their row', async () => {
    const admin = await newAdmin();
    await newEndpoint(admin, 5);
    const page = await opened(admin, 'webhooks');
    await page.getByRole('button', { name: /^Deliveries/ }).click();
    const row = page.getByRole('row', { name: /webhook.test/ }).first();
    await row.getByRole('button', { name: /^Details/ }).click();
    await row
      .locator('xpath=following-sibling::*[1]')
      .getByText('POST https://hooks.example.com/in')
      .waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });
});

describe.each([
  ['1280', {}],
  ['390', PHONE],
] as const)('A window of %s pixels', (_, size) => {
  test.each(['en', 'de', 'el'])('breaks no word of the app in two, in %s', async (locale) => {
    const admin = await newAdmin();
    await as(admin).app.inviteMember({ body: { email: anyIdentity().email, role: 'approver' } });
    await newEndpoint(admin, 1);
    const page = await browser.signedIn(admin, { locale, ...size });
    for (const tab of ADMIN_TABS) {
      await page.goto(`${browser.url()}/admin/${tab}`);
      await page.locator('.skeleton').waitFor({ state: 'detached' });
      expect([tab, await brokenWords(page), await isTooWide(page)]).toEqual([tab, [], false]);
    }
    await page.goto(`${browser.url()}/admin/api-keys`);
    await page.locator('main .bar button').first().click();
    await dialogOf(page).locator('input').first().fill('Warehouse');
    await dialogOf(page).locator('[type=submit]').click();
    await page.locator('#secret').waitFor();
    expect(await brokenWords(page)).toEqual([]);
  });
});

describe('In German', () => {
  const german = async (admin: SignedIn, tab: string) => {
    const page = await browser.signedIn(admin, { locale: 'de' });
    await page.goto(`${browser.url()}/admin/${tab}`);
    await page.locator('.skeleton').waitFor({ state: 'detached' });
    return page;
  };
  const wrong = (page: Page, text: string) => dialogOf(page).locator('.wrong', { hasText: text }).waitFor();

  test('the app says in its own words what is wrong with a field', async () => {
    const page = await german(await newAdmin(), 'webhooks');
    await press(page, 'Endpunkt hinzufügen');
    await dialogOf(page).getByLabel('URL').fill('ftp://hooks.example.com');
    await dialogOf(page).getByLabel('Nur bestimmte Ereignisse').check();
    await dialogOf(page).locator('[type=submit]').click();
    await wrong(page, 'Bitte füllen Sie dieses Feld aus.');
    await dialogOf(page).getByLabel('Alle Ereignisse').check();
    await dialogOf(page).locator('[type=submit]').click();
    await wrong(page, 'Geben Sie eine https-Adresse ein, die im Internet erreichbar ist.');
  });

  test('the app says in its own words what the service, another system and an endpoint have answered', async () => {
    const admin = await newAdmin();
    const { id } = await newEndpoint(admin, 1);
    const page = await german(admin, 'webhooks');
    const answer = (path: string, json: object, headers: Record<string, string> = {}, status = 200) =>
      page.route(path, (route) => route.fulfill({ status, json, headers }));
    const attempt = {
      at: '2031-01-01T00:00:00Z',
      duration_ms: 3,
      status_code: 500,
      error: 'It answered 500.',
    };
    const delivery = {
      ...(await as(admin).webhooks.listDeliveries({ params: { webhook_id: id } }))[0],
      last_attempt: attempt,
    };
    await answer('**/deliveries?*', [delivery]);
    await page.getByRole('button', { name: /^Zustellungen/ }).click();
    await page.getByText('Der Endpunkt hat mit 500 geantwortet.').waitFor();
    await answer('**/test', { detail: 'It is disabled.' }, { 'x-error-code': 'webhook_disabled' }, 409);
    await page.getByRole('button', { name: /^Testereignis/ }).click();
    await page.getByText('Das hat sich inzwischen geändert.').waitFor();
    await page.unrouteAll();
    await answer('**/test', { detail: 'A new kind of error.' }, { 'x-error-code': 'any_other' }, 409);
    await page.getByRole('button', { name: /^Testereignis/ }).click();
    await page.getByText('Das hat nicht geklappt.').waitFor();
    expect(await page.content()).not.toContain('A new kind of error.');
  });
});

describe('Audit log', () => {
  test('shows who did what, filters, and exports what it shows', async () => {
    const admin = await newAdmin();
    await as(admin).organization.update({ body: { name: 'Quay' } });
    const page = await opened(admin, 'audit-log');
    const row = page.getByRole('row', { name: /Organization settings changed/ });
    await row.getByText('Harbour → Quay').waitFor();
    await page.getByLabel('What').selectOption('key.created');
    await row.waitFor({ state: 'detached' });
    await page
      .getByRole('row', { name: /API key created/ })
      .first()
      .waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export as CSV' }).click();
    const lines = (await (await download).createReadStream()).setEncoding('utf8');
    const text = (await Array.fromAsync(lines)).join('');
    expect(text).toContain('key.created');
    expect(text).not.toContain('organization.updated');
  });
});

describe('Invitations', () => {
  const invite = async (name: string, email: string) =>
    as(await newAdmin(name)).app.inviteMember({ body: { email, role: 'inspector' } });

  test('joins one after the sign-in, lets keys act and takes it back, and leaves again', async () => {
    const identity = anyIdentity('Grace');
    await invite('Quay', identity.email);
    const { token } = await sessions.begin(identity, null, Date.now());
    const page = await browser.signedIn({ session: token });
    await page.goto(`${browser.url()}/admin`);
    await page.getByRole('heading', { level: 1, name: 'Invitations' }).waitFor();
    await page.getByText('Inspector · Invited by Ada').waitFor();
    expect([await violationsOf(page), await isTooWide(page)]).toEqual([[], false]);
    await page.getByLabel('Keys of Quay may act for me').check();
    await press(page, 'Join: Quay');
    await page.getByRole('link', { name: 'Profile' }).click();
    await page.getByText('Keys of Quay may act for you since').waitFor();
    await press(page, 'Withdraw');
    await page.getByText('Keys of Quay may not act for you.').waitFor();
    await press(page, 'Allow keys to act for me');
    await page.getByText('Keys of Quay may act for you since').waitFor();
    await press(page, 'Leave Quay');
    await dialogOf(page).getByRole('button', { name: 'Leave Quay' }).click();
    await page.getByRole('heading', { level: 1, name: 'You are not a member of any organization' }).waitFor();
  });

  test('shows them beside the own organization, which stays, and declines one', async () => {
    const admin = await newAdmin();
    await invite('Mole', admin.identity.email);
    await invite('Quay', admin.identity.email);
    const page = await opened(admin, 'members');
    await page.getByRole('heading', { name: 'Mole' }).waitFor();
    expect([await violationsOf(page), await isTooWide(page)]).toEqual([[], false]);
    await press(page, 'Decline: Mole');
    await dialogOf(page).getByRole('button', { name: 'Decline' }).click();
    await page.getByText('The invitation from Mole is declined.').waitFor();
    await page.getByRole('heading', { name: 'Mole' }).waitFor({ state: 'detached' });
    await press(page, 'Join: Quay');
    const organizations = page.getByRole('combobox', { name: 'Organization' });
    await organizations.waitFor();
    expect(await organizations.locator('option:checked').textContent()).toBe('Harbour');
  });
});

describe('Owner', () => {
  test('is handed over: the owner names an admin, who accepts', async () => {
    const owner = await newAdmin();
    await makeOwner(owner);
    const next = await signIn(owner.person, 'admin', anyIdentity('Grace'));
    const page = await opened(owner, 'organization');
    await page.getByLabel('Next owner').selectOption(next.userId);
    await press(page, 'Hand over the organization');
    await page.getByText('Grace is named as the next owner').waitFor();
    await press(page, 'Withdraw');
    await page.getByLabel('Next owner').selectOption(next.userId);
    await press(page, 'Hand over the organization');
    await page.getByText('Grace is named as the next owner').waitFor();
    const other = await opened(next, 'organization', PHONE);
    await other.getByText('You are named as the next owner').waitFor();
    expect([await violationsOf(other), await isTooWide(other)]).toEqual([[], false]);
    await press(other, 'Accept');
    await dialogOf(other).getByRole('button', { name: 'Accept' }).click();
    await other.getByLabel('Next owner').waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Owner' }).waitFor();
    await page.getByText('Grace', { exact: true }).waitFor();
    expect(await page.getByLabel('Next owner').count()).toBe(0);
  });
});

describe('the admin app, by the rules of WCAG 2.2', () => {
  let admin: SignedIn & { person: Person };
  beforeAll(async () => {
    admin = await newAdmin('Hafenküche مطبخ');
    await signIn(admin.person, 'inspector');
  });

  const WITH_DIALOGS = new Set<string>(['api-keys', 'integrations', 'members', 'webhooks']);

  type Look = [locale: string, colorScheme: 'light' | 'dark', width: number];
  const EVERY_LOOK = ['en', 'de', 'ar'].flatMap((locale) =>
    (['light', 'dark'] as const).flatMap((scheme) =>
      [1280, 360].map((width): Look => [locale, scheme, width]),
    ),
  );
  /** One of each language, colour and width. */
  const SOME_LOOKS: Look[] = [
    ['en', 'light', 1280],
    ['de', 'dark', 360],
    ['ar', 'light', 360],
  ];

  test.each(scaled(SOME_LOOKS, EVERY_LOOK))(
    'breaks none in %s, %s, %i pixels wide, on every tab and in its dialogs',
    async (locale, colorScheme, width) => {
      const page = await browser.signedIn(admin, { locale, colorScheme, viewport: { width, height: 800 } });
      for (const tab of ADMIN_TABS) {
        await page.goto(`${browser.url()}/admin/${tab}`);
        await page.locator('.skeleton').waitFor({ state: 'detached' });
        await page.waitForLoadState('networkidle');
        expect([tab, await violationsOf(page), await isTooWide(page)]).toEqual([tab, [], false]);
        const openers = page.locator('main .bar:first-of-type > button, main .acts button');
        if (!WITH_DIALOGS.has(tab)) continue;
        await openers.first().click();
        await dialogOf(page).waitFor();
        expect([tab, 'dialog', await violationsOf(page), await isTooWide(page)]).toEqual([
          tab,
          'dialog',
          [],
          false,
        ]);
        await page.keyboard.press('Escape');
      }
    },
  );
});
