/** What the program says by itself. The server puts the texts into the form, in its language. */
export interface Texts {
  locale: string;
  photo: string;
  sendingPhoto: string;
  sentPhoto: string;
  failed: string;
  unreadable: string;
  tooMany: string;
  again: string;
  remove: string;
  sending: string;
  saved: string;
  later: string;
  discard: string;
  withoutPhotos: string;
}

export const textsOf = (form: HTMLFormElement): Texts => JSON.parse(form.dataset['texts']!) as Texts;

/** A text with its placeholders replaced. */
export const fill = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder));
