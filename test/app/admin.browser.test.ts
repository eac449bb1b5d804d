import type { Page } from 'playwright-core';
import sharp from 'sharp';
import * as sessions from '../../shared/organizations/people/sessions.ts';
import { actBy, isTooWide, PHONE, violationsOf } from '../support/browser.ts';
import { as } from '../support/call.ts';
import { newPerson } from '../support/people.ts';
import { again, anyIdentity, makeOwner, signIn } from '../support/signed-in.ts';
import { dialogOf, newAdmin, press, useApp } from './windows.ts';

const browser = useApp();
const { opened } = browser;

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
      const page = await browser.signedIn(admin, { viewport });
      await page.addInitScript(`
        globalThis.shifts = [];
        new PerformanceObserver((list) => shifts.push(...list.getEntries().map(({ value }) => value))).observe({
          type: 'layout-shift',
          buffered: true,
        });
      `);
      const devtools = await page.context().newCDPSession(page);
      for (const tab of ['api-keys', 'organization', 'profile']) {
        // Nothing of the program is there already.
        await devtools.send('Network.clearBrowserCache');
        await page.goto(`${browser.url()}/admin/${tab}`);
        await page.waitForLoadState('networkidle');
        expect([tab, await isTooWide(page), await page.evaluate('shifts')]).toEqual([tab, false, []]);
      }
    }
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
  test('offers each country and each time zone once, by its present code', async () => {
    const page = await opened(await newAdmin(), 'organization');
    const choices = async (label: string) => ({
      names: await page.getByLabel(label, { exact: true }).locator('option').allInnerTexts(),
      values: await page
        .getByLabel(label, { exact: true })
        .locator('option')
        .evaluateAll((all) => all.map((each) => (each as unknown as { value: string }).value)),
    });
    const countries = await choices('Country');
    expect(countries.names.toSorted()).toEqual([...new Set(countries.names)].toSorted());
    expect(countries.values).toEqual(expect.arrayContaining(['BJ', 'CW', 'DE', 'FR']));
    const zones = await choices('Time zone');
    expect(zones.values).toEqual([...new Set(zones.values)]);
    expect(zones.values).toEqual(expect.arrayContaining(['UTC', 'Europe/Kyiv', 'Asia/Kolkata']));
    expect(zones.values).not.toContain('Europe/Kiev');
  });

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
