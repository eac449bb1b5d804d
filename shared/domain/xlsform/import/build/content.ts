import { Content, FormId, Scoring, Translations } from '../../../../schemas/templates/content.ts';
import { ownColumn } from '../../form/columns.ts';
import { hasOwn, takeOwn } from '../../form/own-columns.ts';
import type { ConvertedForm } from '../convert/convert.ts';
import { FormError } from '../diagnostics.ts';
import { buildResponseSets } from './response-sets.ts';
import { arrange } from './sections.ts';
import { buildTranslations, withdraw } from './translations.ts';

/** A form whose content is built. */
export interface BuiltForm extends ConvertedForm {
  content: Content;
  /** The names of the lists by the ids of their response sets. */
  listNames: ReadonlyMap<string, string>;
}

interface Schema<Value> {
  safeParse: (value: unknown) => {
    data?: Value | undefined;
    error?: { issues: readonly { message: string }[] } | undefined;
  };
}

/** The value in one of this service's own columns of the settings; undefined, with a problem, for an invalid one. */
const ownSetting = <Value>(
  { settingsRow, log }: ConvertedForm,
  name: string,
  schema: Schema<Value>,
): Value | undefined => {
  if (!settingsRow || !hasOwn(settingsRow, name)) return undefined;
  const { data, error } = schema.safeParse(takeOwn(settingsRow, name));
  if (error) log.problem(settingsRow, ownColumn(name), error.issues[0]!.message);
  return data;
};

/** The form's id, for the content to keep. */
const formIdOf = ({ id, settingsRow, log }: ConvertedForm): Pick<Content, 'form_id'> => {
  const { data } = FormId.safeParse(id);
  if (id !== '' && data === undefined && settingsRow)
    log.lost(
      settingsRow,
      'form_id',
      'an export will have another form_id, because this one is too long or has characters that a form_id cannot have',
    );
  return data === undefined ? {} : { form_id: data };
};

/**
 * Checks a content.
 * @throws FormError with what is wrong
 */
const checked = (content: Content): Content => {
  const { data, error } = Content.safeParse(content);
  if (data) return data;
  throw new FormError(
    error.issues.map(({ path, message }) => ({
      sheet: 'survey',
      row: null,
      column: null,
      message: [...path.map(String), message.replace(/^Value error, /, '')].join(': '),
      type: 'value_error' as const,
    })),
  );
};

/**
 * Builds the content of a form.
 * @throws FormError with all problems of the form
 */
export const buildContent = (form: ConvertedForm): BuiltForm => {
  const { start, sections, sources, translations } = arrange(form);
  const { sets, listNames, listed } = buildResponseSets(form);
  const parts = { start: { fields: start }, sections, response_sets: sets };
  const scoring = ownSetting(form, 'scoring', Scoring) ?? Scoring.parse({});
  const originals = ownSetting(form, 'translations', Translations) ?? [];
  const content: Content = {
    schema_version: 1,
    ...parts,
    scoring,
    language: form.languages.ownName,
    translations: buildTranslations(
      parts,
      { parts: translations, listed },
      form.languages.translations.values(),
      originals,
    ),
    ...formIdOf(form),
  };
  form.log.throwProblems();
  // A form that this service wrote may be a draft that cannot be published yet. It is imported unchanged.
  if (!form.isOwn) withdraw(content, sources, form.log);
  return { ...form, content: checked(content), listNames };
};
