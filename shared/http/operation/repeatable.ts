import { isAppOnly } from './surface.ts';

/**
 * Whether an `Idempotency-Key` applies: the operation is a POST of `/v1` that changes something. A POST that only reads can be
 * repeated anyway, and its reply is not stored, because a read-only key may not write.
 */
export const isRepeatable = (operation: { method: string; access: string }): boolean =>
  operation.method === 'POST' && operation.access !== 'read' && !isAppOnly(operation);
