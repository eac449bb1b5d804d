import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { besideCode } from '../../base/beside-code.ts';
import { directionOf, type Language } from '../../base/i18n/languages.ts';
import { PAGE_TEXTS } from '../../base/i18n/texts/pages.ts';
import { qrSvg } from '../qr-code.ts';
import { drawApart } from './draw-apart.ts';
import { DRAWS_REPORTS } from './runtime.ts';

const CARD = join(import.meta.dirname, 'card');

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
  return drawApart({
    language,
    template: besideCode('card', CARD),
    texts: { card },
    files: { 'qr.svg': qrSvg(address) },
    createdAt: 0,
  });
};

/** What a sheet of labels says. */
export interface Sheet extends Pick<Card, 'language' | 'organization'> {
  labels: readonly Pick<Card, 'label' | 'address'>[];
}

/** Sheets in A4 with the labels of public links, as a PDF/A-3a. @throws OutOfTime or OutOfMemory at a limit */
export const drawSheet = async ({ language, organization, labels }: Sheet): Promise<Buffer> => {
  const sheet = {
    language,
    direction: directionOf(language),
    organization,
    title: PAGE_TEXTS[language].card.title,
    labels: labels.map((each, position) => ({ ...each, code: `/qr-${position}.svg` })),
  };
  return drawApart({
    language,
    template: besideCode('card', CARD),
    main: 'sheet.typ',
    texts: { sheet },
    files: Object.fromEntries(labels.map(({ address }, position) => [`qr-${position}.svg`, qrSvg(address)])),
    createdAt: 0,
  });
};
