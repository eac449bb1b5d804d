import { validationFailed } from '../../base/errors.ts';
import type { Language } from '../../base/i18n/languages.ts';
import { fill } from '../../base/i18n/plural.ts';
import { MAIL_TEXTS } from '../../base/i18n/texts/mail.ts';
import { PAGE_TEXTS } from '../../base/i18n/texts/pages.ts';
import { REPORT_TEXTS } from '../../base/i18n/texts/report.ts';
import { html, Markup } from '../../base/markup.ts';
import { dayWithZone } from '../../domain/contact-task.ts';
import { pathText, type TaskFilter, type TaskLine } from '../../domain/contact-tasks.ts';
import { MAX_LENGTH } from '../../domain/issue-form/check.ts';
import { FIELD } from '../../domain/issue-form/fields.ts';
import type { Sender } from '../../files/logo.ts';
import { FORM, languageChoice, textField } from './form.ts';
import type { Page } from './page.ts';
import { styleOf } from './style.ts';
import { numberText, withNames } from './texts.ts';

/** The name of the field that says which tasks are chosen. */
export const CHOSEN = 'task';

/** Tasks that one form reports as done. */
export const MAX_CHOSEN = 100;

/** All open tasks of a contact, as far as the filter shows them. */
export interface TaskList {
  sender: Sender;
  /** The contact's name and company. */
  contact: string;
  tasks: readonly TaskLine[];
  /** The number of tasks that are shown at most, where there are more. */
  most: number | null;
  filter: TaskFilter;
  /** The paths that can be filtered by. */
  places: readonly string[];
  stamp: string;
  note: string;
  chosen: ReadonlySet<string>;
  /** What is wrong with what was sent, in the language of the page. */
  problems: readonly string[];
}

/** On paper, the boxes are ticked by hand. */
const STYLE = styleOf(`
.filter{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.75rem;margin:0 0 1rem}
.filter .label{margin:0 0 .25rem}
.filter button{align-self:end}
.tasks{list-style:none;margin:0 0 1.5rem;padding:0}
.tasks li{display:flex;gap:.75rem;padding:.75rem 0;border-block-start:1px solid var(--line);break-inside:avoid}
.tasks div{flex:1 1 auto;min-width:0}
.tasks p{margin:0}
.tasks a{display:inline-block;min-height:1.5rem;color:inherit;font-weight:600}
.pick{flex:none;display:flex;justify-content:center;min-width:2.75rem;min-height:2.75rem;padding:.125rem}
.late{color:var(--wrong);font-weight:600}
@media print{body{background:#fff;color:#000;font-size:10pt}header,main{max-width:none;padding:0 0 .5rem;background:#fff}.language,.filter,.links,.report,.problems{display:none}.pick{min-width:2rem;min-height:0}.tasks a{text-decoration:none}}
`);

/** The query that shows the same list in a language. */
const queryOf = (language: Language, filter: Partial<TaskFilter>): string => {
  const given = Object.entries(filter).filter(([, value]) => value !== '');
  return new URLSearchParams({ [FIELD.language]: language, ...Object.fromEntries(given) }).toString();
};

const filterForm = (language: Language, { filter, places }: TaskList): Markup => {
  const { tasks: texts } = PAGE_TEXTS[language];
  const { labels } = MAIL_TEXTS[language];
  const day = (name: 'from' | 'to') =>
    html`<div>
      <label class="label" for="${name}">${texts[name]}</label>
      <input type="date" id="${name}" name="${name}" value="${filter[name]}" />
    </div>`;
  return html`<form class="filter" method="get">
      <input type="hidden" name="${FIELD.language}" value="${language}" />
      <div>
        <label class="label" for="place">${labels.location}</label>
        <select id="place" name="place">
          <option value="">${texts.anyPlace}</option>
          ${places.map(
            (place) =>
              html`<option value="${place}" ${place === filter.place && new Markup(' selected')}>
                ${place}
              </option>`,
          )}
        </select>
      </div>
      ${day('from')} ${day('to')}
      <button class="second">${texts.filter}</button>
    </form>
    <p class="links">
      ${
        Object.values(filter).some((value) => value !== '') &&
        html`<a class="button second small" href="?${queryOf(language, {})}">${texts.all}</a>`
      }
      <a class="button second small" href="tasks/csv?${queryOf(language, filter)}" download>${texts.csv}</a>
    </p>`;
};

const dueText = (language: Language, { due_at, timezone, is_overdue }: TaskLine): Markup | false => {
  const { due, overdue } = REPORT_TEXTS[language];
  return (
    due_at !== null &&
    html`<p>
      ${is_overdue && html`<span class="late">${overdue} ·</span>`} ${due}:
      ${dayWithZone(language, timezone, due_at)}
    </p>`
  );
};

