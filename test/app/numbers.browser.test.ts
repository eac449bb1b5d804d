import type { Page } from 'playwright-core';
import { monthAfter } from '../../shared/domain/numbers/months.ts';
import { putRows } from '../../shared/table/bulk.ts';
import { newAction, newFinding } from '../corrective-actions/fixtures.ts';
import {
  advance,
  answer,
  completedInspection,
  newClient,
  sharedFamily,
  startedInspection,
} from '../inspections/fixtures.ts';
import { newLocation } from '../locations/scenarios.ts';
import { countChanges, numbersRow } from '../numbers/fixtures.ts';
import { isTooWide, PHONE, settled, violationsOf } from '../support/browser.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { newAdmin, useApp } from './windows.ts';

const browser = useApp();

/** Some of the last months, with one between them in which nothing happens. */
const PAST = [7, 5, 4, 2].map((ago) => monthAfter(new Date().toISOString().slice(0, 7), -ago));

/** The most requests that the page may make for its numbers. */
const MOST_REQUESTS = 7;

const QUESTION = uuid(3);

/** One question, which decides. */
const SCORED = {
  content: { ...contentWith(field(3, 'pass_fail_na')), scoring: { enabled: true, passing_score: 75 } },
};

/** Inspections of two clients, findings and corrective actions. */
const prepare = async () => {
  const admin = await newAdmin();
  const { person } = admin;
  const client = await newClient(person, 'Port');
  const pier = await newLocation(person, { name: 'Pier' });
  const at = { client_account_id: client.id, location_id: pier.id };
  const template_family_id = await sharedFamily(person, SCORED);
  for (const value of ['fail', 'fail', 'pass', 'fail']) {
    const done = await startedInspection(person, { template_family_id, ...at });
    await answer(person, done, QUESTION, value);
    await advance(person.key, done);
  }
  const open = await startedInspection(person, {
    template_family_id,
    ...at,
    due_at: '2026-01-01T00:00:00Z',
  });
  const finding = await newFinding(person, { severity: 'critical' }, open);
  await newFinding(person, { severity: 'minor' }, open);
  await newAction(person, { due_at: '2026-01-01T00:00:00Z' }, finding);
  await completedInspection(person, { name: 'Elsewhere' });
  await countChanges(person);
  return { admin, person, client, pier, template_family_id };
};

/** The requests for numbers that a page makes from now on. */
const watched = (page: Page): string[] => {
  const paths: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.endsWith('/summary')) paths.push(pathname + search);
  });
  return paths;
};

const figures = (page: Page) =>
  page.locator('.figures a').evaluateAll((links) =>
    links.map((link) => ({
      count: Number(link.querySelector('strong')!.textContent),
      address: link.getAttribute('href')!,
    })),
  );

test('numbers are those of the service, and each leads to a list with as many rows', async () => {
  const { admin, person, client, pier, template_family_id } = await prepare();
  const page = await browser.signedIn(admin);
  const paths = watched(page);
  await page.goto(`${browser.url()}/admin/numbers?client_account_id=${client.id}`);
  await page.locator('.bars').first().waitFor();
  await settled(page);
  expect(paths.length).toBeLessThanOrEqual(MOST_REQUESTS);
  const query = { client_account_id: [client.id] };
  const { totals } = await person.inspections.summarize({ query: { ...query, group_by: ['month'] } });
  const findings = await person.findings.summarize({ query });
  const actions = await person.correctiveActions.summarize({ query });
  const shown = await figures(page);
  expect(shown.map(({ count }) => count)).toEqual([
    totals.completed,
    totals.passed,
    totals.failed,
    totals.score.count,
    1,
    findings.totals.critical,
    findings.totals.major,
    findings.totals.minor,
    findings.totals.observation,
    actions.totals.open,
    actions.totals.in_progress,
    actions.totals.pending_verification,
    actions.totals.overdue,
  ]);
  expect([totals.completed, totals.passed, totals.failed, totals.score.mean]).toEqual([4, 1, 3, 25]);
  expect([findings.totals.open > 0, findings.totals.critical, actions.totals.overdue]).toEqual([true, 1, 1]);
  await page.locator('summary', { hasText: 'Show as a table' }).click();
  const linked = await page
    .locator('main table td a')
    .evaluateAll((links) =>
      links.map((link) => ({ count: Number(link.textContent), address: link.getAttribute('href')! })),
    );
  const lists = [...shown, ...linked.filter(({ count }) => count >= 0)];
  expect(lists.filter(({ address }) => address.includes(`location_id=${pier.id}`))).toHaveLength(3);
  const question = lists.filter(({ address }) => address.includes(`field_id=${QUESTION}`));
  expect(question).toHaveLength(1);
  expect(question[0]!.address).toContain(`template_family_id=${template_family_id}`);
  // Months without inspections lead to the same empty list as others.
  const addresses = new Map(lists.map((each) => [each.address, each.count]));
  let empty = 0;
  for (const [address, count] of addresses) {
    if (count === 0 && (empty += 1) > 3) continue;
    await page.goto(`${browser.url()}${address}`);
    await settled(page);
    expect([address, await page.locator('main tbody tr').count()]).toEqual([address, count]);
  }
});

test('locations with few results are not among the worst, and each has its count beside the rate', async () => {
  const { admin, person, template_family_id } = await prepare();
  const month = new Date().toISOString().slice(0, 7);
  const cells = await Promise.all(
    Object.entries({ Few: [0, 2], Poor: [1, 3], Good: [9, 1] }).map(async ([name, [passed, failed]]) => {
      const { id } = await newLocation(person, { name });
      const cell = { month, location_id: id, client_account_id: null, template_family_id };
      return numbersRow(person, 'INSPECTION', cell, { completed: 10, passed: passed!, failed: failed! });
    }),
  );
  await putRows(cells);
  const page = await browser.opened(admin, 'numbers');
  const table = page.getByRole('table', { name: 'Locations with the lowest pass rate' });
  expect(await table.getByRole('rowheader').allInnerTexts()).toEqual(['Pier', 'Poor', 'Good']);
  expect((await table.getByRole('cell').first().innerText()).replaceAll(/\s+/g, ' ')).toContain('25% 1 of 4');
});

test('an organization without inspections is told how numbers come to be', async () => {
  const page = await browser.opened(await newAdmin(), 'numbers');
  await page.getByText('There are no numbers yet.').waitFor();
  expect(await page.locator('.bars').count()).toBe(0);
});

test.each([
  ['1280', 'en', 'light', {}],
  ['390', 'de', 'dark', PHONE],
  ['320', 'ar', 'light', { ...PHONE, viewport: { width: 320, height: 700 } }],
] as const)('a window of %s pixels in %s and %s breaks no rule', async (_, locale, colorScheme, size) => {
  const { admin, person, template_family_id } = await prepare();
  await putRows(
    PAST.map((month, n) => {
      const cell = { month, location_id: null, client_account_id: null, template_family_id };
      const scores = { scored: 9, score: 9_000_000 * (20 + 25 * n) };
      return numbersRow(person, 'INSPECTION', cell, {
        completed: 9,
        passed: 3 * n,
        failed: 9 - 3 * n,
        ...scores,
      });
    }),
  );
  const page = await browser.opened(admin, 'numbers', { locale, colorScheme, ...size });
  for (const summary of await page.locator('main summary').all()) await summary.click();
  await settled(page);
  expect([await violationsOf(page), await isTooWide(page)]).toEqual([[], false]);
  const label = await page.getByRole('img').first().getAttribute('aria-label');
  expect(label!.split('; ')).toHaveLength(12);
  expect(await page.getByRole('img').count()).toBe(2);
});
