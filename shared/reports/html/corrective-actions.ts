import { html, type Markup } from '../../base/markup.ts';
import { actionChips } from '../presentation/findings.ts';
import type { Formats } from '../presentation/format.ts';
import type { ReportCorrectiveAction } from '../presentation/former-payload.ts';
import { chips, columns, paragraph } from './elements.ts';
import type { Page } from './page.ts';

const actionRow = (action: ReportCorrectiveAction, formats: Formats): Markup => {
  const { number, title, description, completion_note, assignee_name, due_at, is_overdue, verified_at } =
    action;
  return html`<tr>
    <td class="number">${number}</td>
    <th scope="row">
      <strong dir="auto">${title}</strong>
      ${chips(actionChips(action))}${description.trim() && paragraph(description)}
      ${completion_note.trim() && paragraph(`Done: ${completion_note}`)}
    </th>
    <td dir="auto">${assignee_name ?? '—'}</td>
    <td class="${is_overdue && 'bad'}">
      ${due_at ? formats.date(due_at) : '—'}${is_overdue && html`<p>Overdue</p>`}
      ${verified_at && html`<p>${`Verified ${formats.date(verified_at)}`}</p>`}
    </td>
  </tr>`;
};

/** The corrective actions as a table; false where there are none. */
export const correctiveActions = ({ payload, formats }: Page): Markup | false =>
  payload.corrective_actions.length > 0 &&
  html`<table class="rows">
    <caption class="hidden">
      Corrective actions
    </caption>
    ${columns(['No.', 'number'], ['Action'], ['Assigned to'], ['Due'])}
    <tbody>
      ${payload.corrective_actions.map((action) => actionRow(action, formats))}
    </tbody>
  </table>`;
