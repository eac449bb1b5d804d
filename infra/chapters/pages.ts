import { createHash } from 'node:crypto';
import { marked } from 'marked';
import { SAFE_HEADERS } from '../../shared/base/headers.ts';
import type { Catalogue } from '../catalogue.ts';
import type { Page } from '../openapi/docs.ts';
import { type Chapter, type Language, LANGUAGES } from './chapter.ts';
import { CHAPTERS } from './chapters.ts';
import { openings, type Part, type Routes, routesOf, shownParts } from './programs.ts';

const NAMES = Object.keys(LANGUAGES) as Language[];

// A language is chosen by a radio button, so the pages need no script.
const STYLE = `
:root { color-scheme: light dark; font: 16px/1.55 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 58rem; padding: 1.5rem 1rem 4rem; }
h1 { line-height: 1.2; }
nav ol { padding-left: 1.25rem; }
a { color: light-dark(#0b5d56, #6fd3c6); }
fieldset { border: 0; display: flex; gap: 1rem; padding: .5rem 0; position: sticky; top: 0; background: Canvas; }
legend { float: left; margin-right: 1rem; font-weight: 600; }
pre { background: light-dark(#f3f5f5, #1d2323); border-radius: 6px; overflow-x: auto; padding: .75rem 1rem; }
code { font: .875em/1.5 ui-monospace, monospace; }
${NAMES.map((name) => `body:has(#${name}:checked) pre:not(.${name}, .prints) { display: none; }`).join('\n')}
`;

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const html = (title: string, body: string): Page => ({
  status: 200,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    ...SAFE_HEADERS,
    'content-security-policy': CONTENT_SECURITY_POLICY,
  },
  body: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
${body}
</html>
`,
});

const codeBlocks = (code: Readonly<Record<Language, string>>): string =>
  NAMES.map((name) => `<pre class="${name}" tabindex="0"><code>${escaped(code[name])}</code></pre>`).join(
    '\n',
  );

const choice = `<fieldset><legend>Code in</legend>${NAMES.map(
  (name) =>
    `<label><input type="radio" name="language" id="${name}"${name === 'curl' ? ' checked' : ''}> ${LANGUAGES[name]}</label>`,
).join('')}</fieldset>`;

const partHtml = (part: Part): string =>
  'text' in part ? marked.parse(part.text, { async: false }) : codeBlocks(part.code);

const GIVEN =
  '`inspection` is one that has begun, and `family` and `location` are its template and place, as in [First inspection](first-inspection).';

const chapterPage = (chapter: Chapter, routes: Routes): Page =>
  html(
    chapter.title,
    `<p><a href="../chapters">Chapters</a> · <a href="../docs">Reference</a></p>
<main>
<h1>${escaped(chapter.title)}</h1>
${choice}
<details><summary>Every program begins with this</summary>
${codeBlocks(openings())}
</details>
${chapter.before ? partHtml({ text: GIVEN }) : ''}
${shownParts(chapter, routes).map(partHtml).join('\n')}
<h2>It prints</h2>
<pre class="prints"><code>${escaped(chapter.prints.join('\n'))}</code></pre>
</main>`,
  );

const listPage = (): Page =>
  html(
    'Chapters',
    `<p><a href="docs">Reference</a></p>
<main>
<h1>Chapters</h1>
<p>How integrations use the API, with programs in ${NAMES.map((name) => LANGUAGES[name]).join(', ')}. The test suite runs all of them.</p>
<nav><ol>${CHAPTERS.map(({ name, title }) => `<li><a href="chapters/${name}">${escaped(title)}</a></li>`).join('')}</ol></nav>
</main>`,
  );

/** The chapters and the list of them, by path. */
export const chapterPages = (catalogue: Catalogue): Record<string, () => Page> => {
  const routes = routesOf(catalogue);
  return {
    '/chapters': listPage,
    ...Object.fromEntries(
      CHAPTERS.map((chapter) => [`/chapters/${chapter.name}`, () => chapterPage(chapter, routes)]),
    ),
  };
};
