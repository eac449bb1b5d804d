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

/** "14.03.2026, 11:00 by Ana", or "14.03.2026, 11:00 · For Ana via Field app"; the time alone where nobody is known. */
export const timeAndPerson = (
  context: Context,
  at: string,
  name: string | null,
  actedFor?: ReportActing,
): string => {
  const when = context.formats.dateTime(at);
  const acting = actingWords(context, actedFor);
  if (acting !== null) return `${when} · ${acting}`;
  return name === null ? when : inWords(context.texts.by, { when, name });
};
