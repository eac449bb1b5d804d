import type { Plural } from '../../i18n/plural.ts';
import { pluralText } from '../../i18n/plural.ts';
import { type ReportTexts, REPORT_TEXTS } from '../../i18n/report/texts.ts';
import type { ReportPayload } from '../../schemas/reports/report-payload.ts';
import { type Formats, formatsOf } from '../presentation/format.ts';
import { type Anchors, anchorsOf } from './anchors.ts';
import { PhotoBook, type PhotoFacts } from './photos.ts';

/** What a document knows beside its payload. */
export interface DocumentFacts {
  /** The images that can be shown, by document id or storage key. */
  images: ReadonlyMap<string, PhotoFacts>;
  /** The SHA-256 of the payload in hexadecimal; null in a preview. */
  hash: string | null;
  /** The address of a file in a preview; null where there is none. */
  hrefOf?: (documentId: string) => string | null;
}

/** What every part of a document is made from. */
export interface Context {
  payload: ReportPayload;
  facts: DocumentFacts;
  texts: ReportTexts;
  formats: Formats;
  anchors: Anchors;
  photos: PhotoBook;
  count: (forms: Plural, n: number) => string;
}

export const contextOf = (payload: ReportPayload, facts: DocumentFacts): Context => {
  const { language } = payload.report;
  const texts = REPORT_TEXTS[language];
  const formats = formatsOf(payload.organization, language);
  return {
    payload,
    facts,
    texts,
    formats,
    anchors: anchorsOf(payload),
    photos: new PhotoBook(facts, texts, formats),
    count: (forms, n) => pluralText(language, forms, n),
  };
};
