import type { Plural } from '../../i18n/plural.ts';
import { pluralText } from '../../i18n/plural.ts';
import { REPORT_TEXTS, type ReportTexts } from '../../i18n/texts/report.ts';
import type { ReportPayload } from '../../schemas/reports/report-payload.ts';
import { type Formats, formatsOf } from '../presentation/format.ts';
import { type Anchors, anchorsOf } from './anchors.ts';
import type { DocumentFacts } from './facts.ts';
import { PhotoBook } from './photos.ts';

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
