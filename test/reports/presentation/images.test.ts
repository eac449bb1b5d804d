import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { prepareGraphic, preparePhoto } from '../../../shared/reports/presentation/images.ts';
import { gradient, scribble } from '../fixtures/pictures.ts';

describe('preparePhoto', () => {
  it('makes a JPEG of at most 1280 pixels a side', async () => {
    const photo = await preparePhoto(await gradient(3000, 2000, 40));
    expect(photo).toMatchObject({ mime: 'image/jpeg', width: 1280, height: 853 });
  });

  it('does not enlarge a small photo', async () => {
    expect(await preparePhoto(await gradient(300, 200, 40))).toMatchObject({ width: 300, height: 200 });
  });

  it('turns the photo upright and removes its metadata', async () => {
    const taken = await sharp(await gradient(300, 200, 40))
      .withMetadata({ orientation: 6 })
      .withExifMerge({ IFD0: { Model: 'Phone of Zofia' } })
      .jpeg()
      .toBuffer();
    const photo = await preparePhoto(taken);
    expect(photo).toMatchObject({ width: 200, height: 300 });
    expect((await sharp(photo.data).metadata()).exif).toBeUndefined();
  });

  it.each(['webp', 'gif', 'tiff', 'avif'] as const)('accepts %s', async (format) => {
    const photo = await preparePhoto(
      await sharp(await gradient(300, 200, 40))
        .toFormat(format)
        .toBuffer(),
    );
    expect(photo).toMatchObject({ mime: 'image/jpeg', width: 300 });
  });

  it('rejects a file that is damaged, empty or not a raster image', async () => {
    const whole = await gradient(800, 600, 40);
    await expect(preparePhoto(whole.subarray(0, whole.length / 2))).rejects.toThrow('premature end');
    await expect(preparePhoto(Buffer.alloc(0))).rejects.toThrow('empty');
    await expect(preparePhoto(Buffer.from('%PDF-1.7'))).rejects.toThrow('unsupported image format');
    await expect(
      preparePhoto(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')),
    ).rejects.toThrow('unsupported image format svg');
  });

  it('rejects an image of more than 64 megapixels before decoding it', async () => {
    const bomb = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#fff' } })
      .png()
      .toBuffer();
    bomb.writeUInt32BE(30_000, 16);
    bomb.writeUInt32BE(30_000, 20);
    bomb.writeUInt32BE(crc32(bomb.subarray(12, 29)), 29);
    await expect(preparePhoto(bomb)).rejects.toThrow(/pixel limit/);
  });
});

describe('prepareGraphic', () => {
  it('puts a white background behind transparent parts, without loss', async () => {
    const { data, mime } = await prepareGraphic(await scribble());
    expect(mime).toBe('image/png');
    const { data: pixels, info } = await sharp(data).raw().toBuffer({ resolveWithObject: true });
    expect(info.channels).toBe(3);
    expect([...pixels.subarray(0, 3)]).toEqual([255, 255, 255]);
  });
});
