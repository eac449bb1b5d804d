import { html, type Markup } from '../../base/markup.ts';
import type {
  ActionCard,
  ActionsBlock,
  CorrectionsBlock,
  FindingCard,
  FindingsBlock,
} from '../document/document.ts';
import { chips, columns, facts, headed, paragraphs, quiet, spans } from './elements.ts';
import { files, stage, thumbnails } from './photos.ts';

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
