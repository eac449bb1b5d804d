import { contentDisposition } from '../../base/content-disposition.ts';
import { SAFE_HEADERS } from '../../base/safe-headers.ts';
import type { RepliedFile } from '../operation/file.ts';

/**
 * An HTML page may run no script, load nothing from elsewhere, send nothing and stand in no other page, because it shows
 * texts of customers.
 */
const PAGE_POLICY =
  "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox";

/** The headers of a reply that is a file. */
export const fileHeaders = ({
  media_type,
  file_name,
}: Pick<RepliedFile, 'media_type' | 'file_name'>): Record<string, string> => ({
  'content-type': media_type,
  'content-disposition': contentDisposition('inline', file_name),
  ...(media_type.startsWith('text/html') && {
    'content-security-policy': PAGE_POLICY,
    'referrer-policy': 'no-referrer',
  }),
  ...SAFE_HEADERS,
});
