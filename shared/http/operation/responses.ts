import type { Page } from '../pages/page.ts';

/** Declares that an operation replies with a file instead of JSON. */
export interface FileResponse {
  kind: 'file';
  /** The possible values of `content-type`. */
  mediaTypes: readonly [string, ...string[]];
  description: string;
}

export const file = (description: string, ...mediaTypes: FileResponse['mediaTypes']): FileResponse => ({
  kind: 'file',
  mediaTypes,
  description,
});

/** A file as an operation's logic returns it. */
export interface RepliedFile {
  bytes: Uint8Array;
  media_type: string;
  /** The name under which a browser saves the file: any text. */
  file_name: string;
}

/** A list or summary in another format (`alsoAs`) as an operation's logic returns it: text that is sent as it is read. */
export interface ListedText {
  text: AsyncIterable<string>;
  media_type: string;
  /** The name under which a browser saves the file: any text. */
  file_name: string;
}

/** Declares that an operation replies with a file that a page loads. The file of a name never changes. */
export interface AssetResponse {
  kind: 'asset';
  description: string;
}

/** A file that a page loads. */
export interface Asset {
  bytes: Uint8Array;
  mediaType: string;
}

export const asset = (description: string): AssetResponse => ({ kind: 'asset', description });

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

/** Declares that an operation replies with a document that the browser shows. */
export interface ShownFileResponse {
  kind: 'shownFile';
  description: string;
}

/** Declares that an operation replies with JSON, to a program. */
export interface ProgramResponse {
  kind: 'program';
  description: string;
}

/** Declares that an operation replies with a file that the browser saves. */
export interface DownloadResponse {
  kind: 'download';
  description: string;
}

/** A file of text that the browser saves. */
export interface Download {
  text: string;
  mediaType: string;
  /** The name under which it is saved: any text. */
  fileName: string;
}

export type VisitResponse =
  | PageResponse
  | RedirectResponse
  | PictureResponse
  | DownloadResponse
  | ShownFileResponse
  | ProgramResponse;

export const page = (description: string): PageResponse => ({ kind: 'page', description });

export const redirect = (description: string): RedirectResponse => ({ kind: 'redirect', description });

export const picture = (description: string): PictureResponse => ({ kind: 'picture', description });

export const shownFile = (description: string): ShownFileResponse => ({ kind: 'shownFile', description });

export const download = (description: string): DownloadResponse => ({ kind: 'download', description });

export const forProgram = (description: string): ProgramResponse => ({ kind: 'program', description });

interface VisitValues {
  page: Page;
  redirect: { location: string };
  picture: Asset;
  download: Download;
  shownFile: Asset;
  program: { json: object };
}

/** What the logic of any page returns. */
export type VisitValue = VisitValues[keyof VisitValues];

/** What an operation's logic returns, by the response that it declares. */
export type PageValue<Response> = Response extends VisitResponse ? VisitValues[Response['kind']] : never;
