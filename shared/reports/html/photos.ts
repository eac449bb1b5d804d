import { html, type Markup } from '../../base/markup.ts';
import type { FileLink, Photo, ReportDocument } from '../document/document.ts';
import { dataUri, type Images, spans } from './elements.ts';

/** A photo, drawn from its one definition (`photoDefinitions`); a box where it cannot be shown. */
const drawn = ({ size, alt, anchor, label }: Photo): Markup =>
  size === null
    ? html`<span class="box">${label}</span>`
    : html`<svg
        role="img"
        aria-label="${alt}"
        viewBox="0 0 ${size.width} ${size.height}"
        width="${size.width}"
      >
        <use href="#image-${anchor}" />
      </svg>`;

/** Small photos beside each other, each a link to its large one. */
export const thumbnails = (photos: readonly Photo[], photoColumns: number): Markup | false =>
  photos.length > 0 &&
  html`<ul class="photos" style="--columns:${photoColumns}">
    ${photos.map(
      (photo) =>
        html`<li>
          <a href="#${photo.anchor}">${drawn(photo)}</a>
          <p class="quiet" dir="auto">${[photo.label, photo.caption].filter(Boolean).join(' · ')}</p>
        </li>`,
    )}
  </ul>`;

/** Files that are no photos, by their names. */
export const files = (all: readonly FileLink[]): Markup | false =>
  all.length > 0 &&
  html`<ul class="files">
    ${all.map(
      ({ name, kind, caption, href }) =>
        html`<li dir="auto">
          ${href === null ? name : html`<a href="${href}" rel="noopener noreferrer">${name}</a>`}${' '}
          <span class="quiet">${[kind, caption].filter(Boolean).join(' · ')}</span>
        </li>`,
    )}
  </ul>`;

/** Every photo as large as the page allows, with a link to where it is first shown. */
export const appendix = (shown: ReportDocument['appendix']): Markup | false =>
  shown !== null &&
  html`<section aria-labelledby="${shown.heading.anchor}">
    <h2 id="${shown.heading.anchor}">${shown.heading.text}</h2>
    ${shown.photos.map(
      (photo) =>
        html`<figure id="${photo.anchor}" class="large">
          ${drawn(photo)}
          <figcaption dir="auto">
            <a href="#${photo.from}">${photo.label}</a>
            ${photo.caption && html` <strong>${photo.caption}</strong>`}
            ${photo.details.length > 0 && html`<p class="quiet">${spans(photo.details)}</p>`}
          </figcaption>
        </figure>`,
    )}
  </section>`;

/** The bytes of all photos, once, however often the page shows them. */
export const photoDefinitions = (shown: ReportDocument['appendix'], images: Images): Markup | false =>
  shown !== null &&
  html`<svg class="hidden" aria-hidden="true">
    <defs>
      ${shown.photos.map(({ anchor, reference, size }) => {
        const image = images.get(reference);
        return (
          image !== undefined &&
          size !== null &&
          html`<image
            id="image-${anchor}"
            href="${dataUri(image)}"
            width="${size.width}"
            height="${size.height}"
          />`
        );
      })}
    </defs>
  </svg>`;

/** Photos under the word for their stage: before or after. */
export const stage = (
  staged: { heading: string; photos: Photo[] } | null,
  photoColumns: number,
): Markup | false =>
  staged !== null &&
  html`<div class="stage">
    <p class="label">${staged.heading}</p>
    ${thumbnails(staged.photos, photoColumns)}
  </div>`;
