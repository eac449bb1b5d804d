import type { BrowserContextOptions, Page } from 'playwright-core';
import {
  completedInspection,
  NOTHING_REQUIRED,
  newClient,
  startedInspection,
  advance,
} from '../inspections/fixtures.ts';
import { newCategory } from '../issues/fixtures.ts';
import { brokenWords, isTooWide, PHONE, useBrowser, violationsOf } from '../support/browser.ts';
import { type Admin, newAdmin, newWebhook, settle, useReceiver } from '../webhooks/fixtures.ts';

const SLOW = 60_000;

const receiver = useReceiver();

const browser = useBrowser();

/** A window of an admin at a path of the app. */
const opened = async ({ admin }: Admin, path: string, options?: BrowserContextOptions): Promise<Page> => {
  const page = await browser.signedIn(admin, options);
  await page.goto(`${browser.url()}/admin${path}`);
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  return page;
};

const follow = (page: Page, name: string | RegExp) =>
  page.getByRole('main').getByRole('link', { name }).first().click();

const heading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { level: 1, name }).waitFor();

/** An inspection that awaits the approval of an admin. */
const pendingInspection = async (admin: Admin) => {
  const { id } = await startedInspection(admin, {
    family: { ...NOTHING_REQUIRED, requires_approval: true },
    approver_id: admin.admin.userId,
    name: 'Crane',
  });
  return advance(admin.key, { id });
};

describe('The explorer', () => {
  test(
    'leads from the home by clicks alone to an inspection, its report, an event and its delivery',
    async () => {
      const admin = await newAdmin();
      const webhook = await newWebhook(admin, receiver().url, ['inspection.completed']);
      const { id } = await completedInspection(admin, { name: 'Loading bay' });
      await admin.reports.create({ params: { inspection_id: id }, body: {} });
      await settle(admin);
      const page = await opened(admin, '');
      await heading(page, 'Home');
      await page.getByRole('navigation').getByRole('link', { name: 'Inspections' }).click();
      await follow(page, '#1 Loading bay');
      await page.locator('h1:focus', { hasText: '#1 Loading bay' }).waitFor();
      await follow(page, 'Version 1');
      await heading(page, /Version 1/);
      await follow(page, '#1 Loading bay');
      await follow(page, 'inspection.completed');
      await heading(page, /inspection\.completed/);
      await page.getByRole('main').getByText('Succeeded').waitFor();
      await page.getByRole('button', { name: `Details: ${webhook.url}` }).click();
      await page.getByText(`POST ${webhook.url}`).waitFor();
      await page.goBack();
      await heading(page, '#1 Loading bay');
    },
    SLOW,
  );

  test(
    'finds an inspection by its number and by its id, and a reload keeps what was looked for',
    async () => {
      const admin = await newAdmin();
      await completedInspection(admin, { name: 'Loading bay' });
      const { id } = await completedInspection(admin, { name: 'Cold store' });
      const page = await opened(admin, '/inspections');
      const search = page.getByRole('textbox', { name: /^Number/ });
      await search.fill('2');
      await search.press('Enter');
      await page.getByRole('link', { name: '#1 Loading bay' }).waitFor({ state: 'detached' });
      await page.reload();
      await page.getByRole('link', { name: '#2 Cold store' }).waitFor();
      expect([new URL(page.url()).search, await search.inputValue()]).toEqual(['?q=2', '2']);
      await search.fill(id);
      await search.press('Enter');
      await heading(page, '#2 Cold store');
    },
    SLOW,
  );

  test(
    'lets whoever is asked approve an inspection, and then asks no more',
    async () => {
      const admin = await newAdmin();
      await pendingInspection(admin);
      const page = await opened(admin, '/inspections?status=pending_approval');
      await follow(page, '#1 Crane');
      await page.getByRole('button', { name: 'Approve' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Comment').fill('Well done');
      await dialog.getByRole('button', { name: 'Approve' }).click();
      await page.getByRole('main').getByText('Completed').first().waitFor();
      await page.getByText('A decision is awaited.').waitFor({ state: 'detached' });
    },
    SLOW,
  );

  test(
    'says how much is erased with a client, and erases it',
    async () => {
      const admin = await newAdmin();
      const { id } = await newClient(admin);
      await completedInspection(admin, { client_account_id: id });
      const page = await opened(admin, `/clients/${id}`);
      await page.getByRole('button', { name: 'Erase with everything' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Inspections: 1. Locations: 0.').waitFor();
      await dialog.getByRole('button', { name: 'Erase with everything' }).click();
      await heading(page, 'Clients');
      await page.getByText('There is nothing here yet.').waitFor();
    },
    SLOW,
  );

  test(
    'shares a report, and makes a public link with its card',
    async () => {
      const admin = await newAdmin();
      const { id } = await completedInspection(admin);
      const report = await admin.reports.create({ params: { inspection_id: id }, body: {} });
      const page = await opened(admin, `/reports/${report.id}`);
      await page.getByRole('button', { name: 'Share the report' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Share the report' }).click();
      expect(await dialog.getByLabel('Link', { exact: true }).inputValue()).toContain('/s/');
      await newCategory(admin);
      await page.goto(`${browser.url()}/admin/issues`);
      await page.getByRole('button', { name: 'New public link' }).click();
      await dialog.getByLabel('Label').fill('Loading bay');
      await dialog.getByRole('button', { name: 'New public link' }).click();
      const card = await dialog.getByRole('link', { name: /QR code/ }).getAttribute('href');
      expect(card).toMatch(/\/card\?token=[\w-]{22}$/);
      expect(await violationsOf(page)).toEqual([]);
    },
    SLOW,
  );

  test(
    'shows a page of its own where there is nothing',
    async () => {
      const page = await opened(await newAdmin(), '/nonsense');
      await heading(page, 'This page does not exist');
      await page.getByRole('navigation').getByRole('link', { name: 'Home' }).click();
      await page.locator('h1:focus', { hasText: 'Home' }).waitFor();
    },
    SLOW,
  );

  test.each([
    ['1280', {}],
    ['390', PHONE],
  ])(
    'breaks no rule of WCAG and no word in a window of %s pixels',
    async (_, size) => {
      const admin = await newAdmin();
      const { id, template_family_id } = await pendingInspection(admin);
      await settle(admin);
      for (const path of [
        '',
        '/inspections',
        `/inspections/${id}`,
        `/templates/${template_family_id}`,
        '/events/1',
      ]) {
        const page = await opened(admin, path, size);
        await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
        await page.waitForLoadState('networkidle');
        expect([path, await violationsOf(page), await brokenWords(page), await isTooWide(page)]).toEqual([
          path,
          [],
          [],
          false,
        ]);
      }
    },
    SLOW,
  );
});
