import qrcode from 'qrcode-generator';

/** Pixels of a module. */
const MODULE = 4;

/** Modules around the code that stay white: readers need four (ISO/IEC 18004, section 6.3.8). */
const MARGIN = 4;

/** Error correction level M: the code can be read although a seventh of it is dirty. */
const codeOf = (text: string) => {
  const code = qrcode(0, 'M');
  code.addData(text);
  code.make();
  return code;
};

/** A QR code (ISO/IEC 18004, error correction level M) as an SVG, black on white with its margin. */
export const qrSvg = (text: string): string =>
  codeOf(text).createSvgTag({ cellSize: MODULE, margin: MARGIN * MODULE, scalable: true });

/** The same as a GIF. */
export const qrGif = (text: string): Buffer =>
  Buffer.from(
    codeOf(text)
      .createDataURL(MODULE, MARGIN * MODULE)
      .replace(/^[^,]*,/, ''),
    'base64',
  );

/** The modules of the same code with its margin: one byte each, 0 for black and 255 for white, row by row. */
export const qrModules = (text: string): { side: number; bytes: Uint8Array } => {
  const code = codeOf(text);
  const side = code.getModuleCount() + 2 * MARGIN;
  const isBlack = (row: number, column: number): boolean =>
    Math.min(row, column) >= 0 && Math.max(row, column) < side - 2 * MARGIN && code.isDark(row, column);
  const bytes = Uint8Array.from({ length: side * side }, (_, index) =>
    isBlack(Math.floor(index / side) - MARGIN, (index % side) - MARGIN) ? 0 : 255,
  );
  return { side, bytes };
};
