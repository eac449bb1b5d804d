import { cellText } from '../form/sheets.ts';

/**
 * A text as a cell can hold it. pyxform replaces `${name}` by an answer and refuses a form in which there is no such
 * name, so every other `${` gets a space.
 * @param nameOf the name in the form for what a `${…}` of the text refers to; undefined for an ordinary text
 */
export const shownText = (text: string, nameOf: (reference: string) => string | undefined): string =>
  cellText(text).replaceAll(/\$\{(?:([^{}]*)\})?/g, (whole, reference: string | undefined) => {
    const name = reference === undefined ? undefined : nameOf(reference);
    return name === undefined ? whole.replace('${', '$ {') : `\${${name}}`;
  });

/** A text as it is compared with that of a cell, which `shownText` may have written. */
export const comparableText = (text: string): string => cellText(text).replaceAll('$ {', '${');
