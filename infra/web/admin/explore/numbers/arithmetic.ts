import { monthAfter, monthsFrom, quarterOf } from '../../../../../shared/domain/numbers/months.ts';
import type { Group } from '../../../../../shared/schemas/numbers.ts';

/** The first and the last month. */
export interface Period {
  from: string;
  to: string;
}

/** Months that the service counts in one request. */
export const MOST_MONTHS = 36;

/** Months of the page when the address names none. */
const USUAL_MONTHS = 12;

const IS_MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;

/** The present month in a time zone. @param now epoch milliseconds */
export const monthIn = (timeZone: string, now: number): string => {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone, year: 'numeric', month: '2-digit' })
    .formatToParts(now)
    .map(({ type, value }) => [type, value] as const);
  const { year, month } = Object.fromEntries(parts) as { year: string; month: string };
  return `${year.padStart(4, '0')}-${month}`;
};

/** The months that an address asks for, as far as they can be counted together; else the last twelve of them. */
export const periodOf = (query: URLSearchParams, present: string): Period => {
  const month = (name: string) => {
    const value = query.get(name) ?? '';
    return IS_MONTH.test(value) ? value : undefined;
  };
  const to = month('to') ?? present;
  const from = month('from') ?? monthAfter(to, 1 - USUAL_MONTHS);
  const { length } = monthsFrom(from, to);
  return length > 0 && length <= MOST_MONTHS ? { from, to } : { from: monthAfter(to, 1 - USUAL_MONTHS), to };
};

/** What numbers of a period are shown by: a year by its months, more by quarters. */
export type Unit = 'month' | 'quarter';

export const unitOf = ({ from, to }: Period): Unit =>
  monthsFrom(from, to).length > USUAL_MONTHS ? 'quarter' : 'month';

/** Months that are shown as one. */
export interface Span extends Period {
  /** As the service names it: `2026-03` or `2026-Q1`. */
  name: string;
}

/** The months or quarters of a period in their order. The first and the last quarter have only months of the period. */
export const spansOf = (period: Period): Span[] => {
  const unit = unitOf(period);
  const spans = new Map<string, Span>();
  for (const month of monthsFrom(period.from, period.to)) {
    const name = unit === 'month' ? month : quarterOf(month);
    spans.set(name, { name, from: spans.get(name)?.from ?? month, to: month });
  }
  return [...spans.values()];
};

/** Numbers by the months or quarters that they are grouped by. Those without any have none. */
export const bySpan = <Numbers>(
  spans: readonly Span[],
  groups: readonly { by: Group; numbers: Numbers }[],
): { span: Span; numbers: Numbers | undefined }[] => {
  const numbers = new Map(groups.map((group) => [group.by.month ?? group.by.quarter, group.numbers]));
  return spans.map((span) => ({ span, numbers: numbers.get(span.name) }));
};

/** The share of a part in percent; null in nothing. */
export const percentage = (part: number, whole: number): number | null =>
  whole === 0 ? null : (100 * part) / whole;

/**
 * The filters of a list by a time, for the months of a period.
 * @param startOfDay the beginning of a day such as `2026-03-01` in the time zone of the months, as ISO 8601
 */
export const rangeOf = (
  field: 'completed' | 'created',
  { from, to }: Period,
  startOfDay: (day: string) => string,
): Record<string, string> => ({
  [`${field}_after`]: startOfDay(`${from}-01`),
  [`${field}_before`]: startOfDay(`${monthAfter(to, 1)}-01`),
});

/** Until when all of several numbers are counted; null while some are not. */
export const earliest = (times: readonly (string | null)[]): string | null =>
  times.reduce((one, other) => (one === null || other === null ? null : one < other ? one : other));
