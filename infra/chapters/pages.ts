import { marked } from 'marked';
import type { Catalogue } from '../catalogue.ts';
import type { Page } from '../openapi/docs.ts';
import { escaped, textPage } from '../openapi/text-page.ts';
import { type Chapter, type Language, LANGUAGES, type Step } from './chapter.ts';
import { CHAPTERS } from './chapters.ts';
import { openings, type Part, type Routes, routesOf, shownParts } from './programs.ts';

const NAMES = Object.keys(LANGUAGES) as Language[];

/** A language is chosen by a radio button, so the pages work without their script. */
const STYLE = `
fieldset { border: 0; display: flex; flex-wrap: wrap; gap: 0 1rem; padding: .5rem 0; position: sticky; top: 0; background: light-dark(#fff, #121717); }
pre button { display: block; margin: 0 0 .25rem auto; font: 600 .8125rem/1.5 system-ui, sans-serif; padding: .25rem .625rem; border: 1px solid; border-radius: .375rem; color: light-dark(#0b5d56, #6fd3c6); background: light-dark(#fff, #121717); cursor: pointer; }
.ways { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .5rem 1rem; margin-top: 2rem; }
li p { margin: 0 0 .75rem; }
legend { float: left; margin-right: 1rem; font-weight: 600; }
${NAMES.map((name) => `body:has(#${name}:checked) pre:not(.${name}, .prints) { display: none; }`).join('\n')}
`;

/** Keeps the chosen language for the next chapter, and gives code a button that copies it. */
const SCRIPT = `
const kept = document.getElementById(localStorage.getItem('language') ?? '');
if (kept) kept.checked = true;
for (const radio of document.querySelectorAll('input[name=language]'))
  radio.addEventListener('change', () => localStorage.setItem('language', radio.id));
for (const code of document.querySelectorAll('pre:not(.prints) > code')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = 'Copied';
  });
  code.before(button);
}
`;

const html = (title: string, body: string): Page => textPage(title, body, STYLE, SCRIPT);

const link = (address: string, text: string): string => `<a href="${address}">${escaped(text)}</a>`;

/** Leads to the other pages of the service. @param root how they are reached from this one */
const ways = (root: string, more: readonly string[] = []): string =>
  `<header><nav aria-label="Service">${[...more, link(`${root}docs`, 'Reference'), link(`${root}admin`, 'Admin app')].join(' · ')}</nav></header>`;

/** Leads to the chapters before and after one. */
const beside = ({ name }: Chapter): string => {
  const position = CHAPTERS.findIndex((each) => each.name === name);
  const [before, after] = [CHAPTERS[position - 1], CHAPTERS[position + 1]];
  return `<nav class="ways" aria-label="Chapters">${before ? link(before.name, `Previous: ${before.title}`) : ''} ${after ? link(after.name, `Next: ${after.title}`) : ''}</nav>`;
};

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

const NAMES_LISTED = new Intl.ListFormat('en');

/** Says which names of the program come from steps that the page does not show. */
const givenBy = (before: readonly Step[]): string => {
  const given = before.flatMap((step) =>
    typeof step === 'object' && 'call' in step && step.as ? [`\`${step.as}\``] : [],
  );
  return `${NAMES_LISTED.format(given)} come from the first steps of [First inspection](first-inspection).`;
};

const chapterPage = (chapter: Chapter, routes: Routes): Page =>
  html(
    chapter.title,
    `${ways('../', [link('../chapters', 'Chapters')])}
<main>
<h1>${escaped(chapter.title)}</h1>
<p>${escaped(chapter.whom)}</p>
${choice}
<details><summary>Every program begins with this</summary>
${codeBlocks(openings())}
</details>
${chapter.before ? partHtml({ text: givenBy(chapter.before) }) : ''}
${shownParts(chapter, routes).map(partHtml).join('\n')}
<h2>It prints</h2>
<pre class="prints"><code>${escaped(chapter.prints.join('\n'))}</code></pre>
${beside(chapter)}
</main>`,
  );

const listPage = (): Page =>
  html(
    'Chapters',
    `${ways('')}
<main>
<h1>Chapters</h1>
<p>How integrations use the API, with programs in ${NAMES.map((name) => LANGUAGES[name]).join(', ')}. The test suite runs all of them.</p>
<nav><ol>${CHAPTERS.map(({ name, title, whom }) => `<li><a href="chapters/${name}">${escaped(title)}</a><p>${escaped(whom)}</p></li>`).join('')}</ol></nav>
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
