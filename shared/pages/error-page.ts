import type { Language } from '../i18n/languages.ts';
import { pageTexts } from '../i18n/pages.ts';
import type { Page } from './page.ts';
import { message } from './texts.ts';

/** Which text belongs to a status. A link that is not known and one that has ended have the same. */
const kindOf = (status: number) => {
  if (status === 404) return 'notFound';
  if (status === 429) return 'tooMany';
  return status < 500 ? 'unreadable' : 'unavailable';
};

/** What a reader is told of a failure: nothing about the link, its organization or the reason. */
export const errorPage = (language: Language, status: number): Page => {
  const text = pageTexts(language).errors[kindOf(status)];
  return { title: text.title, content: message(text) };
};
