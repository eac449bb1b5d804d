import { conflict } from '../base/errors.ts';
import { buildPayload, type ReportSources } from '../domain/report/build.ts';
import type { ReportPayload } from '../schemas/reports/report-payload.ts';

/** Bytes of JSON: a reply holds 6 MB (Lambda quotas), in which its quotes are written as two characters. */
const MOST_BYTES = 5_000_000;

/** The payload of a report that is only looked at, and not stored. */
export const previewPayload = (sources: ReportSources): ReportPayload =>
  buildPayload(sources, { id: null, version: 1, generated_at: new Date().toISOString() });

/** @throws ApiError 409 for one that is `size` bytes large, where `most` may be */
export const expectSize = (what: string, size: number, most: number): void => {
  const [is, may] = [size, most].map((bytes) => (bytes / 1e6).toFixed(1));
  if (size > most) throw conflict(`the ${what} has ${is} MB, and may have ${may} MB`);
};

/** The same as a reply. @throws ApiError 409 for one that no reply can hold */
export const repliedPayload = (sources: ReportSources): ReportPayload => {
  const payload = previewPayload(sources);
  expectSize('report payload', Buffer.byteLength(JSON.stringify(payload)), MOST_BYTES);
  return payload;
};
