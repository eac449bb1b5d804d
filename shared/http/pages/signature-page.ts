import { validationFailed } from '../../base/errors.ts';
import type { Language } from '../../base/i18n/languages.ts';
import { fill } from '../../base/i18n/plural.ts';
import { PAGE_TEXTS } from '../../base/i18n/texts/pages.ts';
import { html, type Markup } from '../../base/markup.ts';
import { FIELD, MAX_PHOTO_BYTES, PHOTO_TYPES } from '../../domain/issue-form/fields.ts';
import { SIGNATURE_FIELD } from '../../domain/signature-form.ts';
import type { Sender } from '../../files/logo.ts';
import { FORM, languageChoice } from './form.ts';
import type { Page } from './page.ts';
import { styleOf } from './style.ts';
import { message, sizeText, withNames } from './texts.ts';
import { programFile } from './web-files.ts';

/** A line of what is signed: the heading of a section, or a question with its answer. */
export type ShownLine =
  | { heading: string; level: number; description: string | null }
  | { question: string; help: string | null; answer: readonly string[]; note: string | null };

/** What a witness signs, and how. */
export interface SignaturePage {
  sender: Sender;
  /** The witness. */
  name: string;
  /** What, where, when and who asks: labels with their values. */
  details: readonly (readonly [label: string, value: string])[];
  lines: readonly ShownLine[];
  /** Of `lines`. */
  hash: string;
  stamp: string;
  /** Where a picture of the signature is sent. */
  upload: { url: string; fields: Readonly<Record<string, string>> };
  /** The picture that was added, as the form has it; empty without one. */
  picture: string;
  /** What is wrong with what was sent, in the language of the page. */
  problem: string | null;
}

const STYLE = styleOf(`
.signed{margin:0 0 1.5rem;padding:0 0 .5rem;border-block-end:1px solid var(--line)}
.signed h2,.signed h3{margin-block-start:1.25rem}
.signed dl{display:block}
.signed dt{margin-block-start:.75rem}
.signed dd{margin:0;font-weight:600}
.signed .note,.signed .help{font-weight:400}
.words{white-space:pre-line}
.pad{display:block;width:100%;height:12rem;border:2px solid var(--line);border-radius:.5rem;background:#fff;touch-action:none;cursor:crosshair}
.pad[hidden]{display:none}
summary{min-height:2.75rem;padding:.5rem 0;cursor:pointer}
summary:focus-visible{outline:3px solid var(--text);outline-offset:3px}
.tools{display:flex;justify-content:flex-end;margin-block-start:.5rem}
`);

const hidden = (name: string, value: string): Markup =>
  html`<input type="hidden" name="${name}" value="${value}" />`;

const lineOf = (line: ShownLine): Markup => {
  if ('heading' in line) {
    const { heading, level, description } = line;
    const about = description !== null && html`<p class="words" dir="auto">${description}</p>`;
    return level === 2
      ? html`<h2><bdi>${heading}</bdi></h2>
          ${about}`
      : html`<h3><bdi>${heading}</bdi></h3>
          ${about}`;
  }
  const { question, help, answer, note } = line;
  return html`<dl>
    <dt dir="auto">${question}</dt>
    ${help !== null && html`<dd class="help words" dir="auto">${help}</dd>`}
    ${answer.map((text) => html`<dd class="words" dir="auto">${text}</dd>`)}
    ${note !== null && html`<dd class="note words" dir="auto">${note}</dd>`}
  </dl>`;
};

const signatureForm = (language: Language, { hash, stamp, picture }: SignaturePage): Markup => {
  const { signature } = PAGE_TEXTS[language];
  return html`<form id="${FORM}" method="post" data-missing="${signature.problems.missing}">
    ${hidden(FIELD.stamp, stamp)} ${hidden(SIGNATURE_FIELD.hash, hash)} ${hidden(FIELD.photos, picture)}
    ${hidden(SIGNATURE_FIELD.drawing, '')}
    <div class="field" id="drawing" hidden>
      <span class="help" id="draw">${signature.draw}</span>
      <canvas class="pad" id="pad" role="img" aria-label="${signature.sign}" aria-describedby="draw"></canvas>
      <div class="tools">
        <button type="button" class="second small" id="clear">${signature.clear}</button>
      </div>
    </div>
  </form>`;
};

/** The way for those who do not draw. The page's program closes it where the browser can draw. */
const pictureForm = (language: Language, { upload, picture }: SignaturePage): Markup => {
  const { signature, issue } = PAGE_TEXTS[language];
  const choose = fill(issue.upload.choose, { size: sizeText(language, MAX_PHOTO_BYTES) });
  return html`${picture !== '' && html`<p class="notice" role="status">${signature.added}</p>`}
    <details id="picture" open>
      <summary>${signature.picture}</summary>
      <form id="photo" method="post" enctype="multipart/form-data" action="${upload.url}">
        ${Object.entries(upload.fields).map(([name, value]) => hidden(name, value))}
        <div class="field">
          <label class="label" for="file">${choose}</label>
          <input id="file" type="file" name="file" accept="${PHOTO_TYPES.join(',')}" required />
        </div>
        <button class="second">${issue.upload.add}</button>
      </form>
    </details>`;
};

/** The page on which a witness signs: complete without a program, which adds the field to draw in. */
export const signaturePage = (language: Language, shown: SignaturePage): Page => {
  const { signature, issue } = PAGE_TEXTS[language];
  const { sender, name, details, lines, upload, problem } = shown;
  const names = { organization: sender.name };
  return {
    title: `${problem === null ? '' : `${issue.problems.title} · `}${signature.sign} · ${sender.name}`,
    sender,
    language,
    aside: languageChoice(language, { hasProgram: false }),
    hasFields: true,
    style: STYLE,
    program: `../assets/${programFile('signature')}`,
    uploads: [new URL(upload.url).origin],
    content: html`<h1>${withNames(signature.asked, { ...names, name })}</h1>
      <p class="wrong" id="problem" role="alert" tabindex="-1">${problem}</p>
      <dl>
        ${details.map(
          ([label, value]) =>
            html`<dt>${label}</dt>
              <dd><bdi>${value}</bdi></dd>`,
        )}
      </dl>
      <section class="signed" aria-label="${signature.what}">${lines.map(lineOf)}</section>
      <h2>${signature.sign}: <bdi>${name}</bdi></h2>
      ${signatureForm(language, shown)} ${pictureForm(language, shown)}
      <p class="consent">${withNames(signature.consent, names)}</p>
      <button class="send" form="${FORM}" name="${FIELD.next}" value="sign">${signature.send}</button>`,
    ...(problem !== null && { refused: validationFailed }),
  };
};

/** Thanks for a signature. */
export const signedPage = (language: Language, sender: Sender): Page => {
  const { done } = PAGE_TEXTS[language].signature;
  return {
    title: `${done.title} · ${sender.name}`,
    sender,
    language,
    content: message(done, { organization: sender.name }),
  };
};
