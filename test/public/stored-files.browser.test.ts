import type { BrowserContextOptions } from 'playwright-core';
import sharp from 'sharp';
import { PHONE, useBrowser } from '../support/browser.ts';
import { newPerson, type Person } from '../support/people.ts';
import { newIssueLink, newShareLink } from './fixtures.ts';

const browser = useBrowser();

let person: Person;
let logo: Buffer<ArrayBuffer>;

beforeAll(async () => {
  person = await newPerson('Hafenküche');
  const square = sharp({ create: { width: 400, height: 300, channels: 3, background: 'teal' } });
  logo = Buffer.from(await square.png().toBuffer());
  const form = new FormData();
  form.set('file', new File([logo], 'logo.png', { type: 'image/png' }));
  await person.organization.uploadLogo({ form });
});

/** A window, and the origins that its pages have asked for anything. */
const opened = async (options: BrowserContextOptions) => {
  const page = await browser.newPage(options);
  const origins = new Set<string>();
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol === 'http:') origins.add(origin);
  });
  return { page, origins };
};

describe.each([
  ['1280', { viewport: { width: 1_280, height: 900 } }],
  ['390', PHONE],
])('stored files in a window of %s pixels', (_, options) => {
  test('are at the address that npm start prints: the logo and the PDF of a shared report', async () => {
    const { page, origins } = await opened(options);
    await page.goto((await newShareLink(person)).url);
    const widthOfLogo = await page.evaluate("document.querySelector('header img').naturalWidth");
    expect(widthOfLogo).toBeGreaterThan(0);
    const file = await page.locator('.links a').first().getAttribute('href');
    const pdf = await page.request.get(new URL(file!, page.url()).href);
    expect([new URL(pdf.url()).origin, pdf.status()]).toEqual([browser.url(), 200]);
    expect((await pdf.body()).subarray(0, 5).toString()).toBe('%PDF-');
    expect([...origins]).toEqual([browser.url()]);
  });

  test('are sent there: the photo of an issue', async () => {
    const { page, origins } = await opened(options);
    const link = await newIssueLink(person);
    await page.goto(`${browser.url()}/r/${link.token}`);
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Add photos' }).click(),
    ]);
    const [upload] = await Promise.all([
      page.waitForResponse((response) => response.request().method() === 'PUT'),
      chooser.setFiles({ name: 'photo.png', mimeType: 'image/png', buffer: logo }),
    ]);
    expect([new URL(upload.url()).origin, upload.status()]).toEqual([browser.url(), 200]);
    expect([...origins]).toEqual([browser.url()]);
  });
});
