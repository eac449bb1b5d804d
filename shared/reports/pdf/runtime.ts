import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { besideCode } from '../../base/beside-code.ts';
import { FONT_FILES } from '../fonts.ts';

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
  besideCode('draw-pdf.mjs', join(import.meta.dirname, 'draw-pdf.ts'));
