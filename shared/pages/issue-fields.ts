import { html, Markup } from '../base/markup.ts';
import { MAX_LENGTH } from '../domain/issue-form/check.ts';
import { answerField, choiceField, type Entered, FIELD } from '../domain/issue-form/fields.ts';
import type { PageTexts } from '../i18n/texts/pages.ts';
import type { IssueQuestion } from '../schemas/issues/category.ts';

/** What every field of the form needs. */
export interface FieldContext {
  texts: PageTexts['issue'];
  entered: Entered;
  /** The text of the problem of a field, by its name. */
  wrong: ReadonlyMap<string, string>;
}

/** More choices than these are a list to open. */
const MAX_BUTTONS = 6;

const when = (condition: boolean | undefined, attribute: string): Markup | false =>
  condition === true && new Markup(` ${attribute}`);

const wrongId = (name: string): string => `${name}.wrong`;
const helpId = (name: string): string => `${name}.help`;

/** What a field says of its problem, and of its help, to whoever does not see them. */
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
  /** Left out where the text above says what is needed. */
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
