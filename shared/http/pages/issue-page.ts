import { tooManyVisits, validationFailed } from '../../base/errors.ts';
import type { Language } from '../../base/i18n/languages.ts';
import { fill } from '../../base/i18n/plural.ts';
import { PAGE_TEXTS, type PageTexts } from '../../base/i18n/texts/pages.ts';
import { html, Markup } from '../../base/markup.ts';
import { type FormProblem, MAX_LENGTH } from '../../domain/issue-form/check.ts';
import {
  answerField,
  type Entered,
  FIELD,
  MAX_PHOTO_BYTES,
  MAX_PHOTOS,
  photosText,
  type LocalizedCategory,
} from '../../domain/issue-form/fields.ts';
import type { Sender } from '../../files/logo.ts';
import type { IssueQuestion } from '../../schemas/issues/category.ts';
import type { ContactRule } from '../../schemas/issues/public-link.ts';
import {
  type FieldContext,
  FORM,
  languageChoice,
  photoField,
  programTexts,
  questionField,
  textField,
} from './form.ts';
import type { Page } from './page.ts';
import { numberText, plain, withNames } from './texts.ts';
import { programFile } from './web-files.ts';

/** The form of a public link, with what was entered into it so far. */
export interface IssueForm {
  sender: Sender;
  /** Where one reports, as the link says: the place and its label; empty where it says nothing. */
  place: string;
  category: LocalizedCategory;
  contact: ContactRule;
  stamp: string;
  /** The origin to which photos are uploaded. */
  uploads: string;
  entered: Entered;
  problems: readonly FormProblem[];
}

const labelsOf = ({ issue }: PageTexts, { questions }: LocalizedCategory): ReadonlyMap<string, string> =>
  new Map([
    [FIELD.description, issue.description],
    [FIELD.photos, issue.photos],
    [FIELD.name, issue.name],
    [FIELD.email, issue.email],
    [FIELD.phone, issue.phone],
    ...questions.map(({ id, label }): [string, string] => [answerField(id), label]),
  ]);

const problemText = (language: Language, { fault, n }: FormProblem): string =>
  fill(PAGE_TEXTS[language].issue.problems[fault], n === undefined ? {} : { n: numberText(language, n) });

/** All problems in one place, each with a link to its field. It gets the focus, without a program as well. */
const summary = (language: Language, form: IssueForm): Markup | undefined => {
  const texts = PAGE_TEXTS[language];
  const labels = labelsOf(texts, form.category);
  if (form.problems.length === 0) return undefined;
  const shown = ({ field, ...problem }: FormProblem): Markup => {
    const text = problemText(language, problem);
    return field === undefined
      ? html`<li>${text}</li>`
      : html`<li>
          <a href="#${field}"><bdi>${labels.get(field)}</bdi></a
          >: ${text}
        </li>`;
  };
  return html`<div class="problems" role="alert" tabindex="-1" autofocus>
    <h2>${texts.issue.problems.title}</h2>
    <ul>
      ${form.problems.map(shown)}
    </ul>
  </div>`;
};

const contactPart = (context: FieldContext, rule: ContactRule, organization: string): Markup | false => {
  const { texts, entered } = context;
  const field = (name: 'name' | 'email' | 'phone', more: string) =>
    textField(
      context,
      { name, label: texts[name] },
      { value: entered[name], most: MAX_LENGTH[name], more: new Markup(more) },
    );
  const help = rule === 'required' ? texts.contactRequired : texts.contactHelp;
  return (
    rule !== 'none' &&
    html`<div class="part" role="group" aria-labelledby="contact">
      <h2 id="contact">
        ${texts.contact}${rule === 'optional' && html` <span class="more">(${texts.optional})</span>`}
      </h2>
      <p class="lead">${withNames(help, { organization })}</p>
      ${field('name', 'autocomplete="name"')} ${field('email', 'type="email" autocomplete="email" dir="ltr"')}
      ${field('phone', 'type="tel" autocomplete="tel" dir="ltr"')}
    </div>`
  );
};

/** Programs that fill in every field fill in this one too. */
const trap = ({ robot }: PageTexts['issue']): Markup =>
  html`<div class="away" aria-hidden="true">
    <label>${robot}<input name="${FIELD.trap}" tabindex="-1" autocomplete="off" /></label>
  </div>`;

/** Whether nothing is wrong but the time. */
const isToWait = (problems: readonly FormProblem[]): boolean =>
  problems.every(({ fault }) => fault === 'wait');

