import * as z from 'zod';
import { Uuid } from '../common.ts';
import { GivenLayoutContent } from '../templates/report-layout.ts';
import { RequestedLanguage } from './report.ts';

export const ReportPreviewRequest = z
  .strictObject({
    template_id: Uuid.nullable().default(null).meta({
      description: 'A version of the family. Null for its draft or, without a draft, its current version.',
    }),
    layout_id: Uuid.nullable().default(null).meta({
      description: "A layout of the family. Null, without `layout`, for the family's default layout.",
    }),
    layout: GivenLayoutContent.nullable().default(null).meta({
      description: 'A layout that is not saved, instead of `layout_id`.',
    }),
    language: RequestedLanguage.nullable().default(null),
  })
  .check(({ value: { layout_id, layout }, issues }) => {
    if (layout_id !== null && layout !== null) {
      issues.push({
        code: 'custom',
        message: 'Value error, give either layout_id or layout',
        input: layout_id,
        path: ['layout_id'],
      });
    }
  })
  .prefault({})
  .meta({
    id: 'ReportPreviewRequest',
    description: 'What to show, and in which layout. An empty body uses the defaults.',
  });
export type ReportPreviewRequest = z.output<typeof ReportPreviewRequest>;

export const PreviewFormat = z
  .enum(['html', 'pdf'])
  .default('pdf')
  .meta({ description: 'A self-contained HTML page, or a PDF.' });
export type PreviewFormat = z.output<typeof PreviewFormat>;
