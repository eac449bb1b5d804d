import type { Page } from '../../pages/page.ts';
import type { Asset } from './asset.ts';

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

/** Declares that an operation replies with a picture. */
export interface PictureResponse {
  kind: 'picture';
  description: string;
}

/** Declares that an operation replies with JSON, to the program of a page. */
export interface ProgramResponse {
  kind: 'program';
  description: string;
}

export type VisitResponse = PageResponse | RedirectResponse | PictureResponse | ProgramResponse;

export const page = (description: string): PageResponse => ({ kind: 'page', description });

export const redirect = (description: string): RedirectResponse => ({ kind: 'redirect', description });

export const picture = (description: string): PictureResponse => ({ kind: 'picture', description });

export const forProgram = (description: string): ProgramResponse => ({ kind: 'program', description });

interface Values {
  page: Page;
  redirect: { location: string };
  picture: Asset;
  program: { json: object };
}

/** What the logic of any page returns. */
export type VisitValue = Values[keyof Values];

/** What an operation's logic returns, by the response that it declares. */
export type PageValue<Response> = Response extends VisitResponse ? Values[Response['kind']] : never;
