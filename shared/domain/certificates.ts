import { addDays, addDuration, clockOf, dateAfter, localDate } from './recurrence/index.ts';

/*
 * The number of a certificate: `LIFT-00012-7K3M-Q9XW-HB2T`. Whoever reads one number could count on to the next. So that
 * numbers are no list of an organization's customers, each ends with a code that is drawn by lot. The public page is
 * found by the code, and says nothing unless the whole number is right. The code has 60 bits: among ten million
 * certificates, one guess in 10^11 meets one, and a network has 500 guesses a day. It is not longer because people
 * read it from paper, and type it.
 */

/** The digits and letters that nobody confuses (Crockford's Base32). */
export const CODE_ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

export const CODE_LENGTH = 12;

/** Digits of a number, filled up with zeros. Later ones are longer. */
const MIN_DIGITS = 5;

/** The number of a certificate. @param position in its series, from 1 */
export const certificateNumber = (series: string, position: number, code: string): string =>
  [series, String(position).padStart(MIN_DIGITS, '0'), ...code.match(/.{4}/g)!].join('-');

/** A number as people type it: in any case, with or without dashes in its code. */
const TYPED = /^([A-Z\d]{1,12})-(\d{5,12})-?((?:[A-Z\d]-?){11}[A-Z\d])$/;

/** Letters that people read instead of a digit (Crockford's Base32). */
const digits = (text: string): string => text.replaceAll('O', '0').replaceAll(/[IL]/g, '1');

/** A number as it was issued, and its code, from what somebody has typed; undefined for no number of a certificate. */
export const readNumber = (text: string): { number: string; code: string } | undefined => {
  const [, series, position, typed] = TYPED.exec(text.trim().toUpperCase()) ?? [];
  if (series === undefined || position === undefined || typed === undefined) return undefined;
  const code = digits(typed.replaceAll('-', ''));
  return { number: certificateNumber(series, Number(position), code), code };
};

/** The first moment of a date on the clocks of a zone, in milliseconds. */
const startOf = (date: string, zone: string): number => Date.parse(clockOf(zone)(`${date}T00:00`).starts_at);

/**
 * When a certificate expires: with the last second of the day to which its validity leads. On this day the next visit of
 * a schedule is that counts as long from the last one that passed (`after`).
 * @param inspectedAt when the inspection was handed in
 * @param validFor an ISO 8601 duration of whole days or longer
 */
export const expiryOf = (inspectedAt: string, validFor: string, zone: string): string => {
  const last = dateAfter(localDate(inspectedAt, zone), validFor);
  return new Date(startOf(addDays(last, 1), zone) - 1_000).toISOString();
};

/** When a certificate is reminded of, the earliest first. Times before its issue are left out. */
export const remindersOf = (
  expiresAt: string,
  before: readonly string[],
  zone: string,
  issuedAt: string,
): string[] =>
  [...new Set(before.map((duration) => addDuration(expiresAt, `-${duration}`, zone)))]
    .filter((at) => at > issuedAt)
    .toSorted();
