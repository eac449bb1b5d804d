import { cutTo } from '../../../../base/text.ts';
import { NAMED, namesIn } from '../../expressions/expression.ts';
import { inLanguage, MESSAGES } from '../../form/columns.ts';
import { hasOwn } from '../../form/own-columns.ts';
import type { Diagnostics } from '../diagnostics.ts';
import { REFERENCE_SHOWN } from '../read/choices.ts';
import { textIn, translationsIn } from '../read/languages.ts';
import type { Node } from '../read/tree.ts';
import { faultOf, NotSupported, type CellPosition } from './not-supported.ts';
import { type Conversion, isStartGroup, placeOf, targetOf } from './outcomes.ts';

/** The texts of a section, a field or a start field in one language. */
export interface Texts {
  /** The title or label; "" for none. */
  title: string;
  /** The description or help text. */
  text: string | null;
  /** The messages for an answer that is refused or missing; undefined for a part that nobody answers. */
  messages?: Messages;
}

type Messages = Partial<Record<(typeof MESSAGES)[number], string>>;

/** The longest title or label, in characters (`Section.title`, `Field.label`). */
export const MAX_TITLE_LENGTH = 500;

/** The longest description or help text, in characters (`Section.description`, `Field.help_text`). */
const MAX_HELP_LENGTH = 5_000;

const TEXT_CUT = `the text is too long: only its first ${MAX_HELP_LENGTH} characters are imported`;

/** The position from which a text refers to answers. The texts of a repeat refer to answers of the same instance. */
const textPlace = (conversion: Conversion, node: Node, column: string): CellPosition =>
  node.type.kind === 'begin' ? { node, column, within: node } : placeOf(conversion, node, column);

/**
 * Replaces each `${name}` of a text by a reference of the content. A name without one stays as it is and gets a remark.
 */
const referring = (
  conversion: Conversion,
  node: Node,
  column: string,
  text: string,
  header: string,
): string => {
  const { log } = conversion;
  if (namesIn(text).length === 0) return text;
  const lost: string[] = [];
  const found = text.replaceAll(NAMED, (whole, name: string) => {
    let reference: string | undefined;
    const why = faultOf(() => {
      const target = targetOf(conversion, textPlace(conversion, node, column), name);
      reference = 'field_id' in target.reference ? target.reference.field_id : target.reference.start_key;
      // A form that this service wrote may be a draft, which may refer to anything.
      if (conversion.isOwn) return;
      if (!target.isOnce) throw new NotSupported(`"${name}" has an answer for each repetition`);
      if (target.type === 'instruction') throw new NotSupported(`"${name}" has no answer`);
    });
    if (why !== undefined) lost.push(why);
    return why !== undefined || reference === undefined ? whole : `\${${reference}}`;
  });
  if (lost.length > 0 && !hasOwn(node.row, 'id') && !isStartGroup(node.parent))
    log.lost(node.row, header, `${REFERENCE_SHOWN} (${[...new Set(lost)].join('; ')})`);
  return found;
};

/** Replaces `%(name)s` in a text of a loop, and the names of answers by references. */
const filledIn = (
  conversion: Conversion,
  node: Node,
  column: string,
  given: string,
  language: string | null = null,
): string => {
  const { filled = {} } = node;
  const text = given.replaceAll(/%\((\w+)\)s/g, (whole, name: string) => {
    const key = [inLanguage(name, language), name].find((each) => Object.hasOwn(filled, each));
    return key === undefined ? whole : filled[key]!;
  });
  return referring(conversion, node, column, text, inLanguage(column, language));
};

/** The beginning of a text, without a reference that would be cut in two. */
const beginningOf = (text: string, length: number): string =>
  text.length <= length ? text : cutTo(text, length).replace(/\$(?:\{[^{}]*)?$/, '');

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
    title: isLong ? `${beginningOf(label, MAX_TITLE_LENGTH - 1).trimEnd()}…` : label,
    text: beginningOf(text, MAX_HELP_LENGTH) || null,
  };
};

/**
 * The texts of a row in the content's own language.
 * @param fallback the title of a row without a label
 * @param more texts that follow the row's own hints in the help text
 */
export const textsOf = (
  form: Conversion,
  node: Node,
  fallback: string,
  more: readonly string[] = [],
): Texts => {
  const textOf = (column: string) =>
    filledIn(form, node, column, textIn(node.row, column, form.languages, form.log));
  const label = textOf('label') || fallback;
  return fitted(form.log, node, label, [textOf('hint'), textOf('guidance_hint'), ...more]);
};

/** The messages of a question in the content's own language. */
export const messagesOf = (form: Conversion, node: Node): Messages =>
  messagesIn(form, node, (column) => textIn(node.row, column, form.languages, form.log));

const messagesIn = (
  form: Conversion,
  node: Node,
  textOf: (column: string) => string,
  language: string | null = null,
): Messages =>
  Object.fromEntries(
    MESSAGES.flatMap((column) => {
      const text = filledIn(form, node, column, textOf(column), language);
      if (text.length > MAX_HELP_LENGTH) form.log.lost(node.row, inLanguage(column, language), TEXT_CUT);
      return text === '' ? [] : [[column, beginningOf(text, MAX_HELP_LENGTH)]];
    }),
  );

/** The label of the group that a loop makes for an option: the option's label. "" for any other row. */
const loopLabel = ({ type, row, filled }: Node, language: string): string =>
  type.kind === 'begin' && row.cells.length === 0 ? (filled?.[inLanguage('label', language)] ?? '') : '';

/**
 * The texts of a row in each language that the content is translated into.
 * @param isAsked whether the row asks a question, which can have messages
 */
export const translatedTextsOf = (form: Conversion, node: Node, isAsked: boolean): Map<string, Texts> => {
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
