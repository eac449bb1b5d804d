import { gzipSync } from 'node:zlib';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { publicUrl } from '../base/environment.ts';
import type { Language } from '../base/i18n/languages.ts';
import { type Session } from '../organizations/people/sessions.ts';
import * as sessions from '../organizations/people/sessions.ts';
import { newHandler } from './lambda.ts';
import { answerErrorPages } from './middlewares/answer-error-pages.ts';
import type { HttpRequest } from './middlewares/chain.ts';
import type { AdminOperation } from './operation/operation.ts';
import { type AdminPlace, placeOf } from './pages/admin-data.ts';
import { pageHeaders, pageText, type Page, PRIVATE_HEADERS } from './pages/page.ts';
import type { Reply } from './reply/reply.ts';
import { sessionToken, acceptsGzip, readerLanguage } from './request/event.ts';

/** The argument of the page's logic. */
export interface AdminVisit {
  session: Session;
  /** What the address names; undefined where it names nothing, null where there is nothing at it. */
  place: AdminPlace | undefined | null;
  /** What the browser asks for. */
  language: Language;
}

/** The session of the browser; undefined when there is none, or it has ended. */
const sessionOf = async (event: APIGatewayProxyEvent): Promise<Session | undefined> => {
  const token = sessionToken(event);
  if (token === undefined) return undefined;
  try {
    return await sessions.authenticate(token, Date.now());
  } catch (error) {
    if ((error as { status?: number }).status === 401) return undefined;
    throw error;
  }
};

const pageReply = (
  event: APIGatewayProxyEvent,
  { language, ...page }: Page & { language: Language },
  isFound: boolean,
): Reply => {
  const statusCode = isFound ? 200 : 404;
  const headers = {
    ...pageHeaders(language, page),
    ...(!isFound && { 'x-error-code': 'not_found' }),
    vary: 'Accept-Encoding, Accept-Language, Cookie',
  };
  const body = pageText(language, page);
  if (!acceptsGzip(event)) return { statusCode, headers, body };
  return {
    statusCode,
    headers: { ...headers, 'content-encoding': 'gzip' },
    body: gzipSync(body).toString('base64'),
    isBase64Encoded: true,
  };
};

/**
 * The Lambda handler of the page of the admin app. Without a session it leads to the sign-in, which leads back to the
 * place.
 */
export const createAdminHandler = (
  operation: AdminOperation,
  logic: (visit: AdminVisit) => Promise<Page & { language: Language }>,
) => {
  const run = async ({ event }: HttpRequest): Promise<Reply> => {
    const { tab, id } = event.pathParameters ?? {};
    const place = tab === undefined ? undefined : (placeOf(tab, id) ?? null);
    const session = await sessionOf(event);
    if (!session) {
      const path = place ? [place, id].filter((part) => part !== undefined).map(encodeURIComponent) : [];
      const location = publicUrl(`app/sign-in?return_to=${['/admin', ...path].join('/')}`);
      return { statusCode: 302, headers: { ...PRIVATE_HEADERS, location }, body: '' };
    }
    const page = await logic({ session, place, language: readerLanguage(event) });
    return pageReply(event, page, place !== null);
  };
  return newHandler(operation, { middlewares: [answerErrorPages()], run });
};
