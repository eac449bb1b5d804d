import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What somebody has at the provider. */
export interface Account {
  sub: string;
  email?: string;
  email_verified?: boolean | string;
  name?: string;
}

/** What is wrong with an answer of the provider. */
export interface Wrong {
  /** Other claims of the ID token. */
  claims?: Record<string, unknown>;
  /** Signed with a key that is not the provider's. */
  isForged?: boolean;
  /** Of the address that the browser comes back to. */
  query?: Record<string, string>;
}

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

/**
 * An identity provider that can be told to answer wrong. It checks what a provider has to check: each code once, for its
 * client, its address and its verifier (RFC 7636).
 */
export const startIssuer = async () => {
  const foreign = newKey();
  let key = newKey();
  let kid = 'one';
  const grants = new Map<string, { token: string; challenge: string; redirectUri: string }>();
  const calls: string[] = [];
  /**
   * What it does while it is set: it answers 500 to everything or nothing at all, leads elsewhere for a token, or answers
   * at length.
   */
  const state: { isDown: boolean; isSilent: boolean; redirectsTo: string | null; padding: number } = {
    isDown: false,
    isSilent: false,
    redirectsTo: null,
    padding: 0,
  };
  const server = createServer((request, response) => {
    void (async () => {
      const path = request.url!.split('?')[0]!;
      calls.push(path);
      const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString();
      const answer = (status: number, value: object) =>
        response
          .writeHead(status, { 'content-type': 'application/json' })
          .end(JSON.stringify(value) + ' '.repeat(state.padding));
      if (state.isSilent) return undefined;
      if (state.isDown) return answer(500, { error: 'server_error' });
      if (path === '/jwks') {
        return answer(200, {
          keys: [{ ...key.publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'ES256' }],
        });
      }
      if (path !== '/token') return answer(200, metadata());
      if (state.redirectsTo) return response.writeHead(307, { location: state.redirectsTo }).end();
      const form = new URLSearchParams(body);
      const grant = grants.get(form.get('code') ?? '');
      grants.delete(form.get('code') ?? '');
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      const isRight = grant?.challenge === challenge && grant.redirectUri === form.get('redirect_uri');
      if (!isRight) return answer(400, { error: 'invalid_grant' });
      return answer(200, { access_token: 'secret', token_type: 'Bearer', id_token: grant.token });
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const metadata = () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    end_session_endpoint: `${issuer}/end`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
    authorization_response_iss_parameter_supported: true,
  });

  const idToken = (claims: Record<string, unknown>, isForged = false): string => {
    const signed = `${base64({ alg: 'ES256', kid })}.${base64(claims)}`;
    const { privateKey } = isForged ? foreign : key;
    const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return `${signed}.${signature.toString('base64url')}`;
  };

  return {
    issuer,
    calls,
    state,
    /** Signs with another key from now on, and publishes that alone. */
    changeKey: (): void => {
      key = newKey();
      kid = randomUUID();
    },
    /** Signs somebody in. @param url where the service has sent the browser @returns the query with which it comes back */
    authorize: (
      url: string,
      account: Account,
      { claims, isForged, query }: Wrong = {},
    ): Record<string, string> => {
      const wanted = new URL(url).searchParams;
      const code = randomUUID();
      const now = Math.floor(Date.now() / 1_000);
      const right = {
        iss: issuer,
        aud: wanted.get('client_id'),
        nonce: wanted.get('nonce'),
        iat: now,
        exp: now + 300,
      };
      grants.set(code, {
        token: idToken({ ...right, ...account, ...claims }, isForged),
        challenge: wanted.get('code_challenge')!,
        redirectUri: wanted.get('redirect_uri')!,
      });
      return { code, state: wanted.get('state')!, iss: issuer, ...query };
    },
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};
