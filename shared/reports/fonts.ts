import { createRequire } from 'node:module';
import { basename, join } from 'node:path';

/**
 * The typefaces of a report: Noto Sans, and Roboto for the few signs Noto Sans lacks (≤ ≥ ≠ ≈ √ ∞ ■ ○ ●).
 * Each is a path inside an npm package; a function ships them under their base names in its folder `fonts`.
 */
export const FONT_FILES = [
  '@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf',
  '@expo-google-fonts/noto-sans/600SemiBold/NotoSans_600SemiBold.ttf',
  '@expo-google-fonts/noto-sans/400Regular_Italic/NotoSans_400Regular_Italic.ttf',
  'pdfmake/fonts/Roboto/Roboto-Regular.ttf',
  'pdfmake/fonts/Roboto/Roboto-Medium.ttf',
  'pdfmake/fonts/Roboto/Roboto-Italic.ttf',
] as const;

/** Families in the order in which a character looks for its glyph. */
export const FAMILIES = ['Noto Sans', 'Roboto'] as const;
export type Family = (typeof FAMILIES)[number];

export const STYLES = ['normal', 'bold', 'italics'] as const;

/** Where each face lies: beside the function's code where that is deployed, else in the npm packages. */
export const fontFaces = (): Record<Family, Record<(typeof STYLES)[number], string>> => {
  const packages = createRequire(join(import.meta.dirname, 'fonts.ts'));
  const deployed = process.env['LAMBDA_TASK_ROOT'];
  const [normal, bold, italics, fallback, fallbackBold, fallbackItalics] = FONT_FILES.map((file) =>
    deployed ? join(deployed, 'fonts', basename(file)) : packages.resolve(file),
  ) as [string, string, string, string, string, string];
  return {
    'Noto Sans': { normal, bold, italics },
    Roboto: { normal: fallback, bold: fallbackBold, italics: fallbackItalics },
  };
};
