/**
 * Whether an `Idempotency-Key` applies: the operation is a POST that changes something. A POST that only reads can be
 * repeated anyway, and its reply is not stored, because a read-only key may not write.
 */
export const isRepeatable = ({ method, access }: { method: string; access: string }): boolean =>
  method === 'POST' && access !== 'read';
