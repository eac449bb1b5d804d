import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod';
import { type Caller, visitorOf } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { contentDisposition } from '../base/headers.ts';
import type { Language } from '../base/i18n/languages.ts';
import { followLink, isToken } from '../organizations/links/links.ts';
import { countVisit, isBeyondLimits } from '../organizations/links/visits.ts';
import { linkOwner } from '../organizations/suspension.ts';
import type { LinkTargets } from '../table/entities/organization.ts';
import { fitReply, newHandler } from './lambda.ts';
import { answerErrorPages } from './middlewares/answer-error-pages.ts';
import type { HttpRequest, Middleware } from './middlewares/chain.ts';
import type { WebForm } from './operation/forms.ts';
import type { ParsedBody, PublicOperation } from './operation/operation.ts';
import type { PageValue, VisitValue } from './operation/responses.ts';
import { type Page, pageHeaders, pageText, PRIVATE_HEADERS } from './pages/page.ts';
import { json, type Reply } from './reply/reply.ts';
import { bytesOf, header, readerLanguage } from './request/event.ts';
import { unstorable } from './request/storable.ts';
import { type Validated, validated } from './request/validation.ts';

/** The argument of a page's logic. */
export interface Visit<Op extends PublicOperation> {
  /** A visitor of the organization that made the link. Only rows of this organization can be reached. */
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
  if ('text' in value)
    return {
      statusCode: status,
      headers: {
        ...PRIVATE_HEADERS,
        'content-type': value.mediaType,
        'content-disposition': contentDisposition('attachment', value.fileName),
      },
      body: value.text,
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

/**
 * Counts the visit and follows the link: 429, then 404, then 403 for a suspended organization. A link that was never
 * made, one whose token has ended and one for something else look the same, and so do their limits. From here on, the
 * caller is a visitor of the link's organization. Whoever has a token of it may know its name, also when what the link
 * leads to is not there any more, because a printed link outlives its page.
 */
const openLink = ({ id, link: purpose, visits }: PublicOperation): Middleware => ({
  before: async ({ event, internal }) => {
    const token = event.pathParameters?.['token'] ?? '';
    // A text that cannot be a token is refused without any call.
    if (!isToken(token, purpose)) throw errors.notFound('link');
    const { sourceIp } = event.requestContext.identity;
    const visit = { token, address: sourceIp };
    const now = Date.now();
    if (isBeyondLimits(id, visit, visits, now)) throw errors.tooManyVisits();
    const [isAllowed, link] = await Promise.allSettled([
      countVisit(id, visit, visits, now),
      followLink(token, purpose),
    ]);
    if (isAllowed.status === 'rejected') throw isAllowed.reason;
    if (!isAllowed.value) throw errors.tooManyVisits();
    if (link.status === 'rejected') throw link.reason;
    const { org_id, target } = link.value;
    const caller = visitorOf(org_id);
    const owner = await linkOwner(caller);
    if (owner?.isSuspended) throw errors.organizationSuspended();
    // The code of a certificate is printed for everybody to see. It must not tell whose another number would be.
    const organization = purpose === 'verify' ? undefined : owner?.name;
    internal.visit = { token, target, caller, organization };
  },
});

const NOTHING = z.object({});

/** @throws ApiError 400 when the form cannot be read */
const formOf = (form: WebForm | undefined, event: APIGatewayProxyEvent): Validated<unknown> => {
  if (!form) return { data: undefined };
  const bytes = bytesOf(event);
  if (bytes.length > form.maxBytes) throw errors.bodyTooLarge(form.maxBytes);
  const { fields, problems } = form.read(header(event, 'content-type') ?? '', bytes);
  const found = [...problems, ...unstorable(fields)];
  return found.length > 0 ? { problems: found } : validated('body', form.fields, fields, true);
};

/**
 * Checks what was sent to a page against its declaration. A query may have more than the page declares: programs that
 * forward a link add to it.
 * @throws ApiError 400 or 422
 */
const readVisit = ({ body, query = NOTHING }: PublicOperation): Middleware => ({
  before: ({ event, internal }) => {
    const parts = [
      validated('query', query, event.queryStringParameters ?? {}),
      formOf(body, event),
    ] as const;
    const problems = parts.flatMap((part) => ('problems' in part ? part.problems : []));
    if (problems.length > 0) throw errors.validationFailed(problems);
    const [asked, form] = parts.map((part) => ('data' in part ? part.data : undefined));
    internal.visited = { query: asked, form };
  },
});
