import { directionOf, type Language } from '../base/i18n/languages.ts';
import { html, Markup } from '../base/markup.ts';

/** A finding or an action. */
interface Entry {
  name: string;
  /** When it is due; null where there is nothing to say. */
  detail: string | null;
  /** The page of it; left out if there is none. */
  url?: string | null;
}

/** What a mail says about one thing. Every text is plain. */
export interface Block {
  title: string;
  /** The page that the title links to; null if there is none. */
  url: string | null;
  /** The event, in a few words; null if the title is enough. */
  status: string | null;
  /** What, where, when, by whom: labels with their values. */
  facts: readonly (readonly [label: string, value: string])[];
  entries: readonly Entry[];
  /** The content ids of photos. */
  photos?: readonly string[];
  /** Says how many entries are left out; null if all are shown. */
  more: string | null;
  /** A comment that somebody wrote. */
  note: { label: string; text: string } | null;
}

/** A block, of which only what it has is given. */
export const newBlock = (parts: Pick<Block, 'title'> & Partial<Block>): Block => ({
  url: null,
  status: null,
  facts: [],
  entries: [],
  more: null,
  note: null,
  ...parts,
});

/** The facts that have a value. */
export const knownFacts = (
  facts: readonly (readonly [label: string, value: string | null | undefined])[],
): Block['facts'] => facts.flatMap(([label, value]) => (value ? [[label, value] as const] : []));

export interface Link {
  label: string;
  url: string;
}

/** What a mail says, in its order. */
export interface MailPage {
  language: Language;
  subject: string;
  /** The sender's name at the head. */
  organization: string;
  /** The content id of the logo among the mail's files; null without a logo. */
  logo: string | null;
  paragraphs: readonly string[];
  blocks: readonly Block[];
  /** The one link that the mail is about. */
  action: Link | null;
  /** Small print below the link. */
  hints: readonly string[];
  /** Why the reader gets the mail, and where they change their settings. */
  reasons: readonly (string | Link)[];
  /** Where anybody who has the mail stops such mails; null where there is no page for it. */
  stop: Link | null;
}

// Mail programs know tables and inline styles, and some drop what stands in the head. So the inline styles are enough
// by themselves, and the head adds only what a phone and a dark screen need.
const HEAD_STYLE = new Markup(`
:root { color-scheme: light dark; supported-color-schemes: light dark; }
a { color: #0b5d56; }
@media (max-width: 620px) { .pad { padding-left: 20px !important; padding-right: 20px !important; } .outer { padding: 0 !important; } }
@media (prefers-color-scheme: dark) {
  .page { background: #0f1417 !important; }
  .card { background: #1a2226 !important; }
  .ink { color: #eef2f3 !important; }
  .soft { color: #a9b5ba !important; }
  .line { border-color: #34424a !important; }
  .mark { background: #123f3b !important; color: #a6ece2 !important; }
  .logo { background: #ffffff !important; }
  a { color: #6fd6c9; }
  .link { color: #6fd6c9 !important; }
}`);

const FONT =
  "font-family: -apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, 'Noto Sans', Helvetica, Arial, sans-serif";
const INK = 'color: #16211f';
const SOFT = 'color: #5b6b68';

/** A text with its line breaks: Outlook does not know `white-space`. */
const withBreaks = (text: string): readonly Markup[] =>
  text.split('\n').map((line, at) => html`${at > 0 && html`<br />`}${line}`);

/** The paragraphs of a text, which empty lines separate. @param style of each */
const paragraphsOf = (text: string, style: string): readonly Markup[] =>
  text
    .trim()
    .split(/\n\s*\n/)
    .map((paragraph) => html`<p dir="auto" style="${style}">${withBreaks(paragraph)}</p>`);

const linkOf = ({ label, url }: Link, style: string): Markup =>
  html`<a href="${url}" class="soft" style="${style}">${label}</a>`;

/** A text that leads to its page, if it has one. */
const named = (text: string, url: string | null): Markup =>
  url === null
    ? html`<span dir="auto">${text}</span>`
    : html`<a href="${url}" class="link" dir="auto" style="color: #0b5d56">${text}</a>`;

const factRow = (start: string) =>
  function row([label, value]: Block['facts'][number]): Markup {
    return html`<tr>
      <td
        class="soft"
        style="${FONT}; ${SOFT}; font-size: 14px; line-height: 20px; padding: 2px 0; padding-${start === 'left' ? 'right' : 'left'}: 16px; white-space: nowrap; vertical-align: top"
      >
        ${label}
      </td>
      <td
        class="ink"
        dir="auto"
        style="${FONT}; ${INK}; font-size: 14px; line-height: 20px; padding: 2px 0; text-align: ${start}; vertical-align: top"
      >
        ${withBreaks(value)}
      </td>
    </tr>`;
  };

