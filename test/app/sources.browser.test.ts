import type { Source } from '../../shared/schemas/integrations/source.ts';
import { newConnection } from '../integrations/fixtures.ts';
import { type MemoryVendor, useMemoryVendor } from '../integrations/memory-vendor.ts';
import { brokenWords, isTooWide, PHONE, useBrowser, violationsOf } from '../support/browser.ts';
import { type Admin, newAdmin } from '../webhooks/fixtures.ts';

const browser = useBrowser();

let vendor: MemoryVendor;
let admin: Admin;

beforeEach(async () => {
  vendor = useMemoryVendor();
  vendor.put('sites', { 1: { name: 'Quay 7', kind: 'Quay' } });
  vendor.put('people', {});
  admin = await newAdmin();
});

/** The dialog for a new source of the only connection. */
const openDialog = async (options = {}) => {
  await newConnection(admin, { title: 'Head office' });
  const page = await browser.signedIn(admin.admin, options);
  await page.goto(`${browser.url()}/admin/integrations`);
  await page.getByRole('button', { name: 'Add a source: Head office' }).click();
  const dialog = page.getByRole('dialog');
  return { page, dialog };
};

const sourcesOf = async (): Promise<Source[]> => {
  const [{ id }] = await admin.integrations.listConnections({});
  return admin.integrations.listSources({ params: { connection_id: id } });
};

describe('A new source', () => {
  test('is made of a board whose columns fill the fields, and is synced by its schedule', async () => {
    const { page, dialog } = await openDialog();
    await dialog.getByLabel('Board').selectOption('Board sites');
    expect(await dialog.getByLabel('Name', { exact: true }).first().inputValue()).toBe('Board sites');
    const mapping = dialog.getByRole('group', { name: 'Which column fills which field' });
    await mapping.getByLabel('Name', { exact: true }).selectOption('Name');
    await mapping.getByLabel(/^Type/).selectOption('Kind');
    const preview = dialog.getByRole('table', { name: 'The first rows, as they are there now' });
    const shown = async () => ({
      columns: await preview.getByRole('columnheader').allInnerTexts(),
      rows: await preview.getByRole('row').filter({ hasText: 'Quay' }).allInnerTexts(),
    });
    await preview.waitFor();
    expect(await shown()).toEqual({ columns: ['Name', 'Type'], rows: ['Quay 7\tQuay'] });
    // A column that cannot fill a field is not offered for it.
    expect(
      await mapping
        .getByLabel(/^Latitude/)
        .locator('option')
        .allTextContents(),
    ).toEqual(['–', 'Latitude']);
    await dialog.getByLabel('Schedule').selectOption('Every hour');
    await dialog.getByRole('button', { name: 'Add a source' }).dblclick();
    await page.getByText('The source Board sites is created.').waitFor();
    await page.getByRole('rowheader', { name: /Board sites/ }).waitFor();
    const [source, ...others] = await sourcesOf();
    expect(others).toEqual([]);
    expect(source).toMatchObject({
      target_ref: 'locations',
      board_id: 'sites',
      level: 'item',
      mappings: { name: 'name', kind: 'kind' },
      on_missing: 'deactivate',
      schedule_minutes: 60,
    });
  });

  test('says at the field what is missing, keeps what was entered, and creates nothing', async () => {
    const { dialog } = await openDialog();
    await dialog.getByRole('button', { name: 'Add a source' }).click();
    await dialog.getByText('Please fill this in.').first().waitFor();
    await dialog.getByLabel('Board').selectOption('Board sites');
    await dialog.getByLabel('Rows are').selectOption('Subitems');
    await dialog.getByRole('group').getByLabel('Name', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Add a source' }).click();
    await dialog.getByRole('group').getByText('Please fill this in.').waitFor();
    expect(await dialog.getByLabel('Board').inputValue()).toBe('sites');
    expect(await sourcesOf()).toEqual([]);
  });

  test('shows the subitems of the first items, with a bounded number of calls', async () => {
    for (let n = 1; n <= 20; n += 1) {
      vendor.put('sites', { [n]: { name: `Quay ${n}` } });
      vendor.putSubitem(String(n), `${n}a`, { name: `Crane ${n}` });
    }
    const { dialog } = await openDialog();
    await dialog.getByLabel('Board').selectOption('Board sites');
    await dialog.getByLabel('Rows are').selectOption('Subitems');
    const mapping = dialog.getByRole('group', { name: 'Which column fills which field' });
    await mapping.getByLabel('Name', { exact: true }).waitFor();
    const before = vendor.calls;
    await mapping.getByLabel('Name', { exact: true }).selectOption('Name');
    const rows = dialog.getByRole('rowheader');
    await rows.first().waitFor();
    expect(await rows.allInnerTexts()).toEqual(['Crane 1', 'Crane 2', 'Crane 3']);
    expect(vendor.calls).toBe(before + 4);
  });

  test('takes everybody in the account as people where no board is chosen', async () => {
    const { page, dialog } = await openDialog();
    await dialog.getByLabel('What is synced').selectOption('Members');
    await dialog.getByLabel('Name', { exact: true }).fill('Crew');
    await dialog.getByRole('button', { name: 'Add a source' }).click();
    await page.getByRole('rowheader', { name: /Crew/ }).waitFor();
    const [found] = await admin.integrations.listDirectorySources({});
    expect([found.name, found.board_id, found.mappings]).toEqual(['Crew', null, {}]);
  });

  test('finds a board by its name where the account has many', async () => {
    for (let n = 0; n < 120; n += 1) vendor.put(`many-${n}`, {});
    const { dialog } = await openDialog();
    await dialog.getByLabel('Search: Board').fill('many-117');
    await dialog.getByRole('option', { name: 'Board many-117' }).waitFor({ state: 'attached' });
    await dialog.getByRole('combobox', { name: 'Board' }).selectOption('Board many-117');
    await dialog.getByRole('group', { name: 'Which column fills which field' }).waitFor();
  });

  test.each([
    ['1280 in English', {}],
    ['390 in Arabic', { ...PHONE, locale: 'ar', colorScheme: 'dark' as const }],
  ])('breaks no rule of WCAG and no word in a window of %s', async (_, options) => {
    await newConnection(admin, { title: 'Head office' });
    const page = await browser.signedIn(admin.admin, options);
    await page.goto(`${browser.url()}/admin/integrations`);
    await page.locator('section.card .title button').click();
    const dialog = page.getByRole('dialog');
    await dialog.locator('select').nth(1).selectOption('sites');
    await dialog.locator('fieldset select').first().selectOption('name');
    await dialog.getByRole('rowheader').first().waitFor();
    expect([await violationsOf(page), await brokenWords(page), await isTooWide(page)]).toEqual([
      [],
      [],
      false,
    ]);
  });
});
