import type { BrowserContextOptions, Page } from 'playwright-core';
import { firstRequests } from '../../infra/openapi/first.ts';
import { FIRST_OPERATIONS } from '../../infra/web/admin/explore/first-requests.ts';
import { newLocation } from '../locations/scenarios.ts';
import {
  brokenWords,
  isTooWide,
  moveTo,
  PHONE,
  settled,
  useBrowser,
  violationsOf,
} from '../support/browser.ts';
import { type Admin, newAdmin } from '../webhooks/fixtures.ts';

const browser = useBrowser();

const opened = async ({ admin }: Admin, path: string, options?: BrowserContextOptions): Promise<Page> => {
  const page = await browser.signedIn(admin, options);
  await page.goto(`${browser.url()}/admin${path}`);
  await settled(page);
  return page;
};

/** Lists of which a new organization has entries: it has been created, and its keys may have been used. */
const NEVER_EMPTY = new Set(['events', 'requests']);

describe('An empty list', () => {
  test.each([
    ['1280', {}],
    ['390', PHONE],
    ['320', { ...PHONE, viewport: { width: 320, height: 700 }, colorScheme: 'dark' as const }],
    ['390, in Arabic', { ...PHONE, locale: 'ar' }],
  ])('shows in a window of %s pixels the request that makes its first entry', async (_, size) => {
    const curls = await firstRequests(Object.values(FIRST_OPERATIONS));
    const page = await opened(await newAdmin(), '', size);
    for (const [place, id] of Object.entries(FIRST_OPERATIONS)) {
      if (NEVER_EMPTY.has(place)) continue;
      await moveTo(page, `/admin/${place}`);
      expect([place, await page.locator('.first pre').innerText()]).toEqual([place, curls[id]]);
      expect([place, await violationsOf(page), await brokenWords(page), await isTooWide(page)]).toEqual([
        place,
        [],
        [],
        false,
      ]);
    }
  });

  test('copies the request on a button, and leads to the keys', async () => {
    const page = await opened(await newAdmin(), '/locations');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied.').waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    const { createLocation } = await firstRequests(['createLocation']);
    expect(copied).toBe(createLocation);
    await page.getByRole('main').getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
  });

  test('says that nothing fits where filters are chosen, and clears them', async () => {
    const admin = await newAdmin();
    await newLocation(admin, { name: 'Quay 7' });
    const page = await opened(admin, '/locations?q=nothing');
    await page.getByText('There are no records that fit.').waitFor();
    expect(await page.locator('.first').count()).toBe(0);
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await page.getByRole('link', { name: 'Quay 7' }).waitFor();
    await page.locator('h1:focus').waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  test.each([
    ['/members?q=nothing'],
    ['/api-keys?q=nothing'],
    ['/audit-log?actor=operator&from=2020-01-01&to=2020-01-02'],
  ])('of settings offers the same: %s', async (path) => {
    const page = await opened(await newAdmin(), path);
    await page.getByText('There are no records that fit.').waitFor();
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await page.getByText('There are no records that fit.').waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('');
  });
});
