import { createHash } from 'node:crypto';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gunzipSync } from 'node:zlib';
import { ApiError } from '../base/api-error.ts';
import type { Caller } from '../base/caller.ts';
import { sha256 } from '../base/encoding.ts';
import { tooManyRows } from '../base/errors.ts';
import { inspectionFileName, safeName } from '../domain/report/file-name.ts';
import { discardObject, documentKey, getObject } from '../files/objects.ts';
import { openObject, putStream } from '../files/streams.ts';
import type { ReportMedia } from '../schemas/reports/report-answer.ts';
import type { ExportFormat } from '../schemas/reports/report-export.ts';
import type { ReportPayload } from '../schemas/reports/report-payload.ts';
import type { ExportedFile } from '../table/entities/inspections.ts';
import type { ExportTask } from '../table/tasks.ts';
import { findContent } from '../templates/version-records.ts';
import { buildDocument } from './document/build.ts';
import { renderDocx } from './docx/render-docx.ts';
import { exportFile, MEDIA_TYPES, reportFile, storedImage } from './files.ts';
import { archive, type ArchivedFile } from './formats/archive.ts';
import type { ContentSource } from './formats/choices-sheet.ts';
import { answerRecords, answersCsv } from './formats/csv.ts';
import { reportWorkbook } from './formats/report-workbook.ts';
import { renderHtml } from './html/render-html.ts';
import { openReportImages } from './presentation/images.ts';
import * as exports from './rows/exports.ts';

/** A stored file. @throws Error when it is not there; ApiError 503 */
export const openStored = async (caller: Caller, key: string): Promise<Readable> => {
  const stream = await openObject(caller, key);
  if (!stream) throw new Error(`${key} is not in the storage`);
  return stream;
};

/** A payload that was stored. @throws Error when it is not there; ApiError 503 */
export const storedPayload = async (caller: Caller, key: string): Promise<ReportPayload> => {
  const bytes = await getObject(caller, key);
  if (!bytes) throw new Error(`${key} is not in the storage`);
  return JSON.parse(gunzipSync(bytes).toString()) as ReportPayload;
};

/** What files are made of. */
export interface FileSource {
  payload: () => Promise<ReportPayload>;
  openPdf: () => Promise<Readable>;
}

/** A report that was rendered. Reading it throws an Error when it is not stored, and an ApiError 503. */
export const renderedReport = (caller: Caller, reportId: string): FileSource => ({
  payload: () => storedPayload(caller, reportFile(caller, reportId, 'payload.json.gz')),
  openPdf: () => openStored(caller, reportFile(caller, reportId, 'report.pdf')),
});

const payloadJson = (payload: ReportPayload): Uint8Array =>
  Buffer.from(`${JSON.stringify(payload, null, 2)}\n`);

/** The extension of a file, for a name of ours. */
const extensionOf = (fileName: string): string => /\.[a-z0-9]{1,8}$/i.exec(fileName)?.[0] ?? '';

/** A photo or document in its original form; none for one that was deleted. */
const original = (
  caller: Caller,
  folder: string,
  name: string,
  { document_id, file_name }: ReportMedia,
): ArchivedFile[] =>
  file_name === null
    ? []
    : [
        {
          path: ['files', safeName(folder, 'Other'), safeName(name, 'File') + extensionOf(file_name)].join(
            '/',
          ),
          // It may have been deleted after the report was made.
          open: () => openObject(caller, documentKey(caller, document_id)),
          isCompressed: true,
        },
      ];

const drawnSignature = ({ document_id, typed }: ReportPayload['signatures'][number]): ReportMedia[] =>
  document_id === null || typed !== null
    ? []
    : [{ document_id, caption: '', file_name: 'signature.png', mime_type: 'image/png', size_bytes: 0 }];

/** Every original file: those of answers by section and question, then those of findings and of what was done. */
const originals = function* (caller: Caller, payload: ReportPayload): Generator<ArchivedFile> {
  for (const { section, field } of answerRecords(payload)) {
    for (const media of field.media) yield* original(caller, section, field.label, media);
  }
  for (const { position, label, media, corrective_actions } of payload.findings) {
    const folder = `Finding ${position}`;
    for (const item of media) yield* original(caller, folder, label, item);
    for (const { title, before, after } of corrective_actions) {
      for (const item of before) yield* original(caller, folder, `Before - ${title}`, item);
      for (const item of after) yield* original(caller, folder, `After - ${title}`, item);
    }
  }
  for (const signature of payload.signatures) {
    for (const item of drawnSignature(signature))
      yield* original(caller, 'Signatures', signature.field_label ?? signature.signed_name, item);
  }
};

