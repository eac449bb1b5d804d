import type { Node } from '../read/tree.ts';

/** The word for a row that its author uses. */
const kindOf = ({ type }: Node): string => {
  if (type.kind === 'begin') return type.control;
  if (type.kind !== 'question') return 'question';
  return type.type === 'calculated' ? 'calculation' : type.type === 'instruction' ? 'note' : 'question';
};

/** What happens to a row if the cell in a column, or a limit that the cell sets, is not imported. */
const meanings: Record<string, (kind: string) => string> = {
  relevant: (kind) => `this ${kind} is now always shown`,
  required: (kind) => `this ${kind} is now never required`,
  constraint: () => 'answers are now not checked by this constraint',
  min: () => 'answers now have no minimum',
  max: () => 'answers now have no maximum',
  step: () => 'answers are now not limited to steps',
  pattern: () => 'answers now need not match a pattern',
  max_length: () => 'answers may now have any length',
  choice_filter: () => 'all options are now always offered',
  calculation: (kind) =>
    kind === 'calculation' ? 'this calculation was left out' : `this ${kind} is now not calculated`,
  default: (kind) =>
    kind === 'calculation' ? 'this calculation was left out' : `this ${kind} now begins without an answer`,
  type: (kind) => `this ${kind} was left out`,
};

/**
 * The remark on a cell that is not imported: what that means for the form, and why.
 * @param what the column of the cell, or the limit that it sets
 */
export const notImported = (node: Node, what: string, reason: string): string => {
  const meaning = meanings[what]?.(kindOf(node)) ?? 'not imported';
  return `${meaning}: ${reason}`;
};

const ID = /\{([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|[a-z][a-z\d_]*)\}/g;

/**
 * The message of a problem of a content in the words of its form, which refers to answers by names.
 * @param nameOf the name of a row by the id or key that it has in the content
 */
export const inWordsOfForm = (message: string, nameOf: (id: string) => string | undefined): string =>
  message.replace(/^Value error, /, '').replaceAll(ID, (whole, id: string) => {
    const name = nameOf(id);
    return name === undefined ? whole : `\${${name}}`;
  });
