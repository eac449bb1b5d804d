import { type Language, LANGUAGES } from '../../base/i18n/languages.ts';
import { fill } from '../../base/i18n/plural.ts';
import { PAGE_TEXTS, type PageTexts } from '../../base/i18n/texts/pages.ts';
import { html, Markup } from '../../base/markup.ts';
import { MAX_LENGTH } from '../../domain/issue-form/check.ts';
import {
  FIELD,
  answerField,
  choiceField,
  type Entered,
  MAX_PHOTO_BYTES,
  MAX_PHOTOS,
  PHOTO_TYPES,
} from '../../domain/issue-form/fields.ts';
import type { Sender } from '../../files/logo.ts';
import type { IssueQuestion } from '../../schemas/issues/category.ts';
import type { Page } from './page.ts';
import { languageName, numberText, sizeText } from './texts.ts';

/** The id of a page's form. The choice of a language is part of the form. */
export const FORM = 'report';

/**
 * The choice of a page's language. It sends the form, so nothing that was entered is lost. @param hasProgram whether
 * the page's program sends the form; then the button is only for browsers without a program
 */
export const languageChoice = (language: Language, { hasProgram }: { hasProgram: boolean }): Markup => {
  const { issue } = PAGE_TEXTS[language];
  const button = html`<button
    class="second"
    form="${FORM}"
    name="${FIELD.next}"
    value="language"
    formnovalidate
  >
    ${issue.changeLanguage}
  </button>`;
  return html`<div class="language">
    <label for="${FIELD.language}">${issue.language}</label>
    <select id="${FIELD.language}" name="${FIELD.language}" form="${FORM}" autocomplete="off">
      ${LANGUAGES.map(
        (each) =>
          html`<option value="${each}" lang="${each}" ${each === language && new Markup(' selected')}>
            ${languageName(each)}
          </option>`,
      )}
    </select>
    ${hasProgram ? html`<noscript>${button}</noscript>` : button}
  </div>`;
};

/** The texts of the program that adds to a form what a browser can do with one, such as scaling photos. */
export const programTexts = (language: Language): string => {
  const { script, addPhotos } = PAGE_TEXTS[language].issue;
  return JSON.stringify({ ...script, locale: language, addPhotos });
};

/** What every field of the form needs. */
export interface FieldContext {
  texts: PageTexts['issue'];
  entered: Entered;
  /** The text of the problem of a field, by its name. */
  wrong: ReadonlyMap<string, string>;
}

/** The most choices that are shown as buttons; more are a list to open. */
const MAX_BUTTONS = 6;

const when = (condition: boolean | undefined, attribute: string): Markup | false =>
  condition === true && new Markup(` ${attribute}`);

const wrongId = (name: string): string => `${name}.wrong`;
const helpId = (name: string): string => `${name}.help`;

/** Links a field to its problem and its help for people who do not see them. */
const described = ({ wrong }: FieldContext, name: string, hasHelp: boolean): Markup => {
  const ids = [...(wrong.has(name) ? [wrongId(name)] : []), ...(hasHelp ? [helpId(name)] : [])];
  return html`${wrong.has(name) && new Markup(' aria-invalid="true"')}${
    ids.length > 0 && html` aria-describedby="${ids.join(' ')}"`
  }`;
};

const wrongText = ({ wrong }: FieldContext, name: string): Markup | undefined => {
  const text = wrong.get(name);
  return text === undefined ? undefined : html`<span class="wrong" id="${wrongId(name)}">${text}</span>`;
};

const helpText = (name: string, help: string | Markup | undefined): Markup | undefined =>
  help === undefined ? undefined : html`<span class="help" id="${helpId(name)}">${help}</span>`;

const optionalMark = ({ texts }: FieldContext, isRequired?: boolean): Markup | false =>
  isRequired === false && html` <span class="more">(${texts.optional})</span>`;

interface FieldTexts {
  name: string;
  label: string;
  /** Left out if a text above says which fields are needed. */
  isRequired?: boolean;
  help?: string | Markup | undefined;
}

