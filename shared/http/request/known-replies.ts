import type { APIGatewayProxyEvent } from 'aws-lambda';
import { wholeHeader } from './headers.ts';
import type { Validated } from './validation.ts';

/** The replies that the client has: the entity tags in `If-None-Match` without quotes, or `*` for any reply. */
export type KnownReplies = readonly string[] | '*';

// RFC 9110, sections 5.6.1 and 8.8.3. A number without quotes is accepted, as it is in `If-Match`.
const TAG = String.raw`(?:W/)?"[!#-~\x80-\xff]*"|\d+`;
const TAGS = new RegExp(String.raw`^[\t ,]*(?:${TAG})(?:[\t ]*,[\t ,]*(?:${TAG}))*[\t ,]*$`);
const EACH_TAG = new RegExp(TAG, 'g');

/**
 * The replies that the client has, from `If-None-Match`; undefined when it names none. Whether a tag is weak does not
 * matter (RFC 9110, section 13.1.2). A problem when the header is malformed.
 */
export const knownRepliesOf = (event: APIGatewayProxyEvent): Validated<KnownReplies | undefined> => {
  const text = wholeHeader(event, 'if-none-match')?.trim();
  if (text === undefined || text === '*') return { data: text };
  if (!TAGS.test(text)) {
    const msg = 'Value error, If-None-Match should be * or a list of quoted entity tags';
    return { problems: [{ loc: ['header', 'if-none-match'], type: 'value_error', msg }] };
  }
  return { data: text.match(EACH_TAG)!.map((tag) => tag.replaceAll(/^W\/|"/g, '')) };
};
