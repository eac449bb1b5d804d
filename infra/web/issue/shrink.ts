/** Pixels of width and height that a photo keeps: enough to read a sign in it. */
const MAX_SIDE = 2_560;

const QUALITY = 0.85;

/** A photo that is ready to be sent. */
export interface Shrunk {
  blob: Blob;
  /** A small picture of it, to be shown. */
  thumbnail: Blob;
}

const drawn = async (image: ImageBitmap, side: number): Promise<Blob> => {
  const scale = Math.min(1, side / Math.max(image.width, image.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(image.width * scale));
  canvas.height = Math.max(1, Math.round(image.height * scale));
  const context = canvas.getContext('2d')!;
  context.imageSmoothingQuality = 'high';
  // JPEG has no transparency.
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((resolve) => {
    canvas.toBlob(resolve, 'image/jpeg', QUALITY);
  });
  // Frees the memory of the pixels at once.
  canvas.width = 0;
  if (!blob) throw new Error('the photo could not be drawn');
  return blob;
};

/**
 * Scales a photo down and turns it upright. It is drawn anew, so nothing else of the file is sent: not the place where it
 * was taken, nor the time.
 * @throws when the browser cannot read the file as an image
 */
export const shrink = async (file: Blob): Promise<Shrunk> => {
  const image = await createImageBitmap(file, { imageOrientation: 'from-image' });
  try {
    return { blob: await drawn(image, MAX_SIDE), thumbnail: await drawn(image, 192) };
  } finally {
    image.close();
  }
};
