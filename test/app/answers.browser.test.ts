import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import type { Finding } from '../../shared/schemas/finding.ts';
import { saved } from '../answers/fixtures.ts';
import { closeOf, openCorrection } from '../corrections/fixtures.ts';
import { newAction, newFinding } from '../corrective-actions/fixtures.ts';
import { advance, startedInspection } from '../inspections/fixtures.ts';
import { newLocation } from '../locations/scenarios.ts';
import { brokenWords, isTooWide, PHONE, settled, useBrowser, violationsOf } from '../support/browser.ts';
import { field, section, uuid } from '../support/content.ts';
import { signIn } from '../support/signed-in.ts';
import { newPicture } from '../templates/fixtures.ts';
import { type Admin, newAdmin } from '../webhooks/fixtures.ts';

const browser = useBrowser();

const OUTSIDE = uuid(1);
const RAIL = uuid(2);
const LOAD = uuid(3);
const DAY = uuid(4);
const PHOTO = uuid(6);
const PLACE = uuid(7);
const COLOURS = uuid(8);
const ROOM = uuid(20);
const ROOM_NAME = uuid(21);
const CLEAN = uuid(22);
const DOOR = uuid(30);
const DOOR_STATE = uuid(31);
const LAST = uuid(40);

const CONTENT = {
  start: { fields: [{ key: 'weather', type: 'text', label: 'Weather' }] },
  sections: [
    section(
      1,
      [
        field(2, 'pass_fail_na', {
          label: 'Rail holds',
          allow_na: true,
          finding: { create: 'auto', severity: 'major', label: 'Loose rail' },
        }),
        field(3, 'number', { label: 'Load', unit: 'kg' }),
        field(4, 'date', { label: 'Last service' }),
        field(5, 'text', { label: 'Why it failed', visible_if: { field_id: LOAD, op: 'gt', value: 9000 } }),
        field(6, 'photo', { label: 'View' }),
        field(7, 'location', { label: 'Where it stands' }),
        field(8, 'multi_select', {
          label: 'Colours',
          options: [
            { value: 'r', label: 'Signal red' },
            { value: 'b', label: 'Deep blue' },
          ],
        }),
        field(9, 'yes_no', { label: 'Lit' }),
      ],
      { title: 'Outside', allow_na: true },
    ),
    {
      id: ROOM,
      title: 'Rooms',
      repeat: { max: 5, label_field_id: ROOM_NAME },
      fields: [
        field(21, 'text', { label: 'Name' }),
        field(22, 'yes_no_na', { label: 'Clean', finding: { create: 'auto', label: 'Dirty' } }),
      ],
      sections: [
        { id: DOOR, title: 'Doors', repeat: { max: 5 }, fields: [field(31, 'text', { label: 'State' })] },
      ],
    },
    section(40, [field(41, 'text', { label: 'Remarks' })], { title: 'The end' }),
    section(50, [field(51), field(52)], {
      title: 'Only for heavy ones',
      visible_if: { field_id: LOAD, op: 'gt', value: 9000 },
    }),
  ],
  scoring: { enabled: true },
};

const newInspection = (admin: Admin) =>
  startedInspection(admin, {
    family: { content: CONTENT },
    name: 'Crane',
    start_answers: { weather: 'Rain' },
  });

type Inspection = Awaited<ReturnType<typeof newInspection>>;

const inRoom = (index: number, body: object) => ({ section_id: ROOM, instance_index: index, ...body });

/** Opens the page of an inspection. @returns it, and what it has asked for of answers since the last look */
const opened = async (
  admin: Admin,
  { id }: Inspection,
  options?: BrowserContextOptions,
): Promise<{ page: Page; asked: () => string[] }> => {
  const page = await browser.signedIn(admin.admin, options);
  const requests: string[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (/\/(responses|snapshot|history)$/.test(pathname))
      requests.push(`${pathname.split('/').at(-1)} ${searchParams.get('section_id') ?? ''}`.trim());
  });
  await page.goto(`${browser.url()}/admin/inspections/${id}`);
  await settled(page);
  return { page, asked: () => requests.splice(0) };
};

const heading = (page: Page, name: string | RegExp): Locator => page.getByRole('heading', { level: 1, name });

const fold = (page: Page, name: string | RegExp): Locator => page.getByRole('button', { name });

const open = async (page: Page, name: string | RegExp): Promise<void> => {
  await fold(page, name).click();
  await settled(page);
};

/** The question with this label, with its answer. */
const answerTo = (page: Page, label: string): Locator =>
  page.locator('.answers > li').filter({ has: page.getByText(label, { exact: true }) });

