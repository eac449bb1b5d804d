import { html, Markup } from '../../base/markup.ts';
import type { Block, ReportDocument, SignaturesBlock } from '../document/document.ts';
import { qrSvg } from '../qr-code.ts';
import { actions, corrections, findings, sections, score, summary } from './blocks.ts';
import {
  block,
  chips,
  facts,
  gallery,
  type Images,
  paragraphs,
  picture,
  quiet,
  appendix,
  photoDefinitions,
} from './elements.ts';
import { STYLE } from './style.ts';

/** Forbids the page to run scripts and to load anything from the network, wherever it is opened. */
const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";

const head = ({ title, author, page, color, tint }: ReportDocument): Markup => {
  const paper = `${page.size === 'A4' ? 'A4' : 'letter'} ${page.orientation}`;
  const style = `${STYLE}:root{--theme:${color};--tint:${tint}}@page{size:${paper};margin:18mm 16mm}`;
  return html`<head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${POLICY}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="referrer" content="no-referrer" />
    <title>${[title, author].join(' – ')}</title>
    <style>
      ${new Markup(style)}
    </style>
  </head>`;
};

/** The cover or, without one, the masthead: both are the beginning of the page. */
const opening = ({ cover, masthead, draft }: ReportDocument, images: Images): Markup => {
  const { kind, title, number, logo, organization, facts: known } = cover ?? masthead;
  return html`<header class="${cover && 'cover'}">
    ${picture(images, logo, organization)}
    <p class="owner" dir="auto">${organization}</p>
    ${draft && html`<p class="draft">${draft}</p>`}
    <p class="quiet">${kind} · ${number}</p>
    <h1 dir="auto">${title}</h1>
    ${cover?.verdict && chips([cover.verdict])} ${facts(known)}
  </header>`;
};

const contents = ({ contents: { heading, entries } }: ReportDocument): Markup =>
  html`<nav aria-labelledby="contents">
    <h2 id="contents">${heading}</h2>
    <ul>
      ${entries.map(
        ({ to, text, level }) =>
          html`<li class="level-${level}"><a href="#${to}" dir="auto">${text}</a></li>`,
      )}
    </ul>
  </nav>`;

const signatures = ({ signatures: all }: SignaturesBlock, images: Images): Markup =>
  html`<ul class="signatures">
    ${all.map(
      ({ label, name, signed, image, typed, remark }) =>
        html`<li>
          <div class="mark" dir="auto">${picture(images, image, [label, name].join(': ')) || typed}</div>
          <p dir="auto"><strong>${name}</strong></p>
          ${quiet([label, signed].filter(Boolean).join(' · '))} ${quiet(remark)}
        </li>`,
    )}
  </ul>`;

const contentOf = (given: Block, images: Images): Markup => {
  switch (given.kind) {
    case 'summary':
      return summary(given);
    case 'score':
      return score(given);
    case 'findings':
      return findings(given);
    case 'corrective_actions':
      return actions(given);
    case 'sections':
      return sections(given, images);
    case 'media':
      return gallery(given, given.photoColumns);
    case 'signatures':
      return signatures(given, images);
    case 'corrections':
      return corrections(given);
    case 'text':
      return html`${paragraphs(given.paragraphs)}`;
  }
};

const closing = ({ closing: { heading, sentence, hashName, hash, qr }, running }: ReportDocument): Markup =>
  html`<footer>
    <h2>${heading}</h2>
    <p>${sentence}</p>
    ${hash && html`<p class="quiet">${hashName}: <code>${hash}</code></p>`}
    ${qr && html`<div class="qr" role="img" aria-label="${qr}">${new Markup(qrSvg(qr))}</div>`}
    ${quiet(running.foot)}
  </footer>`;

/**
 * Draws the document of a report as one HTML page, for screens of any size and for print. The page contains its images,
 * runs no script and loads nothing. The document's texts are escaped, so that whatever they contain is shown as text.
 */
export const renderHtml = (document: ReportDocument, images: Images): string =>
  html`<!doctype html>
    <html lang="${document.language}" dir="${document.direction}">
      ${head(document)}
      <body>
        <main>
          ${opening(document, images)} ${contents(document)}
          ${document.blocks.map((each) => block(each.heading, contentOf(each, images)))}
          ${appendix(document.appendix)}${closing(document)}
        </main>
        ${photoDefinitions(document.photos, images)}
      </body>
    </html>`.text;