/** A field with its label above it. @param draw the control, from its attributes */
const field = (
  context: FieldContext,
  { name, label, isRequired, help }: FieldTexts,
  draw: (attributes: Markup) => Markup,
): Markup => {
  const attributes = html`id="${name}"
  name="${name}"${when(isRequired, 'required')}${described(context, name, help !== undefined)}`;
  return html`<div class="field">
    <label class="label" for="${name}"><bdi>${label}</bdi>${optionalMark(context, isRequired)}</label>
    ${helpText(name, help)}${wrongText(context, name)}${draw(attributes)}
  </div>`;
};

/** Several controls with a question above them. */
const group = (context: FieldContext, { name, label, isRequired }: FieldTexts, choices: Markup[]): Markup =>
  html`<fieldset id="${name}" tabindex="-1" ${described(context, name, false)}>
    <legend><bdi>${label}</bdi>${optionalMark(context, isRequired)}</legend>
    ${wrongText(context, name)}${choices}
  </fieldset>`;

const choice = (
  type: 'radio' | 'checkbox',
  name: string,
  { value, label }: { value: string; label: string },
  isChosen: boolean,
): Markup =>
  html`<label class="choice"
    ><input type="${type}" name="${name}" value="${value}" ${when(isChosen, 'checked')} />
    <span dir="auto">${label}</span></label
  >`;

/** A text in a line, or in several. */
export const textField = (
  context: FieldContext,
  texts: FieldTexts,
  {
    value,
    lines = false,
    most = MAX_LENGTH.text,
    more,
  }: { value: string; lines?: boolean; most?: number; more?: Markup },
): Markup =>
  field(context, texts, (attributes) =>
    lines
      ? html`<textarea ${attributes} rows="5" maxlength="${most}">${new Markup('\n')}${value}</textarea>`
      : html`<input ${attributes} ${more} value="${value}" maxlength="${most}" />`,
  );

const oneOf = (
  context: FieldContext,
  texts: FieldTexts,
  options: readonly { value: string; label: string }[],
  chosen: string,
): Markup => {
  const { name } = texts;
  if (options.length <= MAX_BUTTONS)
    return group(
      context,
      texts,
      options.map((option) => choice('radio', name, option, option.value === chosen)),
    );
  return field(
    context,
    texts,
    (attributes) =>
      html`<select ${attributes}>
        <option value="">${context.texts.choose}</option>
        ${options.map(
          ({ value, label }) =>
            html`<option value="${value}" ${when(value === chosen, 'selected')}>${label}</option>`,
        )}
      </select>`,
  );
};

/** The button by which photos are added: to the issue, or as the answer to a question. */
export const photoField = (
  context: FieldContext,
  { name, label, isRequired, help }: FieldTexts,
  questionId = '',
): Markup =>
  html`<div
    class="field"
    role="group"
    aria-labelledby="${name}.label"
    ${described(context, name, help !== undefined)}
  >
    <span class="label" id="${name}.label"><bdi>${label}</bdi>${optionalMark(context, isRequired)}</span>
    ${helpText(name, help)}${wrongText(context, name)}
    <button class="second" id="${name}" name="${FIELD.next}" value="photos" data-question="${questionId}">
      ${context.texts.addPhotos}
    </button>
    <ul class="shots" data-shots="${questionId}"></ul>
  </div>`;

