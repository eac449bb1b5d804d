import type { Language } from '../../base/i18n/languages.ts';
import { PAGE_TEXTS } from '../../base/i18n/texts/pages.ts';
import { html, type Markup } from '../../base/markup.ts';
import type { Sender } from '../../files/logo.ts';
import type { Page } from './page.ts';
import { dayText, numberText, sizeText, message } from './texts.ts';

/** A report as its page describes it. */
export interface SharedPage {
  sender: Sender;
  /** The organization's, for dates. */
  timezone: string;
  inspection: { number: number; name: string };
  /** ISO 8601. */
  expiresAt: string;
  isDraft: boolean;
  /** Null until the report is rendered. */
  file: {
    /** Relative to the page. */
    path: string;
    /** The origin that `path` redirects to. */
    origin: string;
    /** ISO 8601. */
    readyAt: string;
    pages: number;
    bytes: number;
  } | null;
}

const row = (label: string, value: string): Markup =>
  html`<dt>${label}</dt>
    <dd><bdi>${value}</bdi></dd>`;

/** The page of a shared report: what it is, and its PDF, embedded where the browser can show it. */
export const sharePage = (language: Language, shared: SharedPage): Page => {
  const { share } = PAGE_TEXTS[language];
  const { sender, timezone, inspection, expiresAt, file } = shared;
  const until = row(share.until, dayText(language, timezone, expiresAt));
  const title = `${share.title} ${inspection.number} · ${sender.name}`;
  if (!file) {
    const content = html`${message(share.notReady)}
      <dl>${until}</dl>`;
    return { title, sender, content };
  }
  const content = html`<h1>${share.title}</h1>
    ${shared.isDraft && html`<p class="note">${share.draft}</p>`}
    <dl>
      ${row(share.number, numberText(language, inspection.number))}
      ${inspection.name !== '' && row(share.name, inspection.name)}
      ${row(share.date, dayText(language, timezone, file.readyAt))}
      ${row(share.pages, numberText(language, file.pages))} ${row(share.size, sizeText(language, file.bytes))}
      ${until}
    </dl>
    <p class="links">
      <a class="button" href="${file.path}">${share.open} (PDF)</a>
      <a class="button second" href="${file.path}?download=1">${share.download} (PDF)</a>
    </p>
    <object type="application/pdf" data="${file.path}" aria-label="${share.title}"></object>`;
  return { title, sender, content, documents: [file.origin] };
};
