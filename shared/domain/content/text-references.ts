import type { Operand } from './formula/parse.ts';

/** A reference to an answer within a text: `${id}` of a field, `${key}` of a start field. Anything else is text. */
const REFERENCE = /\$\{([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|[a-z][a-z0-9_]*)\}/g;

/** The text for a missing answer. */
export const MISSING = '…';

const operandOf = (name: string): Operand => (name.includes('-') ? { field_id: name } : { start_key: name });

/** The answers that a text refers to. A start field may not exist: its key is then an ordinary text. */
export const referencesIn = (text: string): Operand[] =>
  [...text.matchAll(REFERENCE)].map(([, name = '']) => operandOf(name));

/** Replaces the references in a text. @param shown the text for an operand; undefined keeps the reference as it is */
export const replaceReferences = (text: string, shown: (operand: Operand) => string | undefined): string =>
  text.includes('${')
    ? text.replaceAll(REFERENCE, (whole, name: string) => shown(operandOf(name)) ?? whole)
    : text;

/** A name in braces, and the text after its colon if it has one. */
const IN_BRACES = /\{([A-Za-z_]+)(?::([^{}]*))?\}/g;

/** The value of a placeholder in the text of a finding. */
type Placeholder = 'instance' | { field_id: string };

const placeholderOf = (name: string, argument: string | undefined): Placeholder | undefined => {
  if (name === 'instance' && argument === undefined) return 'instance';
  return name === 'field' && argument ? { field_id: argument.toLowerCase() } : undefined;
};

/**
 * The names in braces in the text of a finding, as they are written. The placeholder of an unknown name is undefined.
 */
export const placeholdersIn = (text: string): { written: string; placeholder: Placeholder | undefined }[] =>
  [...text.matchAll(IN_BRACES)].map(([written, name = '', argument]) => ({
    written,
    placeholder: placeholderOf(name, argument),
  }));

/** Replaces `{instance}` and `{field:<id>}` in the text of a finding. Other names in braces stay as they are. */
export const replacePlaceholders = (text: string, shown: (placeholder: Placeholder) => string): string =>
  text.replaceAll(IN_BRACES, (written: string, name: string, argument: string | undefined) => {
    const placeholder = placeholderOf(name, argument);
    return placeholder ? shown(placeholder) : written;
  });
