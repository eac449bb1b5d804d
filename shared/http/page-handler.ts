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
import type { PageValue } from './operation/page.ts';
import type { Reply } from './reply/reply.ts';
import { readerLanguage } from './request/headers.ts';

/** The argument of a page's logic. */
export interface Visit<Op extends PublicOperation> {
  /** A caller of the organization whose link it is: its rows are all that can be reached from here on. */
  caller: Caller;
  /** What the link leads to. */
  target: LinkTargets[Op['link']];
  /** The token of the link. Relative links of a page repeat it. */
  token: string;
  query: Op['query'] extends z.ZodType ? z.output<Op['query']> : undefined;
  body: ParsedBody<Op['body']>;
  language: Language;
}

const replyOf = (status: number, language: Language, value: Page | { location: string }): Reply =>
  'location' in value
    ? { statusCode: status, headers: { ...PRIVATE_HEADERS, location: value.location }, body: '' }
    : { statusCode: status, headers: pageHeaders(language, value), body: pageText(language, value) };

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
    const visit = { caller, target, token, query, body: form, language };
    return replyOf(operation.success, language, await logic(visit as unknown as Visit<Op>));
  };
  return newHandler(operation, {
    middlewares: [answerErrorPages(), fitReply(), openLink(operation), readVisit(operation)],
    run,
  });
};
