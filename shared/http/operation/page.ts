import type { Page } from '../../pages/page.ts';

/** Declares that an operation replies with a page for people (`text/html`), in the reader's language. */
export interface PageResponse {
  kind: 'page';
  description: string;
}

/** Declares that an operation replies with the address of something else. */
export interface RedirectResponse {
  kind: 'redirect';
  description: string;
}

export const page = (description: string): PageResponse => ({ kind: 'page', description });

export const redirect = (description: string): RedirectResponse => ({ kind: 'redirect', description });

/** What an operation's logic returns, by the response that it declares. */
export type PageValue<Response> = Response extends PageResponse ? Page : { location: string };
