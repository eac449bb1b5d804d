import type { APIGatewayProxyEvent } from 'aws-lambda';
import { wholeHeader } from './headers.ts';

/*
 * The prefix has browsers refuse the cookie unless it is secure, of this host alone, and for all its paths (RFC 6265bis,
 * section 4.1.3.2): no other host of the domain can set it. Browsers take http://localhost for secure.
 */

/** The cookie of a session. */
export const SESSION_COOKIE = '__Host-session';

/** The cookie of a sign-in that is under way. */
export const SIGN_IN_COOKIE = '__Host-sign-in';

type CookieName = typeof SESSION_COOKIE | typeof SIGN_IN_COOKIE;

/** The value of a cookie; undefined when the request has none. */
export const cookie = (event: APIGatewayProxyEvent, name: CookieName): string | undefined =>
  // Several headers are one list here, in which cookies are apart by commas; no value of ours has one.
  (wholeHeader(event, 'cookie') ?? '')
    .split(/[;,]/)
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);

/** The token of the session of a request. */
export const sessionToken = (event: APIGatewayProxyEvent): string | undefined =>
  cookie(event, SESSION_COOKIE);

/**
 * A cookie that no script reads, and that no foreign page sends along with a change (`SameSite`).
 * @param seconds how long the browser keeps it; 0 deletes it
 */
export const setCookie = (name: CookieName, value: string, seconds: number): string =>
  `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; Secure; SameSite=Lax`;
