import { marked } from 'marked';
import type { Catalogue } from '../catalogue.ts';
import type { Page } from '../openapi/docs.ts';
import { escaped, textPage } from '../openapi/text-page.ts';
import { type Chapter, type Language, LANGUAGES } from './chapter.ts';
import { CHAPTERS } from './chapters.ts';
import { openings, type Part, type Routes, routesOf, shownParts } from './programs.ts';

const NAMES = Object.keys(LANGUAGES) as Language[];

/** A language is chosen by a radio button, so the pages need no script. */
const STYLE = `
fieldset { border: 0; display: flex; gap: 1rem; padding: .5rem 0; position: sticky; top: 0; background: Canvas; }
legend { float: left; margin-right: 1rem; font-weight: 600; }
${NAMES.map((name) => `body:has(#${name}:checked) pre:not(.${name}, .prints) { display: none; }`).join('\n')}
`;

const html = (title: string, body: string): Page => textPage(title, body, STYLE);

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
    `<p><a href=".">Chapters</a> · <a href="../docs">Reference</a></p>
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
