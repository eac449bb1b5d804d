import { html, type Markup } from '../../base/markup.ts';
import type { ReportSignature } from '../presentation/former-payload.ts';
import { picture, quiet } from './elements.ts';
import type { Page } from './page.ts';

const signature = ({ images, formats }: Page, signed: ReportSignature): Markup => {
  const { label, signed_name, signed_at, document_id, typed } = signed;
  const image = images.get(document_id ?? '');
  const mark = typed ?? (document_id !== null && 'Signature cannot be shown');
  return html`<li class="signature">
    <div class="mark" dir="auto">${image ? picture(image, `Signature of ${signed_name}`) : mark}</div>
    <p dir="auto"><strong>${signed_name || '—'}</strong></p>
    ${quiet(label)}${quiet(signed_at ? formats.dateTime(signed_at) : 'Not signed')}
  </li>`;
};

/** The signatures, drawn or typed; false where there are none. */
export const signatures = (page: Page): Markup | false =>
  page.payload.signatures.length > 0 &&
  html`<ul class="signatures">
    ${page.payload.signatures.map((signed) => signature(page, signed))}
  </ul>`;
