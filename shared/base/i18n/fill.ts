import { own } from '../fields.ts';

/**
 * A text with its placeholders `{name}` replaced. What replaces them may be of any type, such as markup.
 * @returns the parts in their order: texts, and the values
 */
export const filledParts = <Value>(
  text: string,
  values: Readonly<Record<string, Value>>,
): (string | Value)[] =>
  text
    .split(/\{(\w+)\}/)
    .map((part, position) => (position % 2 === 0 ? part : (own(values, part) ?? `{${part}}`)));
