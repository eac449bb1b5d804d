import { html, Markup } from '../../base/markup.ts';
import type {
  Bar,
  BriefFinding,
  ScoreBlock,
  SummaryBlock,
  BeforeAnswer,
  DocumentItem,
  ItemTable,
  Section,
  SectionsBlock,
  ActionCard,
  ActionsBlock,
  CorrectionsBlock,
  FindingCard,
  FindingsBlock,
} from '../document/document.ts';
import {
  bar,
  chips,
  columns,
  figures,
  paragraphs,
  quiet,
  thumbnails,
  headed,
  type Images,
  picture,
  spans,
  files,
  facts,
  stage,
} from './elements.ts';

const titled = ({ to, title }: Pick<Bar, 'to' | 'title'>): Markup =>
  to === null ? html`<span dir="auto">${title}</span>` : html`<a href="#${to}" dir="auto">${title}</a>`;

const bars = (all: readonly Bar[]): Markup =>
  html`<ul class="bars">
    ${all.map((each) => html`<li>${titled(each)}${bar(each)}<span class="count">${each.text}</span></li>`)}
  </ul>`;

const brief = ({ to, number, title, chips: labels, place, photo }: BriefFinding): Markup =>
  html`<li>
    ${photo && thumbnails([photo], 1)}
    <div>
      ${chips(labels)}
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

/** What the parts of a section are drawn with. */
interface Drawing {
  images: Images;
  photoColumns: number;
}

const answer = ({ images }: Drawing, item: DocumentItem): Markup =>
  html`<div class="answer ${item.isUnanswered && 'quiet'}">
    ${item.swatch && html`<span class="swatch" style="background:${item.swatch}" aria-hidden="true"></span>`}
    ${paragraphs(item.answer)} ${picture(images, item.signature, item.question)} ${chips(item.chips)}
  </div>`;

const before = (
  { photoColumns }: Drawing,
  { label, answer: given, isFailed, isUnanswered, note, photos }: BeforeAnswer,
): Markup =>
  html`<div class="before ${(isFailed && 'failed') || (isUnanswered && 'quiet')}">
    <p class="label">${label}</p>
    ${paragraphs(given)} ${note.length > 0 && html`<div class="quiet">${paragraphs(note)}</div>`}
    ${thumbnails(photos, photoColumns)}
  </div>`;

const item = (drawing: Drawing, shown: DocumentItem): Markup =>
  html`<div
    class="item ${shown.isLong && 'long'} ${shown.isFailed && 'failed'} ${shown.isInstruction && 'instruction'} ${shown.before && 'compared'}"
    id="${shown.anchor}"
  >
    <div class="question">
      <p dir="auto">${shown.number && html`<span class="number">${shown.number}</span> `}${shown.question}</p>
      ${quiet(shown.help)}
    </div>
    ${shown.before && before(drawing, shown.before)} ${!shown.isInstruction && answer(drawing, shown)}
    <div class="beside">
      ${shown.note && headed([{ heading: shown.note.label, paragraphs: shown.note.paragraphs }])}
      ${thumbnails(shown.photos, drawing.photoColumns)} ${files(shown.files)}
      ${shown.findings.length > 0 && html`<p>${spans(shown.findings)}</p>`} ${quiet(shown.answeredBy)}
    </div>
  </div>`;

const table = ({ photoColumns }: Drawing, { anchor, title, columns: names, rows }: ItemTable): Markup =>
  html`<table class="cards" id="${anchor}">
    <caption class="hidden">
      ${title}
    </caption>
    ${columns(names, (n) => n > 0 && Boolean(rows[0]?.cells[n - 1]?.isNumber))}
    ${rows.map(
      (row) =>
        html`<tbody id="${row.anchor}">
          <tr>
            <th scope="row" dir="auto">${row.title}</th>
            ${row.cells.map(
              (cell, n) =>
                html`<td
                  data-label="${names[n + 1]}"
                  class="${cell.isFailed && 'failed'} ${cell.isNumber && 'count'}"
                  dir="auto"
                >
                  ${cell.isUnanswered ? '–' : spans(cell.text)}${cell.photos.length > 0 && thumbnails(cell.photos, 1)}
                </td>`,
            )}
          </tr>
          ${
            row.remarks.length + row.photos.length > 0 &&
            html`<tr class="remarks">
              <td colspan="${names.length}">
                ${paragraphs(row.remarks)}${thumbnails(row.photos, photoColumns)}
              </td>
            </tr>`
          }
        </tbody>`,
    )}
  </table>`;

const part = (drawing: Drawing, shown: Section['parts'][number]): Markup => {
  if ('rows' in shown) return table(drawing, shown);
  return 'level' in shown ? section(drawing, shown) : item(drawing, shown);
};

const section = (drawing: Drawing, shown: Section): Markup => {
  const { anchor, number, title, level, description, counts, answeredBy, parts } = shown;
  // HTML has six levels of headings; the page's title and the block's are two of them.
  const tag = new Markup(`h${Math.min(level + 2, 6)}`);
  return html`<section class="part" id="${anchor}">
    <div class="title">
      <${tag} dir="auto">${[number, title].filter(Boolean).join(' ')}</${tag}>${quiet(counts)}
    </div>
    ${paragraphs(description)} ${quiet(answeredBy)} ${parts.map((each) => part(drawing, each))}
  </section>`;
};

export const sections = (
  { sections: all, photoColumns, comparedWith }: SectionsBlock,
  images: Images,
): Markup => html`${quiet(comparedWith)}${all.map((each) => section({ images, photoColumns }, each))}`;

const action = (card: ActionCard, photoColumns: number): Markup =>
  html`<section class="action" id="${card.anchor}">
    <h4 dir="auto"><span class="quiet">${card.number}</span> ${card.title}</h4>
    ${chips(card.chips)} ${facts(card.facts)} ${headed(card.texts)} ${stage(card.before, photoColumns)}
    ${stage(card.after, photoColumns)} ${files(card.files)}
  </section>`;

const finding = (card: FindingCard, photoColumns: number): Markup =>
  html`<article class="finding" id="${card.anchor}" style="--tone:${card.chips[0]?.tone.ink}">
    <h3 dir="auto">${card.number}. ${card.title} <span class="quiet">${card.reference}</span></h3>
    ${chips(card.chips)} ${card.place.length > 0 && html`<p dir="auto">${spans(card.place)}</p>`}
    ${headed(card.texts)} ${thumbnails(card.photos, photoColumns)} ${files(card.files)}
    ${card.actions.map((each) => action(each, photoColumns))}
  </article>`;

export const findings = ({ empty, findings: cards, photoColumns }: FindingsBlock): Markup =>
  html`${quiet(empty)}${cards.map((card) => finding(card, photoColumns))}`;

export const actions = ({ heading, columns: names, rows }: ActionsBlock): Markup => {
  const cell = (n: number, content: Markup | string | false | (Markup | string)[]) =>
    html`<td data-label="${names[n]}" dir="auto">${content}</td>`;
  return html`<table class="cards">
    <caption class="hidden">
      ${heading.text}
    </caption>
    ${columns(names)}
    <tbody>
      ${rows.map(
        (row) =>
          html`<tr>
            <th scope="row">${row.number}</th>
            ${cell(1, spans(row.title))} ${cell(2, spans(row.finding))} ${cell(3, row.assignee)}
            ${cell(4, row.due)} ${cell(5, chips([row.status]))}
          </tr>`,
      )}
    </tbody>
  </table>`;
};

export const corrections = ({ columns: names, corrections: all }: CorrectionsBlock): Markup =>
  html`${all.map(
    ({ anchor, title, facts: said, reason, changes }) =>
      html`<section id="${anchor}">
        <h3>${title}</h3>
        ${facts(said)} ${paragraphs(reason)}
        ${
          changes.length > 0 &&
          html`<table class="cards">
            <caption class="hidden">
              ${title}
            </caption>
            ${columns(names)}
            <tbody>
              ${changes.map(
                ({ place, before, after, by }) =>
                  html`<tr>
                    <th scope="row" dir="auto">${spans(place)}</th>
                    <td data-label="${names[1]}">${paragraphs(before)}</td>
                    <td data-label="${names[2]}">${paragraphs(after)}</td>
                    <td data-label="${names[3]}" dir="auto">${by}</td>
                  </tr>`,
              )}
            </tbody>
          </table>`
        }
      </section>`,
  )}`;
