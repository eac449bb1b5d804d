import { html, Markup } from '../base/markup.ts';
import { FIELD } from '../domain/issue-form/fields.ts';
import { type Language, LANGUAGES } from '../i18n/languages.ts';
import { PAGE_TEXTS } from '../i18n/texts/pages.ts';
import { languageName } from './formats.ts';

/** The id of a page's form, which the choice of a language belongs to as well. */
export const FORM = 'report';

/**
 * The choice of a page's language. It sends the form, so that nothing that was entered is lost.
 * @param hasProgram whether the page's program does so; its button is for browsers without one then
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