const archivedFiles = function* (
  caller: Caller,
  { openPdf }: FileSource,
  payload: ReportPayload,
): Generator<ArchivedFile> {
  yield {
    path: inspectionFileName(payload.inspection, 'pdf'),
    open: openPdf,
    isCompressed: true,
  };
  yield { path: 'payload.json', open: async () => payloadJson(payload), isCompressed: false };
  yield* originals(caller, payload);
};

/** Reads the template versions that a workbook needs. */
export const contentIn =
  (caller: Caller): ContentSource =>
  (templateId) =>
    findContent(caller, templateId);

/**
 * A report in a format. Files of any size are made as they are read.
 * @throws Error when a stored file is missing; ApiError 503
 */
export const makeFile = async (
  caller: Caller,
  format: ExportFormat,
  source: FileSource,
): Promise<Readable> => {
  if (format === 'pdf') return source.openPdf();
  const payload = await source.payload();
  switch (format) {
    case 'json':
      return Readable.from([payloadJson(payload)]);
    case 'csv':
      return answersCsv([payload], { isMerged: false });
    case 'xlsx':
      return reportWorkbook([payload], {
        at: new Date(payload.report.generated_at),
        language: payload.report.language,
        contentOf: contentIn(caller),
      });
    case 'html':
    case 'docx': {
      const { images } = await openReportImages(payload, {
        loadImage: (reference) => storedImage(caller, reference),
      });
      const document = buildDocument(payload, { images, hash: sha256(JSON.stringify(payload)) });
      return Readable.from([
        format === 'html' ? Buffer.from(renderHtml(document, images)) : await renderDocx(document, images),
      ]);
    }
    case 'zip':
      return archive(archivedFiles(caller, source, payload), new Date(payload.report.generated_at));
  }
};

/** Why a file can never be made, for the client; undefined for a failure that may pass. */
export const lastingReason = (error: unknown): string | undefined =>
  error instanceof ApiError && error.code === tooManyRows.code ? error.message : undefined;

/**
 * Stores a file while it is made, however large it is.
 * @returns its size and its SHA-256, which are known at its end
 * @throws what the content or the storage throws; then no file is stored, and the content is closed
 */
export const upload = async (
  caller: Caller,
  key: string,
  content: Readable,
  contentType: string,
): Promise<ExportedFile> => {
  const hash = createHash('sha256');
  let size_bytes = 0;
  const measured = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      size_bytes += chunk.length;
      done(null, chunk);
    },
  });
  const passed = pipeline(content, measured);
  // An upload that fails also ends the content. The error of the upload is the cause.
  passed.catch(() => undefined);
  await putStream(caller, key, measured, contentType).catch((error: Error) => {
    measured.destroy(error);
    throw error;
  });
  await passed;
  return { size_bytes, sha256: hash.digest('hex') };
};

/**
 * Makes the file of an export. It may be repeated after a failure at any point; an export that has ended is left
 * unchanged.
 * @throws any error of reading, making or storing, so that the queue delivers the task again
 */
export const makeExport = async (caller: Caller, task: ExportTask): Promise<void> => {
  const work = await exports.beginExport(caller, task);
  if (!work) return;
  const { stored, report } = work;
  const content = await makeFile(caller, stored.format, renderedReport(caller, report.id));
  const key = exportFile(caller, stored);
  const file = await upload(caller, key, content, MEDIA_TYPES[stored.format]);
  const ended = await exports.endExport(caller, stored, { status: 'ready', ...file });
  // Nothing leads to the file of an export that was deleted meanwhile. Of one that has ended, it is the file.
  if (!ended && !(await exports.exists(caller, stored))) await discardObject(caller, key);
};

/** Marks an export as failed after its last attempt. It may be repeated. */
export const giveUpExport = async (caller: Caller, task: ExportTask): Promise<void> => {
  const work = await exports.beginExport(caller, task);
  if (work)
    await exports.endExport(caller, work.stored, {
      status: 'failed',
      error: 'The file could not be made. Request the export again.',
    });
};
