import * as oauth from 'oauth4webapi';
import { environment, optionalEnvironment, publicUrl } from '../base/environment.ts';
import * as errors from '../base/errors.ts';
import { logLine } from '../base/log.ts';
import { currentRequest } from '../base/request.ts';
import type { Identity } from '../organizations/people/sessions.ts';

/*
 * Signing in by OpenID Connect's code flow, with PKCE, state and nonce (OpenID Connect Core, section 3.1; RFC 9700).
 * The browser sees no token. The service reads the ID token once and stores no token: a session needs none, and a token
 * that is not stored cannot be stolen.
 */

/** How long one call may take, in milliseconds. */
const MAX_CALL_MS = 5_000;

/** Bytes of an answer at most. Metadata, keys and tokens have a few thousand. */
const MAX_ANSWER_BYTES = 512 * 1_024;

/** How long the provider's metadata are used, in milliseconds. */
const METADATA_MS = 3_600_000;

/** How far the provider's clock may differ from ours, in seconds. */
const MAX_CLOCK_SKEW = 60;

/** The claims of a person that the service needs. */
const SCOPE = 'openid email profile';

const bodyOf = async (response: Response): Promise<Uint8Array<ArrayBuffer>> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error('the identity provider sent too many bytes');
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
};

/** One call that ends in time, follows no redirect, and takes only a small answer. */
const limitedFetch = async (url: string, options: RequestInit): Promise<Response> => {
  const { deadline = Infinity } = currentRequest() ?? {};
  const limit = Math.max(1, Math.min(MAX_CALL_MS, deadline - performance.now()));
  const response = await fetch(url, {
    ...options,
    redirect: 'error',
    signal: AbortSignal.timeout(limit),
  });
  const { status, headers } = response;
  return new Response(await bodyOf(response), { status, headers });
};

const issuer = () => new URL(environment('OIDC_ISSUER'));

/** Only the operator sets the issuer. A call goes without TLS only if the issuer's address says so, as on a laptop. */
const connection = () => ({
  [oauth.customFetch]: limitedFetch as never,
  [oauth.allowInsecureRequests]: issuer().protocol === 'http:',
});

const client = (): oauth.Client => ({
  client_id: environment('OIDC_CLIENT_ID'),
  [oauth.clockTolerance]: MAX_CLOCK_SKEW,
});

/** The address to which the provider sends the browser back. The provider must know it. */
const redirectUri = (): string => publicUrl('app', 'sign-in', 'callback');

/** Where the provider sends the browser after it has signed out there. */
const signedOutUri = (): string => publicUrl('app', 'sign-in');

interface Metadata {
  server: oauth.AuthorizationServer;
  issuer: string;
  /** How long they are used, in epoch milliseconds. */
  until: number;
  keys: oauth.JWKSCacheInput;
}

let known: Metadata | undefined;

/** The provider's metadata, and the cache of its keys, which a warm function keeps. @throws ApiError 503 */
const discover = async (): Promise<Metadata> => {
  const { href } = issuer();
  if (known && known.issuer === href && known.until > Date.now()) return known;
  const server = await reached(async () => {
    const response = await oauth.discoveryRequest(issuer(), { ...connection(), algorithm: 'oidc' });
    return oauth.processDiscoveryResponse(issuer(), response);
  });
  known = { server, issuer: href, until: Date.now() + METADATA_MS, keys: {} };
  return known;
};

/** @throws ApiError 503 when the provider does not answer, or answers nonsense */
const reached = async <Result>(call: () => Promise<Result>): Promise<Result> => {
  try {
    return await call();
  } catch (error) {
    throw errors.unavailable('The identity provider', error);
  }
};

/** The secrets that a browser keeps during a sign-in. Nobody can continue the sign-in without them. */
export interface SignInAttempt {
  state: string;
  nonce: string;
  verifier: string;
}

export const newAttempt = (): SignInAttempt => ({
  state: oauth.generateRandomState(),
  nonce: oauth.generateRandomNonce(),
  verifier: oauth.generateRandomCodeVerifier(),
});

/**
 * The address at which the browser signs in.
 * @param isAnew whether the person must sign in again, even if the provider knows them already
 * @throws ApiError 503 when the provider cannot be reached
 */
export const signInUrl = async (
  { state, nonce, verifier }: SignInAttempt,
  isAnew: boolean,
): Promise<string> => {
  const { server } = await discover();
  const url = new URL(server.authorization_endpoint!);
  const parameters = {
    response_type: 'code',
    client_id: environment('OIDC_CLIENT_ID'),
    redirect_uri: redirectUri(),
    scope: SCOPE,
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(isAnew && { prompt: 'login' }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
};

/** The address at which the browser signs out at the provider as well; null when the provider has no such page. */
export const signOutUrl = async (): Promise<string | null> => {
  const { server } = await discover();
  if (!server.end_session_endpoint) return null;
  const url = new URL(server.end_session_endpoint);
  url.searchParams.set('client_id', environment('OIDC_CLIENT_ID'));
  // The second name is OpenID Connect's (RP-Initiated Logout, section 2), the first one Cognito's.
  for (const name of ['logout_uri', 'post_logout_redirect_uri']) url.searchParams.set(name, signedOutUri());
  return url.href;
};

const clientAuthentication = ({
  token_endpoint_auth_methods_supported: methods,
}: oauth.AuthorizationServer): oauth.ClientAuth => {
  const secret = optionalEnvironment('OIDC_CLIENT_SECRET');
  if (!secret) return oauth.None();
  return methods && !methods.includes('client_secret_basic')
    ? oauth.ClientSecretPost(secret)
    : oauth.ClientSecretBasic(secret);
};

/** Whether the provider could not be reached, or has failed itself. Every other error refuses the sign-in. */
const isOutage = (error: unknown): boolean => {
  const { name, cause } = error as Error;
  return (
    ['TimeoutError', 'AbortError', 'TypeError'].includes(name) ||
    (cause instanceof Response && cause.status >= 500)
  );
};

const identityOf = ({ iss, sub, email, email_verified, name }: oauth.IDToken): Identity => {
  const address = typeof email === 'string' ? email : '';
  return {
    issuer: iss,
    subject: sub,
    name: typeof name === 'string' && name !== '' ? name : address,
    email: address,
    // Some providers send it as a text.
    isEmailVerified: email_verified === true || email_verified === 'true',
  };
};

/**
 * Completes a sign-in: redeems the code, and checks the ID token's signature, issuer, audience, times and nonce.
 * @param query of the request by which the browser came back
 * @throws ApiError 400 for everything that does not belong to this attempt, and for a code that has expired or was used
 *   before; 503 when the provider cannot be reached
 */
export const finishSignIn = async (query: URLSearchParams, attempt: SignInAttempt): Promise<Identity> => {
  const { server, keys } = await discover();
  try {
    const parameters = oauth.validateAuthResponse(server, client(), query, attempt.state);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client(),
      clientAuthentication(server),
      parameters,
      redirectUri(),
      attempt.verifier,
      connection(),
    );
    const result = await oauth.processAuthorizationCodeResponse(server, client(), response, {
      expectedNonce: attempt.nonce,
      requireIdToken: true,
    });
    await oauth.validateApplicationLevelSignature(server, response, {
      ...connection(),
      [oauth.jwksCache]: keys,
    });
    return identityOf(oauth.getValidatedIdTokenClaims(result)!);
  } catch (error) {
    if (isOutage(error)) throw errors.unavailable('The identity provider', error);
    const { name, message, code } = error as Error & { code?: string };
    logLine('info', { message: 'a sign-in was refused', error: { name, message, code } });
    throw errors.signInFailed();
  }
};
