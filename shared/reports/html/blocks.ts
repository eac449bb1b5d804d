import { html, type Markup } from '../../base/markup.ts';
import type { ReportBlock } from '../presentation/former-payload.ts';
import { photosOf } from '../presentation/media.ts';
import { correctiveActions } from './corrective-actions.ts';
import { paragraph } from './elements.ts';
import { findings } from './findings.ts';
import type { Page } from './page.ts';
import { gallery } from './photos.ts';
import { score } from './score.ts';
import { sections } from './sections.ts';
import { signatures } from './signatures.ts';
import { summary } from './summary.ts';

/** The title that a block has unless its layout gives another, and its content; false where it has none. */
const titleAndContent = (
  page: Page,
  { kind, options }: ReportBlock,
): [title: string, content: Markup | false] => {
  const { payload } = page;
  switch (kind) {
    case 'summary':
      return ['Summary', summary(page)];
    case 'score':
      return ['Score', score(page)];
    case 'findings':
      return ['Findings', findings(page, options.photo_columns ?? 3)];
    case 'corrective_actions':
      return ['Corrective actions', correctiveActions(page)];
    // Shown only by what is drawn from the report document.
    case 'corrections':
      return ['', false];
    case 'sections':
      return ['Inspection record', sections(page)];
    case 'media':
      return [
        'Photos',
        gallery(page, [...photosOf(payload, page.sections).values()], options.photo_columns ?? 2),
      ];
    case 'signatures':
      return ['Signatures', signatures(page)];
    case 'text':
      return ['', paragraph(options.text ?? '')];
  }
};

/** A block of the layout under its title; false where it has nothing to show. */
export const block = (page: Page, given: ReportBlock, position: number): Markup | false => {
  const [usualTitle, content] = titleAndContent(page, given);
  const title = given.options.title ?? usualTitle;
  if (!content || !title) return content;
  const id = `block-${position}`;
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}" dir="auto">${title}</h2>
    ${content}
  </section>`;
};
