import * as z from 'zod';
import { Uuid } from '../common.ts';
import { GivenLayoutContent } from '../templates/report-layout.ts';

export const ReportPreviewRequest = z
  .strictObject({
    template_id: Uuid.nullable().default(null).meta({
      description: 'A version of the family; without it, its draft, or else its current version.',
    }),
    layout_id: Uuid.nullable().default(null).meta({
      description: "A layout of the family; without it and `layout`, the family's default one.",
    }),
    layout: GivenLayoutContent.nullable().default(null).meta({
      description: 'A layout that need not be saved, in the place of `layout_id`.',
    }),
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
    description: 'What is to be shown, and how; an empty body shows the usual.',
  });
export type ReportPreviewRequest = z.output<typeof ReportPreviewRequest>;

export const PreviewFormat = z
  .enum(['html', 'pdf'])
  .default('pdf')
  .meta({ description: 'One page of HTML that needs nothing else, or a PDF.' });
export type PreviewFormat = z.output<typeof PreviewFormat>;
