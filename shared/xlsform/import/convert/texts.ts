import { cutTo } from '../../../base/text.ts';
import { namesIn } from '../../expressions/expression.ts';
import { inLanguage, MESSAGES } from '../../form/columns.ts';
import { hasOwn } from '../../form/own-columns.ts';
import type { Diagnostics } from '../diagnostics.ts';
import { REFERENCE_SHOWN } from '../read/choices.ts';
import type { Form } from '../read/form.ts';
import { textIn, translationsIn } from '../read/languages.ts';
import type { Node } from '../read/tree.ts';
import { isStartGroup } from './outcomes.ts';

/** The texts of a section, a field or a start field in one language. */
export interface Texts {
  /** The title or label; "" for none. */
  title: string;
  /** The description or help text. */
  text: string | null;
  /** What people read when their answer is refused or missing; undefined for what nobody answers. */
  messages?: Messages;
}

type Messages = Partial<Record<(typeof MESSAGES)[number], string>>;

/** The longest title or label, in characters (`Section.title`, `Field.label`). */
export const MAX_TITLE_LENGTH = 500;

/** The longest description or help text, in characters (`Section.description`, `Field.help_text`). */
const MAX_HELP_LENGTH = 5_000;

const TEXT_CUT = `the text is too long: only its first ${MAX_HELP_LENGTH} characters are imported`;

/** Replaces `%(name)s` in a text of a loop, and makes a remark on references to answers. */
const filledIn = (
  { log }: Form,
  { row, parent, filled = {} }: Node,
  column: string,
  given: string,
  language: string | null = null,
): string => {
  const text = given.replaceAll(/%\((\w+)\)s/g, (whole, name: string) => {
    const key = [inLanguage(name, language), name].find((each) => Object.hasOwn(filled, each));
    return key === undefined ? whole : filled[key]!;
  });
  if (namesIn(text).length > 0 && !hasOwn(row, 'id') && !isStartGroup(parent))
    log.lost(row, inLanguage(column, language), REFERENCE_SHOWN);
  return text;
};

/** Shortens a label that is too long; the help text then begins with the whole label. */
const fitted = (
  log: Diagnostics,
  { row }: Node,
  label: string,
  hints: readonly string[],
  language: string | null = null,
): Texts => {
  const isLong = label.length > MAX_TITLE_LENGTH;
  if (isLong)
    log.note(
      row,
      inLanguage('label', language),
      `the label is longer than ${MAX_TITLE_LENGTH} characters; the help text has all of it`,
    );
  const text = [isLong ? label : '', ...hints].filter(Boolean).join('\n\n');
  if (text.length > MAX_HELP_LENGTH) log.lost(row, inLanguage('hint', language), TEXT_CUT);
  return {
    title: isLong ? `${cutTo(label, MAX_TITLE_LENGTH - 1).trimEnd()}…` : label,
    text: cutTo(text, MAX_HELP_LENGTH) || null,
  };
};

/**
 * The texts of a row in the content's own language.
 * @param fallback the title of a row without a label
 * @param more what the help text says after the row's own hints
 */
export const textsOf = (form: Form, node: Node, fallback: string, more: readonly string[] = []): Texts => {
  const textOf = (column: string) =>
    filledIn(form, node, column, textIn(node.row, column, form.languages, form.log));
  const label = textOf('label') || fallback;
  return fitted(form.log, node, label, [textOf('hint'), textOf('guidance_hint'), ...more]);
};

/** The messages of a question in the content's own language. */
export const messagesOf = (form: Form, node: Node): Messages =>
  messagesIn(form, node, (column) => textIn(node.row, column, form.languages, form.log));

const messagesIn = (
  form: Form,
  node: Node,
  textOf: (column: string) => string,
  language: string | null = null,
): Messages =>
  Object.fromEntries(
    MESSAGES.flatMap((column) => {
      const text = filledIn(form, node, column, textOf(column), language);
      if (text.length > MAX_HELP_LENGTH) form.log.lost(node.row, inLanguage(column, language), TEXT_CUT);
      return text === '' ? [] : [[column, cutTo(text, MAX_HELP_LENGTH)]];
    }),
  );

/** The group that a loop makes for an option has the option's label. */
const loopLabel = ({ type, row, filled }: Node, language: string): string =>
  type.kind === 'begin' && row.cells.length === 0 ? (filled?.[inLanguage('label', language)] ?? '') : '';

/**
 * The texts of a row in each language that the content is translated into.
 * @param isAsked whether the row asks a question, which can have messages
 */
export const translatedTextsOf = (form: Form, node: Node, isAsked: boolean): Map<string, Texts> => {
  const { log, languages } = form;
  const labels = translationsIn(node.row, 'label', languages);
  const hints = translationsIn(node.row, 'hint', languages);
  const messages = new Map<string, Map<string, string>>(
    isAsked ? MESSAGES.map((column) => [column, translationsIn(node.row, column, languages)]) : [],
  );
  return new Map(
    [...languages.translations.values()].map((language) => {
      const label = labels.get(language) ?? loopLabel(node, language);
      return [
        language,
        {
          ...fitted(
            log,
            node,
            filledIn(form, node, 'label', label, language),
            [filledIn(form, node, 'hint', hints.get(language) ?? '', language)],
            language,
          ),
          ...(isAsked && {
            messages: messagesIn(form, node, (column) => messages.get(column)?.get(language) ?? '', language),
          }),
        },
      ];
    }),
  );
};