/** A question of the category with what was entered. */
export const questionField = (context: FieldContext, question: IssueQuestion): Markup => {
  const { id, type, label, required } = question;
  const { texts, entered } = context;
  const name = answerField(id);
  const fieldTexts = { name, label, isRequired: required };
  const given = entered.answers.get(id) ?? '';
  const value = typeof given === 'string' ? given : '';
  const options = question.options ?? [];
  switch (type) {
    case 'photo':
      return photoField(context, fieldTexts, id);
    case 'multi_select':
      return group(
        context,
        fieldTexts,
        options.map((option, position) =>
          choice(
            'checkbox',
            choiceField(id, position),
            option,
            given !== value && given.includes(option.value),
          ),
        ),
      );
    case 'single_select':
      return oneOf(context, fieldTexts, options, value);
    case 'yes_no': {
      const answers = [
        { value: 'yes', label: texts.yes },
        { value: 'no', label: texts.no },
      ];
      return oneOf(context, fieldTexts, answers, value);
    }
    case 'long_text':
      return textField(context, fieldTexts, { value, lines: true, most: MAX_LENGTH.long_text });
    case 'number':
      return textField(context, fieldTexts, {
        value,
        most: 30,
        more: new Markup('inputmode="decimal" autocomplete="off" dir="ltr"'),
      });
    case 'date':
      return textField(context, fieldTexts, { value, most: 10, more: new Markup('type="date"') });
    case 'text':
      return textField(context, fieldTexts, { value });
  }
};

/** The page on which a browser without a program adds photos to a report that is filled in. */
export interface IssueUploads {
  sender: Sender;
  stamp: string;
  /** The list of the photos so far, as the form has it. */
  photos: string;
  count: number;
  /** The questions that a photo can answer. */
  questions: readonly IssueQuestion[];
  /** The question that the next photo answers; null for one of the issue itself. */
  about: string | null;
  /** Where the next photo is sent; null when there may be no more. */
  form: { url: string; fields: Readonly<Record<string, string>> } | null;
  /** The query of this page for a photo that answers another question. */
  queryAbout: (questionId: string | null) => string;
  /** The label of the button that ends the adding of photos. */
  finish: string;
}

const hidden = (name: string, value: string): Markup =>
  html`<input type="hidden" name="${name}" value="${value}" />`;

/** The choice of what the next photo shows, if there is one. */
const aboutChoice = (language: Language, { questions, about, queryAbout }: IssueUploads): Markup | false => {
  const { upload } = PAGE_TEXTS[language].issue;
  const option = (id: string | null, label: string): Markup =>
    html`<li>
      <a class="more-link" href="?${queryAbout(id)}" ${id === about && new Markup(' aria-current="true"')}
        >${label}</a
      >
    </li>`;
  return (
    questions.length > 0 &&
    html`<nav class="field" aria-labelledby="about">
      <span class="label" id="about">${upload.belongsTo}</span>
      <ul>
        ${option(null, upload.general)} ${questions.map(({ id, label }) => option(id, label))}
      </ul>
    </nav>`
  );
};

/**
 * The page after the form, for a browser without a program: a photo at a time goes to the storage and comes back here.
 */
export const uploadPage = (language: Language, uploads: IssueUploads): Page => {
  const { issue } = PAGE_TEXTS[language];
  const { upload } = issue;
  const { sender, stamp, photos, count, form } = uploads;
  const choose = fill(upload.choose, { size: sizeText(language, MAX_PHOTO_BYTES) });
  const content = html`<h1>${upload.title}</h1>
    <div class="notice">
      <p>${upload.notSent}</p>
      <p>${fill(upload.added, { n: numberText(language, count) })}</p>
    </div>
    ${
      form
        ? html`${aboutChoice(language, uploads)}
            <form id="photo" method="post" enctype="multipart/form-data" action="${form.url}">
              ${Object.entries(form.fields).map(([name, value]) => hidden(name, value))}
              <div class="field">
                <label class="label" for="file">${choose}</label>
                <input id="file" type="file" name="file" accept="${PHOTO_TYPES.join(',')}" required />
              </div>
              <button class="second">${upload.add}</button>
            </form>`
        : html`<p>${fill(issue.script.tooMany, { n: numberText(language, MAX_PHOTOS) })}</p>`
    }
    <form id="report" method="post">
      <div class="part">
        ${hidden(FIELD.stamp, stamp)} ${hidden(FIELD.language, language)} ${hidden(FIELD.photos, photos)}
        <button class="send" name="${FIELD.next}" value="finish">${uploads.finish}</button>
      </div>
    </form>`;
  return {
    title: `${upload.title} · ${sender.name}`,
    content,
    sender,
    language,
    hasFields: true,
    uploads: form ? [new URL(form.url).origin] : [],
  };
};
