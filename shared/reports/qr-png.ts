import sharp from 'sharp';
import { qrModules } from './qr-code.ts';

/** Pixels of one module: printed at 300 dots per inch, the code of an address is about 5 cm wide. */
const MODULE = 16;

/** A QR code as a PNG, black on white with the margin that readers need. */
export const qrPng = (text: string): Promise<Uint8Array> => {
  const { side, bytes } = qrModules(text);
  return sharp(bytes, { raw: { width: side, height: side, channels: 1 } })
    .resize({ width: side * MODULE, kernel: 'nearest' })
    .png({ palette: true, colours: 2 })
    .toBuffer();
};
