/** What an operation replies with that answers a file rather than JSON. */
export interface FileResponse {
  kind: 'file';
  /** What the file may be, as it is told in `content-type`. */
  mediaTypes: readonly [string, ...string[]];
  description: string;
}

/** Declares a file as an operation's response. */
export const file = (description: string, ...mediaTypes: FileResponse['mediaTypes']): FileResponse => ({
  kind: 'file',
  mediaTypes,
  description,
});

/** A file as logic returns it. */
export interface RepliedFile {
  bytes: Uint8Array;
  media_type: string;
  /** Under which a browser saves it, any text. */
  file_name: string;
}

/** A page is shown but runs nothing and loads nothing: what it says is a customer's text. */
const PAGE_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; sandbox";

/** The headers of a file's reply. The name's ASCII form is for clients without RFC 8187. */
export const fileHeaders = ({ media_type, file_name }: RepliedFile): Record<string, string> => {
  const ascii = file_name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(file_name.toWellFormed()).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return {
    'content-type': media_type,
    'content-disposition': `inline; filename="${ascii}"; filename*=UTF-8''${encoded}`,
    ...(media_type.startsWith('text/html') && { 'content-security-policy': PAGE_POLICY }),
    'x-content-type-options': 'nosniff',
  };
};
