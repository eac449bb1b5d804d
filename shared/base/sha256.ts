import { createHash } from 'node:crypto';

/** The SHA-256 of some data, as 64 hexadecimal digits. */
export const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');
