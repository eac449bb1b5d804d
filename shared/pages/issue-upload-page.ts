import { html, Markup } from '../base/markup.ts';
import { FIELD, MAX_PHOTO_BYTES, MAX_PHOTOS, PHOTO_TYPES } from '../domain/issue-form/fields.ts';
import type { Language } from '../i18n/languages.ts';
import { fill } from '../i18n/plural.ts';
import { PAGE_TEXTS } from '../i18n/texts/pages.ts';
import type { IssueQuestion } from '../schemas/issues/category.ts';
import { numberText, sizeText } from './formats.ts';
import type { Page, Sender } from './page.ts';

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

/** What the next photo shows, where there is a choice. */
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

/** The page after the form, for a browser without a program: a photo at a time goes to the storage and comes back here. */
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