// The name and the detail are in lines of their own, because they may have different directions.
const entryRow = (start: string) =>
  function row({ name, detail, url = null }: Entry): Markup {
    return html`<tr>
      <td class="line" style="padding: 8px 0; border-top: 1px solid #e2e8e6; text-align: ${start}">
        <div class="ink" dir="auto" style="${FONT}; ${INK}; font-size: 15px; line-height: 22px">
          ${named(name, url)}
        </div>
        ${detail !== null && html`<div class="soft" style="${FONT}; ${SOFT}; font-size: 14px; line-height: 20px">${detail}</div>`}
      </td>
    </tr>`;
  };

const blockRows = (block: Block, start: string): Markup =>
  html`<tr>
    <td class="pad line" style="padding: 20px 32px; border-top: 1px solid #e2e8e6; text-align: ${start}">
      <div class="ink" style="${FONT}; ${INK}; font-size: 19px; line-height: 26px; font-weight: 600">
        ${named(block.title, block.url)}
      </div>
      ${
        block.status !== null &&
        html`<div style="padding: 6px 0 10px">
          <span
            class="mark"
            style="${FONT}; display: inline-block; background: #dff3ef; color: #0b4f49; font-size: 14px; line-height: 20px; font-weight: 600; padding: 3px 10px; border-radius: 4px"
            >${block.status}</span
          >
        </div>`
      }
      ${
        block.facts.length > 0 &&
        html`<table
          role="presentation"
          cellpadding="0"
          cellspacing="0"
          border="0"
          style="margin-top: ${block.status === null ? 6 : 0}px"
        >
          ${block.facts.map(factRow(start))}
        </table>`
      }
      ${
        block.entries.length > 0 &&
        html`<table
          role="presentation"
          width="100%"
          cellpadding="0"
          cellspacing="0"
          border="0"
          style="margin-top: 12px"
        >
          ${block.entries.map(entryRow(start))}
        </table>`
      }
      ${(block.photos ?? []).map(
        (id) =>
          html`<img
            src="cid:${id}"
            alt=""
            width="260"
            style="display: inline-block; width: 260px; max-width: 100%; height: auto; border: 0; border-radius: 4px; margin: 12px 8px 0 0"
          />`,
      )}
      ${block.more !== null && html`<div class="soft" style="${FONT}; ${SOFT}; font-size: 14px; line-height: 20px">${block.more}</div>`}
      ${
        block.note &&
        html`<div
            class="soft"
            style="${FONT}; ${SOFT}; font-size: 14px; line-height: 20px; padding-top: 12px"
          >
            ${block.note.label}
          </div>
          <div class="ink" style="${FONT}; ${INK}; font-size: 15px; line-height: 22px">
            ${paragraphsOf(block.note.text, 'margin: 0 0 8px')}
          </div>`
      }
    </td>
  </tr>`;

const header = ({ logo, organization }: MailPage, start: string): Markup =>
  html`<tr>
    <td class="pad" style="padding: 24px 32px 20px; text-align: ${start}">
      ${logo !== null && html`<img class="logo" src="cid:${logo}" alt="" height="40" style="display: block; height: 40px; width: auto; max-width: 240px; border: 0; margin-bottom: 8px" />`}
      <span
        class="soft"
        dir="auto"
        style="${FONT}; ${SOFT}; font-size: 15px; line-height: 22px; font-weight: 600"
        >${organization}</span
      >
    </td>
  </tr>`;

const paragraphRow =
  (start: string) =>
  (text: string): Markup =>
    html`<tr>
      <td
        class="pad ink"
        style="${FONT}; ${INK}; font-size: 16px; line-height: 24px; padding: 0 32px; text-align: ${start}"
      >
        ${paragraphsOf(text, 'margin: 0 0 16px')}
      </td>
    </tr>`;

// The padding is the cell's: Outlook does not know that of a link.
const actionRow = ({ label, url }: Link, start: string): Markup =>
  html`<tr>
    <td class="pad" style="padding: 4px 32px 24px; text-align: ${start}">
      <table role="presentation" cellpadding="0" cellspacing="0" border="0" style="display: inline-table">
        <tr>
          <td bgcolor="#0b5d56" style="background: #0b5d56; border-radius: 6px; padding: 12px 22px">
            <a
              href="${url}"
              style="${FONT}; display: block; color: #ffffff; font-size: 16px; line-height: 20px; font-weight: 600; text-decoration: none"
              >${label}</a
            >
          </td>
        </tr>
      </table>
    </td>
  </tr>`;

