import qrcode from 'qrcode-generator';

/** Pixels of a module, and of the margin of four modules that readers need. */
const MODULE = 4;
const MARGIN = 4 * MODULE;

const codeOf = (text: string) => {
  const code = qrcode(0, 'M');
  code.addData(text);
  code.make();
  return code;
};

/** A QR code (ISO/IEC 18004, error correction level M) as an SVG, black on white with its margin. */
export const qrSvg = (text: string): string =>
  codeOf(text).createSvgTag({ cellSize: MODULE, margin: MARGIN, scalable: true });

/** The same as a GIF. */
export const qrGif = (text: string): Buffer =>
  Buffer.from(
    codeOf(text)
      .createDataURL(MODULE, MARGIN)
      .replace(/^[^,]*,/, ''),
    'base64',
  );
