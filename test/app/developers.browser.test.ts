import type { Page } from 'playwright-core';
import { violationsOf } from '../support/browser.ts';
import { as } from '../support/call.ts';
import { useMonday } from '../support/monday.ts';
import { type SignedIn, signIn } from '../support/signed-in.ts';
import { dialogOf, newAdmin, newEndpoint, press, useApp } from './windows.ts';

const KEY = /^ak_[0-9A-Za-z]{8}_[0-9A-Za-z]{36}$/;

const monday = useMonday();

const { opened } = useApp();

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
    // The dialog has the keys as soon as it is shown.
    await name.waitFor();
    expect(await name.inputValue()).toBe('Half made');
    await name.press('Escape');
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
    // The same is said already of the credential that was entered last, so the reply is waited for.
    const verified = page.waitForResponse('**/verify');
    await card.getByRole('button', { name: /Verify/ }).click();
    await verified;
    await card.getByRole('button', { name: /Verify/, disabled: false }).waitFor();
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

describe('In German', () => {
  const german = (admin: SignedIn, tab: string) => opened(admin, tab, { locale: 'de' });
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
