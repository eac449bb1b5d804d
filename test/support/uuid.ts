/** The n-th of a series of ids, the same in every run. */
export const uuid = (n: number): string => `0190f3c2-0000-7000-8000-${String(n).padStart(12, '0')}`;
