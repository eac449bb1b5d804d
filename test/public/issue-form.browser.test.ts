import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import sharp from 'sharp';
import type { Issue } from '../../shared/schemas/issues/issue.ts';
import { isTooWide, PHONE, useBrowser, violationsOf } from '../support/browser.ts';
import { useClock } from '../support/clock.ts';
import { newPerson, type Person } from '../support/people.ts';
import {
  type IssueLink,
  newIssueLink,
  newQuestion,
  newShareLink,
  newStopLink,
  QUESTIONS,
} from './fixtures.ts';

const browser = useBrowser();
/** Of the service; the browser has its own. */
const clock = useClock();

let person: Person;
let folder: string;
/** Photos of 12 megapixels, as phones take them: upright only by their metadata, which also say where that was. */
let photos: string[];

const takePhoto = async (file: string, color: string): Promise<string> => {
  const path = join(folder, file);
  await sharp({ create: { width: 4_000, height: 3_000, channels: 3, background: color } })
    .withExif({ IFD0: { Make: 'Test' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 0/1' } })
    .withMetadata({ orientation: 6 })
    .jpeg({ quality: 90 })
    .toFile(path);
  return path;
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'photos-'));
  [person, photos] = await Promise.all([
    newPerson('Hafenküche'),
    Promise.all(['red', 'green', 'blue'].map((color) => takePhoto(`${color}.jpg`, color))),
  ]);
});

afterAll(() => rmSync(folder, { recursive: true }));

const newPage = (options: BrowserContextOptions = {}): Promise<Page> =>
  browser.newPage({ ...PHONE, ...options });

const addressOf = (token: string, path = 'r'): string => `${browser.url()}/${path}/${token}`;

const opened = async (link: IssueLink, options?: BrowserContextOptions): Promise<Page> => {
  const page = await newPage(options);
  await page.goto(addressOf(link.token));
  return page;
};

const issuesOf = async (link: IssueLink): Promise<Issue[]> =>
  person.issues.list({ query: { category_id: link.category.id } });

const DESCRIPTION = 'The tap in the kitchen leaks.';
/** Nobody fills in a form in less than two seconds. */
const FILL_IN_SECONDS = 3;
const fillIn = async (page: Page, text = DESCRIPTION): Promise<void> => {
  await page.fill('#description', text);
  clock.pass(FILL_IN_SECONDS);
};

const addPhotos = async (page: Page, files: readonly string[], question = ''): Promise<void> => {
  const chooser = page.waitForEvent('filechooser');
  await page.tap(`[data-question="${question}"]`);
  await (await chooser).setFiles([...files]);
  await page
    .locator('.shots li')
    .nth(files.length - 1)
    .waitFor();
};

const violationsOfStill = (page: Page): Promise<string[]> => browser.violationsOfStill(page, PHONE);

const thanks = (page: Page) => page.getByRole('heading', { level: 1, name: /Thank you/ });

