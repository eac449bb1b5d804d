import * as z from 'zod';
import { LanguageTag, listQuery, resourceFields, Timestamp, UNNOTICED, Uuid } from '../common.ts';
import { anyOf, surroundingFields, surroundingFilters } from '../surroundings.ts';

export const ReportStatus = z.enum(['queued', 'rendering', 'ready', 'failed']);
export type ReportStatus = z.output<typeof ReportStatus>;

export const Report = z
  .strictObject({
    ...resourceFields,
    inspection_id: Uuid,
    layout_id: Uuid.nullable().meta({
      description:
        'The report layout; null for the default layout of the template family or, without one, the standard layout.',
    }),
    version: z
      .int()
      .min(1)
      .meta({ description: 'The number of the report among those of the inspection, from 1.' }),
    status: ReportStatus,
    is_current: z
      .boolean()
      .meta({ description: `Whether it is the newest report of the inspection. ${UNNOTICED}` }),
    is_stale: z.boolean().meta({
      description: `Whether the inspection has changed since the state that the report shows. ${UNNOTICED}`,
    }),
    is_draft: z.boolean().meta({
      description:
        'Whether the inspection was not completed in the state that the report shows. It then says Draft on every page and gives no verdict.',
    }),
    language: LanguageTag.nullable().meta({
      description:
        'The language of the report; null until it is `ready`, if the request left it to the layout.',
    }),
    page_count: z.int().min(1).nullable(),
    content_hash: z
      .string()
      .nullable()
      .meta({ description: 'SHA-256 of the payload that was rendered; null until it is `ready`.' }),
    warnings: z
      .array(z.string())
      .meta({ description: 'What could not be shown properly, such as a broken photo or a missing glyph.' }),
    error: z.string().nullable(),
    requested_by: z.string(),
    ready_at: Timestamp.nullable(),
  })
  .meta({
    id: 'Report',
    description: 'A report of an inspection. It shows the inspection as it was when the report was rendered.',
  });
export type Report = z.output<typeof Report>;

export const ListedReport = Report.extend({
  ...surroundingFields,
  location: surroundingFields.location.meta({ description: 'The location of the inspection.' }),
}).meta({
  id: 'ListedReport',
  description: 'A report, with what its inspection belongs to, in a list across inspections.',
});
export type ListedReport = z.output<typeof ListedReport>;

const { field_id: _, ...placeFilters } = surroundingFilters;

export const allReportsQuery = listQuery({
  inspection_id: Uuid.optional().meta({ description: 'Only of this inspection.' }),
  ...placeFilters,
  status: anyOf(ReportStatus, 'Any of these statuses.'),
});
export type AllReportsQuery = z.output<typeof allReportsQuery>;

/** The language in which a report is requested. */
export const RequestedLanguage = LanguageTag.meta({
  description: "The language of the report. Without it, the layout's; without that, the organization's.",
});

export const NewReport = z
  .strictObject({
    layout_id: Uuid.nullable().default(null),
    language: RequestedLanguage.nullable().default(null),
  })
  .meta({ id: 'NewReport' });
export type NewReport = z.output<typeof NewReport>;
