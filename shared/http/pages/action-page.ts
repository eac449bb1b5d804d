import { validationFailed } from '../../base/errors.ts';
import type { Language } from '../../base/i18n/languages.ts';
import { fill } from '../../base/i18n/plural.ts';
import { PAGE_TEXTS } from '../../base/i18n/texts/pages.ts';
import { REPORT_TEXTS } from '../../base/i18n/texts/report.ts';
import { html, type Markup } from '../../base/markup.ts';
import { dayWithZone, type TaskDetails, taskFacts } from '../../domain/contact-task.ts';
import { MAX_LENGTH } from '../../domain/issue-form/check.ts';
import { type Entered, FIELD, MAX_PHOTOS, photosText } from '../../domain/issue-form/fields.ts';
import type { Sender } from '../../files/logo.ts';
import type { CorrectiveAction } from '../../schemas/corrective-action.ts';
import { FORM, languageChoice, photoField, programTexts, textField } from './form.ts';
import type { Page } from './page.ts';
import { styleOf } from './style.ts';
import { numberText, message, withNames } from './texts.ts';
import { programFile } from './web-files.ts';

/** A corrective action as its contact sees it. */
export interface ContactAction {
  sender: Sender;
  /** The address of the list of all tasks, relative to the page. */
  tasks: string;
  action: Pick<
    CorrectiveAction,
    | 'title'
    | 'description'
    | 'priority'
    | 'status'
    | 'due_at'
    | 'contact'
    | 'evidence_count'
    | 'evidence_required'
  >;
  details: TaskDetails;
  /** Addresses of photos that show what was found, relative to the page. */
  found: readonly string[];
  /** Why it was sent back; empty when it was not. */
  returned: string;
  stamp: string;
  /** The origin to which photos are uploaded. */
  uploads: string;
  entered: Entered;
  /** What is wrong with what was sent, in the language of the page. */
  problems: readonly string[];
}

/** The photos of what was found: two in a row on a phone. */
const STYLE = styleOf(`
.found{list-style:none;margin:0 0 1.5rem;padding:0;display:grid;grid-template-columns:repeat(auto-fill,minmax(9rem,1fr));gap:.75rem}
.found img{display:block;width:100%;aspect-ratio:4/3;object-fit:cover;border-radius:.5rem;background:var(--wash)}
.words{white-space:pre-line}
.ends{display:flex;flex-wrap:wrap;gap:.75rem;margin-block-end:1.5rem}
`);

const factsOf = (language: Language, { action, details }: ContactAction): Markup => {
  const { priorities, actionStatuses, status } = REPORT_TEXTS[language];
  const facts = [
    ...taskFacts(language, (zone, at) => dayWithZone(language, zone, at), action, details),
    [status, `${actionStatuses[action.status]} · ${priorities[action.priority]}`],
  ];
  return html`<dl>
    ${facts.map(
      ([label, value]) =>
        html`<dt>${label}</dt>
          <dd class="words"><bdi>${value}</bdi></dd>`,
    )}
  </dl>`;
};

const problemsOf = (language: Language, { problems }: ContactAction): Markup | false => {
  const { title } = PAGE_TEXTS[language].issue.problems;
  return (
    problems.length > 0 &&
    html`<div class="problems" role="alert" tabindex="-1" autofocus>
      <h2>${title}</h2>
      <ul>
        ${problems.map((text) => html`<li>${text}</li>`)}
      </ul>
    </div>`
  );
};

const foundPhotos = (language: Language, { found }: ContactAction): Markup | false => {
  const { action, issue } = PAGE_TEXTS[language];
  return (
    found.length > 0 &&
    html`<h2>${action.found}</h2>
      <ul class="found">
        ${found.map(
          (url, position) =>
            html`<li>
              <a href="${url}"
                ><img
                  src="${url}"
                  alt="${fill(issue.script.photo, { n: numberText(language, position + 1) })}"
              /></a>
            </li>`,
        )}
      </ul>`
  );
};

