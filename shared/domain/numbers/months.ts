/** The quarter of a month: `2026-Q1` for `2026-03`. */
export const quarterOf = (month: string): string =>
  `${month.slice(0, 4)}-Q${Math.ceil(Number(month.slice(5)) / 3)}`;

/** The number of months between two, such as 1 from `2026-03` to `2026-04`. */
export const monthsBetween = (from: string, to: string): number =>
  12 * (Number(to.slice(0, 4)) - Number(from.slice(0, 4))) + Number(to.slice(5)) - Number(from.slice(5));

/** The month a number of months after another one, or before it. */
export const monthAfter = (month: string, months: number): string => {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, number - 1 + months)).toISOString().slice(0, 7);
};

/** The months from one to another, both of them included. */
export const monthsFrom = (from: string, to: string): string[] =>
  Array.from({ length: Math.max(0, monthsBetween(from, to) + 1) }, (_, position) =>
    monthAfter(from, position),
  );
