import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod';
import { isToken } from '../organizations/links/links.ts';
import { newHandler } from './lambda.ts';
import { answerErrorPages } from './middlewares/answer-error-pages.ts';
import type { HttpRequest } from './middlewares/chain.ts';
import type { BrowserOperation } from './operation/operation.ts';
import { PRIVATE_HEADERS } from './pages/page.ts';
import type { Reply } from './reply/reply.ts';
import { cookie, setCookie, SIGN_IN_COOKIE } from './request/event.ts';
import { checkedQuery } from './request/validation.ts';

/** The argument of a step's logic. */
export interface SignInStep<Op extends BrowserOperation> {
  event: APIGatewayProxyEvent;
  query: Op['query'] extends z.ZodType ? z.output<Op['query']> : undefined;
  /** The query as it was sent, whatever the declaration names. */
  parameters: URLSearchParams;
}

/** Where a step sends the browser, and what the browser keeps. */
export interface NextStep {
  location: string;
  cookies: readonly string[];
}

const parametersOf = ({ multiValueQueryStringParameters: query }: APIGatewayProxyEvent): URLSearchParams =>
  new URLSearchParams(
    Object.entries(query ?? {}).flatMap(([name, values]) =>
      (values ?? []).map((value): [string, string] => [name, value]),
    ),
  );

/**
 * The Lambda handler of a step of the sign-in: its logic within the chain of middlewares. Every error is shown as a
 * page.
 *
 * errors → parse → logic → reply.
 */
export const createBrowserHandler = <const Op extends BrowserOperation>(
  operation: Op,
  logic: (step: SignInStep<Op>) => Promise<NextStep>,
) => {
  const run = async ({ event }: HttpRequest): Promise<Reply> => {
    const query = checkedQuery(operation.query, event);
    const { location, cookies } = await logic({
      event,
      query,
      parameters: parametersOf(event),
    } as SignInStep<Op>);
    return {
      statusCode: operation.success,
      headers: { ...PRIVATE_HEADERS, location },
      multiValueHeaders: { 'set-cookie': [...cookies] },
      body: '',
    };
  };
  return newHandler(operation, { middlewares: [answerErrorPages()], run });
};

/** How long somebody may take to sign in, in seconds. */
const MAX_SIGN_IN_SECONDS = 600;

/** Characters of a path to return to. */
const MAX_RETURN = 1_000;

/** The page after a sign-in, for people who came from no other page. */
const DEFAULT_RETURN = '/admin';

/**
 * A path of the service, beginning with a slash. It is appended to the service's own address, so it cannot lead to
 * another service.
 */
export const returnPath = (wanted: string | undefined): string =>
  wanted !== undefined && wanted.length <= MAX_RETURN && /^\/[\w\-./?=&%~]*$/.test(wanted)
    ? wanted
    : DEFAULT_RETURN;

const Attempt = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  returnTo: z.string(),
  invitation: z.string().optional(),
  /** Epoch milliseconds. */
  until: z.number(),
});
type Attempt = z.output<typeof Attempt>;

/**
 * The cookie of a sign-in that has begun. The browser keeps it. So an attempt needs no row, and no other browser can
 * continue it.
 */
export const attemptCookie = ({
  invitation,
  ...attempt
}: Omit<Attempt, 'until' | 'invitation'> & { invitation?: string | undefined }): string => {
  const until = Date.now() + MAX_SIGN_IN_SECONDS * 1_000;
  const value: Attempt = {
    ...attempt,
    until,
    ...(invitation && isToken(invitation, 'invite') && { invitation }),
  };
  const text = Buffer.from(JSON.stringify(value)).toString('base64url');
  return setCookie(SIGN_IN_COOKIE, text, MAX_SIGN_IN_SECONDS);
};

/** The attempt that the browser has begun; undefined when there is none, or it took too long. */
export const readAttempt = (event: APIGatewayProxyEvent): Attempt | undefined => {
  const text = Buffer.from(cookie(event, SIGN_IN_COOKIE) ?? '', 'base64url').toString();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { data } = Attempt.safeParse(value);
  return data && data.until > Date.now() ? { ...data, returnTo: returnPath(data.returnTo) } : undefined;
};

/** The cookie that ends an attempt: each is used once. */
export const endOfAttempt = (): string => setCookie(SIGN_IN_COOKIE, '', 0);
