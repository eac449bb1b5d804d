import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { exifFacts, prepareGraphic, preparePhoto } from '../../../shared/reports/presentation/images.ts';
import { fixtureImage, photoId } from '../fixtures/images.ts';
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

  const blank = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: '#336699' } });

  it.each([
    [30_000, 30_000, /pixel limit/],
    [6_000, 5_000, /too many pixels/],
  ])('rejects a PNG that claims %d × %d pixels before decoding it', async (width, height, message) => {
    const bomb = await blank(8, 8).png().toBuffer();
    bomb.writeUInt32BE(width, 16);
    bomb.writeUInt32BE(height, 20);
    bomb.writeUInt32BE(crc32(bomb.subarray(12, 29)), 29);
    await expect(preparePhoto(bomb)).rejects.toThrow(message);
  });

  it('accepts a JPEG of 30 megapixels, which is scaled down while it is decoded', async () => {
    const photo = await preparePhoto(await blank(6_000, 5_000).jpeg().toBuffer());
    expect(photo).toMatchObject({ width: 1280, height: 1067 });
  });

  it('puts a white background behind transparent parts', async () => {
    const { data } = await preparePhoto((await fixtureImage(photoId(8)))!);
    const { data: pixels } = await sharp(data).raw().toBuffer({ resolveWithObject: true });
    expect([...pixels.subarray(0, 3)]).toEqual([255, 255, 255]);
  });

  it('knows when and where a photo was taken, if its file says so', async () => {
    const photo = await preparePhoto((await fixtureImage(photoId(7)))!);
    expect(photo).toMatchObject({
      width: 960,
      height: 1280,
      takenAt: { date: '2026-03-14', time: '10:05:00' },
      position: { lat: expect.closeTo(54.5189, 4), lng: expect.closeTo(18.5305, 4) },
    });
    expect(await preparePhoto(await gradient(30, 20, 40))).toMatchObject({ takenAt: null, position: null });
  });

  it.each([
    ['no EXIF data', Buffer.from('Exif\0\0garbage')],
    ['a clock that was never set', { IFD2: { DateTimeOriginal: '1980:01:01 00:00:00' } }],
    [
      'a receiver without a fix',
      {
        IFD3: {
          GPSLatitudeRef: 'N',
          GPSLatitude: '0/1 0/1 0/1',
          GPSLongitudeRef: 'E',
          GPSLongitude: '0/1 0/1 0/1',
        },
      },
    ],
  ])('says nothing of time and place for %s', async (_, data) => {
    const given = Buffer.isBuffer(data)
      ? data
      : (await sharp(await blank(30, 20).withExif(data).jpeg().toBuffer()).metadata()).exif;
    expect(exifFacts(given)).toEqual({ takenAt: null, position: null });
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