/** The form: complete without a program, which only adds to it. */
export const issuePage = (language: Language, form: IssueForm): Page => {
  const texts = PAGE_TEXTS[language];
  const { issue } = texts;
  const { sender, category, entered, problems } = form;
  const wrong = new Map(
    problems.flatMap((problem) =>
      problem.field === undefined ? [] : [[problem.field, problemText(language, problem)] as const],
    ),
  );
  const context: FieldContext = { texts: issue, entered, wrong };
  const photosHelp = fill(issue.photosHelp, { n: numberText(language, MAX_PHOTOS) });
  const content = html`<h1><bdi>${category.name}</bdi></h1>
    ${category.description !== null && html`<p class="lead"><bdi>${category.description}</bdi></p>`}
    ${form.place !== '' && html`<p class="note">${texts.certificate.place}: <bdi>${form.place}</bdi></p>`}
    ${summary(language, form)}
    <form
      id="${FORM}"
      method="post"
      novalidate
      data-texts="${programTexts(language)}"
      data-bytes="${MAX_PHOTO_BYTES}"
    >
      <button class="away" name="${FIELD.next}" value="send" tabindex="-1" aria-hidden="true">
        ${issue.send}
      </button>
      <input type="hidden" name="${FIELD.stamp}" value="${form.stamp}" />
      <input type="hidden" name="${FIELD.photos}" value="${photosText(entered.photos)}" />
      ${trap(issue)}
      ${textField(
        context,
        { name: FIELD.description, label: issue.description, isRequired: true, help: issue.descriptionHelp },
        { value: entered.description, lines: true, most: MAX_LENGTH.long_text },
      )}
      ${category.questions.map((question) => questionField(context, question))}
      ${photoField(context, {
        name: FIELD.photos,
        label: issue.photos,
        isRequired: false,
        help: photosHelp,
      })}
      ${contactPart(context, form.contact, sender.name)}
      <p class="consent">${withNames(issue.consent, { organization: sender.name })}</p>
      <button class="send" name="${FIELD.next}" value="send">${issue.send}</button>
    </form>`;
  return {
    title: `${problems.length > 0 ? `${issue.problems.title} · ` : ''}${category.name} · ${sender.name}`,
    content,
    sender,
    language,
    aside: languageChoice(language, { hasProgram: true }),
    program: `../assets/${programFile('issue')}`,
    uploads: [form.uploads],
    hasFields: true,
    ...(problems.length > 0 && { refused: isToWait(problems) ? tooManyVisits : validationFailed }),
  };
};

/** What somebody has sent, and the questions that it answers. */
type Copy = Pick<LocalizedCategory, 'questions'> & Pick<IssueForm, 'entered'>;

/** What was answered to a question, in the words of the form. */
const answerText = (
  { yes, no }: PageTexts['issue'],
  { id, type, options }: IssueQuestion,
  { answers }: Entered,
): string => {
  const given = answers.get(id) ?? '';
  const values = typeof given === 'string' ? [given] : given;
  const labels = new Map<string, string>(
    type === 'yes_no'
      ? [
          ['yes', yes],
          ['no', no],
        ]
      : options?.map(({ value, label }) => [value, label]),
  );
  return values.map((value) => labels.get(value) ?? value).join(', ');
};

/** What was sent, for whoever wants to keep it: the page does not show it again. */
const copyOf = (language: Language, { questions, entered }: Copy): Markup => {
  const { issue } = PAGE_TEXTS[language];
  const { description, name, email, phone, photos } = entered;
  const rows: (readonly [string, string])[] = [
    [issue.description, description],
    ...questions.map((question) => [question.label, answerText(issue, question, entered)] as const),
    [issue.photos, photos.length === 0 ? '' : numberText(language, photos.length)],
    [issue.name, name],
    [issue.email, email],
    [issue.phone, phone],
  ];
  return html`<p>${issue.thanks.copy}</p>
    <dl>
      ${rows.map(
        ([label, value]) =>
          value.trim() !== '' &&
          html`<dt><bdi>${label}</bdi></dt>
            <dd><bdi>${value}</bdi></dd>`,
      )}
    </dl>`;
};

/**
 * Thanks for an issue and shows its number, with a copy of what was sent. The reporter learns nothing else about the
 * issue.
 */
export const thanksPage = (language: Language, sender: Sender, number: number, copy: Copy): Page => {
  const { thanks } = PAGE_TEXTS[language].issue;
  const names = { organization: sender.name, n: String(number) };
  return {
    title: plain(`${thanks.title} · {organization}`, names),
    sender,
    language,
    content: html`<h1 tabindex="-1">${thanks.title}</h1>
      <p class="number">${withNames(thanks.text, names)}</p>
      ${copyOf(language, copy)}
      <p class="links"><a class="button second" href="?language=${language}">${thanks.another}</a></p>`,
  };
};
