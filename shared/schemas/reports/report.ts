import * as z from 'zod';
import { resourceFields, Timestamp, Uuid } from '../common.ts';

export const ReportStatus = z.enum(['queued', 'rendering', 'ready', 'failed']);
export type ReportStatus = z.output<typeof ReportStatus>;

export const Report = z
  .strictObject({
    ...resourceFields,
    inspection_id: Uuid,
    layout_id: Uuid.nullable().meta({
      description: "Null for its family's default layout, and where there is none the standard one.",
    }),
    version: z.int().min(1).meta({ description: 'Counts the reports of the inspection.' }),
    status: ReportStatus,
    is_current: z.boolean().meta({ description: 'Whether it is the inspection’s newest.' }),
    is_stale: z.boolean().meta({ description: 'Whether the inspection has changed since what it shows.' }),
    page_count: z.int().min(1).nullable(),
    content_hash: z.string().nullable().meta({ description: 'SHA-256 of the payload it was drawn from.' }),
    warnings: z
      .array(z.string())
      .meta({ description: 'What could not be shown as it is: a broken photo, a missing glyph.' }),
    error: z.string().nullable(),
    requested_by: z.string(),
    ready_at: Timestamp.nullable(),
  })
  .meta({ id: 'Report', description: 'A report of an inspection, frozen as it was when it was rendered.' });
export type Report = z.output<typeof Report>;

export const NewReport = z
  .strictObject({ layout_id: Uuid.nullable().default(null) })
  .meta({ id: 'NewReport' });
export type NewReport = z.output<typeof NewReport>;

export const ReportExport = z
  .strictObject({
    ...resourceFields,
    report_id: Uuid,
    format: z.enum(['pdf']),
    status: z.enum(['queued', 'running', 'ready', 'failed', 'expired']),
    url: z
      .url()
      .nullable()
      .meta({ description: 'Signed, valid for 15 minutes, made anew on each GET while ready.' }),
    expires_at: Timestamp.meta({ description: 'When the export itself ends; another may then be made.' }),
    size_bytes: z.int().min(1).nullable(),
    sha256: z.string().nullable(),
  })
  .meta({ id: 'ReportExport', description: 'A file of a report.' });
export type ReportExport = z.output<typeof ReportExport>;

export const NewReportExport = z
  .strictObject({ format: z.enum(['pdf']).default('pdf') })
  .meta({ id: 'NewReportExport' });
export type NewReportExport = z.output<typeof NewReportExport>;
