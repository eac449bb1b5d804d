import sharp from 'sharp';

/** The size of a photo in pixels: 12 megapixels, as a phone takes them. */
const WIDTH = 4032;
const HEIGHT = 3024;

/** What a photo shows, and where and when it was taken. */
export interface Shot {
  /** The same seed gives the same scene. */
  seed: number;
  /** Whether the shelves are in good order. */
  isTidy?: boolean;
  takenAt: Date;
}

/** The harbour of Piraeus, in degrees, minutes and seconds as Exif has them. */
const POSITION = {
  GPSLatitudeRef: 'N',
  GPSLatitude: '37/1 56/1 3140/100',
  GPSLongitudeRef: 'E',
  GPSLongitude: '23/1 38/1 4720/100',
};

/** The wall time of the camera's place as Exif has it. Swedish writes dates as ISO 8601 does. */
const exifTime = (time: Date): string =>
  time.toLocaleString('sv', { timeZone: 'Europe/Athens' }).replaceAll('-', ':');

/** A drawing of shelves under a lamp, as SVG. Its soft light makes it compress like a photograph. */
const scene = ({ seed, isTidy = false }: Shot): string => {
  const hue = (seed * 67) % 360;
  const shelves = Array.from({ length: 5 }, (_, row) => {
    const y = 300 + row * 520;
    const boxes = Array.from({ length: 9 }, (_, column) => {
      const height = isTidy ? 300 : 160 + ((seed * 31 + row * 17 + column * 53) % 260);
      const tone = 30 + ((seed + row * 7 + column * 13) % 45);
      return `<rect x="${180 + column * 415}" y="${y + 440 - height}" width="360" height="${height}" rx="24" fill="hsl(${(hue + column * (seed % 5) * 9) % 360} 45% ${tone}%)"/>`;
    });
    return `${boxes.join('')}<rect x="80" y="${y + 440}" width="3870" height="46" fill="hsl(${hue} 10% 28%)"/>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}">
    <defs><radialGradient id="lamp" cx="${30 + ((seed * 11) % 40)}%" cy="18%" r="95%">
      <stop offset="0" stop-color="#fff" stop-opacity="0.55"/><stop offset="1" stop-color="#000" stop-opacity="0.55"/>
    </radialGradient></defs>
    <rect width="100%" height="100%" fill="hsl(${hue} 22% 68%)"/>${shelves.join('')}
    <rect width="100%" height="100%" fill="url(#lamp)"/></svg>`;
};

/** The noise of a camera sensor, a quarter of the photo wide and high. */
const newGrain = (): Promise<Buffer> =>
  sharp({
    create: {
      width: WIDTH / 4,
      height: HEIGHT / 4,
      channels: 3,
      background: '#808080',
      noise: { type: 'gaussian', mean: 128, sigma: 12 },
    },
  })
    .png()
    .toBuffer();

let grain: Promise<Buffer> | undefined;

/** A photograph of 12 megapixels in JPEG, with noise, and with its time and place in Exif. */
export const takePhoto = async (shot: Shot): Promise<Buffer> => {
  grain ??= newGrain();
  return sharp(Buffer.from(scene(shot)))
    .composite([{ input: await grain, blend: 'soft-light', tile: true }])
    .withExif({
      IFD2: { DateTimeOriginal: exifTime(shot.takenAt) },
      IFD3: POSITION,
    })
    .jpeg({ quality: 82 })
    .toBuffer();
};

/** A signature as a tablet draws it, in PNG. */
export const drawSignature = (seed: number): Promise<Buffer> => {
  const points = Array.from({ length: 14 }, (_, step) => {
    const y = 120 + Math.sin(step * 1.7 + seed) * 70 * (step % 3 === 0 ? 1.2 : 0.6);
    return `${60 + step * 44},${Math.round(y)}`;
  });
  return sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="720" height="240"><polyline points="${points.join(' ')}" fill="none" stroke="#1a237e" stroke-width="7" stroke-linecap="round" stroke-linejoin="round"/></svg>`,
    ),
  )
    .png()
    .toBuffer();
};

/** A logo for the cover of a report, in PNG. */
export const drawLogo = (): Promise<Buffer> =>
  sharp(
    Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="480" height="480"><circle cx="240" cy="240" r="220" fill="#1f4e79"/><path d="M130 250 l75 80 l150 -170" fill="none" stroke="#fff" stroke-width="46" stroke-linecap="round" stroke-linejoin="round"/></svg>',
    ),
  )
    .png()
    .toBuffer();