const hintRow =
  (start: string) =>
  (text: string): Markup =>
    html`<tr>
      <td
        class="pad soft"
        style="${FONT}; ${SOFT}; font-size: 14px; line-height: 20px; padding: 0 32px 16px; text-align: ${start}"
      >
        ${text}
      </td>
    </tr>`;

const footer = ({ reasons, stop }: MailPage): Markup =>
  html`<tr>
    <td
      class="pad soft"
      style="${FONT}; ${SOFT}; font-size: 13px; line-height: 19px; padding: 16px 32px 32px; text-align: center"
    >
      ${[...reasons, ...(stop ? [stop] : [])].map(
        (reason) =>
          html`<p style="margin: 0 0 4px">${typeof reason === 'string' ? reason : linkOf(reason, SOFT)}</p>`,
      )}
    </td>
  </tr>`;

/** The text that mail programs show behind the subject in a list. */
const preheader = ({ paragraphs, blocks }: MailPage): string =>
  [paragraphs[0], ...blocks.map(({ title, status }) => [title, status].filter(Boolean).join(' · '))]
    .filter(Boolean)
    .join(' · ');

/** The page as HTML for mail programs: 600 pixels wide, narrower on a phone, in light and dark, in either direction. */
export const htmlOf = (page: MailPage): string => {
  const { language, subject, paragraphs, blocks, action, hints } = page;
  const direction = directionOf(language);
  const start = direction === 'rtl' ? 'right' : 'left';
  return html`<!doctype html>
    <html lang="${language}" dir="${direction}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <title>${subject}</title>
        <style>
          ${HEAD_STYLE}
        </style>
      </head>
      <body class="page" style="margin: 0; padding: 0; background: #eef2f1">
        <div style="display: none; max-height: 0; overflow: hidden">${preheader(page)}</div>
        <table
          role="presentation"
          class="page"
          width="100%"
          cellpadding="0"
          cellspacing="0"
          border="0"
          style="background: #eef2f1"
        >
          <tr>
            <td class="outer" align="center" style="padding: 24px 12px">
              <!--[if mso]><table role="presentation" width="600"><tr><td><![endif]-->
              <table
                role="presentation"
                class="card"
                dir="${direction}"
                width="100%"
                cellpadding="0"
                cellspacing="0"
                border="0"
                style="max-width: 600px; background: #ffffff; border-radius: 8px"
              >
                ${header(page, start)} ${paragraphs.map(paragraphRow(start))}
                ${blocks.map((block) => blockRows(block, start))} ${action && actionRow(action, start)}
                ${hints.map(hintRow(start))}
              </table>
              <table
                role="presentation"
                dir="${direction}"
                width="100%"
                cellpadding="0"
                cellspacing="0"
                border="0"
                style="max-width: 600px"
              >
                ${footer(page)}
              </table>
              <!--[if mso]></td></tr></table><![endif]-->
            </td>
          </tr>
        </table>
      </body>
    </html>`.text;
};

const indented = (text: string): string => text.replaceAll(/^/gm, '  ');

const blockText = ({ title, url, status, facts, entries, more, note }: Block): string =>
  [
    title,
    ...(status === null ? [] : [status]),
    ...facts.map(([label, value]) => `${label}: ${value}`),
    ...entries.map(
      ({ name, detail, url }) =>
        `- ${name}${detail === null ? '' : ` (${detail})`}${url ? `\n  ${url}` : ''}`,
    ),
    ...(more === null ? [] : [`  ${more}`]),
    ...(note ? [`${note.label}:`, indented(note.text)] : []),
    ...(url === null ? [] : [url]),
  ].join('\n');

/** The same as plain text. */
export const textOf = ({
  organization,
  paragraphs,
  blocks,
  action,
  hints,
  reasons,
  stop,
}: MailPage): string =>
  [
    organization,
    ...paragraphs,
    ...blocks.map(blockText),
    ...(action ? [`${action.label}:\n${action.url}`] : []),
    ...hints,
    [
      '-- ',
      ...[...reasons, ...(stop ? [stop] : [])].map((reason) =>
        typeof reason === 'string' ? reason : `${reason.label}: ${reason.url}`,
      ),
    ].join('\n'),
  ].join('\n\n');
