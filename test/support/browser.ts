import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { AxeResults, RunOptions } from 'axe-core';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
  type Request,
} from 'playwright-core';
import { ROOT } from '../../infra/catalogue.ts';
import { FILES_PATH, filesMount } from '../../infra/local/files.ts';
import { closeServer, newGateway } from '../../infra/local/gateway.ts';
import { allEntries } from './catalogue.ts';
import { anyAddress } from './visit.ts';

/** Debian's browser without windows, which nothing downloads: half as slow as one with windows that nobody sees. */
const EXECUTABLE = process.env['CHROMIUM'] ?? '/usr/bin/chromium-headless-shell';

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A phone in somebody's hand. */
export const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
};

const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: EXECUTABLE, headless: true, args: ARGUMENTS });

/**
 * Serves all operations as `npm start` does, on the engine of the test run. Every visit comes from an address of its own,
 * so that no test uses up the reports of another one.
 */
const serve = async (): Promise<{ url: string; close: () => Promise<void> }> => {
  const operations = allEntries().map(({ handler, ...entry }) => ({
    ...entry,
    handler: (event: unknown, ...rest: unknown[]) => {
      (event as APIGatewayProxyEvent).requestContext.identity.sourceIp = anyAddress();
      return handler(event, ...rest);
    },
  }));
  process.env['FILES_PATH'] = FILES_PATH;
  const server = newGateway({ operations, mounts: filesMount(() => process.env['AWS_ENDPOINT_URL_S3']!) });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The name that `npm start` prints.
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  process.env['PUBLIC_URL'] = url;
  return { url, close: () => closeServer(server, 1_000) };
};

/** Lets a window act by the session of somebody who has signed in. */
export const actBy = (context: BrowserContext, session: string, url: string): Promise<void> =>
  context.addCookies([
    {
      name: '__Host-session',
      value: session,
      url: url.replace('http:', 'https:'),
      secure: true,
      httpOnly: true,
      sameSite: 'Lax',
    },
  ]);

/** What the pages of a window have asked for: what is under way, and how much it was. */
interface Asked {
  underWay: Set<Request>;
  count: number;
}
const asked = new WeakMap<Page, Asked>();

const watch = (page: Page): void => {
  const of: Asked = { underWay: new Set(), count: 0 };
  asked.set(page, of);
  page.on('request', (request) => {
    of.underWay.add(request);
    of.count += 1;
  });
  const end = (request: Request) => void of.underWay.delete(request);
  page.on('requestfinished', end);
  page.on('requestfailed', end);
};

/** A page of the app that is whole, and has nothing left to do in two frames. */
const IDLE = `(async () => {
  const isWhole = () => document.querySelector('main h1:not([data-left])') && !document.querySelector('.skeleton');
  for (let n = 0; n < 2; n += 1) {
    do await new Promise((drawn) => requestAnimationFrame(drawn));
    while (!isWhole());
    await new Promise((idle) => requestIdleCallback(idle));
  }
})()`;

/** Waits until a page of the app shows all that it asks the service for. */
export const settled = async (page: Page): Promise<void> => {
  const of = asked.get(page)!;
  let before: number;
  do {
    before = of.count;
    await page.evaluate(IDLE);
  } while (of.underWay.size > 0 || of.count > before);
};

/** Opens another page of the app as its links do, without loading the program again. */
export const moveTo = async (page: Page, address: string): Promise<void> => {
  await page.evaluate(`
    for (const heading of document.querySelectorAll('h1')) heading.dataset.left = '';
    const link = Object.assign(document.createElement('a'), { href: ${JSON.stringify(address)} });
    document.body.append(link);
    link.click();
    link.remove();
  `);
  await settled(page);
};

/** Milliseconds that the browser may take to start, and that a page on a busy machine may take for a step. */
const START_MS = 240_000;
const STEP_MS = 240_000;

/**
 * A browser and the served operations, for the tests of a file. Each test's windows are closed after it, and it fails
 * when one of their pages has thrown an error.
 */
export const useBrowser = () => {
  let browser: Browser;
  let service: Awaited<ReturnType<typeof serve>>;
  const contexts: BrowserContext[] = [];
  const thrown: string[] = [];
  beforeAll(async () => {
    [browser, service] = await Promise.all([openBrowser(), serve()]);
  }, START_MS);
  afterAll(async () => {
    await browser.close();
    await service.close();
  });
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
    expect(thrown.splice(0)).toEqual([]);
  });
  const newPage = async (options: BrowserContextOptions = {}): Promise<Page> => {
    const context = await browser.newContext({ locale: 'en', ...options });
    context.setDefaultTimeout(STEP_MS);
    contexts.push(context);
    const page = await context.newPage();
    watch(page);
    page.on('pageerror', ({ message }) => thrown.push(message));
    return page;
  };
  /** For each window that runs no program: one that does, with a copy of what it shows. */
  const copies = new WeakMap<Page, Page>();
  return {
    /** Where the operations are served: an origin. */
    url: () => service.url,
    /** A window of its own: nobody has signed in. */
    newPage,
    /** A window in which somebody has signed in. */
    signedIn: async ({ session }: { session: string }, options?: BrowserContextOptions): Promise<Page> => {
      const page = await newPage({ viewport: { width: 1280, height: 900 }, ...options });
      await actBy(page.context(), session, service.url);
      return page;
    },
    /** What a page that runs no program breaks. The rules are a program themselves, so they run in a copy of it. */
    violationsOfStill: async (page: Page, options?: BrowserContextOptions): Promise<string[]> => {
      const copy = copies.get(page) ?? (await newPage({ ...options, javaScriptEnabled: true }));
      copies.set(page, copy);
      await copy.setContent(await page.content());
      return violationsOf(copy);
    },
  };
};

/** The program of the rules, in its short form: each document has to take it in. It returns nothing that is sent back. */
const AXE = `${readFileSync(join(ROOT, 'node_modules/axe-core/axe.min.js'), 'utf8')};undefined`;

/** The rules of WCAG 2.2, levels A and AA, that a page breaks, with the elements that break them. */
export const violationsOf = async (page: Page): Promise<string[]> => {
  if (await page.evaluate('!globalThis.axe')) await page.evaluate(AXE);
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run: (options: RunOptions) => Promise<AxeResults> } };
    const { violations } = await axe.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  });
  return found;
};

/** What users have written (`bdi`) may break anywhere, and a hyphen may end a line. */
const BROKEN_WORDS = String.raw`
[...document.querySelectorAll('button, .button, th, .chip, label, legend, dt, nav a, h1, h2')].flatMap((element) => {
  const broken = [];
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    if (node.parentElement.closest('bdi')) continue;
    for (const { 0: word, index } of node.data.matchAll(/[^\s-]+/g)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) broken.push(word);
    }
  }
  return broken;
})`;

/** The words of labels, buttons and headings of a page that stand on two lines. */
export const brokenWords = (page: Page): Promise<string[]> => page.evaluate<string[]>(BROKEN_WORDS);

/** Whether a page is wider than its window, so that whoever reads has to scroll to the side. */
export const isTooWide = (page: Page): Promise<boolean> =>
  page.evaluate(
    'document.documentElement.scrollWidth > document.documentElement.clientWidth',
  ) as Promise<boolean>;
