import qrcode from 'qrcode-generator';

/** A QR code (ISO/IEC 18004, error correction level M) as an SVG, black on white with the margin that readers need. */
export const qrSvg = (text: string): string => {
  const code = qrcode(0, 'M');
  code.addData(text);
  code.make();
  return code.createSvgTag({ cellSize: 4, margin: 16, scalable: true });
};
