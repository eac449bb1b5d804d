import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { SAFE_HEADERS } from '../../shared/base/headers.ts';
import type { Catalogue } from '../catalogue.ts';
import { openApiDocument } from './document.ts';
import { postmanCollection } from './postman.ts';
import { withSamples } from './samples.ts';

/** A page as the local service answers it. */
export interface Page {
  status: number;
  headers: Record<string, string>;
  body: string;
}

// The only external address in Redoc's bundle: a logo in the footer.
const FOOTER_LOGO = 'https://cdn.redoc.ly/redoc/logo-mini.svg';

const SANS = 'system-ui, sans-serif';

const LIGHT = {
  spacing: { sectionVertical: 24 },
  colors: { primary: { main: '#0b5d56' } },
  typography: {
    fontSize: '15px',
    fontFamily: SANS,
    headings: { fontFamily: SANS },
    code: { fontFamily: 'ui-monospace, monospace', wrap: true },
  },
};

const BACKGROUND = '#121717';
const RAISED = '#1d2323';
const TEXT = '#e4e9e8';
const FAINT = '#a9b5b3';

const DARK = {
  ...LIGHT,
  colors: {
    primary: { main: '#6fd3c6' },
    success: { main: '#7fd18b' },
    error: { main: '#ff9d93' },
    text: { primary: TEXT, secondary: FAINT },
    border: { dark: '#4a5656', light: '#2c3535' },
    responses: {
      success: { color: '#7fd18b', backgroundColor: '#16271a', tabTextColor: '#7fd18b' },
      error: { color: '#ff9d93', backgroundColor: '#2b1a18', tabTextColor: '#ff9d93' },
    },
  },
  schema: { nestedBackground: RAISED, linesColor: '#4a5656', typeNameColor: FAINT, typeTitleColor: FAINT },
  sidebar: { backgroundColor: '#171d1d', textColor: TEXT },
  rightPanel: { backgroundColor: '#171d1d' },
  codeBlock: { backgroundColor: '#0c1010' },
  typography: {
    ...LIGHT.typography,
    links: { color: '#6fd3c6', visited: '#6fd3c6', hover: '#a5e6dd' },
    code: { ...LIGHT.typography.code, color: '#f3b8ae', backgroundColor: '#262e2e' },
  },
};

// Redoc has no setting for the colours of small headings and of the chosen tab.
const STYLE = `
body { margin: 0 }
body > header { padding: .75rem 1.25rem; font: 15px ${SANS} }
body > header a { color: #0b5d56 }
@media (prefers-color-scheme: dark) {
  :root { color-scheme: dark }
  body { background: ${BACKGROUND}; color: ${TEXT} }
  body > header a { color: #6fd3c6 }
  #reference h5, #reference h5 span { color: ${FAINT} !important }
  #reference .react-tabs__tab--selected { background: #33403f !important; color: #fff !important }
}
`;

/** Shows the document in the colours that the reader's system has. */
const START = `const dark = matchMedia('(prefers-color-scheme: dark)');
Redoc.init('docs/openapi.json', { theme: dark.matches ? ${JSON.stringify(DARK)} : ${JSON.stringify(LIGHT)} }, document.getElementById('reference'));
dark.addEventListener('change', () => location.reload());
`;

// Addresses are relative, so that the page also works under a stage or a prefix.
const html = (title: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="alternate" type="application/json" href="openapi.json">
<style>${STYLE}</style>
<header><nav aria-label="Service"><a href="chapters">Chapters</a> · <a href="admin">Admin app</a></nav></header>
<div id="reference"></div>
<script src="docs/redoc.js"></script>
<script src="docs/start.js"></script>
</html>
`;

// The hashes of the styles that the page may have: its own style; the empty style element, which Redoc fills by
// script, so that no policy applies; and the style of the scroll bars in Redoc 2.5.4.
const STYLES = [
  createHash('sha256').update(STYLE).digest('base64'),
  createHash('sha256').digest('base64'),
  'QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc=',
];

// Nothing from other hosts and no inline script. Redoc's search runs in a worker that it creates from a blob.
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src ${STYLES.map((hash) => `'sha256-${hash}'`).join(' ')}`,
  "connect-src 'self'",
  'img-src data:',
  'worker-src blob:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const page = (type: string, body: string, headers: Record<string, string> = {}): Page => ({
  status: 200,
  headers: { 'content-type': `${type}; charset=utf-8`, ...SAFE_HEADERS, ...headers },
  body,
});

/** Makes a value when it is first needed, and keeps it. */
const once = <Value>(make: () => Value) => {
  let value: Value | undefined;
  return () => (value ??= make());
};

/**
 * The reference of the API and the files that it needs, by path. Each is made when it is first requested.
 * @param address where the service is then
 */
export const docsPages = (
  catalogue: Catalogue,
  address: () => string | undefined,
): Record<string, () => Page> => {
  const document = once(() => openApiDocument(catalogue, address()));
  return {
    '/openapi.json': once(() => page('application/json', JSON.stringify(document()))),
    '/postman.json': once(() => page('application/json', JSON.stringify(postmanCollection(document())))),
    '/docs': once(() =>
      page('text/html', html(document().info.title), {
        'content-security-policy': CONTENT_SECURITY_POLICY,
        'referrer-policy': 'no-referrer',
      }),
    ),
    '/docs/openapi.json': once(() => page('application/json', JSON.stringify(withSamples(document())))),
    '/docs/start.js': once(() => page('text/javascript', START)),
    '/docs/redoc.js': once(() => {
      const bundle = createRequire(import.meta.url).resolve('redoc/bundles/redoc.standalone.js');
      return page('text/javascript', readFileSync(bundle, 'utf8').replace(FOOTER_LOGO, 'data:,'), {
        'cache-control': 'max-age=86400',
      });
    }),
  };
};
