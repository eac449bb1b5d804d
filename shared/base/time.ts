/** A time this many milliseconds after another one; both ISO 8601 in UTC. */
export const timeAfter = (time: string, milliseconds: number): string =>
  new Date(Date.parse(time) + milliseconds).toISOString();

/** The time to live of a row that is kept this many seconds from a time (ISO 8601) on: epoch seconds. */
export const keptFrom = (time: string, seconds: number): number =>
  Math.ceil(Date.parse(time) / 1_000) + seconds;

/** The day of a time (ISO 8601 in UTC), such as `2026-03-01`. */
export const dayOf = (time: string): string => time.slice(0, 10);