const formOf = (language: Language, { sender, action, stamp, entered }: ContactAction): Markup => {
  const { action: texts, issue } = PAGE_TEXTS[language];
  const context = { texts: issue, entered, wrong: new Map<string, string>() };
  const count = (text: string, n: number) =>
    n > 0 && html`<p>${fill(text, { n: numberText(language, n) })}</p>`;
  const help = [
    ...(action.evidence_required ? [texts.needsPhoto] : []),
    fill(issue.photosHelp, { n: numberText(language, MAX_PHOTOS) }),
  ].join(' ');
  return html`<form id="${FORM}" method="post" novalidate data-texts="${programTexts(language)}">
    <input type="hidden" name="${FIELD.stamp}" value="${stamp}" />
    <input type="hidden" name="${FIELD.photos}" value="${photosText(entered.photos)}" />
    ${textField(
      context,
      { name: FIELD.description, label: texts.note },
      { value: entered.description, lines: true, most: MAX_LENGTH.long_text },
    )}
    ${photoField(context, { name: FIELD.photos, label: issue.photos, help })}
    ${count(texts.progress, action.evidence_count)}
    <noscript>${count(issue.upload.added, entered.photos.length)}</noscript>
    <p class="consent">${withNames(texts.consent, { organization: sender.name })}</p>
    <div class="ends">
      <button class="send" name="${FIELD.next}" value="done">${texts.done}</button>
      <button class="send second" name="${FIELD.next}" value="send">${texts.send}</button>
    </div>
  </form>`;
};

/** The way to the list of all tasks. @param tasks its address, relative to the page */
const tasksLink = (language: Language, tasks: string): Markup =>
  html`<a class="button second" href="${tasks}?language=${language}">${PAGE_TEXTS[language].tasks.title}</a>`;

/** The page of an action that its contact works on: complete without a program, which only adds to it. */
export const actionPage = (language: Language, shown: ContactAction): Page => {
  const { action: texts, issue } = PAGE_TEXTS[language];
  const { sender, action, returned, problems } = shown;
  const isRefused = problems.length > 0;
  return {
    title: `${isRefused ? `${issue.problems.title} · ` : ''}${action.title} · ${sender.name}`,
    sender,
    language,
    aside: languageChoice(language, { hasProgram: true }),
    hasFields: true,
    style: STYLE,
    program: `../assets/${programFile('issue')}`,
    uploads: [shown.uploads],
    images: shown.found.length > 0 ? ["'self'"] : [],
    content: html`<h1><bdi>${action.title}</bdi></h1>
      <p class="lead">${withNames(texts.asked, { organization: sender.name })}</p>
      ${problemsOf(language, shown)}
      ${
        returned !== '' &&
        html`<div class="notice">
          <h2>${texts.returned}</h2>
          <p class="words" dir="auto">${returned}</p>
        </div>`
      }
      ${factsOf(language, shown)}
      ${action.description !== '' && html`<p class="words" dir="auto">${action.description}</p>`}
      ${foundPhotos(language, shown)} ${formOf(language, shown)}
      <p class="links">${tasksLink(language, shown.tasks)}</p>`,
    ...(isRefused && { refused: validationFailed }),
  };
};

const told = (
  language: Language,
  sender: Sender,
  texts: { title: string; text: string },
  more?: Markup,
): Page => ({
  title: `${texts.title} · ${sender.name}`,
  sender,
  language,
  content: html`${message(texts, { organization: sender.name })}${more}`,
});

/** Thanks for photos or a note. The action still has to be done. */
export const receivedPage = (language: Language, sender: Sender, tasks: string): Page => {
  const { sent } = PAGE_TEXTS[language].action;
  const links = html`<p class="links">
    <a class="button second" href="?language=${language}">${sent.back}</a> ${tasksLink(language, tasks)}
  </p>`;
  return told(language, sender, sent, links);
};

/** Says that the action is reported as done, and awaits verification. */
export const reportedPage = (language: Language, sender: Sender, tasks: string): Page =>
  told(
    language,
    sender,
    PAGE_TEXTS[language].action.reported,
    html`<p class="links">${tasksLink(language, tasks)}</p>`,
  );

/** Says only that there is nothing to do any more. @param tasks the list of all tasks; null where none is open */
export const closedPage = (language: Language, sender: Sender, tasks: string | null): Page =>
  told(
    language,
    sender,
    PAGE_TEXTS[language].action.closed,
    tasks === null ? undefined : html`<p class="links">${tasksLink(language, tasks)}</p>`,
  );
