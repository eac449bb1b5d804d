import type { Language } from '../../base/i18n/languages.ts';
import { PAGE_TEXTS } from '../../base/i18n/texts/pages.ts';
import { html, type Markup } from '../../base/markup.ts';
import type { Sender } from '../../files/logo.ts';
import type { Certificate } from '../../schemas/certificates/certificate.ts';
import type { Page } from './page.ts';
import { dayText, plain } from './texts.ts';

/** A certificate as its page describes it. */
export interface CertificatePage {
  sender: Sender;
  certificate: Pick<
    Certificate,
    'number' | 'title' | 'status' | 'issued_at' | 'expires_at' | 'timezone' | 'names_then'
  >;
  /** The path of its PDF, relative to the page; null for a reader who may only know whether it is valid. */
  file: string | null;
}

const row = (label: string, value: string | null | undefined): Markup | false =>
  value !== null &&
  value !== undefined &&
  value !== '' &&
  html`<dt>${label}</dt>
    <dd><bdi>${value}</bdi></dd>`;

/** What a certificate is at the moment, in one line: "Valid until 2 March 2027". */
export const stateText = (
  language: Language,
  { status, expires_at, timezone }: Pick<Certificate, 'status' | 'expires_at' | 'timezone'>,
): string =>
  plain(PAGE_TEXTS[language].certificate.states[status], { date: dayText(language, timezone, expires_at) });

/**
 * The page that tells anyone whether a certificate is valid. Who has only its number learns for what, but not for whom:
 * neither the place nor the client.
 */
export const certificatePage = (language: Language, { sender, certificate, file }: CertificatePage): Page => {
  const texts = PAGE_TEXTS[language].certificate;
  const { number, title, issued_at, expires_at, timezone, names_then } = certificate;
  const { organization, asset, location, client } = names_then;
  const content = html`<h1>${title}</h1>
    <p class="note" role="status"><strong>${stateText(language, certificate)}</strong></p>
    <dl>
      ${row(texts.number, number)} ${row(texts.issuer, organization)}
      ${row(texts.asset, asset && [asset.name, asset.kind].filter(Boolean).join(' · '))}
      ${row(texts.serial, asset?.serial)} ${row(texts.manufacturer, asset?.manufacturer)}
      ${file !== null && row(texts.place, location && [...location.path, location.name].join(' › '))}
      ${file !== null && row(texts.client, client?.name)}
      ${row(texts.issued, dayText(language, timezone, issued_at))}
      ${row(texts.until, dayText(language, timezone, expires_at))}
    </dl>
    ${file !== null && html`<p class="links"><a class="button" href="${file}">${texts.open} (PDF)</a></p>`}`;
  return { title: `${title} ${number} · ${sender.name}`, sender, content };
};
