import type { BrowserContextOptions, Page } from 'playwright-core';
import { newLocation } from '../locations/scenarios.ts';
import { DAILY, dateIn, newSchedule } from '../schedules/fixtures.ts';
import { brokenWords, isTooWide, PHONE, settled, useBrowser, violationsOf } from '../support/browser.ts';
import { uuid } from '../support/content.ts';
import { draftedFamily, nextDraft, publish } from '../templates/fixtures.ts';
import { type Admin, newAdmin } from '../webhooks/fixtures.ts';

const browser = useBrowser();

const opened = async ({ admin }: Admin, path: string, options?: BrowserContextOptions): Promise<Page> => {
  const page = await browser.signedIn(admin, options);
  await page.goto(`${browser.url()}/admin${path}`);
  await settled(page);
  return page;
};

const main = (page: Page) => page.getByRole('main');

/** A content with what a page has to put in words. */
const contentWith = (label: string, passing_score: number, more: object[] = []) => ({
  scoring: { enabled: true, passing_score },
  response_sets: [
    {
      id: uuid(90),
      name: 'Condition',
      options: [
        { value: 'good', label: 'Good', color: '#0b8043', score: 2 },
        { value: 'broken', label: 'Broken', score: 0, is_failed: true, finding_severity: 'critical' },
      ],
    },
  ],
  sections: [
    {
      id: uuid(1),
      title: 'Doors',
      repeat: { min: 1, max: 10 },
      fields: [
        { id: uuid(2), type: 'yes_no_na', label, required: true, critical: true },
        {
          id: uuid(3),
          type: 'long_text',
          label: 'What blocks it?',
          visible_if: { field_id: uuid(2), op: 'eq', value: 'no' },
        },
        { id: uuid(4), type: 'single_select', label: 'Its condition', response_set_id: uuid(90) },
        ...more,
      ],
      sections: [
        {
          id: uuid(5),
          title: 'Closer',
          fields: [{ id: uuid(6), type: 'temperature', label: 'Heat', max: 60 }],
        },
      ],
    },
  ],
});

/** A template with two versions. */
const newTemplate = async (admin: Admin) => {
  const before = contentWith('Is the door blocked?', 80, [{ id: uuid(7), type: 'photo', label: 'Photo' }]);
  const { id, draft_version_id: first } = await draftedFamily(admin.key, {
    name: 'Fire doors',
    content: before,
  });
  await publish(admin.key, first!);
  const { id: second } = await nextDraft(admin.key, id);
  const after = contentWith('Is this door blocked?', 90, [
    { id: uuid(8), type: 'audio', label: 'Its sound' },
  ]);
  const params = { template_id: second };
  await admin.versions.updateTemplateContent({ params, body: { content: after } });
  await admin.versions.updateTemplate({ params, body: { change_note: 'It is clearer now.' } });
  return { id, first: first!, second };
};

describe('The page of a template', () => {
  test('shows what it asks: types, conditions in words, options with their meaning, and repeated sections', async () => {
    const admin = await newAdmin();
    const { id } = await newTemplate(admin);
    const page = await opened(admin, `/templates/${id}`);
    await page.getByRole('heading', { level: 2, name: 'What it asks' }).waitFor();
    await page.getByRole('heading', { level: 3, name: /Doors/ }).waitFor();
    await page.getByRole('heading', { level: 4, name: /Closer/ }).waitFor();
    const question = (label: string) =>
      page.getByRole('listitem').filter({ has: page.locator('strong', { hasText: label }) });
    const textOf = async (label: string) =>
      (await question(label).innerText()).replaceAll(/\s+/g, ' ').replaceAll(/[\u2068\u2069]/g, '');
    expect(await textOf('Is the door blocked?')).toContain('Yes, no or not applicable Required Critical');
    expect(await textOf('What blocks it?')).toContain('Asked when “Is the door blocked?” is “No”');
    expect(await textOf('Its condition')).toContain('Good Points: 2');
    expect(await textOf('Its condition')).toContain('Broken Failed Critical Points: 0');
    expect(await textOf('Heat')).toContain('Maximum 60');
    await main(page).getByText('1 to 10').waitFor();
    expect(await page.locator('.swatch').count()).toBe(1);
  });

  test('lets one pick a version, and shows what differs between two, from what to what; a reload keeps both', async () => {
    const admin = await newAdmin();
    const { id, first, second } = await newTemplate(admin);
    const page = await opened(admin, `/templates/${id}`);
    expect(await page.getByLabel('Template version').inputValue()).toBe(first);
    const rows = page.getByRole('table', { name: 'Versions' }).getByRole('row');
    await rows.filter({ hasText: 'It is clearer now.' }).filter({ hasText: 'Draft' }).waitFor();
    await page.getByRole('link', { name: 'Version 2', exact: true }).click();
    await main(page).locator('strong', { hasText: 'Is this door blocked?' }).waitFor();
    await page.locator('h2:focus', { hasText: 'What it asks' }).waitFor();
    await page.getByLabel('Compare with').selectOption({ label: 'Version 1 · Published' });
    await page.getByRole('heading', { name: 'From version 1 to version 2' }).waitFor();
    await page.reload();
    await settled(page);
    expect(new URL(page.url()).search).toBe(`?version=${second}&compare=${first}`);
    const text = (await page.locator('.differences').innerText()).replaceAll(/\s+/g, ' ');
    expect(text).toMatch(/Added 1 .*Its sound.*Removed 1 .*Photo.*Changed 2/);
    expect(text).toMatch(/Passing score 80% → 90%/);
    expect(text).toMatch(/Question Is the door blocked\? → Is this door blocked\?/);
  });

  test('says that two versions ask the same', async () => {
    const admin = await newAdmin();
    const { id, draft_version_id: first } = await draftedFamily(admin.key);
    await publish(admin.key, first!);
    const { id: second } = await nextDraft(admin.key, id);
    const page = await opened(admin, `/templates/${id}?version=${second}&compare=${first}`);
    await page.getByText('Both versions ask the same.').waitFor();
  });

  test('draws a thousand questions only as far as somebody opens them', async () => {
    const admin = await newAdmin();
    const sections = Array.from({ length: 10 }, (_, s) => ({
      id: uuid(s + 1),
      title: `Section ${s + 1}`,
      fields: Array.from({ length: 100 }, (__, f) => ({
        id: uuid(100 + s * 100 + f),
        type: 'text',
        label: `Question ${s * 100 + f + 1}`,
      })),
    }));
    const { id } = await draftedFamily(admin.key, { content: { sections } });
    const page = await opened(admin, `/templates/${id}`);
    const questions = page.locator('.section li');
    expect(await questions.count()).toBe(0);
    await page.getByRole('heading', { level: 3, name: /^Section 3/ }).click();
    await page.getByText('Question 300', { exact: true }).waitFor();
    expect(await questions.count()).toBe(100);
  });

  test.each([
    ['1280', {}],
    ['390', PHONE],
    ['320', { ...PHONE, viewport: { width: 320, height: 700 }, colorScheme: 'dark' as const }],
    ['390, in Arabic', { ...PHONE, locale: 'ar' }],
  ])('breaks no rule of WCAG and no word in a window of %s pixels', async (_, size) => {
    const admin = await newAdmin();
    const { id, first, second } = await newTemplate(admin);
    const page = await opened(admin, `/templates/${id}?version=${second}&compare=${first}`, size);
    await page.locator('.differences').waitFor();
    expect([await violationsOf(page), await brokenWords(page), await isTooWide(page)]).toEqual([
      [],
      [],
      false,
    ]);
  });
});

