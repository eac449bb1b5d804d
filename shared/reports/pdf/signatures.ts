import type { Content, TableCell } from 'pdfmake/interfaces.js';
import type { ReportSignature } from '../presentation/former-payload.ts';
import { INK } from '../presentation/theme.ts';
import { fitted, LINE_HEIGHT, muted, rule, SIZE, tableLayout } from './sheet.ts';
import type { Sheet } from './sheet.ts';

/** The space between two signatures, in points. */
const GAP = 32;
/** The space for a signature above its line, in points. */
const HEIGHT = 56;

const signatureBox = (sheet: Sheet, signature: ReportSignature, width: number): Content => {
  const image = signature.document_id === null ? undefined : sheet.images.get(signature.document_id);
  const size = 18;
  const typed =
    signature.typed ?? (signature.document_id !== null && !image ? 'Signature cannot be shown' : '');
  const picture = image && fitted(image, { width: width * 0.8, height: HEIGHT });
  const drawn: Content = picture ?? {
    text: sheet.type.clip(typed, { width, size }),
    fontSize: size,
    italics: true,
  };
  const height = picture?.height ?? size * LINE_HEIGHT;
  const small = { width, size: SIZE.small };
  return {
    stack: [
      { stack: [drawn], margin: [0, Math.max(0, HEIGHT - height), 0, 0] },
      rule(width, INK.faint, 0.7),
      {
        text: sheet.type.clip(signature.signed_name || '—', { width, size: SIZE.text }, 2),
        bold: true,
        margin: [0, 4, 0, 0],
      },
      muted(sheet.type.clip(signature.label, small, 2)),
      muted(
        signature.signed_at
          ? sheet.type.clip(sheet.formats.dateTime(signature.signed_at), small)
          : 'Not signed',
      ),
    ],
  };
};

/** The signatures, drawn or typed, two in a row. */
export const drawSignatures = (sheet: Sheet): Content => {
  const { signatures } = sheet.payload;
  const width = (sheet.width - GAP) / 2;
  const boxes: TableCell[] = signatures.map((signature) => signatureBox(sheet, signature, width));
  return {
    table: {
      widths: [width, width],
      dontBreakRows: true,
      body: Array.from({ length: Math.ceil(boxes.length / 2) }, (_, row) => [
        boxes[2 * row] ?? '',
        boxes[2 * row + 1] ?? '',
      ]),
    },
    layout: tableLayout({
      paddingLeft: (column) => (column === 0 ? 0 : GAP),
      paddingRight: () => 0,
      paddingTop: () => 8,
      paddingBottom: () => 12,
    }),
  };
};
