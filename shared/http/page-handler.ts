import type * as z from 'zod';
import type { Caller } from '../base/caller.ts';
import type { LinkTargets } from '../db/table/entities.ts';
import type { Language } from '../i18n/languages.ts';
import { pageHeaders, PRIVATE_HEADERS, pageText, type Page } from '../pages/page.ts';
import { newHandler } from './lambda.ts';
import { answerErrorPages } from './middlewares/answer-error-pages.ts';
import type { HttpRequest } from './middlewares/chain.ts';
import { fitReply } from './middlewares/fit-reply.ts';
import { openLink } from './middlewares/open-link.ts';
import { readVisit } from './middlewares/read-visit.ts';
import type { ParsedBody, PublicOperation } from './operation/operation.ts';
import type { PageValue, VisitValue } from './operation/page.ts';
import { json, type Reply } from './reply/reply.ts';
import { readerLanguage } from './request/headers.ts';

/** The argument of a page's logic. */
export interface Visit<Op extends PublicOperation> {
  /** A caller of the organization whose link it is: its rows are all that can be reached from here on. */
  caller: Caller;
  /** What the link leads to. */
  target: LinkTargets[Op['link']];
  /** The visitor's IP address. It is not stored. */
  address: string;
  /** The token of the link. Relative links of a page repeat it. */
  token: string;
  query: Op['query'] extends z.ZodType ? z.output<Op['query']> : undefined;
  body: ParsedBody<Op['body']>;
  language: Language;
}

const pageReply = (status: number, language: Language, page: Page): Reply => ({
  statusCode: page.refused?.status ?? status,
  headers: {
    ...pageHeaders(page.language ?? language, page),
    ...(page.refused && { 'x-error-code': page.refused.code }),
  },
  body: pageText(page.language ?? language, page),
});

const replyOf = (status: number, language: Language, value: VisitValue): Reply => {
  if ('location' in value)
    return { statusCode: status, headers: { ...PRIVATE_HEADERS, location: value.location }, body: '' };
  if ('bytes' in value)
    return {
      statusCode: status,
      headers: { ...PRIVATE_HEADERS, 'content-type': value.mediaType },
      body: Buffer.from(value.bytes).toString('base64'),
      isBase64Encoded: true,
    };
  if ('json' in value) return json(status, JSON.stringify(value.json), PRIVATE_HEADERS);
  return pageReply(status, language, value);
};

/**
 * The Lambda handler of a page that is opened by a link: its logic within the chain of middlewares.
 *
 * errors → count the visit and follow the link → parse → logic → reply → fit.
 */
export const createPageHandler = <const Op extends PublicOperation>(
  operation: Op,
  logic: (visit: Visit<Op>) => Promise<PageValue<Op['response']>>,
) => {
  const run = async ({ event, internal }: HttpRequest): Promise<Reply> => {
    const { caller, target, token } = internal.visit!;
    const { query, form } = internal.visited!;
    const language = readerLanguage(event);
    const address = event.requestContext.identity.sourceIp;
    const visit = { caller, target, token, address, query, body: form, language };
    return replyOf(operation.success, language, await logic(visit as unknown as Visit<Op>));
  };
  return newHandler(operation, {
    middlewares: [answerErrorPages(), fitReply(), openLink(operation), readVisit(operation)],
    run,
  });
};
