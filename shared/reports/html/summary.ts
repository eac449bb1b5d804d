import { html, type Markup } from '../../base/markup.ts';
import type { Bar, BriefFinding, ScoreBlock, SummaryBlock } from '../document/document.ts';
import { bar, chips, columns, figures, paragraphs, quiet } from './elements.ts';
import { thumbnails } from './photos.ts';

const titled = ({ to, title }: Pick<Bar, 'to' | 'title'>): Markup =>
  to === null ? html`<span dir="auto">${title}</span>` : html`<a href="#${to}" dir="auto">${title}</a>`;

const bars = (all: readonly Bar[]): Markup =>
  html`<ul class="bars">
    ${all.map((each) => html`<li>${titled(each)}${bar(each)}<span class="count">${each.text}</span></li>`)}
  </ul>`;

const brief = ({ to, number, title, chip, place, photo }: BriefFinding): Markup =>
  html`<li>
    ${photo && thumbnails([photo], 1)}
    <div>
      ${chips([chip])}
      <p dir="auto"><strong>${number}.</strong> ${to === '' ? title : html`<a href="#${to}">${title}</a>`}</p>
      ${quiet(place)}
    </div>
  </li>`;

export const summary = (given: SummaryBlock): Markup => {
  const { notice, verdict, score, severities, worst, actions, sections } = given;
  return html`
    ${notice && html`<p class="notice" dir="auto">${notice}</p>`}
    ${
      verdict &&
      html`<div class="verdict" style="--tone:${verdict.chip.tone.ink}">
        ${chips([verdict.chip])}${paragraphs(verdict.reasons)}
      </div>`
    }
    ${
      score &&
      html`<div class="score">
        <p class="large" style="color:${score.tone.ink}">${score.text}</p>
        ${bar({ value: score.value, tone: score.tone })}
        ${quiet([score.passingText, score.change].filter(Boolean).join(' · '))}
      </div>`
    }
    ${figures(given.figures)} ${chips(severities)}
    ${
      worst &&
      html`<h3>${worst.heading}</h3>
        <ul class="worst">
          ${worst.findings.map(brief)}
        </ul>`
    }
    ${
      actions &&
      html`<h3>${actions.heading}</h3>
        ${figures(actions.figures)}`
    }
    ${
      sections &&
      html`<h3>${sections.heading}</h3>
        ${bars(sections.bars)}`
    }
  `;
};

export const score = ({ heading, total, columns: names, rows }: ScoreBlock): Markup => {
  // The result is a word, the others are numbers.
  const isCount = (n: number) => n > 0 && n < 4;
  const cell = (n: number, content: Markup | string | false) =>
    names[n] !== '' && html`<td data-label="${names[n]}" class="${isCount(n) && 'count'}">${content}</td>`;
  return html`
    <div class="score">
      <p>${total.title} <strong>${total.text}</strong></p>
      ${bar(total)}
    </div>
    ${
      rows.length > 0 &&
      html`<table class="cards">
        <caption class="hidden">
          ${heading.text}
        </caption>
        ${columns(
          names.filter((name) => name !== ''),
          isCount,
        )}
        <tbody>
          ${rows.map(
            (row) =>
              html`<tr>
                <th scope="row" style="padding-inline-start:${0.5 + (row.depth - 1)}rem">${titled(row)}</th>
                ${cell(1, row.points)} ${cell(2, row.percentage)} ${cell(3, row.passing)}
                ${cell(4, row.result ? html`${chips([row.result])}` : '')}
              </tr>`,
          )}
        </tbody>
      </table>`
    }
  `;
};
