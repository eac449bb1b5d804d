import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod';
import { isToken } from '../../db/links/links.ts';
import { cookie, setCookie, SIGN_IN_COOKIE } from './cookies.ts';

/** How long somebody may take to sign in, in seconds. */
const MAX_SIGN_IN_SECONDS = 600;

/** Characters of a path to return to. */
const MAX_RETURN = 1_000;

/** Where people go who have signed in, unless they came from elsewhere. */
const DEFAULT_RETURN = '/admin';

/**
 * A path of the service, beginning with a slash. It is put behind the service's own address, so that it can lead to no
 * other one.
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
 * The cookie of a sign-in that has begun. It stays in the browser, so that an attempt costs no row, and nobody can go on
 * with it elsewhere.
 */
export const attemptCookie = ({
  invitation,
  ...attempt
}: Omit<Attempt, 'until' | 'invitation'> & { invitation?: string | undefined }): string => {
  const until = Date.now() + MAX_SIGN_IN_SECONDS * 1_000;
  const value: Attempt = { ...attempt, until, ...(invitation && isToken(invitation) && { invitation }) };
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
