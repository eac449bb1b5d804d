import type { ErrorKind } from '../../base/api-error.ts';
import { SAFE_HEADERS } from '../../base/headers.ts';
import { directionOf, type Language } from '../../base/i18n/languages.ts';
import { html, Markup } from '../../base/markup.ts';
import type { Sender } from '../../files/logo.ts';
import { FIELD_STYLE, STYLE, type Style } from './style.ts';

/** What a page shows, in the reader's language. */
export interface Page {
  /** Plain text: the title of the window. */
  title: string;
  /** The content below the sender, with the only `h1`; with `isWhole`, the whole body. */
  content: Markup;
  isWhole?: true;
  /** Left out where the page must not say whose it is. */
  sender?: Sender;
  /** The origins from which the page may embed documents, such as `https://bucket.s3.amazonaws.com`. */
  documents?: readonly string[];
  /** The address of the program that the page runs; none when left out. */
  program?: string;
  /** The origins from which the page, or its program, may show images, beside the sender's logo. */
  images?: readonly string[];
  /** The origins to which the page's forms, or its program, may send files. */
  uploads?: readonly string[];
  /** The content beside the sender. */
  aside?: Markup;
  /** It has a form with fields. */
  hasFields?: boolean;
  /** A style that only this page needs. */
  style?: Style;
  /** The language that was chosen on the page, if one was. */
  language?: Language;
  /** The error of a form that was refused; its status replaces that of the operation. */
  refused?: ErrorKind;
}

const stylesOf = ({ hasFields, style }: Page): Style[] => [
  STYLE,
  ...(hasFields ? [FIELD_STYLE] : []),
  ...(style ? [style] : []),
];

const originsOf = ({ sender, documents = [], program, images = [], uploads = [] }: Page) => ({
  // The empty icon, which keeps browsers from asking for one, is an image as well.
  images: [
    'data:',
    ...(sender?.logoUrl ? [new URL(sender.logoUrl).origin] : []),
    ...(program ? ['blob:'] : []),
    ...images,
  ],
  // A browser checks the address of a redirect as well.
  documents: documents.length > 0 ? ["'self'", ...documents] : [],
  programs: program ? ["'self'"] : [],
  connections: program ? ["'self'", ...uploads] : [],
});

/** It allows our own scripts alone, only the named origins, and no other page around this one. */
const policyOf = (page: Page): string => {
  const { images, documents, programs, connections } = originsOf(page);
  const directive = (name: string, sources: readonly string[]): string[] =>
    sources.length > 0 ? [`${name} ${sources.join(' ')}`] : [];
  return [
    "default-src 'none'",
    `style-src ${stylesOf(page)
      .map(({ hash }) => hash)
      .join(' ')}`,
    ...directive('script-src', programs),
    ...directive('connect-src', connections),
    ...directive('img-src', images),
    ...directive('object-src', documents),
    ...directive('frame-src', documents),
    ["form-action 'self'", ...(page.uploads ?? [])].join(' '),
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
export const pageText = (language: Language, page: Page): string => {
  const { title, content, isWhole, sender, aside, program } = page;
  return html`<!doctype html>
    <html lang="${language}" dir="${directionOf(language)}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        ${stylesOf(page).map(
          ({ text }) =>
            html`<style>
              ${new Markup(text)}
            </style>`,
        )}
        ${program && html`<script type="module" src="${program}"></script>`}
      </head>
      <body>
        ${
          sender &&
          html`<header>
            ${sender.logoUrl && html`<img src="${sender.logoUrl}" alt="" />`}
            <bdi>${sender.name}</bdi>${aside}
          </header>`
        }
        ${isWhole ? content : html`<main>${content}</main>`}
      </body>
    </html>`.text;
};
