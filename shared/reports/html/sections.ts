import { html, Markup } from '../../base/markup.ts';
import type { BeforeAnswer, Item, ItemTable, Section, SectionsBlock } from '../document/document.ts';
import { chips, columns, headed, type Images, paragraphs, picture, quiet, spans } from './elements.ts';
import { files, thumbnails } from './photos.ts';

/** What the parts of a section are drawn with. */
interface Drawing {
  images: Images;
  photoColumns: number;
}

const answer = ({ images }: Drawing, item: Item): Markup =>
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

const item = (drawing: Drawing, shown: Item): Markup =>
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
                  ${cell.isUnanswered ? '–' : spans(cell.text)}
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
