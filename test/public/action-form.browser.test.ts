import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import sharp from 'sharp';
import { drawSignature } from '../../infra/demo/photos.ts';
import { documentKey, getObject } from '../../shared/files/objects.ts';
import { actionOf, attach, newFinding } from '../corrective-actions/fixtures.ts';
import { documentForm } from '../documents/scenarios.ts';
import { newLocation, startedInspection } from '../inspections/fixtures.ts';
import { isTooWide, PHONE, useBrowser } from '../support/browser.ts';
import { newPerson, type Person } from '../support/people.ts';
import { type ContactLink, newContactLink } from './fixtures.ts';

const browser = useBrowser();

let person: Person;
let folder: string;
let photo: string;
/** Wider than the browser sends it. */
let large: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'evidence-'));
  photo = join(folder, 'after.png');
  writeFileSync(photo, await drawSignature(2));
  large = join(folder, 'large.jpg');
  await sharp({ create: { width: 3_000, height: 20, channels: 3, background: '#a33' } }).toFile(large);
  person = await newPerson('Hafenküche');
});

afterAll(() => rmSync(folder, { recursive: true }));

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

const newPage = (options: BrowserContextOptions): Promise<Page> => browser.newPage({ ...PHONE, ...options });

/** What a page breaks. Without scripts it is never too wide, because nothing can measure it. */
const look = async (page: Page, options: BrowserContextOptions): Promise<void> => {
  expect(await browser.violationsOfStill(page, { ...PHONE, ...options })).toEqual([]);
  if (options.javaScriptEnabled !== false) expect(await isTooWide(page)).toBe(false);
};

const DONE = { status: 'pending_verification', completion_note: 'The seal is new.' };

describe('GET /c/{token} in a browser', () => {
  test.each<[string, BrowserContextOptions]>([
    ['on a light screen', { colorScheme: 'light' }],
    ['on a dark screen, in Arabic', { colorScheme: 'dark', locale: 'ar' }],
  ])('takes several photos at once, which it scales, and that the work is done, %s', async (_, options) => {
    const { action, token } = await newLink();
    const page = await newPage(options);
    await page.goto(`${browser.url()}/c/${token}`);
    await look(page, options);
    const [found] = await page.locator('.found img').all();
    expect((await found!.boundingBox())!.width).toBeGreaterThan(100);
    await page.fill('#description', 'The seal is new.');
    await page.tap('[name=next][value=done]');
    await page.locator('.problems').waitFor();
    const chooser = page.waitForEvent('filechooser');
    await page.tap('[data-question=""]');
    await (await chooser).setFiles([photo, large]);
    await page.locator('.shots li:nth-child(2):not(:has(progress))').waitFor();
    await look(page, options);
    await page.tap('[name=next][value=done]');
    await page.locator('form').waitFor({ state: 'detached' });
    expect(await actionOf(person, action)).toMatchObject({ ...DONE, evidence_count: 2 });
    const attachments = await person.correctiveActions.listAttachments({ params: { ca_id: action.id } });
    const sizes = attachments
      .filter(({ stage }: { stage: string }) => stage === 'after')
      .map(async ({ document_id }: { document_id: string }) => {
        const bytes = await getObject(person.caller, documentKey(person.caller, document_id));
        return (await sharp(bytes).metadata()).width;
      });
    expect(await Promise.all(sizes)).toContain(2_560);
  });

  test('takes a photo and that the work is done, without any script', async () => {
    const { action, token } = await newLink();
    const options = { javaScriptEnabled: false };
    const page = await newPage(options);
    const choose = async (next: string) => {
      await Promise.all([page.waitForEvent('load'), page.tap(`[name=next][value=${next}]`)]);
      await look(page, options);
    };
    await page.goto(`${browser.url()}/c/${token}`);
    await page.fill('#description', 'The seal is new.');
    await choose('done');
    expect(await page.locator('.problems').count()).toBe(1);
    await choose('photos');
    await page.setInputFiles('#file', photo);
    await page.tap('#photo button');
    await page.waitForURL(/photos=0/);
    await look(page, options);
    expect(await page.inputValue('#description')).toBe('The seal is new.');
    await choose('done');
    expect(await page.locator('form').count()).toBe(0);
    expect(await actionOf(person, action)).toMatchObject({ ...DONE, evidence_count: 1 });
  });
});