const answered = async (admin: Admin): Promise<Inspection> => {
  const inspection = await newInspection(admin);
  await saved(admin, inspection, { field_id: RAIL, value: 'fail', note: 'A bolt is missing' });
  await saved(admin, inspection, inRoom(0, { field_id: ROOM_NAME, value: 'Kitchen' }));
  await saved(admin, inspection, inRoom(0, { field_id: CLEAN, value: 'yes' }));
  await saved(admin, inspection, inRoom(2, { field_id: ROOM_NAME, value: 'Cellar' }));
  return inspection;
};

describe('The answers of an inspection', () => {
  let admin: Admin;
  beforeAll(async () => {
    admin = await newAdmin();
  });

  test('begin with an outline, and a section is read when it is opened, once', async () => {
    const inspection = await answered(admin);
    const { page, asked } = await opened(admin, inspection);
    const titles = page.locator('.fold > h3 > button');
    expect((await titles.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim())).toEqual([
      'Inspection details Answered: 1 of 1',
      'Outside Answered: 1 of 7 · Score: 0%',
      'Rooms Answered: 3 of 4 · Score: 50%',
      'The end Answered: 0 of 1',
    ]);
    expect(asked()).toEqual([]);
    await open(page, /^Outside/);
    expect(asked()).toEqual(['snapshot', `responses ${OUTSIDE}`]);
    await open(page, /^The end/);
    expect(asked()).toEqual([`responses ${LAST}`]);
    expect(await fold(page, /^Outside/).getAttribute('aria-expanded')).toBe('true');
    expect(await fold(page, /^Rooms/).getAttribute('aria-expanded')).toBe('false');
    await open(page, /^Inspection details/);
    expect(await answerTo(page, 'Weather').innerText()).toContain('Rain');
    expect(asked()).toEqual([]);
  });

  test('say each answer as people do, what is not answered, and how much is hidden', async () => {
    const inspection = await newInspection(admin);
    const { id: place } = await newLocation(admin, { name: 'Quay 7' });
    await saved(admin, inspection, { field_id: LOAD, value: 1250 });
    await saved(admin, inspection, { field_id: DAY, value: '2027-03-28' });
    await saved(admin, inspection, { field_id: PLACE, value: place });
    await saved(admin, inspection, { field_id: COLOURS, value: ['b', 'r'] });
    await saved(admin, inspection, { field_id: uuid(9), value: false });
    await saved(admin, inspection, { field_id: RAIL, value: null, is_na: true, note: 'No rail here' });
    const { page } = await opened(admin, inspection);
    await open(page, /^Outside/);
    expect(await answerTo(page, 'Load').innerText()).toContain('1,250 kg');
    const { date_format } = await admin.organization.get();
    const day = date_format.replace('yyyy', '2027').replace('MM', '03').replace('dd', '28');
    expect(await answerTo(page, 'Last service').innerText()).toContain(day);
    await answerTo(page, 'Where it stands').getByRole('link', { name: 'Quay 7' }).waitFor();
    expect(await answerTo(page, 'Colours').innerText()).toMatch(
      /Deep blue, Signal red|Signal red, Deep blue/,
    );
    expect(await answerTo(page, 'Lit').innerText()).toContain('No');
    expect(await answerTo(page, 'Rail holds').innerText()).toMatch(/Not applicable\s+Reason: No rail here/);
    expect(await answerTo(page, 'View').innerText()).toContain('Not answered');
    expect(await answerTo(page, 'Why it failed').count()).toBe(0);
    await page.getByText('Hidden by conditions: 1').waitFor();
    await page.getByText('Hidden by conditions: 2').waitFor();
    expect(await page.getByText('Only for heavy ones').count()).toBe(0);
  });

  test('of a section that repeats are read instance by instance, with the sections in them', async () => {
    const inspection = await answered(admin);
    const instance_path = `${ROOM}[2]/${DOOR}[0]`;
    await saved(admin, inspection, { section_id: DOOR, field_id: DOOR_STATE, instance_path, value: 'Stuck' });
    const { page, asked } = await opened(admin, inspection);
    await open(page, /^Rooms/);
    expect(asked()).toEqual(['snapshot']);
    await open(page, /^No. 2 Cellar/);
    expect(asked()).toEqual([`responses ${ROOM}`]);
    expect(await answerTo(page, 'Name').innerText()).toContain('Cellar');
    expect(await answerTo(page, 'Clean').innerText()).toContain('Not answered');
    await open(page, /^Doors/);
    expect(await answerTo(page, 'State').innerText()).toContain('Stuck');
    await open(page, /^No. 1 Kitchen/);
    expect(await answerTo(page, 'Clean').first().innerText()).toContain('Yes');
    expect(await fold(page, /^Doors/).count()).toBe(1);
  });

  test('show photos as pictures with their captions, and other files by their names', async () => {
    const inspection = await newInspection(admin);
    const picture = { document_id: await newPicture(admin.key), caption: 'From the north' };
    const form = new FormData();
    form.set('title', 'Manual');
    form.set('file', new File(['Turn it off first.'], 'manual.txt'));
    const { id: manual } = await admin.documents.create({ form });
    const media = [{ document_id: manual, caption: '' }];
    await saved(admin, inspection, { field_id: PHOTO, value: [picture], note: 'Taken at noon' });
    await saved(admin, inspection, { field_id: LOAD, value: 100, media });
    const { page } = await opened(admin, inspection);
    await open(page, /^Outside/);
    const answer = answerTo(page, 'View');
    await answer.getByText('Note: Taken at noon').waitFor();
    const image = answer.getByRole('img', { name: 'From the north' });
    await image.scrollIntoViewIfNeeded();
    await page.waitForFunction(`document.querySelector('.picture img')?.naturalWidth === 2`);
    await answerTo(page, 'Load').getByRole('button', { name: 'manual.txt' }).waitFor();
    const popup = page.waitForEvent('popup');
    await answer.getByRole('button', { name: 'From the north' }).click();
    expect((await popup).url()).not.toContain('/admin');
  });

  test('show what an answer was before, who changed it, and what a correction has changed', async () => {
    const inspection = await newInspection(admin);
    for (const value of [100, 200]) await saved(admin, inspection, { field_id: LOAD, value });
    await advance(admin.key, inspection);
    const correction = await openCorrection(admin, inspection);
    await saved(admin, inspection, { field_id: LOAD, value: 300, note: 'Misread' });
    expect((await closeOf(admin, correction)).status).toBe(200);
    const { page, asked } = await opened(admin, inspection);
    await open(page, /^Outside/);
    asked();
    await open(page, 'History: Load');
    expect(asked()).toEqual(['history']);
    const steps = await answerTo(page, 'Load').locator('.history > li').allInnerTexts();
    expect(steps).toHaveLength(2);
    expect(steps[0]).toMatch(/^100 kg\s+→\s+200 kg/);
    expect(steps[1]).toMatch(/^200 kg\s+→\s+300 kg/);
    expect(steps[1]).toContain('Note: – → Misread');
    expect(steps[1]).toContain('API key');
    expect(await answerTo(page, 'Last service').getByRole('button', { name: 'History' }).count()).toBe(0);
  });

  test('lead to a finding and its action, and the finding leads back to the question', async () => {
    const inspection = await answered(admin);
    await saved(admin, inspection, inRoom(2, { field_id: CLEAN, value: 'no' }));
    const findings = await admin.findings.list({ params: { inspection_id: inspection.id } });
    const dirty = findings.find(({ label }: Finding) => label === 'Dirty')!;
    await newAction(admin, { title: 'Sweep it' }, dirty);
    const { page } = await opened(admin, inspection);
    await open(page, /^Outside/);
    const rail = answerTo(page, 'Rail holds');
    expect(await rail.innerText()).toContain('Failed');
    await rail.getByRole('link', { name: /Loose rail/ }).click();
    await heading(page, /Loose rail/).waitFor();
    await page.goto(`${browser.url()}/admin/findings/${dirty.id}`);
    await page.getByRole('link', { name: 'Show the answer' }).click();
    await heading(page, /Crane/).waitFor();
    await settled(page);
    const clean = page.locator('.answers > li:focus');
    await clean.getByText('Clean', { exact: true }).waitFor();
    expect(
      await clean.evaluate((element) => {
        const { top, bottom } = element.getBoundingClientRect();
        const { innerHeight } = globalThis as unknown as { innerHeight: number };
        return top >= 0 && bottom <= innerHeight;
      }),
    ).toBe(true);
    expect(await fold(page, /^Outside/).getAttribute('aria-expanded')).toBe('false');
    expect(await fold(page, /^No. 1 Kitchen/).getAttribute('aria-expanded')).toBe('false');
    await clean.getByRole('link', { name: /Sweep it/ }).click();
    await heading(page, /Sweep it/).waitFor();
    await page.goBack();
    await page.locator('.answers > li:focus').getByRole('link', { name: /Dirty/ }).click();
    await heading(page, /Dirty/).waitFor();
  });

  test('of an instance that a place names are below its name, which is no link within the button', async () => {
    const { id: quay } = await newLocation(admin, { name: 'Quay 9' });
    const units = {
      id: ROOM,
      title: 'Units',
      repeat: { label_field_id: ROOM_NAME },
      fields: [field(21, 'location', { label: 'Unit' })],
    };
    const inspection = await startedInspection(admin, { family: { content: { sections: [units] } } });
    await saved(admin, inspection, inRoom(0, { field_id: ROOM_NAME, value: quay }));
    const { page } = await opened(admin, inspection);
    await open(page, /^Units/);
    expect(await fold(page, /^No. 1 Quay 9/).getAttribute('aria-expanded')).toBe('true');
    await answerTo(page, 'Unit').getByRole('link', { name: 'Quay 9' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });

  test('are open at the section of a finding that is about no question', async () => {
    const inspection = await answered(admin);
    const finding = await newFinding(admin, { section_id: LAST, label: 'Too dark' }, inspection);
    const { page } = await opened(admin, inspection);
    await page.goto(`${browser.url()}/admin/findings/${finding.id}`);
    await page.getByRole('link', { name: 'Show the answer' }).click();
    await heading(page, /Crane/).waitFor();
    await settled(page);
    expect(await page.locator('button:focus').innerText()).toContain('The end');
    await page
      .locator('.fold')
      .getByRole('link', { name: /Too dark/ })
      .click();
    await heading(page, /Too dark/).waitFor();
    const { id } = await newFinding(admin, { label: 'Nowhere' }, inspection);
    await page.goto(`${browser.url()}/admin/findings/${id}`);
    await settled(page);
    expect(await page.getByRole('link', { name: 'Show the answer' }).count()).toBe(0);
  });

  test('open by the keyboard alone', async () => {
    const { page } = await opened(admin, await answered(admin));
    await fold(page, /^Outside/).focus();
    await page.keyboard.press('Enter');
    await settled(page);
    const focused = () => page.evaluate<string>(`document.activeElement?.textContent ?? ''`);
    const passed: string[] = [];
    while (!passed.at(-1)?.startsWith('Rooms')) {
      await page.keyboard.press('Tab');
      passed.push(await focused());
    }
    expect(passed).toContainEqual(expect.stringContaining('Loose rail'));
    await fold(page, /^Outside/).focus();
    await page.keyboard.press('Space');
    await answerTo(page, 'Load').waitFor({ state: 'detached' });
  });

  test('are not asked for by those who may not read them', async () => {
    const inspector = await signIn(admin, 'inspector');
    const { id } = await startedInspection(admin, {
      family: { content: CONTENT },
      name: 'Lift',
      participants: [{ user_id: inspector.userId, role: 'inspector' }],
    });
    const page = await browser.signedIn(inspector);
    const refused: string[] = [];
    page.on('response', (response) => response.status() >= 400 && refused.push(response.url()));
    await page.goto(`${browser.url()}/admin/inspections/${id}`);
    await heading(page, /Lift/).waitFor();
    await settled(page);
    expect([refused, await page.getByRole('heading', { name: 'Answers' }).count()]).toEqual([[], 0]);
  });

  const LOOKS: [string, BrowserContextOptions][] = [
    ['1280 pixels', {}],
    ['390 pixels, dark', { ...PHONE, colorScheme: 'dark' }],
    ['320 pixels', { ...PHONE, viewport: { width: 320, height: 640 } }],
    ['Arabic, 390 pixels', { ...PHONE, locale: 'ar' }],
  ];
  test.each(LOOKS)('break no rule of WCAG and no word: %s', async (_, options) => {
    const inspection = await answered(admin);
    const picture = { document_id: await newPicture(admin.key), caption: 'From the north' };
    await saved(admin, inspection, { field_id: PHOTO, value: [picture] });
    for (const value of [100, 200]) await saved(admin, inspection, { field_id: LOAD, value });
    const { page } = await opened(admin, inspection, options);
    const closed = page.locator('.fold > :first-child > [aria-expanded=false]');
    const answers = page.locator('.answers > li');
    // Some folds come with the answers of another one.
    while ((await answers.count()) < 13 || (await closed.count()) > 0) {
      if ((await closed.count()) > 0) await closed.first().click();
      await settled(page);
    }
    await page.locator('.answers [aria-expanded=false]').click();
    await settled(page);
    expect(await answers.count()).toBe(13);
    expect([await violationsOf(page), await brokenWords(page), await isTooWide(page)]).toEqual([
      [],
      [],
      false,
    ]);
  });
});
