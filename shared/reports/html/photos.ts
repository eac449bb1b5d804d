import { html, type Markup } from '../../base/markup.ts';
import type { ReportBlock, ReportMedia } from '../presentation/former-payload.ts';
import type { EmbeddedImage } from '../presentation/images.ts';
import { photosOf, placeholderOf } from '../presentation/media.ts';
import { fieldsOf } from '../presentation/sections.ts';
import { dataUri, paragraph } from './elements.ts';
import type { Page } from './page.ts';

/** The media that a block shows, in the order of the page. */
const mediaOf = (
  { payload, sections }: Pick<Page, 'payload' | 'sections'>,
  { kind }: ReportBlock,
): ReportMedia[] => {
  if (kind === 'findings') return payload.findings.flatMap(({ media }) => media);
  if (kind === 'sections') return sections.flatMap(fieldsOf).flatMap(({ media }) => media);
  return kind === 'media' ? [...photosOf(payload, sections).values()] : [];
};

/**
 * Numbers the photos of a page, by document id, in the order in which they first appear. The same photo may stand
 * beside an answer, beside its finding and in a gallery; its number lets the page contain the bytes only once.
 */
export const photoNumbers = (page: Omit<Page, 'photoNumbers'>): ReadonlyMap<string, number> => {
  const { layout } = page.payload;
  const shown = layout.include.media ? layout.blocks.flatMap((block) => mediaOf(page, block)) : [];
  const photos = new Set(shown.map(({ document_id }) => document_id).filter((id) => page.images.has(id)));
  return new Map([...photos].map((id, number) => [id, number]));
};

/** A photo, drawn from its one definition (`photoDefinitions`). */
const photo = (number: number, { width, height }: EmbeddedImage, name: string): Markup =>
  html`<svg role="img" aria-label="${name}" viewBox="0 0 ${width} ${height}" width="${width}">
    <use href="#photo-${number}" />
  </svg>`;

/** The bytes of all photos of the page; false where there are none. */
export const photoDefinitions = ({ photoNumbers: numbers, images }: Page): Markup | false =>
  numbers.size > 0 &&
  html`<svg class="hidden" aria-hidden="true">
    <defs>
      ${[...numbers].map(([id, number]) => {
        const image = images.get(id)!;
        return html`<image
          id="photo-${number}"
          href="${dataUri(image)}"
          width="${image.width}"
          height="${image.height}"
        />`;
      })}
    </defs>
  </svg>`;

/** A photo with its caption, or a box with the file's name where there is no image to show. */
const medium = ({ images, photoNumbers: numbers }: Page, media: ReportMedia): Markup => {
  const { document_id, caption, file_name } = media;
  const [image, number] = [images.get(document_id), numbers.get(document_id)];
  const shown =
    image && number !== undefined
      ? photo(number, image, caption.trim() || file_name)
      : html`<div class="file">
          <p class="label">${placeholderOf(media)}</p>
          ${paragraph(file_name)}
        </div>`;
  return html`<li>
    <figure>${shown}${caption.trim() && html`<figcaption dir="auto">${caption}</figcaption>`}</figure>
  </li>`;
};

/** Photos and files in rows of so many columns; false where there are none, or the layout excludes media. */
export const gallery = (page: Page, media: readonly ReportMedia[], photoColumns: number): Markup | false =>
  media.length > 0 &&
  page.payload.layout.include.media &&
  html`<ul class="photos" style="--columns:${photoColumns}">
    ${media.map((item) => medium(page, item))}
  </ul>`;
