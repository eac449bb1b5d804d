import { html, Markup } from '../base/markup.ts';
import { SAFE_HEADERS } from '../base/safe-headers.ts';
import { directionOf, type Language } from '../i18n/languages.ts';
import { STYLE, STYLE_HASH } from './style.ts';

/** Whose page it is. */
export interface Sender {
  name: string;
  /** A URL of the logo; null without one. */
  logoUrl: string | null;
}

/** What a page shows, in the reader's language. */
export interface Page {
  /** Plain text: the title of the window. */
  title: string;
  /** What stands below the sender, with the only `h1`. */
  content: Markup;
  /** Left out where the page must not say whose it is. */
  sender?: Sender;
  /** The origins from which the page may embed documents, such as `https://bucket.s3.amazonaws.com`. */
  documents?: readonly string[];
}

const originsOf = ({ sender, documents = [] }: Page) => ({
  images: sender?.logoUrl ? [new URL(sender.logoUrl).origin] : [],
  // A browser checks the address of a redirect as well.
  documents: documents.length > 0 ? ["'self'", ...documents] : [],
});

/** No script, nothing from elsewhere but what is named, no other page around this one. */
const policyOf = (page: Page): string => {
  const { images, documents } = originsOf(page);
  const directive = (name: string, sources: readonly string[]): string[] =>
    sources.length > 0 ? [`${name} ${sources.join(' ')}`] : [];
  return [
    "default-src 'none'",
    `style-src ${STYLE_HASH}`,
    ...directive('img-src', images),
    ...directive('object-src', documents),
    ...directive('frame-src', documents),
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
};

/** The headers of every reply to a person, whether page or redirect: its URL is a secret. */
export const PRIVATE_HEADERS = {
  ...SAFE_HEADERS,
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow',
} as const;

/** The headers of a page. */
export const pageHeaders = (language: Language, page: Page): Record<string, string> => ({
  'content-type': 'text/html; charset=utf-8',
  'content-language': language,
  'content-security-policy': policyOf(page),
  ...PRIVATE_HEADERS,
});

/** A whole page as HTML. */
export const pageText = (language: Language, { title, content, sender }: Page): string =>
  html`<!doctype html>
    <html lang="${language}" dir="${directionOf(language)}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        <style>
          ${new Markup(STYLE)}
        </style>
      </head>
      <body>
        ${
          sender &&
          html`<header>
            ${sender.logoUrl && html`<img src="${sender.logoUrl}" alt="" />`}
            <bdi>${sender.name}</bdi>
          </header>`
        }
        <main>${content}</main>
      </body>
    </html>`.text;
