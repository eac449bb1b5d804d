/** Markup that is put into a page without escaping. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type MarkupValue = string | number | Markup | false | null | undefined | readonly MarkupValue[];

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Control characters except tab and line feed, which a page must not contain, not even as entities. */
const FORBIDDEN = /[^\t\n\P{Cc}]/gu;

const escape = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(FORBIDDEN, '\ufffd')
    .replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign]!);

const textOf = (part: MarkupValue): string => {
  if (typeof part === 'string' || typeof part === 'number') return escape(String(part));
  if (part instanceof Markup) return part.text;
  return part ? part.map(textOf).join('') : '';
};

const known = new WeakMap<TemplateStringsArray, string[]>();

/** A template without the line breaks and the indentation of its source code. */
const unindented = (strings: TemplateStringsArray): string[] => {
  const found =
    known.get(strings) ??
    strings.map((string) =>
      string
        .replace(/^\s*\n\s*$/, '')
        .replaceAll(/>\s*\n\s*/g, '>')
        .replaceAll(/\s*\n\s*</g, '<')
        .replaceAll(/\s*\n\s*/g, ' '),
    );
  known.set(strings, found);
  return found;
};

/**
 * Makes markup from a template literal. Values are escaped for an element's text and for a quoted attribute. Markup is
 * not escaped, lists are joined, and false, null and undefined are left out.
 */
export const html = (strings: TemplateStringsArray, ...parts: MarkupValue[]): Markup =>
  new Markup(unindented(strings).reduce((text, string, i) => text + textOf(parts[i - 1]) + string));
