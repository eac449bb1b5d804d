import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JWK, KoaContextWithOIDC } from 'oidc-provider';
import { html, Markup } from '../../shared/base/markup.ts';
import { PeopleStore } from './people-store.ts';

/** Somebody who can sign in. */
export interface LocalPerson {
  name: string;
  email: string;
  /** What the page says about them. */
  about: string;
}

/** Where the provider is, below the address of the service. */
export const PEOPLE_PATH = '/people';

/** The service's id at the provider. */
export const LOCAL_CLIENT = 'inspection-service';

/** Bytes of the form that chooses somebody. */
const MAX_FORM_BYTES = 4_096;

const STYLE = `
:root { color-scheme: light dark; --text: #16211f; --soft: #5b6b68; --ground: #fff; --wash: #dff3ef; }
@media (prefers-color-scheme: dark) { :root { --text: #eef2f4; --soft: #b4c0c8; --ground: #12181c; --wash: #1d3a36; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 28rem; margin: 10vh auto; padding: 0 1rem; color: var(--text); background: var(--ground); }
button, input { font: inherit; padding: .6rem .9rem; border-radius: 6px; border: 1px solid var(--soft); width: 100%; box-sizing: border-box; }
button, input { background: var(--ground); color: var(--text); }
button { color: inherit; text-align: start; cursor: pointer; margin-bottom: .5rem; }
button:hover, button:focus-visible { background: var(--wash); }
small { display: block; color: var(--soft); }
label { display: block; margin: 1.5rem 0 .3rem; }
`;

const frame = (title: string, content: Markup): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <style>
          ${new Markup(STYLE)}
        </style>
      </head>
      <body>
        <main>${content}</main>
      </body>
    </html>`.text;

const signInPage = (people: readonly LocalPerson[]): string =>
  frame(
    'Sign in',
    html`<h1>Who are you?</h1>
      <p>
        This page stands in for an identity provider. It asks for no password, and only this machine can reach
        it.
      </p>
      <form method="post">
        ${people.map(
          ({ name, email, about }) =>
            html`<button name="email" value="${email}">${name}<small>${email}, ${about}</small></button>`,
        )}
      </form>
      <form method="post">
        <label for="email">Somebody else, such as an address that was invited</label>
        <input id="email" name="email" type="email" required autocomplete="off" />
        <p><button>Sign in</button></p>
      </form>`,
  );

/** @param form the provider's own, which the buttons send */
const signOutPage = (form: string): string =>
  frame(
    'Sign out',
    html`<h1>Sign out here as well?</h1>
      ${new Markup(form)}
      <button form="op.logoutForm" name="logout" value="yes" autofocus>Sign out</button>
      <button form="op.logoutForm">Stay signed in</button>`,
  );

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64');

/** The style as it stands in the page, white space included. */
const styleIn = (text: string): string => /<style>([^]*)<\/style>/.exec(text)![1]!;

const headers = () => ({
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${sha256(styleIn(signInPage([])))}'; frame-ancestors 'none'`,
});

const readForm = async (request: IncomingMessage): Promise<URLSearchParams> => {
  let text = '';
  for await (const chunk of request as AsyncIterable<Buffer>) {
    text += chunk.toString();
    if (text.length > MAX_FORM_BYTES) throw new Error('the form is too long');
  }
  return new URLSearchParams(text);
};

/**
 * An identity provider in this process: OpenID Connect's code flow, as in the cloud, but whoever signs in says who they
 * are. Every address counts as verified.
 * @param serviceUrl where the service is; the provider is below it
 * @param people whom the page offers
 * @returns what answers the requests to `PEOPLE_PATH`, and the provider's address
 */
export const newPeopleProvider = async (
  serviceUrl: string,
  people: readonly LocalPerson[],
): Promise<{ issuer: string; handle: (request: IncomingMessage, response: ServerResponse) => void }> => {
  const { default: Provider } = await import('oidc-provider');
  const issuer = serviceUrl + PEOPLE_PATH;
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const key: JWK = { ...(privateKey.export({ format: 'jwk' }) as JWK), use: 'sig', alg: 'RS256' };
  const provider = new Provider(issuer, {
    adapter: PeopleStore,
    clients: [
      {
        client_id: LOCAL_CLIENT,
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code'],
        response_types: ['code'],
        redirect_uris: [`${serviceUrl}/app/sign-in/callback`],
        post_logout_redirect_uris: [`${serviceUrl}/app/sign-in`],
      },
    ],
    jwks: { keys: [key] },
    cookies: { keys: [randomBytes(32).toString('hex')] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    // The service reads the ID token alone, as it does elsewhere.
    conformIdTokenClaims: false,
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: {
        logoutSource: (context, form) => {
          context.set(headers());
          context.body = signOutPage(form);
        },
      },
    },
    pkce: { required: () => true },
    ttl: {
      AuthorizationCode: 60,
      IdToken: 300,
      AccessToken: 300,
      Interaction: 600,
      Session: 43_200,
      Grant: 43_200,
    },
    interactions: { url: (_, { uid }) => `${PEOPLE_PATH}/who/${uid}` },
    findAccount: (_, email) => ({
      accountId: email,
      claims: () => {
        const known = people.find((person) => person.email === email);
        return { sub: email, email, email_verified: true, name: known?.name ?? email };
      },
    }),
    // Nobody is asked what the service may know of them.
    loadExistingGrant: async ({ oidc }: KoaContextWithOIDC) => {
      const grant = new provider.Grant({
        clientId: oidc.client!.clientId,
        accountId: oidc.session!.accountId!,
      });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
  const callback = provider.callback();

  const choose = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST') {
      response.writeHead(200, headers()).end(signInPage(people));
      return;
    }
    const accountId = (await readForm(request)).get('email')?.trim().toLowerCase();
    if (!accountId) throw new Error('the form names nobody');
    await provider.interactionFinished(request, response, { login: { accountId } });
  };

  return {
    issuer,
    handle: (request, response) => {
      // Below a path of its own, the provider wants to know both addresses (oidc-provider, "Mounting").
      const original = request.url!;
      Object.assign(request, { originalUrl: original, url: original.slice(PEOPLE_PATH.length) || '/' });
      if (!request.url!.startsWith('/who/')) {
        void callback(request, response);
        return;
      }
      request.url = original;
      // The usual reason is a page that was open for too long.
      choose(request, response).catch(() => {
        if (!response.headersSent) response.writeHead(302, { location: `${serviceUrl}/app/sign-in` }).end();
      });
    },
  };
};
