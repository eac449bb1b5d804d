/**
 * Recurrence: which dates a rule names (RFC 5545), when occurrences start on the clocks of a zone, and what is wrong
 * with a rule. Dates are "2027-03-28" in the zone of the rule, and moments are ISO 8601 in UTC.
 */
export { addDays, addDuration, clockOf, dateAfter, localDate, localTime } from './clock.ts';
export type { Bounds } from './left-out.ts';
export { isFinite, occurrences, occursOn, type RuleOccurrence, total } from './occurrences.ts';
export { describe } from './describe.ts';
export { preview } from './occurrences.ts';
export { cautions, problems } from './occurrences.ts';
