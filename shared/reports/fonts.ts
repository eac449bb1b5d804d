import { basename, join } from 'node:path';

export const STYLES = ['normal', 'bold', 'italics'] as const;
type Faces = Record<(typeof STYLES)[number], string>;

const upright = (normal: string, bold: string): Faces => ({ normal, bold, italics: normal });

/** A family of Google Fonts, by its name there. */
const google = (name: string): Faces => {
  const folder = `@expo-google-fonts/${name.toLowerCase().replaceAll(' ', '-')}`;
  const face = (weight: string): string => `${folder}/${weight}/${name.replaceAll(' ', '')}_${weight}.ttf`;
  return upright(face('400Regular'), face('600SemiBold'));
};

const noto = (script: string): Faces => google(`Noto Sans ${script}`);

const eastAsian = (region: string, name: string): Faces => {
  const face = (weight: string): string => `@embedpdf/fonts-${region}/fonts/${name}-${weight}.otf`;
  return upright(face('Regular'), face('Bold'));
};

/**
 * The typefaces of a report, each a path inside an npm package: Noto Sans for Latin, Greek and Cyrillic, Roboto for the
 * few signs it lacks (≤ ≥ ≠ ≈ √ ∞ ■ ○ ●), and one for each other script, under the script's Unicode name (UAX #24).
 * What is written with Han characters looks different in Chinese, Japanese and Korean, so each has its own.
 */
const PACKAGED = {
  'Noto Sans': {
    normal: '@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf',
    bold: '@expo-google-fonts/noto-sans/600SemiBold/NotoSans_600SemiBold.ttf',
    italics: '@expo-google-fonts/noto-sans/400Regular_Italic/NotoSans_400Regular_Italic.ttf',
  },
  Roboto: {
    normal: 'pdfmake/fonts/Roboto/Roboto-Regular.ttf',
    bold: 'pdfmake/fonts/Roboto/Roboto-Medium.ttf',
    italics: 'pdfmake/fonts/Roboto/Roboto-Italic.ttf',
  },
  // Of these two, fontkit does not shape Noto Sans as its tables say: marks end up on the wrong letters.
  Arabic: google('Noto Naskh Arabic'),
  Armenian: noto('Armenian'),
  Bengali: google('Hind Siliguri'),
  Devanagari: noto('Devanagari'),
  Ethiopic: noto('Ethiopic'),
  Georgian: noto('Georgian'),
  Hebrew: noto('Hebrew'),
  Tamil: noto('Tamil'),
  Thai: noto('Thai'),
  Chinese: eastAsian('sc', 'NotoSansHans'),
  Japanese: eastAsian('jp', 'NotoSansJP'),
  Korean: eastAsian('kr', 'NotoSansKR'),
} as const satisfies Record<string, Faces>;

export type Family = keyof typeof PACKAGED;
export const FAMILIES = Object.keys(PACKAGED) as Family[];

/** What most of a report is set in, and what stands in for a sign it lacks. */
export const GENERAL = ['Noto Sans', 'Roboto'] as const satisfies Family[];

/** Every face once. */
export const FONT_FILES = [...new Set(Object.values(PACKAGED).flatMap((faces) => Object.values(faces)))];

/** The faces as a function's declaration names them among its assets. */
export const FONT_ASSETS = { fonts: (): string[] => FONT_FILES.map((file) => `node_modules/${file}`) };

/** Where each face lies: beside the function's code where that is deployed, else in the npm packages. */
export const fontFaces = (): Record<Family, Faces> => {
  const deployed = process.env['LAMBDA_TASK_ROOT'];
  const place = (file: string): string =>
    deployed
      ? join(deployed, 'fonts', basename(file))
      : join(import.meta.dirname, '../../node_modules', file);
  const placed = ({ normal, bold, italics }: Faces): Faces => ({
    normal: place(normal),
    bold: place(bold),
    italics: place(italics),
  });
  return Object.fromEntries(
    Object.entries(PACKAGED).map(([family, faces]) => [family, placed(faces)]),
  ) as Record<Family, Faces>;
};
