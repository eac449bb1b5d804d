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
