/** The names of the fields that only the form of a witness has. */
export const SIGNATURE_FIELD = {
  /** Of what the page has shown. */
  hash: 'shown',
  /** A drawn signature as a PNG, in Base64; empty without one. */
  drawing: 'drawing',
} as const;
