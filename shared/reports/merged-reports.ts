import type { Readable } from 'node:stream';
import { directionOf, type Language } from '../base/i18n/languages.ts';
import { REPORT_TEXTS } from '../base/i18n/texts/report.ts';
import { inspectionTitle } from '../domain/report/file-name.ts';
import type { ReportPayload } from '../schemas/reports/report-payload.ts';
import { dateOf } from './document/cover.ts';
import type { Chip } from './document/document.ts';
import { resultTone } from './document/summary.ts';
import { mergePdf, type MergedDocument } from './formats/merge-pdf.ts';
import { drawApart } from './pdf/draw-apart.ts';
import { templateFolder } from './pdf/runtime.ts';
import { formatsOf } from './presentation/format.ts';
import { readable } from './presentation/theme.ts';

/** A report with the data that its PDF was made from. */
export interface ReportPdf {
  payload: ReportPayload;
  pdf: Uint8Array;
}

/** A report in the list of contents. */
interface Row {
  /** From 1, in the order of the file. */
  position: number;
  number: string;
  name: string;
  place: string;
  date: string;
  /** Null where nothing was to pass. */
  result: Chip | null;
}

const rowOf = (
  { inspection, organization, summary }: ReportPayload,
  position: number,
  language: Language,
): Row => {
  const date = dateOf(inspection);
  const result = summary.verdict?.result ?? null;
  return {
    position,
    number: String(inspection.number),
    name: inspection.name,
    place: [inspection.client?.name, inspection.location?.name].filter(Boolean).join(' · '),
    date: date === null ? '' : formatsOf(organization, language).date(date),
    result: result && { text: REPORT_TEXTS[language].results[result], tone: resultTone(result) },
  };
};

/**
 * The PDFs of many reports as one, tagged and with an outline. Its first pages list what is in it. Little more than one
 * report is in memory at a time.
 * @param reports one at least
 * @param at when the file is made, ISO 8601
 */
export const mergedReports = (
  reports: AsyncIterable<ReportPdf>,
  { language, at }: { language: Language; at: string },
): Readable => {
  const texts = REPORT_TEXTS[language];
  const rows: Row[] = [];
  let first: ReportPayload | undefined;
  const documents = async function* (): AsyncGenerator<MergedDocument> {
    for await (const { payload, pdf } of reports) {
      first ??= payload;
      rows.push(rowOf(payload, rows.length + 1, language));
      yield { title: inspectionTitle(payload.inspection), bytes: pdf };
    }
  };
  const contents = async (pageCounts: readonly number[]): Promise<MergedDocument> => {
    const { organization, layout } = first!;
    const bytes = await drawApart({
      language,
      template: templateFolder(),
      main: 'contents.typ',
      texts: {
        // What the theme of the template reads.
        document: {
          language,
          direction: directionOf(language),
          page: { size: layout.page_size, orientation: 'portrait' },
          color: readable(layout.theme.primary_color),
          tint: '#ffffff',
          appendix: null,
          blocks: [],
        },
        contents: {
          title: texts.reports,
          organization: organization.name,
          about: formatsOf(organization, language).dateTime(at),
          columns: [texts.number, texts.name, texts.location, texts.date, texts.result, texts.page],
          // Where each report begins after the contents.
          rows: rows.map((row, index) => ({
            ...row,
            page: pageCounts.slice(0, index).reduce((sum, count) => sum + count, 1),
          })),
        },
      },
      createdAt: Math.floor(Date.parse(at) / 1000),
    });
    return { title: texts.contents, bytes };
  };
  return mergePdf(documents(), { title: texts.reports, language, contents });
};
