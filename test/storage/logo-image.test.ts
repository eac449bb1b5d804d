import sharp from 'sharp';
import { logoImage } from '../../shared/files/logo-image.ts';

/** A white image of this size: few bytes, and many pixels. */
const image = (width: number, height: number): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: '#fff' }, limitInputPixels: false })
    .png({ compressionLevel: 1 })
    .toBuffer();

describe('a logo', () => {
  test('of 40 million pixels is made smaller, and one with more is not decoded', async () => {
    const { width, height } = await sharp(await logoImage(await image(8_000, 5_000))).metadata();
    expect([width, height]).toEqual([1_024, 640]);
    await expect(logoImage(await image(8_000, 5_001))).rejects.toMatchObject({ status: 422 });
  });
});
