import { join } from 'node:path';
import sharp from 'sharp';
import { layOut } from '../../../shared/reports/pdf/typst.ts';

/** Draws the pages of the report in a workspace as pictures: `page-1.png` and so on, in this width of pixels. */
const [folder = '.', width = '300'] = process.argv.slice(2);
const { compiler, document } = layOut(folder);
// It draws the white ground of each page over the first one.
const svg = compiler.plainSvg(document).replaceAll(/^ {4}<path class="typst-shape" fill="#ffffff".*$/gm, '');
const all = sharp(Buffer.from(svg), { limitInputPixels: false, unlimited: true });
// The pages stand one below the other.
const { width: fullWidth, height: fullHeight } = await all.metadata();
const height = Math.round(((fullHeight / document.numOfPages) * Number(width)) / fullWidth);
const tall = await all
  .resize(Number(width), height * document.numOfPages, { fit: 'fill' })
  .flatten({ background: '#ffffff' })
  .raw()
  .toBuffer({ resolveWithObject: true });
for (let page = 0; page < document.numOfPages; page += 1) {
  await sharp(tall.data, { raw: tall.info })
    .extract({ left: 0, top: page * height, width: Number(width), height })
    .png({ compressionLevel: 1 })
    .toFile(join(folder, `page-${page + 1}.png`));
}
