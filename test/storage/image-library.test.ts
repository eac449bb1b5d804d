import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { openImage } from '../../shared/files/image-library.ts';

/** A small PNG that says to be of this size. */
const claiming = async (width: number, height: number, progressive: boolean): Promise<Buffer> => {
  const png = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#336699' } })
    .png({ progressive })
    .toBuffer();
  png.writeUInt32BE(width, 16);
  png.writeUInt32BE(height, 20);
  png.writeUInt32BE(crc32(png.subarray(12, 29)), 29);
  return png;
};

const opens = (bytes: Buffer) => openImage(bytes, 120_000_000).then(({ metadata }) => metadata.width);

test('an image in several passes has fewer pixels than one in a single pass, whatever the size of its file', async () => {
  expect(await opens(await claiming(8_000, 5_000, true))).toBe(8_000);
  expect(await opens(await claiming(8_000, 5_001, false))).toBe(8_000);
  await expect(opens(await claiming(8_000, 5_001, true))).rejects.toThrow('too many pixels');
  await expect(opens(await claiming(12_000, 10_001, false))).rejects.toThrow('pixel limit');
});
