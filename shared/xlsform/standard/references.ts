import { cellText } from '../form/sheets.ts';

/**
 * A text as a cell can hold it. pyxform replaces `${name}` by an answer and refuses a form in which there is no such
 * name, so every other `${` gets a space.
 * @param names the names that the text may refer to
 */
export const shownText = (text: string, names: ReadonlySet<string>): string =>
  cellText(text).replaceAll(/\$\{(?:([^{}]*)\})?/g, (whole, name: string | undefined) =>
    name !== undefined && names.has(name) ? whole : whole.replace('${', '$ {'),
  );

/** A text as it is compared with that of a cell, which `shownText` may have written. */
export const comparableText = (text: string): string => cellText(text).replaceAll('$ {', '${');
