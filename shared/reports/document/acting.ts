import type { ReportActing } from '../../schemas/reports/report-correction.ts';
import type { Context } from './context.ts';
import { inWords } from './spans.ts';

/** "For Ada via Field app"; null where somebody acted directly. */
export const actingWords = ({ texts }: Context, acting: ReportActing | undefined): string | null =>
  acting === undefined
    ? null
    : inWords(texts.forVia, {
        name: acting.name ?? texts.deleted,
        key: acting.key_name ?? texts.deleted,
      });
