import type { Context } from './context.ts';
import type { Closing } from './document.ts';

/** The text of the QR code: the report's URN with the hash of its payload (RFC 8141, section 2.3.2). */
const qrText = (reportId: string, hash: string): string => `urn:uuid:${reportId}?=sha256=${hash}`;

/** How a reader verifies the report. A preview is not stored, so there is nothing to compare it with. */
export const closingOf = ({ payload, facts, texts }: Context): Closing => {
  const { id } = payload.report;
  const { hash } = facts;
  const isStored = id !== null && hash !== null;
  return {
    heading: texts.verification,
    sentence: isStored ? texts.verify : texts.preview,
    hashName: 'SHA-256',
    hash: isStored ? hash : null,
    qr: isStored ? qrText(id, hash) : null,
  };
};
