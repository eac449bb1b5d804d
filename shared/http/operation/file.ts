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

/** A list in another format (`alsoAs`) as an operation's logic returns it: text that is sent as it is read. */
export interface ListedText {
  text: AsyncIterable<string>;
  media_type: string;
  /** The name under which a browser saves the file: any text. */
  file_name: string;
}
