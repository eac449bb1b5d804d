/**
 * Headers of every reply, the gateway's own included: no browser takes it for another type than its own (Fetch, section
 * "X-Content-Type-Options"), nothing on its way keeps a copy of a customer's data (RFC 9111, section 5.2.2.5), and no
 * client that keeps to it asks again without TLS (RFC 6797).
 */
export const SAFE_HEADERS = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
} as const;

/** How to authenticate by a key (RFC 6750, section 3): the value of `WWW-Authenticate`. */
export const KEY_CHALLENGE = 'Bearer realm="v1"';

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
