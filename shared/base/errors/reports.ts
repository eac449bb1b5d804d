import { defineError } from '../api-error.ts';

/* Reports. */

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

export const reportFailed = defineError(
  409,
  'report_failed',
  'The report could not be rendered. Create another one.',
  () => 'The report is failed: it could not be rendered. Request a new one.',
);

export const reportNotRendering = defineError(
  409,
  'report_not_rendering',
  'The report is not being rendered. Create another one.',
  (id: string) => `The report ${id} is not being rendered.`,
);

export const addressSuppressed = defineError(
  409,
  'address_suppressed',
  'A recipient takes no mail: earlier mails to the address bounced or were reported as unwanted, or its owner has stopped the mails of the organization. Leave the address out.',
  (addresses: readonly string[]) =>
    `No mail can be sent to ${addresses.join(', ')}: mails to it bounced, were reported as unwanted, or were stopped by its owner.`,
);

export const previewTooLarge = defineError(
  409,
  'preview_too_large',
  'The preview of a report is larger than a reply can be. Create a report of the inspection instead.',
  (what: string, bytes: number, most: number) =>
    `The ${what} has ${megabytes(bytes)}; the maximum is ${megabytes(most)}.`,
);

export const exportHeld = defineError(
  409,
  'export_held',
  'Another worker makes this export. Wait until it has ended.',
  (id: string) => `Another worker makes the export ${id}.`,
);

export const tooManyRows = defineError(
  409,
  'too_many_rows',
  'A sheet of a workbook has no room for all rows. Export fewer inspections, or use `csv`.',
  (most: number) =>
    `A sheet of the workbook would have too many rows; the maximum is ${most}. Export fewer inspections, or use csv.`,
);

export const nothingToExport = defineError(
  409,
  'nothing_to_export',
  'No inspection passes the filter of the export, or nobody has answered anything in those that do. Change the filter, or send `include_unanswered`.',
  (unanswered: number) =>
    unanswered === 0
      ? 'No inspection passes the filter, so there is nothing to export.'
      : `Nobody has answered anything in the ${unanswered} that pass the filter, so there is nothing to export. include_unanswered takes them.`,
);

export const tooManyToExport = defineError(
  409,
  'too_many_to_export',
  'More inspections pass the filter of the export than one export can have. Split the export.',
  (most: number) => `More than ${most} inspections pass the filter. Split the export.`,
);

export const exportsFull = defineError(
  409,
  'exports_full',
  'The exported files have as many bytes as the organization may have at a time. Wait until some have expired.',
  (used: number, most: number) =>
    `The exports of the last 31 days have ${used} bytes; the maximum is ${most}. Wait until some have expired.`,
);
