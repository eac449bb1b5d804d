import { gzipSync } from 'node:zlib';
import { ApiError } from '../base/api-error.ts';
import type { Caller } from '../base/caller.ts';
import { sha256 } from '../base/encoding.ts';
import { storageFull } from '../base/errors.ts';
import { OutOfTime } from '../base/time-limit.ts';
import { buildPayload } from '../domain/report/build.ts';
import { putObject } from '../files/objects.ts';
import type { ReportPayload } from '../schemas/reports/report-payload.ts';
import type { StoredReport } from '../table/entities/inspections.ts';
import { isTransient } from '../table/retry.ts';
import { expectRoom, storageUse } from '../table/stored-bytes.ts';
import { layoutOrDefault } from '../templates/report-layouts.ts';
import { buildDocument } from './document/build.ts';
import { reportFile, storedImage } from './files.ts';
import { OutOfMemory, renderPdf } from './pdf/render-pdf.ts';
import { openAttachments } from './pdf/workspace.ts';
import { openReportImages } from './presentation/images.ts';
import { readReportMaterial } from './rows/report-material.ts';
import * as reports from './rows/reports.ts';

/** The most milliseconds for drawing the pages. Opening images comes before it, within the same task. */
const MAX_DRAWING_MS = 50_000;

/**
 * Renders a report, stores its payload and its PDF, and then marks it as ready. It may be repeated after a failure at
 * any point; a report that is already ready or failed is left unchanged. A report fails at once when the organization
 * has no storage left for it. Otherwise storage would have no limit, because any number of reports can be requested.
 * @throws any error of reading, rendering or storing, so that the queue delivers the task again
 */
export const renderReport = async (caller: Caller, inspectionId: string, reportId: string): Promise<void> => {
  const report = await reports.begin(caller, inspectionId, reportId);
  if (!report) return reports.discardLostFiles(caller, inspectionId, reportId);
  try {
    await renderAndStore(caller, report);
  } catch (error) {
    if (!isStorageFull(error)) throw error;
    await giveUpReport(caller, inspectionId, reportId, error);
  }
};

/** Draws the pages of a report, which hold its payload. @throws OutOfTime; OutOfMemory; ApiError 503 */
export const drawReport = async (caller: Caller, payload: ReportPayload) => {
  const json = JSON.stringify(payload);
  const hash = sha256(json);
  const load = (reference: string) => storedImage(caller, reference);
  const { images, warnings: missing } = await openReportImages(payload, { loadImage: load });
  const files = await openAttachments(payload, load);
  const { warnings, ...drawn } = await renderPdf(
    buildDocument(payload, { images, hash, attached: new Set(files.keys()) }),
    { images, payload: json, files },
    { within: MAX_DRAWING_MS },
  );
  return { json, hash, ...drawn, warnings: [...warnings, ...missing] };
};

/** @throws ApiError 409, before anything is stored, when the organization has no storage left for it */
const renderAndStore = async (caller: Caller, report: StoredReport): Promise<void> => {
  const storage = await storageUse(caller);
  // It is also checked before the work of rendering.
  expectRoom(storage, 1);
  const { material, shows } = await readReportMaterial(caller, report.inspection_id, (family) =>
    layoutOrDefault(caller, family, report.layout_id),
  );
  const payload = buildPayload(material, {
    id: report.id,
    version: report.version,
    generated_at: new Date().toISOString(),
    language: report.language,
  });
  const { json, hash, pdf, pageCount, warnings } = await drawReport(caller, payload);
  const gzipped = gzipSync(json);
  expectRoom(storage, gzipped.length + pdf.length);
  await putObject(caller, reportFile(caller, report.id, 'payload.json.gz'), gzipped, 'application/gzip');
  await putObject(caller, reportFile(caller, report.id, 'report.pdf'), pdf, 'application/pdf');
  await reports.end(caller, report, {
    status: 'ready',
    is_draft: payload.report.is_draft,
    language: payload.report.language,
    page_count: pageCount,
    content_hash: hash,
    warnings,
    shows,
    size_bytes: pdf.length,
    payload_bytes: gzipped.length,
    sha256: sha256(pdf),
  });
};

const isStorageFull = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === storageFull.code;

/** Why a report failed, for the client. The cause itself is only in the log, because it may show internals. */
export const reasonOf = (cause: unknown): string => {
  if (isStorageFull(cause)) return `${cause.message} Then request a new report.`;
  if (cause instanceof OutOfTime)
    return 'The report took too long to render. Request one with fewer photos or sections.';
  if (cause instanceof OutOfMemory)
    return 'The report is too large to render. Request one with fewer photos or sections.';
  if ((cause instanceof ApiError && cause.status === 503) || (cause instanceof Error && isTransient(cause)))
    return 'The report could not be rendered, because a service it needs was unavailable. Request a new one.';
  return 'The report could not be rendered. Request a new one.';
};

/** Marks a report as failed after its last attempt. It may be repeated. @param cause why the last attempt failed */
export const giveUpReport = async (
  caller: Caller,
  inspectionId: string,
  reportId: string,
  cause?: unknown,
): Promise<void> => {
  const report: StoredReport | undefined = await reports.begin(caller, inspectionId, reportId);
  if (report) await reports.end(caller, report, { status: 'failed', error: reasonOf(cause) });
  else await reports.discardLostFiles(caller, inspectionId, reportId);
};
