import { html, type Markup } from '../../base/markup.ts';
import type {
  Bar,
  Chip,
  Fact,
  Figure,
  Heading,
  Paragraph,
  Span,
  FileLink,
  Photo,
  Gallery,
  ReportDocument,
} from '../document/document.ts';
import type { EmbeddedImage } from '../presentation/images.ts';

/** What the page draws with: the images that could be opened, by reference. */
export type Images = ReadonlyMap<string, EmbeddedImage>;

const span = ({ text, href, to }: Span): Markup | string => {
  if (to !== undefined) return html`<a href="#${to}">${text}</a>`;
  return href === undefined ? text : html`<a href="${href}" rel="noopener noreferrer">${text}</a>`;
};

/** The words of a paragraph with their links. */
export const spans = (paragraph: Paragraph): (Markup | string)[] => paragraph.map(span);

/** A paragraph; its own letters determine its direction. */
export const paragraphs = (all: readonly Paragraph[]): Markup[] =>
  all.map((each) => html`<p dir="auto">${spans(each)}</p>`);

/** A small grey paragraph; nothing for an empty text. */
export const quiet = (text: string | null): Markup | false =>
  Boolean(text) && html`<p class="quiet" dir="auto">${text}</p>`;

const chip = ({ text, tone }: Chip): Markup =>
  html`<span class="chip" style="color:${tone.ink};background:${tone.tint}">${text}</span>`;

/** Labels beside each other, each on a coloured background; nothing without any. */
export const chips = (all: readonly Chip[]): Markup | false =>
  all.length > 0 && html`<p class="chips">${all.map(chip)}</p>`;

export const facts = (all: readonly Fact[]): Markup | false =>
  all.length > 0 &&
  html`<dl class="facts">
    ${all.map(
      ({ name, value }) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${paragraphs(value)}</dd>
        </div>`,
    )}
  </dl>`;

/** Large numbers beside each other, each under its name. */
export const figures = (all: readonly Figure[]): Markup =>
  html`<dl class="figures">
    ${all.map(
      ({ name, value, tone }) =>
        html`<div>
          <dt>${name}</dt>
          <dd style="${tone && `color:${tone.ink}`}">${value}</dd>
        </div>`,
    )}
  </dl>`;

/** A bar for a percentage. Screen readers skip it, because the number stands beside it. */
export const bar = ({ value, tone }: Pick<Bar, 'value' | 'tone'>): Markup =>
  html`<span class="bar" aria-hidden="true">
    <span style="inline-size:${Math.min(100, Math.max(0, value ?? 0))}%;background:${tone.ink}"></span>
  </span>`;

/** Text under small headings. */
export const headed = (all: readonly { heading: string; paragraphs: Paragraph[] }[]): Markup[] =>
  all.map(
    ({ heading, paragraphs: texts }) =>
      html`<p class="label">${heading}</p>
        ${paragraphs(texts)}`,
  );

/** A part of the page under its title. */
export const block = (heading: Heading | null, content: Markup): Markup =>
  heading
    ? html`<section aria-labelledby="${heading.anchor}">
        <h2 id="${heading.anchor}" dir="auto">${heading.text}</h2>
        ${content}
      </section>`
    : html`<section>${content}</section>`;

/** The header cells of a table. @param isCount whether a column holds numbers */
export const columns = (
  names: readonly string[],
  isCount: (column: number) => boolean = () => false,
): Markup =>
  html`<thead>
    <tr>
      ${names.map((name, n) => html`<th scope="col" dir="auto" class="${isCount(n) && 'count'}">${name}</th>`)}
    </tr>
  </thead>`;

/** An image as a URL that holds it. */
const dataUri = ({ mime, data }: EmbeddedImage): string => `data:${mime};base64,${data.toString('base64')}`;

/** An image that the page shows once, such as a logo; nothing where it could not be opened. */
export const picture = (images: Images, reference: string | null, alt: string): Markup | false => {
  const image = reference === null ? undefined : images.get(reference);
  return (
    image !== undefined &&
    html`<img src="${dataUri(image)}" width="${image.width}" height="${image.height}" alt="${alt}" />`
  );
};

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

const photoLinks = (photos: readonly Photo[]): Markup | false =>
  photos.length > 0 &&
  html`<p class="quiet">
    ${photos.map(({ anchor, label }, n) => html`${n > 0 && ', '}<a href="#${anchor}">${label}</a>`)}
  </p>`;

/** Small photos beside each other, each a link to its large one. Those that stand further up are only links. */
export const thumbnails = (photos: readonly Photo[], photoColumns: number): Markup => {
  const shown = photos.filter(({ isRepeated }) => !isRepeated);
  return html`${
    shown.length > 0 &&
    html`<ul class="photos" style="--columns:${photoColumns}">
      ${shown.map(
        (photo) =>
          html`<li>
            <a href="#${photo.anchor}">${drawn(photo)}</a>
            <p class="quiet" dir="auto">${[photo.label, photo.caption].filter(Boolean).join(' · ')}</p>
          </li>`,
      )}
    </ul>`
  }${photoLinks(photos.filter(({ isRepeated }) => isRepeated))}`;
};

const caption = ({ from, label, caption: said, details }: Photo): Markup =>
  html`<a href="#${from}">${label}</a> ${said && html`<strong>${said}</strong>`}
    ${details.length > 0 && html`<p class="quiet">${spans(details)}</p>`}`;

const large = (photo: Photo): Markup =>
  html`<figure id="${photo.anchor}">
    ${drawn(photo)}
    <figcaption dir="auto">${caption(photo)}</figcaption>
  </figure>`;

/** The place of the photos, so many side by side, each with a link to where it is first shown. */
export const gallery = ({ photos, elsewhere }: Gallery, photoColumns: number): Markup =>
  html`${elsewhere.map((photo) => html`<div id="${photo.anchor}" dir="auto">${caption(photo)}</div>`)}
    <div class="photos large" style="--columns:${photoColumns}">${photos.map(large)}</div>`;

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

/** Every photo once more, as large as half of the page. */
export const appendix = (shown: ReportDocument['appendix']): Markup | false =>
  shown !== null && block(shown.heading, gallery(shown, 2));

/** The bytes of all photos, once, however often the page shows them. */
export const photoDefinitions = (photos: readonly Photo[], images: Images): Markup | false =>
  photos.length > 0 &&
  html`<svg class="hidden" aria-hidden="true">
    <defs>
      ${photos.map(({ anchor, reference, size }) => {
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
