import { html, Markup } from '../../base/markup.ts';
import { answerChips, answeredBy, answerText, isUnanswered } from '../presentation/answers.ts';
import type { Formats } from '../presentation/format.ts';
import type { ReportField } from '../presentation/former-payload.ts';
import { countsOf, countsText, type NumberedSection } from '../presentation/sections.ts';
import { chips, columns, paragraph, quiet } from './elements.ts';
import type { Page } from './page.ts';
import { gallery } from './photos.ts';

/** How many photos of an answer stand beside each other. */
const PHOTO_COLUMNS = 4;

const answer = (field: ReportField, formats: Formats): Markup | false => {
  if (field.type === 'instruction') return false;
  if (isUnanswered(field)) return html`<span role="img" aria-label="Unanswered">—</span>`;
  const text = answerText(field);
  const by = answeredBy(field, formats);
  const labels = answerChips(field);
  return html`${text.trim() && html`<div dir="auto">${text}</div>`}${labels.length > 0 && chips(labels)}${by && quiet(by)}`;
};

const item = (page: Page, field: ReportField, number: number): Markup => {
  const { include } = page.payload.layout;
  const note =
    include.notes &&
    field.note.trim() &&
    html`<p class="label">Note</p>
      ${paragraph(field.note)}`;
  const photos = gallery(page, field.media, PHOTO_COLUMNS);
  return html`<tbody class="item ${field.is_failed && 'failed'}">
    <tr>
      <td class="number">${number}</td>
      <th scope="row">
        <div dir="auto">${field.label}</div>
        ${field.help?.trim() && quiet(field.help)}
      </th>
      <td class="answer">${answer(field, page.formats)}</td>
    </tr>
    ${
      (note || photos) &&
      html`<tr>
        <td></td>
        <td colspan="2">${note}${photos}</td>
      </tr>`
    }
  </tbody>`;
};

/** A section and those inside it; `level` is that of its heading. HTML has six levels of headings. */
const part = (page: Page, section: NumberedSection, level = 3): Markup => {
  const { description, fields, sections: nested } = section;
  const title = `${section.number} ${section.title}`;
  const heading = new Markup(`h${Math.min(level, 6)}`);
  const counts = countsOf(section);
  return html`<section class="part">
    <div class="title">
      <${heading} dir="auto">${title}</${heading}>
      ${quiet(countsText(counts), counts.failed > 0)}
    </div>
    ${description.trim() && paragraph(description)}
    ${fields.length + nested.length === 0 && quiet('No items in this section.')}
    ${
      fields.length > 0 &&
      html`<table>
        <caption class="hidden">
          ${title}
        </caption>
        ${columns(['No.', 'number'], ['Item'], ['Answer', 'answer'])}
        ${fields.map((field, position) => item(page, field, position + 1))}
      </table>`
    }
    ${nested.map((inner) => part(page, inner, level + 1))}
  </section>`;
};

/** Every question with its answer, note and photos; false where no section is shown. */
export const sections = (page: Page): Markup | false =>
  page.sections.length > 0 && html`${page.sections.map((section) => part(page, section))}`;
