import { AsyncResource } from 'node:async_hooks';
import type { Page } from 'playwright-core';
import { newInspections, work } from '../bulk-changes/fixtures.ts';
import { isTooWide, PHONE, settled, violationsOf } from '../support/browser.ts';
import { type Fault, installFaults } from '../support/faults.ts';
import type { Person } from '../support/people.ts';
import { signIn } from '../support/signed-in.ts';
import { publishedFamily } from '../templates/fixtures.ts';
import { settle } from '../webhooks/fixtures.ts';
import { dialogOf, newAdmin, press, useApp } from './windows.ts';

installFaults();

const browser = useApp();

/** An admin, and inspections that all have the tag `lot`. */
const withVisits = async (count: number) => {
  const admin = await newAdmin();
  const family = await publishedFamily(admin.person.key);
  const visits = await newInspections(admin.person, family, count, () => ({ tags: ['lot'] }));
  return { admin, person: admin.person, visits };
};

const statusOf = async (by: Person, { id }: { id: string }): Promise<string> =>
  (await by.inspections.get({ params: { inspection_id: id } })).status;

/** The bulk change whose page is open. */
const shownIn = async (page: Page): Promise<{ id: string }> => {
  await page.waitForURL(/\/admin\/bulk-changes\/[\da-f-]{36}$/);
  return { id: page.url().split('/').at(-1)! };
};

const choose = async (page: Page, action: string) =>
  dialogOf(page).getByLabel('What to do').selectOption({ label: action });

/** Archives all that the list finds, up to the dry run. */
const planArchiving = async (page: Page, by: Person) => {
  await press(page, 'Change all that are found');
  await choose(page, 'Archive');
  await dialogOf(page).getByRole('button', { name: 'Show what would change' }).click();
  const bulk = await shownIn(page);
  await work(by, bulk);
  await page.getByText('Nothing is changed yet.').waitFor();
  return bulk;
};

const carryOut = async (page: Page, name = 'Carry out') => {
  await press(page, name);
  await dialogOf(page).getByRole('button', { name }).click();
  await page.getByRole('progressbar', { name: 'Running' }).waitFor();
};

test('rows are selected, shown as they would be, changed, and found again by the list and the event', async () => {
  const { admin, person, visits } = await withVisits(3);
  const page = await browser.opened(admin, 'inspections');
  for (const n of [0, 2]) await page.getByRole('checkbox', { name: `Visit ${n}` }).check();
  await page.getByText('2 selected.').waitFor();
  await press(page, 'Change the selected ones');
  expect([await violationsOf(page), await isTooWide(page)]).toEqual([[], false]);
  await choose(page, 'Add and remove tags');
  await dialogOf(page).getByRole('button', { name: 'Show what would change' }).click();
  await dialogOf(page).getByText('Please fill this in.').waitFor();
  await dialogOf(page).getByLabel('Add tags').fill('pier, north');
  await dialogOf(page).getByRole('button', { name: 'Show what would change' }).click();
  const bulk = await shownIn(page);
  await work(person, bulk);
  await page.getByText('Nothing is changed yet.').waitFor();
  await page.getByText('Tag: lot → lot, pier, north').first().waitFor();
  expect(await page.getByRole('row').count()).toBe(3);
  const tagsOf = async (n: number) =>
    (await person.inspections.get({ params: { inspection_id: visits[n]!.id } })).tags;
  expect(await tagsOf(0)).toEqual(['lot']);
  await press(page, 'Carry out');
  expect(await violationsOf(page)).toEqual([]);
  await dialogOf(page).getByRole('button', { name: 'Carry out' }).click();
  await page.getByRole('progressbar', { name: 'Running' }).waitFor();
  await work(person, bulk);
  await page.getByRole('heading', { name: 'Changed (2)' }).waitFor();
  expect(await Promise.all([0, 1, 2].map(tagsOf))).toEqual([
    ['lot', 'pier', 'north'],
    ['lot'],
    ['lot', 'pier', 'north'],
  ]);
  expect(await violationsOf(page)).toEqual([]);
  await settle(person);
  await page.goto(`${browser.url()}/admin/bulk-changes`);
  const link = page.getByRole('main').getByRole('link', { name: 'Inspections: Add and remove tags' });
  await link.click();
  await page.getByRole('heading', { level: 1, name: 'Inspections: Add and remove tags' }).waitFor();
  await page.getByRole('link', { name: 'bulk_change.completed' }).click();
  await page.getByRole('heading', { level: 1, name: /bulk_change\.completed/ }).waitFor();
  await page.getByRole('main').locator(`a[href$="/admin/bulk-changes/${bulk.id}"]`).first().waitFor();
});

