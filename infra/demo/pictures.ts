import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';
import sharp from 'sharp';
import { ROOT } from '../catalogue.ts';
import { newClient, type Resource } from './client.ts';

/*
 * Draws the pictures of the README: a report, the admin app and the form of a public link, all as the demo leaves them.
 * It starts a service of its own in a new folder, and needs Debian's package `chromium-headless-shell`.
 */

const FOLDER = join(ROOT, '.github/pictures');
const EXECUTABLE = process.env['CHROMIUM'] ?? '/usr/bin/chromium-headless-shell';

/** A picture is shown at half its width, so that it is sharp on any screen. */
const SCALE = 2;

const REPORT = '2 Follow-up food safety inspection.pdf';

interface Service {
  url: string;
  key: string;
  stop: () => Promise<void>;
}

/** Starts the service on a free port, with its data in this folder. */
const startService = async (dataDir: string): Promise<Service> => {
  const env = { ...process.env, PORT: '0', DATA_DIR: dataDir };
  const service = spawn('node', ['infra/local/start.ts'], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let url = '';
  for await (const line of createInterface(service.stdout)) {
    url ||= /^API +(\S+)\/v1/.exec(line)?.[1] ?? '';
    const [key] = /^ak_\w+$/.exec(line.trim()) ?? [];
    if (key) {
      const stop = async (): Promise<void> => {
        service.kill('SIGINT');
        await once(service, 'exit');
      };
      // Its further lines are not read, and must not block it.
      service.stdout.resume();
      return { url, key, stop };
    }
  }
  throw new Error('the service has ended before it printed its key');
};

/** A picture with few colours, which is a tenth as large and looks the same. */
const save = async (name: string, picture: Buffer): Promise<void> => {
  const file = join(FOLDER, `${name}.png`);
  await sharp(picture).png({ palette: true, quality: 90, effort: 10 }).toFile(file);
  process.stdout.write(`${file}\n`);
};

/** Draws the first page of a report beside one with photos. The browser's own viewer cannot be photographed. */
const drawReport = async (browser: Browser, pdf: Buffer, pages: readonly number[]): Promise<void> => {
  const library = await readFile(join(ROOT, 'node_modules/unpdf/dist/pdfjs.mjs'), 'utf8');
  const page = await browser.newPage({ viewport: { width: 1_200, height: 860 }, deviceScaleFactor: SCALE });
  await page.setContent(
    '<style>body{margin:20px;display:flex;gap:20px;background:#e8eaed}canvas{width:570px;box-shadow:0 1px 6px #0004}</style>',
  );
  const module = `data:text/javascript;base64,${Buffer.from(library).toString('base64')}`;
  await page.evaluate(
    `(async () => {
      const { getDocument } = await import(${JSON.stringify(module)});
      const data = Uint8Array.fromBase64(${JSON.stringify(pdf.toString('base64'))});
      const report = await getDocument({ data }).promise;
      for (const number of ${JSON.stringify(pages)}) {
        const sheet = await report.getPage(number);
        const viewport = sheet.getViewport({ scale: ${SCALE} });
        const canvas = document.createElement('canvas');
        Object.assign(canvas, { width: viewport.width, height: viewport.height });
        document.body.append(canvas);
        await sheet.render({ canvasContext: canvas.getContext('2d'), canvas, viewport }).promise;
      }
    })()`,
  );
  await save('report', await page.screenshot());
  await page.close();
};

/** The app, as an admin sees it. */
const drawApp = async (browser: Browser, url: string): Promise<void> => {
  const page = await browser.newPage({ viewport: { width: 1_200, height: 560 }, deviceScaleFactor: SCALE });
  await page.goto(`${url}/admin`);
  await page.getByText('admin@example.com').click();
  await page.getByRole('tab').first().or(page.getByRole('link')).first().waitFor();
  await page.waitForLoadState('networkidle');
  await save('app', await page.screenshot());
  await page.close();
};

const QUESTIONS = [{ id: crypto.randomUUID(), label: 'Where exactly is it?', type: 'text', required: true }];

/** The form of a public link on a phone. */
const drawForm = async (browser: Browser, { url, key }: Service): Promise<void> => {
  const api = newClient(url, key);
  const { id } = await api.post<Resource>('/issue-categories', {
    name: 'Something is broken',
    description: 'Tell us what you have seen. It takes a minute, and you need no account.',
    questions: QUESTIONS,
  });
  const link = await api.post<{ url: string }>(`/issue-categories/${id}/public-links`, { label: 'Kitchen' });
  const page = await browser.newPage({
    viewport: { width: 390, height: 640 },
    deviceScaleFactor: SCALE,
    isMobile: true,
  });
  await page.goto(link.url);
  await save('form', await page.screenshot());
  await page.close();
};

const dataDir = await mkdtemp(join(tmpdir(), 'pictures-'));
try {
  const service = await startService(dataDir);
  try {
    const env = { ...process.env, API_URL: service.url, API_KEY: service.key, DATA_DIR: dataDir };
    await promisify(execFile)('node', [join(ROOT, 'infra/demo/demo.ts')], { env });
    await mkdir(FOLDER, { recursive: true });
    const browser = await chromium.launch({
      executablePath: EXECUTABLE,
      args: ['--no-sandbox', '--disable-gpu'],
    });
    try {
      await drawReport(browser, await readFile(join(dataDir, 'demo', REPORT)), [1, 3]);
      await drawApp(browser, service.url);
      await drawForm(browser, service);
    } finally {
      await browser.close();
    }
  } finally {
    await service.stop();
  }
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
