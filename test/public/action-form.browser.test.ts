import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { drawSignature } from '../../infra/demo/photos.ts';
import { actionOf, attach, newFinding } from '../corrective-actions/fixtures.ts';
import { documentForm } from '../documents/scenarios.ts';
import { newLocation, startedInspection } from '../inspections/fixtures.ts';
import { isTooWide, openBrowser, PHONE, serve, violationsOf } from '../support/browser.ts';
import { newPerson, type Person } from '../support/people.ts';
import { type ContactLink, newContactLink } from './fixtures.ts';

const SLOW = 60_000;

let browser: Browser;
let service: Awaited<ReturnType<typeof serve>>;
let person: Person;
let folder: string;
let photo: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'evidence-'));
  photo = join(folder, 'after.png');
  writeFileSync(photo, await drawSignature(2));
  [browser, service, person] = await Promise.all([openBrowser(), serve(), newPerson('Hafenküche')]);
}, SLOW);

afterAll(async () => {
  await browser.close();
  await service.close();
  rmSync(folder, { recursive: true });
});

/** An action with a photo of what was found. */
const newLink = async (): Promise<ContactLink> => {
  const inspection = await startedInspection(person, { location_id: (await newLocation(person)).id });
  const link = await newContactLink(
    person,
    {
      title: 'Repair the seal of walk-in refrigerator 2',
      description: 'It stays at 9 °C.\nReplace the seal of the door.',
      priority: 'high',
      due_at: '2031-05-04T09:00:00Z',
      evidence_required: true,
    },
    await newFinding(person, {}, inspection),
  );
  const form = documentForm(await drawSignature(1), { title: 'Seal' }, 'seal.png');
  const { id } = await person.documents.create({ form });
  await attach(person, link.action, id, { stage: 'before' });
  return link;
};

const inBrowser = async (options: BrowserContextOptions, use: (page: Page) => Promise<void>) => {
  const context = await browser.newContext({ ...PHONE, locale: 'en', ...options });
  try {
    await use(await context.newPage());
  } finally {
    await context.close();
  }
};

/** What a page breaks. The rules are a program, so they run in a copy of a page that runs none. */
const violationsIn = async (page: Page, options: BrowserContextOptions): Promise<string[]> => {
  const content = await page.content();
  let found: string[] = [];
  await inBrowser({ ...options, javaScriptEnabled: true }, async (copy) => {
    await copy.setContent(content);
    found = await violationsOf(copy);
  });
  return found;
};

describe('GET /c/{token} in a browser', () => {
  test.each<[string, BrowserContextOptions]>([
    ['on a light screen', { colorScheme: 'light' }],
    ['on a dark screen, in Arabic', { colorScheme: 'dark', locale: 'ar' }],
    ['without any script', { javaScriptEnabled: false }],
  ])(
    'takes a photo and that the work is done, %s',
    async (_, options) => {
      const { action, token } = await newLink();
      await inBrowser(options, async (page) => {
        const look = async () => {
          expect(await violationsIn(page, options)).toEqual([]);
          if (options.javaScriptEnabled !== false) expect(await isTooWide(page)).toBe(false);
        };
        const choose = async (next: string) => {
          await Promise.all([page.waitForEvent('load'), page.tap(`[name=next][value=${next}]`)]);
          await look();
        };
        await page.goto(`${service.url}/c/${token}`);
        await look();
        const [found] = await page.locator('.found img').all();
        expect((await found!.boundingBox())!.width).toBeGreaterThan(100);
        await page.fill('#description', 'The seal is new.');
        await choose('done');
        expect(await page.locator('.problems').count()).toBe(1);
        await choose('photos');
        await page.setInputFiles('#file', photo);
        await page.tap('#photo button');
        await page.waitForURL(/photos=0/);
        await look();
        expect(await page.inputValue('#description')).toBe('The seal is new.');
        await choose('done');
        expect(await page.locator('form').count()).toBe(0);
      });
      expect(await actionOf(person, action)).toMatchObject({
        status: 'pending_verification',
        completion_note: 'The seal is new.',
        evidence_count: 1,
      });
    },
    SLOW,
  );
});
