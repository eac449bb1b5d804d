import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import axe, { type AxeResults, type RunOptions } from 'axe-core';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';
import { FILES_PATH, filesMount } from '../../infra/local/files.ts';
import { closeServer, newGateway } from '../../infra/local/gateway.ts';
import { allEntries } from './catalogue.ts';
import { anyAddress } from './visit.ts';

/** Debian's browser, which nothing downloads. */
const EXECUTABLE = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

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
    page.on('pageerror', ({ message }) => thrown.push(message));
    return page;
  };
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
  };
};

/** The rules of WCAG 2.2, levels A and AA, that a page breaks, with the elements that break them. */
export const violationsOf = async (page: Page): Promise<string[]> => {
  await page.evaluate(axe.source);
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