describe('GET /r/{token} in a browser', () => {
  test('takes three photos of 12 megapixels on a phone, and sends them small, upright and without their place', async () => {
    const link = await newIssueLink(person, { link: { contact: 'optional' } });
    const page = await opened(link);
    const sent: number[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PUT') sent.push(request.postDataBuffer()?.length ?? 0);
    });
    await addPhotos(page, photos);
    await fillIn(page);
    await page.locator('.shots progress').first().waitFor({ state: 'detached' });
    await page.tap('.send');
    await thanks(page).waitFor();
    const [issue] = await issuesOf(link);
    expect(await page.textContent('main')).toContain(String(issue!.number));
    expect(issue).toMatchObject({ description: DESCRIPTION, source: 'public_link' });
    expect(issue!.media).toHaveLength(3);
    expect(sent).toHaveLength(3);
    expect(Math.max(...sent)).toBeLessThan(1_000_000);
  });

  test('works without a program, photos included', async () => {
    const link = await newIssueLink(person, { category: { questions: QUESTIONS } });
    const page = await opened(link, { javaScriptEnabled: false });
    await page.fill('#description', DESCRIPTION);
    await page.getByLabel('Option high').check();
    await page.getByLabel('Option water').check();
    clock.pass(FILL_IN_SECONDS);
    await page.getByRole('button', { name: 'Add photos' }).last().click();
    for (const [n, photo] of photos.slice(0, 2).entries()) {
      await page.getByText(`Photos added: ${n}`).waitFor();
      expect(await violationsOfStill(page)).toEqual([]);
      await page.setInputFiles('#file', photo);
      await page.getByRole('button', { name: 'Add this photo' }).click();
    }
    await page.getByText('Photos added: 2').waitFor();
    await page.getByRole('button', { name: 'Send report' }).click();
    await thanks(page).waitFor();
    expect(await violationsOfStill(page)).toEqual([]);
    const [issue] = await issuesOf(link);
    expect(issue!.media).toHaveLength(2);
    expect(issue!.answers.map(({ value }) => value)).toEqual(['high', ['water']]);
  });

  test('shows what is missing in one place, with links to the fields, and keeps what was entered', async () => {
    const questions = QUESTIONS.map((question) => ({ ...question, required: question.type === 'number' }));
    const link = await newIssueLink(person, { category: { questions }, link: { contact: 'required' } });
    for (const javaScriptEnabled of [true, false]) {
      const page = await opened(link, { javaScriptEnabled });
      await page.getByLabel('Which room?').fill('Kitchen');
      await page.click('button.send');
      const summary = page.getByRole('alert');
      await summary.waitFor();
      expect(await summary.getByRole('link').allTextContents()).toEqual([
        'What happened?',
        'How many people?',
        'Email address',
      ]);
      expect(await page.getByLabel('Which room?').inputValue()).toBe('Kitchen');
      await summary.getByRole('link', { name: 'How many people?' }).click();
      const field = page.getByLabel('How many people?');
      expect(await field.getAttribute('aria-invalid')).toBe('true');
      const described = await field.getAttribute('aria-describedby');
      expect(await page.locator(`[id="${described}"]`).textContent()).toContain('answer this question');
      expect(await violationsOfStill(page)).toEqual([]);
    }
  });

  test('sends photos over a slow connection', async () => {
    const link = await newIssueLink(person);
    const page = await opened(link);
    const session = await page.context().newCDPSession(page);
    await session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 300,
      downloadThroughput: 50_000,
      uploadThroughput: 25_000,
    });
    await addPhotos(page, photos.slice(0, 1));
    await fillIn(page);
    await page.tap('.send');
    await thanks(page).waitFor();
    expect((await issuesOf(link))[0]!.media).toHaveLength(1);
  });

  test('keeps a report while there is no connection, and sends it once when there is one', async () => {
    const link = await newIssueLink(person);
    const page = await opened(link);
    await addPhotos(page, photos.slice(0, 1));
    await fillIn(page);
    await page.locator('.shots progress').waitFor({ state: 'detached' });
    await page.context().setOffline(true);
    await page.tap('.send');
    await page.getByText('There is no connection').waitFor();
    expect(await issuesOf(link)).toEqual([]);
    await page.context().setOffline(false);
    await thanks(page).waitFor();
    const issues = await issuesOf(link);
    expect(issues.map(({ description, media }) => [description, media.length])).toEqual([[DESCRIPTION, 1]]);
    // The page that is opened again has nothing left to send.
    await page.reload();
    await page.locator('#description').waitFor();
    expect(await issuesOf(link)).toHaveLength(1);
  });

  test('sends a report without its photos where they cannot be sent, and shows a copy of it', async () => {
    const link = await newIssueLink(person);
    const page = await opened(link);
    await page.route('**/uploads', (route) => route.abort());
    await page.context().setOffline(true);
    await addPhotos(page, photos.slice(0, 1));
    await fillIn(page);
    await page.tap('.send');
    await page.getByText('There is no connection').waitFor();
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Send without photos' }).tap();
    await thanks(page).waitFor();
    await page.getByRole('definition').getByText(DESCRIPTION).waitFor();
    const issues = await issuesOf(link);
    expect(issues.map(({ description, media }) => [description, media.length])).toEqual([[DESCRIPTION, 0]]);
    expect(await violationsOfStill(page)).toEqual([]);
  });

  test('sends a kept report when the page is opened again later', async () => {
    const link = await newIssueLink(person);
    const page = await opened(link);
    await fillIn(page);
    await page.context().setOffline(true);
    await page.tap('.send');
    await page.getByText('There is no connection').waitFor();
    await page.goto('about:blank');
    await page.context().setOffline(false);
    await page.goto(addressOf(link.token));
    await thanks(page).waitFor();
    expect(await issuesOf(link)).toHaveLength(1);
  });

  test('makes one issue of a double tap, with a program and without', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const link = await newIssueLink(person);
      const page = await opened(link, { javaScriptEnabled });
      await fillIn(page);
      await page.dblclick('button.send');
      await thanks(page).waitFor();
      expect(await issuesOf(link)).toHaveLength(1);
    }
  });

  test('changes the language, and keeps what was entered', async () => {
    const link = await newIssueLink(person, {
      category: { translations: [{ language: 'ar', name: 'أضرار' }] },
    });
    const page = await opened(link);
    await page.fill('#description', DESCRIPTION);
    await addPhotos(page, photos.slice(0, 1));
    await page.selectOption('#language', 'ar');
    await page.locator('html[lang=ar][dir=rtl]').waitFor();
    expect(await page.textContent('h1')).toBe('أضرار');
    expect(await page.inputValue('#description')).toBe(DESCRIPTION);
    await page.locator('.shots li').waitFor();
    const plain = await opened(link, { javaScriptEnabled: false });
    await plain.fill('#description', DESCRIPTION);
    await plain.selectOption('#language', 'de');
    await plain.getByRole('button', { name: 'Change language' }).click();
    expect(await plain.inputValue('#description')).toBe(DESCRIPTION);
    expect(await plain.textContent('.send')).toContain('Meldung senden');
  });

  test('shows a friendly page for a link that has ended', async () => {
    const link = await newIssueLink(person);
    const params = { category_id: link.category.id, public_link_id: link.link.id };
    await person.issues.revokePublicLink({ params });
    const page = await opened(link);
    expect(await page.textContent('h1')).toBe('This link does not work');
    expect(await violationsOf(page)).toEqual([]);
  });

  test('moves nothing while it loads, and fits in 320 pixels', async () => {
    const link = await newIssueLink(person, { category: { questions: QUESTIONS } });
    const page = await newPage({ viewport: { width: 320, height: 640 } });
    await page.addInitScript(`
      globalThis.shifts = [];
      new PerformanceObserver((list) => shifts.push(...list.getEntries().map(({ value }) => value))).observe({
        type: 'layout-shift',
        buffered: true,
      });
    `);
    await page.goto(addressOf(link.token));
    await page.waitForLoadState('networkidle');
    expect(await isTooWide(page)).toBe(false);
    expect(await page.evaluate('shifts')).toEqual([]);
  });
});

describe('the pages, by the rules of WCAG 2.2', () => {
  let addresses: string[];
  beforeAll(async () => {
    const link = await newIssueLink(person, {
      category: { description: 'What is broken or dangerous.', questions: QUESTIONS },
      link: { contact: 'required' },
    });
    addresses = [
      addressOf(link.token),
      (await newShareLink(person)).url.replace(/^https?:\/\/[^/]+/, browser.url()),
      addressOf((await newQuestion(person)).token, 'confirm'),
      addressOf((await newStopLink(person)).token, 'stop'),
    ];
  });

  test.each(['en', 'de', 'ar'])('break none in %s, light and dark', async (locale) => {
    const page = await newPage({ locale });
    for (const address of addresses) {
      await page.goto(address);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect([address, colorScheme, await violationsOf(page), await isTooWide(page)]).toEqual([
          address,
          colorScheme,
          [],
          false,
        ]);
      }
    }
  });
});
