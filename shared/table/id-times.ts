import { v7 as uuidv7 } from 'uuid';

/*
 * Ids are UUIDv7, so the ids of a period are known from its times. The time of an id is that of the machine that made
 * it, which may differ a little from that of the row, so the bounds leave a margin.
 */

/** How much the clocks of two machines differ at most, in milliseconds. */
const SKEW_MS = 60_000;

const NO_RANDOM = new Uint8Array(16);

const boundAt = (msecs: number): string => uuidv7({ msecs: Math.max(0, msecs), random: NO_RANDOM });

/** An id before all that something can have that was created at a time or later. @param at ISO 8601 */
export const firstIdAt = (at: string): string => boundAt(Date.parse(at) - SKEW_MS);

/** An id behind all that something can have that was created before a time. @param at ISO 8601 */
export const lastIdBefore = (at: string): string => boundAt(Date.parse(at) + SKEW_MS);

/** The time in an id (RFC 9562, section 5.7). @returns ISO 8601 in UTC */
export const timeOfId = (id: string): string =>
  new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toISOString();
