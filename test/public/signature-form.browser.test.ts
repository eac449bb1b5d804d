import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import sharp from 'sharp';
import { drawSignature } from '../../infra/demo/photos.ts';
import { documentKey, getObject } from '../../shared/files/objects.ts';
import { recordsOf } from '../answers/fixtures.ts';
import { isTooWide, PHONE, useBrowser, violationsOf } from '../support/browser.ts';
import { newPerson, type Person } from '../support/people.ts';
import { newWitnessLink, WITNESSED, type WitnessLink } from './fixtures.ts';

const browser = useBrowser();

let person: Person;
let folder: string;
let picture: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'signature-'));
  picture = join(folder, 'signature.png');
  writeFileSync(picture, await drawSignature(2));
  person = await newPerson('Hafenküche');
});

afterAll(() => rmSync(folder, { recursive: true }));

const newPage = (options: BrowserContextOptions): Promise<Page> => browser.newPage({ ...PHONE, ...options });

/** The darkest and the mean brightness of the stored signature, from 0 to 255; undefined while nobody has signed. */
const inkOf = async ({ inspection }: WitnessLink) => {
  const records = await recordsOf(person, inspection);
  const value = records.find(({ field_id }) => field_id === WITNESSED.field_id)?.value;
  if (!value) return undefined;
  const { document_id } = value as { document_id: string };
  const bytes = await getObject(person.caller, documentKey(person.caller, document_id));
  const { channels } = await sharp(bytes).greyscale().stats();
  return { min: channels[0]!.min, mean: channels[0]!.mean };
};

const drawLine = async (page: Page): Promise<void> => {
  await page.locator('#pad').scrollIntoViewIfNeeded();
  const { x, y, width, height } = (await page.locator('#pad').boundingBox())!;
  await page.mouse.move(x + width * 0.2, y + height * 0.7);
  await page.mouse.down();
  await page.mouse.move(x + width * 0.5, y + height * 0.2, { steps: 8 });
  await page.mouse.move(x + width * 0.8, y + height * 0.7, { steps: 8 });
  await page.mouse.up();
};

describe('GET /w/{token} in a browser', () => {
  test.each<[string, BrowserContextOptions]>([
    ['on a light screen', { colorScheme: 'light' }],
    ['on a dark screen, in Arabic', { colorScheme: 'dark', locale: 'ar' }],
  ])('takes a drawn signature, which can be cleared before, by the keyboard, %s', async (_, options) => {
    const witnessed = await newWitnessLink(person);
    const page = await newPage(options);
    await page.goto(`${browser.url()}/w/${witnessed.token}`);
    await page.locator('#pad').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await drawLine(page);
    await page.tap('#clear');
    await page.tap('[value=sign]');
    expect(await page.textContent('#problem')).not.toBe('');
    await drawLine(page);
    await page.focus('[value=sign]');
    await page.keyboard.press('Enter');
    await page.locator('#report').waitFor({ state: 'detached' });
    const ink = await inkOf(witnessed);
    expect(ink!.min).toBeLessThan(60);
    expect(ink!.mean).toBeGreaterThan(200);
  });

  test('takes a picture of a signature without scripts', async () => {
    const witnessed = await newWitnessLink(person);
    const page = await newPage({ javaScriptEnabled: false });
    await page.goto(`${browser.url()}/w/${witnessed.token}`);
    expect(await page.locator('#pad').isVisible()).toBe(false);
    await page.setInputFiles('#file', picture);
    await page.click('#photo button');
    await page.locator('[role=status]').waitFor();
    await page.click('[value=sign]');
    await page.locator('#report').waitFor({ state: 'detached' });
    expect(await inkOf(witnessed)).toBeDefined();
  });
});
