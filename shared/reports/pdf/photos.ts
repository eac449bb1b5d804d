import type { Column, Content } from 'pdfmake/interfaces.js';
import type { ReportMedia } from '../presentation/former-payload.ts';
import { placeholderOf } from '../presentation/media.ts';
import { INK } from '../presentation/theme.ts';
import { fitted, muted, SIZE, tableLayout } from './sheet.ts';
import type { Sheet } from './sheet.ts';

/** The space between photos, in points. */
const GAP = 8;
/** The most lines of a caption below its photo. */
const MAX_CAPTION_LINES = 3;

const placeholder = (sheet: Sheet, media: ReportMedia, width: number, height: number): Content => {
  const inner = width - 2 * GAP;
  return {
    table: {
      widths: [inner],
      heights: [height - 2 * GAP],
      body: [
        [
          {
            stack: [
              { text: placeholderOf(media), fontSize: SIZE.tiny, bold: true, color: INK.muted },
              muted(sheet.type.clip(media.file_name, { width: inner, size: SIZE.small }, 3)),
            ],
            fillColor: INK.panel,
          },
        ],
      ],
    },
    layout: tableLayout({
      paddingLeft: () => GAP,
      paddingRight: () => GAP,
      paddingTop: () => GAP,
      paddingBottom: () => GAP,
    }),
  };
};

const picture = (sheet: Sheet, media: ReportMedia, width: number, height: number): Content => {
  const image = sheet.images.get(media.document_id);
  return image ? fitted(image, { width, height }) : placeholder(sheet, media, width, height);
};

/**
 * Photos and files in rows of so many columns, with their captions. A caption that is too long for its column is cut
 * off there, and follows below the row in full. Each node fits in a table row that cannot break across pages.
 */
export const photoRows = (sheet: Sheet, media: ReportMedia[], width: number, columns: number): Content[] => {
  const tile = (width - GAP * (columns - 1)) / columns;
  const caption = { width: tile, size: SIZE.small };
  return Array.from({ length: Math.ceil(media.length / columns) }, (_, row) => {
    const beside = media.slice(row * columns, (row + 1) * columns);
    const long = beside.filter((item) => sheet.type.overflows(item.caption, caption, MAX_CAPTION_LINES));
    return [
      {
        columns: beside.map((item): Column => ({
          width: tile,
          stack: [
            picture(sheet, item, tile, tile * 0.75),
            {
              stack: [muted(sheet.type.clip(item.caption, caption, MAX_CAPTION_LINES))],
              margin: [0, 2, 0, 0],
            },
          ],
        })),
        columnGap: GAP,
      },
      ...long.flatMap((item) =>
        sheet.type
          .pieces(`${item.file_name}: ${item.caption}`, { width, size: SIZE.small })
          .map((piece) => muted(piece)),
      ),
    ];
  }).flat();
};