test('what a filter finds is changed, stopped, shown again after a reload, and goes on; a refused row says why', async () => {
  const { admin, person, visits } = await withVisits(4);
  const [, refused] = visits;
  await person.inspections.archive({ params: { inspection_id: refused!.id } });
  const dueOf = async ({ id }: { id: string }) =>
    (await person.inspections.get({ params: { inspection_id: id } })).due_at;
  const family = visits[0]!.template_family_id;
  const page = await browser.opened(admin, `inspections?template_family_id=${family}`);
  await press(page, 'Change all that are found');
  await choose(page, 'Set the due date');
  await dialogOf(page).getByLabel('Due').fill('2100-01-01');
  await dialogOf(page).getByRole('button', { name: 'Show what would change' }).click();
  const bulk = await shownIn(page);
  await work(person, bulk);
  await page.getByText(`template_family_id=${family}`).waitFor();
  await page.getByRole('heading', { name: 'Would change (3)' }).waitFor();
  await page.getByRole('heading', { name: 'Not changed (1)' }).waitFor();
  await carryOut(page);
  await page.reload();
  await page.getByRole('progressbar', { name: 'Running' }).waitFor();
  const stop = AsyncResource.bind(async () => {
    await press(page, 'Stop');
    await page.getByRole('button', { name: 'Go on' }).waitFor();
  });
  let transactions = 0;
  // It takes the bulk change, and changes one row.
  const stopping: Fault = async ({ command, send }) => {
    if (command === 'TransactWriteItems' && (transactions += 1) === 3) await stop();
    return send();
  };
  await work(person, bulk, stopping);
  expect((await Promise.all(visits.map(dueOf))).filter(Boolean)).toHaveLength(1);
  await carryOut(page, 'Go on');
  await work(person, bulk);
  await page.getByRole('heading', { name: 'Changed (3)' }).waitFor();
  expect((await Promise.all(visits.map(dueOf))).filter(Boolean)).toEqual(
    Array(3).fill('2100-01-01T23:59:00.000Z'),
  );
  const row = page.getByRole('row', { name: /Visit 1/ });
  await row.getByText('Refused').waitFor();
  expect(await row.getByRole('cell').last().innerText()).toMatch(/archived/i);
  await row.getByRole('link').click();
  await page.waitForURL(`**/admin/inspections/${refused!.id}`);
});

test('a row that somebody changes after the dry run stays as it is, and a new dry run includes it', async () => {
  const { admin, person, visits } = await withVisits(2);
  const page = await browser.opened(admin, 'inspections');
  const bulk = await planArchiving(page, person);
  const [first] = visits;
  await person.inspections.update({
    params: { inspection_id: first!.id },
    body: { name: 'Renamed' },
    headers: { 'If-Match': '"1"' },
  });
  await carryOut(page);
  await work(person, bulk);
  await page.getByText(/changed or deleted by somebody else after you saw/).waitFor();
  await page.getByRole('heading', { name: 'Not changed (1)' }).waitFor();
  expect(await statusOf(person, first!)).toBe('scheduled');
  await press(page, 'See again what would change');
  await page.waitForURL((url) => !url.pathname.endsWith(bulk.id));
  const next = await shownIn(page);
  await work(person, next);
  await page.getByRole('link', { name: 'Renamed' }).waitFor();
});

test('a plan of somebody else is shown on a phone, refused rows with their reason, and can be left but not carried out', async () => {
  const { admin, person, visits } = await withVisits(2);
  await person.inspections.archive({ params: { inspection_id: visits[1]!.id } });
  const { id } = await person.bulkChanges.create({
    body: {
      resource: 'inspections',
      filter: {},
      action: { type: 'reassign', to: (await signIn(person, 'inspector')).userId },
    },
  });
  await work(person, { id });
  for (const options of [
    { ...PHONE, locale: 'en', colorScheme: 'dark' },
    { viewport: { width: 320, height: 700 }, locale: 'ar' },
  ] as const) {
    const page = await browser.opened(admin, `bulk-changes/${id}`, options);
    expect([await violationsOf(page), await isTooWide(page)]).toEqual([[], false]);
    if (options.locale === 'ar') continue;
    await page.getByText('Only the person or key that has requested this can carry it out.').waitFor();
    expect(await page.getByRole('button', { name: 'Carry out', exact: true }).count()).toBe(0);
    await press(page, 'Do not carry out');
    await page.getByText('Cancelled', { exact: true }).first().waitFor();
  }
  expect((await person.bulkChanges.get({ params: { bulk_change_id: id } })).status).toBe('cancelled');
});

test('members who are no admin see nothing of it', async () => {
  const { admin } = await withVisits(1);
  const inspector = await signIn(admin.person, 'inspector');
  const page = await browser.opened(inspector, 'inspections');
  await settled(page);
  expect(await page.getByRole('button', { name: /^Change / }).count()).toBe(0);
  await page.goto(`${browser.url()}/admin/bulk-changes`);
  await page.getByRole('heading', { name: 'Only admins can open this page' }).waitFor();
});
