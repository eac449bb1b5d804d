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

/** Whether an operation that may answer either has made a file. */
export const isRepliedFile = (value: unknown): value is RepliedFile =>
  typeof value === 'object' && value !== null && 'bytes' in value && 'media_type' in value;

/** A file as an operation's logic returns it. */
export interface RepliedFile {
  bytes: Uint8Array;
  media_type: string;
  /** The name under which a browser saves the file: any text. */
  file_name: string;
}
