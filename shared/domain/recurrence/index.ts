/**
 * Recurrence: which dates a rule names (RFC 5545), when they start on the clocks of a zone, and what is wrong with a
 * rule. Dates are "2027-03-28" in the zone of the rule, moments ISO 8601 in UTC.
 */
export { addDays, addDuration, localDate, momentOf } from './clock.ts';
export { type Bounds, type DateRange, isFinite, occurrences, occursOn, total } from './occurrences.ts';
export { problems } from './problems.ts';