const taskItem =
  (language: Language, { chosen }: TaskList) =>
  (task: TaskLine): Markup => {
    const { severities, priorities, actionStatuses } = REPORT_TEXTS[language];
    const { id, title, place, finding, priority, status, needs_photo } = task;
    const name = `name.${id}`;
    const severity = severities[finding.severity];
    // Parts of different directions would otherwise change places.
    const about = [
      finding.label === '' ? severity : `${finding.label} (${severity})`,
      priorities[priority],
      actionStatuses[status],
    ].map((part, position) => html`${position > 0 && ' · '}<bdi>${part}</bdi>`);
    return html`<li>
      <label class="pick">
        ${
          !needs_photo &&
          html`<input
            type="checkbox"
            name="${CHOSEN}"
            value="${id}"
            aria-labelledby="${name}"
            ${chosen.has(id) && new Markup(' checked')}
          />`
        }
      </label>
      <div>
        <a id="${name}" href="task?${new URLSearchParams({ id, [FIELD.language]: language }).toString()}"
          ><bdi>${title}</bdi></a
        >
        ${place.length > 0 && html`<p><bdi>${pathText(place)}</bdi></p>`} ${dueText(language, task)}
        <p class="more">${about}</p>
        ${needs_photo && html`<p class="more">${PAGE_TEXTS[language].action.needsPhoto}</p>`}
      </div>
    </li>`;
  };

const problemsOf = (language: Language, { problems }: TaskList): Markup | false =>
  problems.length > 0 &&
  html`<div class="problems" role="alert" tabindex="-1" autofocus>
    <h2>${PAGE_TEXTS[language].issue.problems.title}</h2>
    <ul>
      ${problems.map((text) => html`<li>${text}</li>`)}
    </ul>
  </div>`;

const reportForm = (language: Language, list: TaskList): Markup => {
  const { tasks: texts, action, issue } = PAGE_TEXTS[language];
  const { sender, tasks, stamp, note, most } = list;
  const context = {
    texts: issue,
    entered: { description: note, name: '', email: '', phone: '', answers: new Map(), photos: [] },
    wrong: new Map<string, string>(),
  };
  const canReport = tasks.some(({ needs_photo }) => !needs_photo);
  return html`<form id="${FORM}" method="post" novalidate>
    <input type="hidden" name="${FIELD.stamp}" value="${stamp}" />
    <ul class="tasks">
      ${tasks.map(taskItem(language, list))}
    </ul>
    ${tasks.length === 0 && html`<p>${texts.empty}</p>`}
    ${most !== null && html`<p class="notice">${fill(texts.cut, { n: numberText(language, most) })}</p>`}
    ${
      canReport &&
      html`<div class="report">
        ${textField(
          context,
          { name: FIELD.description, label: texts.note },
          { value: note, lines: true, most: MAX_LENGTH.long_text },
        )}
        <p class="consent">${withNames(action.consent, { organization: sender.name })}</p>
        <button class="send" name="${FIELD.next}" value="done">${texts.done}</button>
      </div>`
    }
  </form>`;
};

/** The page of all open tasks of a contact. It needs no program. */
export const tasksPage = (language: Language, list: TaskList): Page => {
  const { tasks: texts, action, issue } = PAGE_TEXTS[language];
  const { sender, contact, problems } = list;
  const isRefused = problems.length > 0;
  return {
    title: `${isRefused ? `${issue.problems.title} · ` : ''}${texts.title} · ${sender.name}`,
    sender,
    language,
    aside: languageChoice(language, { hasProgram: false }),
    hasFields: true,
    style: STYLE,
    content: html`<h1>${texts.title}</h1>
      <p class="lead">${withNames(action.asked, { organization: sender.name })}</p>
      ${contact !== '' && html`<p><bdi>${contact}</bdi></p>`} ${problemsOf(language, list)}
      ${filterForm(language, list)} ${reportForm(language, list)}`,
    ...(isRefused && { refused: validationFailed }),
  };
};

/** What became of the chosen tasks, by their titles. */
export interface TaskOutcomes {
  taken: readonly string[];
  refused: readonly { title: string; reason: string }[];
}

/** Says of each chosen task whether it was taken, and why not. */
export const outcomesPage = (
  language: Language,
  sender: Sender,
  { taken, refused }: TaskOutcomes,
  filter: TaskFilter,
): Page => {
  const { tasks: texts } = PAGE_TEXTS[language];
  const part = (title: string, items: readonly Markup[]) =>
    items.length > 0 &&
    html`<h2>${title}</h2>
      <ul>
        ${items.map((item) => html`<li>${item}</li>`)}
      </ul>`;
  return {
    title: `${texts.result} · ${sender.name}`,
    sender,
    language,
    hasFields: true,
    content: html`<h1>${texts.result}</h1>
      ${part(
        texts.taken,
        taken.map((title) => html`<bdi>${title}</bdi>`),
      )}
      ${part(
        texts.refused,
        refused.map(({ title, reason }) => html`<bdi>${title}</bdi>${title !== '' && ': '}${reason}`),
      )}
      <p class="links"><a class="button second" href="?${queryOf(language, filter)}">${texts.back}</a></p>`,
  };
};
