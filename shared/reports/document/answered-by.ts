import type { ReportField } from '../../schemas/reports/report-answer.ts';
import type { Context } from './context.ts';
import { inWords } from './spans.ts';

type Answered = ReportField & { answered_by_name: string; answered_at: string };

const isAnswered = (field: ReportField): field is Answered =>
  field.answered_by_name !== null && field.answered_at !== null;

/** When a question was answered: in the field, where that is known. */
const timeOf = ({ client_answered_at, answered_at }: Answered): string => client_answered_at ?? answered_at;

/** Who answered most of a section's questions, and a sentence about it. */
export interface AnsweredBy {
  name: string | null;
  /** Null where the layout leaves it out, or nobody is known. */
  sentence: string | null;
  /** The sentence for an item that somebody else answered; null for every other. */
  of: (field: ReportField) => string | null;
}

const NOBODY: AnsweredBy = { name: null, sentence: null, of: () => null };

const sentenceOf = ({ texts, formats }: Context, name: string, times: readonly string[]): string => {
  const [first, last] = [times[0]!, times.at(-1)!];
  const [from, to] = [formats.dateTime(first), formats.dateTime(last)];
  if (from === to) return inWords(texts.answeredBy, { name, when: from });
  const isOneDay = formats.date(first) === formats.date(last);
  return inWords(texts.answeredByBetween, { name, from, to: isOneDay ? formats.time(last) : to });
};

/** Says once who answered these fields; `of` says it for those that somebody else answered. */
export const answeredBy = (context: Context, fields: readonly ReportField[]): AnsweredBy => {
  const answered = fields.filter(isAnswered);
  if (!context.payload.layout.include.answered_by || answered.length === 0) return NOBODY;
  const byName = Map.groupBy(answered, (field) => field.answered_by_name);
  const [name, most] = [...byName].reduce((best, each) => (each[1].length > best[1].length ? each : best));
  const times = most.map(timeOf).toSorted();
  return {
    name,
    sentence: sentenceOf(context, name, times),
    of: (field) =>
      isAnswered(field) && field.answered_by_name !== name
        ? sentenceOf(context, field.answered_by_name, [timeOf(field)])
        : null,
  };
};
