import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { besideCode } from '../../base/beside-code.ts';

/** A font family by the name in its files, and its files: paths inside npm packages, the regular one first. */
interface Family {
  name: string;
  files: [regular: string, ...others: string[]];
}

/** A family of Google Fonts, in these weights and styles. */
const google = (
  name: string,
  [regular, ...others]: [string, ...string[]] = ['400Regular', '600SemiBold'],
): Family => {
  const face = (style: string): string =>
    `@expo-google-fonts/${name.toLowerCase().replaceAll(' ', '-')}/${style}/${name.replaceAll(' ', '')}_${style}.ttf`;
  return { name, files: [face(regular), ...others.map(face)] };
};

const eastAsian = (region: string, file: string, name: string): Family => {
  const face = (weight: string): string => `@embedpdf/fonts-${region}/fonts/${file}-${weight}.otf`;
  return { name: `Noto Sans ${name}`, files: [face('Regular'), face('Bold')] };
};

const CHINESE = eastAsian('sc', 'NotoSansHans', 'S Chinese');
const JAPANESE = eastAsian('jp', 'NotoSansJP', 'Japanese');
const KOREAN = eastAsian('kr', 'NotoSansKR', 'Korean');

/** In the order of preference: a character is drawn in the first family that has it. */
const GENERAL: readonly Family[] = [
  google('Noto Sans', ['400Regular', '600SemiBold', '400Regular_Italic']),
  // Noto Sans Arabic draws a letter and its dots as glyphs of their own, and readers of the PDF then find letters
  // twice. It stays for the letters of other languages that IBM Plex lacks.
  google('IBM Plex Sans Arabic'),
  ...[
    'Arabic',
    'Armenian',
    'Bengali',
    'Devanagari',
    'Ethiopic',
    'Georgian',
    'Gujarati',
    'Gurmukhi',
    'Hebrew',
    'Kannada',
    'Khmer',
    'Lao',
    'Malayalam',
    'Myanmar',
    'Oriya',
    'Sinhala',
    'Tamil',
    'Telugu',
    'Thai',
  ].map((script) => google(`Noto Sans ${script}`)),
];

const SYMBOLS: readonly Family[] = [
  google('Noto Sans Math', ['400Regular']),
  google('Noto Sans Symbols'),
  google('Noto Sans Symbols 2', ['400Regular']),
  google('Noto Emoji'),
];

/** Every font file once. */
export const FONT_FILES: readonly string[] = [...GENERAL, CHINESE, JAPANESE, KOREAN, ...SYMBOLS].flatMap(
  ({ files }) => files,
);

/** The path of a font file: beside the code of a deployed function, otherwise in the npm packages. */
export const fontPath = (file: string): string =>
  besideCode(`fonts/${basename(file)}`, join(import.meta.dirname, '../../../node_modules', file));

/**
 * The families in which a text is drawn. Chinese, Japanese and Korean draw the same Han characters differently, so the
 * order of their families follows the language of the report, or else the letters in the text.
 */
export const familiesFor = (text: string, language?: string): readonly Family[] => {
  const first =
    language === 'ja' || (language !== 'zh' && /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text))
      ? JAPANESE
      : language !== 'zh' && /\p{Script=Hangul}/u.test(text)
        ? KOREAN
        : CHINESE;
  return [...GENERAL, ...new Set([first, CHINESE, JAPANESE, KOREAN]), ...SYMBOLS];
};

/** The native build of Typst, for Linux on x86-64. The package above it names builds that npm does not find. */
export const TYPST = '@myriaddreamin/typst-ts-node-compiler-linux-x64-gnu';

const TEMPLATE = join(import.meta.dirname, 'template');

/** What an operation or worker that draws reports declares. */
export const DRAWS_REPORTS = {
  native: ['sharp', TYPST],
  programs: ['shared/reports/pdf/draw-pdf.ts'],
  assets: {
    fonts: (): string[] => FONT_FILES.map((file) => `node_modules/${file}`),
    template: (): string[] => readdirSync(TEMPLATE).map((name) => join(TEMPLATE, name)),
  },
} as const;

/** The folder of the Typst files: beside the code of a deployed function, otherwise here. */
export const templateFolder = (): string => besideCode('template', TEMPLATE);

/** The program that draws one report: beside the code of a deployed function, otherwise here. */
export const drawingProgram = (): string =>
  besideCode('draw-pdf.cjs', join(import.meta.dirname, 'draw-pdf.ts'));
