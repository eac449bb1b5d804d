/** Says that clients are to stop calling an operation. Until it is gone it works as before. */
export interface Deprecation {
  /** The day from which it is deprecated, `YYYY-MM-DD` in UTC. */
  since: string;
  /** The day on which it is gone, at least twelve months later. */
  sunset: string;
  /** What to call instead, as the reference names it: `GET /v1/locations`. */
  instead: string;
}

/** The headers of all its replies: `Deprecation` (RFC 9745) and `Sunset` (RFC 8594). */
export const deprecationHeaders = (deprecation: Deprecation | undefined): Record<string, string> =>
  deprecation
    ? {
        deprecation: `@${Date.parse(deprecation.since) / 1_000}`,
        sunset: new Date(deprecation.sunset).toUTCString(),
      }
    : {};
