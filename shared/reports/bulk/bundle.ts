import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Caller } from '../../base/caller.ts';
import type { ReadyReports } from '../../db/reports/bulk-exports.ts';
import type { StoredBulkExport } from '../../db/table/entities.ts';
import { inspectionFileName, inspectionsFileName, inspectionTitle } from '../../domain/report/file-name.ts';
import type { ReportPayload } from '../../schemas/reports/report-payload.ts';
import { archive } from '../formats/archive.ts';
import { answersCsv } from '../formats/csv.ts';
import { storedPayload } from '../formats/file.ts';
import { MEDIA_TYPES } from '../formats/media-types.ts';
import { mergePdf } from '../formats/merge-pdf.ts';
import { reportWorkbook } from '../formats/report-workbook.ts';

/** The one file of a bulk export. */
interface Bundle {
  content: Readable;
  contentType: string;
  filename: string;
}

/** Formats that are compressed already, and are stored in an archive as they are. */
const COMPRESSED: ReadonlySet<string> = new Set(['pdf', 'docx', 'xlsx', 'zip']);

const jsonArray = async function* (payloads: AsyncIterable<ReportPayload>): AsyncGenerator<string> {
  let isFirst = true;
  for await (const payload of payloads) {
    yield `${isFirst ? '[' : ','}\n${JSON.stringify(payload)}`;
    isFirst = false;
  }
  yield '\n]\n';
};

/**
 * The reports of many inspections as one file, of which little more than one report is in memory at a time.
 * @param openFile the file of one report in the format of the export
 */
export const bundleOf = (
  caller: Caller,
  { format, bundle, created_at }: Pick<StoredBulkExport, 'format' | 'bundle' | 'created_at'>,
  { reports, timezone }: ReadyReports,
  openFile: (reportId: string) => Promise<Readable>,
): Bundle => {
  const name = inspectionsFileName(created_at, timezone);
  if (bundle === 'zip') {
    const files = reports.map(({ report_id, inspection }) => ({
      path: inspectionFileName(inspection, format),
      open: () => openFile(report_id),
      isCompressed: COMPRESSED.has(format),
    }));
    return {
      content: archive(files, new Date(created_at)),
      contentType: MEDIA_TYPES.zip,
      filename: `${name}.zip`,
    };
  }
  const payloads = async function* () {
    for (const { report_id } of reports) yield await storedPayload(caller, report_id);
  };
  const documents = async function* () {
    for (const { report_id, inspection } of reports) {
      yield { title: inspectionTitle(inspection), bytes: await buffer(await openFile(report_id)) };
    }
  };
  const merged: Partial<Record<typeof format, () => Readable>> = {
    pdf: () => mergePdf(documents()),
    xlsx: () => reportWorkbook(payloads(), new Date(created_at)),
    csv: () => answersCsv(payloads(), { isMerged: true }),
    json: () => Readable.from(jsonArray(payloads())),
  };
  // The request's schema refuses any other format.
  return { content: merged[format]!(), contentType: MEDIA_TYPES[format], filename: `${name}.${format}` };
};
