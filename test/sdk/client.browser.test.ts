import { build } from 'esbuild';
import { ROOT } from '../../infra/catalogue.ts';
import { useBrowser } from '../support/browser.ts';
import { newPerson } from '../support/people.ts';

const browser = useBrowser();

/** The client with four operations, and a program. */
const PROGRAM = `
import { makeClient } from './infra/sdk/src/client.ts';
import { isApiError } from './infra/sdk/src/errors.ts';
const TABLE = {
  createLocation: 'POST /locations i',
  listLocations: 'GET /locations o',
  getLocation: 'GET /locations/{location_id}',
  createDocument: 'POST /documents i',
};
globalThis.visit = async (apiKey) => {
  const api = makeClient(TABLE, { baseUrl: location.origin, apiKey });
  for (const name of ['Crane 7', 'Crane 8', 'Crane 9']) await api.createLocation({ body: { name } });
  const names = [];
  for await (const { name } of api.each.listLocations({ query: { limit: 2 } })) names.push(name);
  const file = new File(['The rail is loose.'], 'rail.txt', { type: 'text/plain' });
  const { size_bytes } = await api.createDocument({ body: { file, title: 'Rail' } });
  const missing = await api.getLocation({ path: { location_id: crypto.randomUUID() } }).catch((error) => error);
  return { names, size_bytes, isMissing: isApiError(missing, 'not_found') };
};`;

// The service lets no page of another origin read /v1, so the page stands beside it.
test('the client works in a browser', async () => {
  const { outputFiles } = await build({
    stdin: { contents: PROGRAM, resolveDir: ROOT },
    bundle: true,
    write: false,
    format: 'esm',
    logLevel: 'error',
  });
  const page = await browser.newPage();
  await page.route('**/client.html', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<title>Client</title>' }),
  );
  await page.goto(`${browser.url()}/client.html`);
  await page.addScriptTag({ type: 'module', content: outputFiles[0]!.text });
  const { key } = await newPerson('Browser');
  const seen = await page.evaluate(`globalThis.visit(${JSON.stringify(key)})`);
  expect(seen).toEqual({ names: ['Crane 7', 'Crane 8', 'Crane 9'], size_bytes: 18, isMissing: true });
});
