import * as errors from '../base/errors.ts';
import type { Language } from '../base/i18n/languages.ts';
import { buildPayload } from '../domain/report/build.ts';
import type { ReportMaterial } from '../domain/report/material.ts';
import type { ReportPayload } from '../schemas/reports/report-payload.ts';

/**
 * The most bytes of a payload's JSON. A Lambda reply holds 6 MB, and in it each quotation mark of the body takes two
 * characters.
 */
const MAX_PAYLOAD_BYTES = 5_000_000;

/**
 * The payload of a preview: a report without an id, because it is not stored.
 * @param language null for that of the layout
 */
export const previewPayload = (material: ReportMaterial, language: Language | null): ReportPayload =>
  buildPayload(material, { id: null, version: 1, generated_at: new Date().toISOString(), language });

/** Checks the size of a preview; both sizes are in bytes. @throws ApiError 409 if it is larger than the maximum */
export const expectSize = (what: string, size: number, max: number): void => {
  if (size > max) throw errors.previewTooLarge(what, size, max);
};

/** The payload of a preview as a reply. @throws ApiError 409 if it is larger than a reply can be */
export const repliedPayload = (material: ReportMaterial, language: Language | null): ReportPayload => {
  const payload = previewPayload(material, language);
  expectSize('report payload', Buffer.byteLength(JSON.stringify(payload)), MAX_PAYLOAD_BYTES);
  return payload;
};
