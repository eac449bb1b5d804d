import { basename, join } from 'node:path';

export const STYLES = ['normal', 'bold', 'italics'] as const;
/** The file of each style. */
type Faces = Record<(typeof STYLES)[number], string>;

/** A family without italics. */
const upright = (normal: string, bold: string): Faces => ({ normal, bold, italics: normal });

/** A font family by its name in Google Fonts. */
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
 * The fonts of a report, as paths inside npm packages: Noto Sans for Latin, Greek and Cyrillic, Roboto for the few
 * symbols that Noto Sans lacks (≤ ≥ ≠ ≈ √ ∞ ■ ○ ●), and one family for each other script, under the script's Unicode
 * name (UAX #24). Chinese, Japanese and Korean have one family each, because they draw Han characters differently.
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
  // fontkit puts marks on the wrong letters in Noto Sans Arabic and Noto Sans Bengali, so these two have other fonts.
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

/** The main family of a report, and the one for the symbols that it lacks. */
export const GENERAL = ['Noto Sans', 'Roboto'] as const satisfies Family[];

/** Every font file once. */
export const FONT_FILES = [...new Set(Object.values(PACKAGED).flatMap((faces) => Object.values(faces)))];

/** The font files as an operation or worker declares them among its assets. */
export const FONT_ASSETS = { fonts: (): string[] => FONT_FILES.map((file) => `node_modules/${file}`) };

/** The path of each font file: beside the code of a deployed function, otherwise in the npm packages. */
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
