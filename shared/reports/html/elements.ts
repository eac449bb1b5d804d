import { html, type Markup } from '../../base/markup.ts';
import type { EmbeddedImage } from '../presentation/images.ts';
import type { Figure } from '../presentation/summary.ts';
import type { Chip } from '../presentation/theme.ts';

/** A text of the payload as a paragraph; its own letters determine its direction. */
export const paragraph = (text: string): Markup => html`<p dir="auto">${text}</p>`;

/** A small grey paragraph, or a red one where `isBad`. */
export const quiet = (text: string, isBad = false): Markup =>
  html`<p class="quiet ${isBad && 'bad'}" dir="auto">${text}</p>`;

/** Labels beside each other, each on a coloured background. */
export const chips = (words: readonly Chip[]): Markup =>
  html`<ul class="chips">
    ${words.map(
      ({ text, tone }) =>
        html`<li class="chip" style="color:${tone.ink};background:${tone.tint}">${text}</li>`,
    )}
  </ul>`;

/** Large numbers beside each other, each under its name. */
export const tiles = (figures: readonly Figure[]): Markup =>
  html`<dl class="tiles">
    ${figures.map(
      ({ name, value, color }) =>
        html`<div>
          <dt>${name}</dt>
          <dd style="color:${color}">${value}</dd>
        </div>`,
    )}
  </dl>`;

/** A bar for a percentage from 0 to 100. Screen readers skip it, because the number stands beside it. */
export const bar = (percentage: number | null, color: string): Markup =>
  html`<div class="bar" aria-hidden="true">
    <div style="inline-size:${Math.min(100, Math.max(0, percentage ?? 0))}%;background:${color}"></div>
  </div>`;

/** The header cells of a table; `style` is a CSS class. */
export const columns = (...names: [name: string, style?: string][]): Markup =>
  html`<thead>
    <tr>
      ${names.map(([name, style]) =>
        name ? html`<th scope="col" class="${style}">${name}</th>` : html`<td></td>`,
      )}
    </tr>
  </thead>`;

/** An image as a URL that holds it. */
export const dataUri = ({ mime, data }: EmbeddedImage): string =>
  `data:${mime};base64,${data.toString('base64')}`;

/** An image that the page shows once, such as a logo. */
export const picture = (image: EmbeddedImage, alt: string): Markup =>
  html`<img src="${dataUri(image)}" width="${image.width}" height="${image.height}" alt="${alt}" />`;
