/**
 * A `Content-Disposition` header with a file name (RFC 6266): in plain ASCII for old browsers, and in full as RFC 8187
 * encodes it.
 */
export const contentDisposition = (disposition: 'attachment' | 'inline', fileName: string): string => {
  const ascii = fileName.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(fileName.toWellFormed()).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${disposition}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
};
