import { sampleFileKind } from '../../domain/report/sample/identities.ts';
import { imageLibrary } from '../../storage/image-library.ts';

/** The usual symbol of a photo: hills and a sun. */
const PHOTO = `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="480">
<rect width="640" height="480" fill="#e4e7ec"/><circle cx="470" cy="140" r="44" fill="#ffffff"/>
<path d="M0 400 200 190 340 330 430 250 640 420V480H0Z" fill="#98a2b3"/></svg>`;

const DRAWING = `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="480">
<rect width="640" height="480" fill="#ffffff"/><g fill="none" stroke="#475467" stroke-width="4">
<path d="M80 80H560V400H80ZM80 240H300V400M300 240V80"/><circle cx="430" cy="300" r="40"/></g></svg>`;

const SIGNATURE = `<svg xmlns="http://www.w3.org/2000/svg" width="600" height="200">
<path d="M20 140C80 20 120 20 110 130S190 60 220 120 290 40 310 130 420 80 580 60" fill="none"
stroke="#1d2733" stroke-width="7" stroke-linecap="round"/></svg>`;

const IMAGES: Record<string, string> = { photo: PHOTO, drawing: DRAWING, signature: SIGNATURE };

const drawn = async (svg: string): Promise<Buffer> => {
  const sharp = await imageLibrary();
  return sharp(Buffer.from(svg)).png().toBuffer();
};

/** The image of a sample document as a PNG; undefined for a reference to a real document. */
export const sampleImage = (reference: string): Promise<Buffer> | undefined => {
  const svg = IMAGES[sampleFileKind(reference) ?? ''];
  return svg === undefined ? undefined : drawn(svg);
};
