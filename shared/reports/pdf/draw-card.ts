import { readdirSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { besideCode } from '../../base/beside-code.ts';
import { directionOf, type Language } from '../../i18n/languages.ts';
import { PAGE_TEXTS } from '../../i18n/texts/pages.ts';
import { qrSvg } from '../qr-code.ts';
import { Drawable } from './drawable.ts';
import { runWithin } from './render-pdf.ts';
import { FONT_FILES, fontPath, DRAWS_REPORTS, drawingProgram } from './runtime.ts';
import type { Job } from './workspace.ts';

const CARD = join(import.meta.dirname, 'card');

/** How long drawing may take, in milliseconds. */
const MAX_TIME = 20_000;

/** What an operation that draws cards declares. */
export const DRAWS_CARDS = {
  native: DRAWS_REPORTS.native,
  programs: DRAWS_REPORTS.programs,
  assets: {
    fonts: DRAWS_REPORTS.assets.fonts,
    card: (): string[] => readdirSync(CARD).map((name) => join(CARD, name)),
  },
} as const;

/** What a card says. */
export interface Card {
  language: Language;
  organization: string;
  /** Such as the place where the card hangs; may be empty. */
  label: string;
  /** The address in its code. */
  address: string;
}

/** A card in A6 with a QR code, as a PDF/A-3a. @throws OutOfTime or OutOfMemory at a limit */
export const drawCard = async ({ language, organization, label, address }: Card): Promise<Buffer> => {
  const texts = PAGE_TEXTS[language].card;
  const card = {
    language,
    direction: directionOf(language),
    organization,
    label,
    address,
    title: texts.title,
    text: texts.text,
    addressLabel: texts.address,
  };
  const folder = await mkdtemp(join(tmpdir(), 'card-'));
  try {
    const drawable = new Drawable(JSON.stringify(card), language);
    const drawing = { card: drawable.value(card), families: drawable.families };
    const job: Job = { fonts: FONT_FILES.map(fontPath), createdAt: 0 };
    await Promise.all([
      cp(besideCode('card', CARD), join(folder, 'template'), { recursive: true }),
      writeFile(join(folder, 'qr.svg'), qrSvg(address)),
      writeFile(join(folder, 'drawing.json'), JSON.stringify(drawing)),
      writeFile(join(folder, 'job.json'), JSON.stringify(job)),
    ]);
    await runWithin(drawingProgram(), folder, { within: MAX_TIME });
    return await readFile(join(folder, 'report.pdf'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
