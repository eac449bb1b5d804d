import { html, type Markup } from '../base/markup.ts';
import { filledParts } from '../i18n/fill.ts';
import { fill } from '../i18n/plural.ts';

/** What stands for the placeholders of a text: names and addresses of any script and direction. */
export type Names = Readonly<Record<string, string>>;

/** A text with names in it as plain text, for the title of a window. */
export const plain = (text: string, names: Names): string => fill(text, names);

/** A text with names in it, each apart from the direction of the text around it (HTML, `bdi`). */
export const withNames = (text: string, names: Names): Markup => {
  const isolated = Object.entries(names).map(([name, value]) => [name, html`<bdi>${value}</bdi>`]);
  return html`${filledParts<Markup>(text, Object.fromEntries(isolated))}`;
};

/** A heading and a paragraph. */
export const message = ({ title, text }: { title: string; text: string }, names: Names = {}): Markup =>
  html`<h1>${withNames(title, names)}</h1>
    <p>${withNames(text, names)}</p>`;