/** A schedule with a holiday on the second of its dates, and one that it holds a day later. */
const newDates = async (admin: Admin, on_holiday: 'skip' | 'after', more: object = {}) => {
  const { id: calendar_id } = await admin.schedules.createHolidayCalendar({
    body: { name: 'Portugal', dates: [{ date: dateIn(2), name: 'Freedom Day' }], weekend_days: [] },
  });
  const { id: location } = await newLocation(admin, { name: 'Quay 7' });
  return newSchedule(admin, {
    calendar_id,
    on_holiday,
    location_ids: [location],
    recurrence: { ...DAILY, rrule: 'FREQ=DAILY' },
    create_ahead_days: 0,
    ...more,
  });
};

describe('The page of a schedule', () => {
  test('shows its next dates with their places, and what a day off leaves out', async () => {
    const admin = await newAdmin();
    const { id } = await newDates(admin, 'skip');
    const page = await opened(admin, `/schedules/${id}`);
    const rows = page.getByRole('table', { name: 'Next dates' }).getByRole('row');
    await rows.filter({ hasText: 'Planned' }).filter({ hasText: 'Quay 7' }).first().waitFor();
    const leftOut = await rows.filter({ hasText: 'Left out' }).allInnerTexts();
    expect(leftOut.map((text) => text.includes('Freedom Day'))).toEqual([true]);
  });

  test('names the day instead of which a date is held', async () => {
    const admin = await newAdmin();
    const { id } = await newDates(admin, 'after', {
      recurrence: { ...DAILY, rrule: 'FREQ=DAILY;INTERVAL=1' },
    });
    const page = await opened(admin, `/schedules/${id}`);
    await page.getByText(/^Instead of .* Freedom Day$/).waitFor();
  });

  test('says while it is paused why there are no dates, and that nothing was missed', async () => {
    const admin = await newAdmin();
    const { id } = await newSchedule(admin, { window: { due_after: 'P1D', miss_after: 'P2D' } });
    await admin.schedules.update({ params: { schedule_id: id }, body: { status: 'paused' } });
    const page = await opened(admin, `/schedules/${id}`);
    await page.getByText('While the schedule is paused, it creates no inspections.').waitFor();
    await page.getByText(/^There is no date until /).waitFor();
    await page.getByText(/^Nothing was missed since /).waitFor();
  });

  test.each([
    ['1280', {}],
    ['320', { ...PHONE, viewport: { width: 320, height: 700 }, colorScheme: 'dark' as const }],
    ['390, in Arabic', { ...PHONE, locale: 'ar' }],
  ])('breaks no rule of WCAG and no word in a window of %s pixels', async (_, size) => {
    const admin = await newAdmin();
    const { id } = await newDates(admin, 'skip');
    const page = await opened(admin, `/schedules/${id}`, size);
    await page.getByRole('table').first().waitFor();
    expect([await violationsOf(page), await brokenWords(page), await isTooWide(page)]).toEqual([
      [],
      [],
      false,
    ]);
  });
});
