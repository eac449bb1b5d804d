import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CHAPTERS } from '../../infra/chapters/chapters.ts';
import { chapterPages } from '../../infra/chapters/pages.ts';
import { isTooWide, useBrowser, violationsOf } from '../support/browser.ts';
import { allEntries } from '../support/catalogue.ts';

const browser = useBrowser();

let server: Server;
let url: string;
beforeAll(async () => {
  const pages = chapterPages({ operations: allEntries(), workers: [] });
  server = createServer((request, reply) => {
    const page = pages[request.url ?? '']?.();
    reply.writeHead(page?.status ?? 404, page?.headers).end(page?.body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://localhost:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test('a chapter has code to copy in a language that the next one keeps', async () => {
  const page = await browser.newPage({ permissions: ['clipboard-read', 'clipboard-write'] });
  await page.goto(`${url}/chapters`);
  await page.getByRole('link', { name: 'First inspection' }).click();
  await page.getByLabel('Python').check();
  const code = page.locator('pre.python').nth(1);
  await code.getByRole('button', { name: 'Copy' }).click();
  await code.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
    await code.locator('code').textContent(),
  );
  await page.getByRole('link', { name: /^Next: / }).click();
  await page.getByRole('heading', { level: 1, name: CHAPTERS[1]!.title }).waitFor();
  expect(await page.getByLabel('Python').isChecked()).toBe(true);
});

test.each(['light', 'dark'] as const)('the pages break no rule of WCAG in %s', async (colorScheme) => {
  const page = await browser.newPage({ colorScheme, viewport: { width: 320, height: 700 } });
  for (const path of ['/chapters', '/chapters/first-inspection']) {
    await page.goto(url + path);
    expect([path, await violationsOf(page), await isTooWide(page)]).toEqual([path, [], false]);
  }
});
