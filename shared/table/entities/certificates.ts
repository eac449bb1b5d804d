import type { CertificateKind } from '../../schemas/certificates/certificate-kind.ts';
import type { Certificate } from '../../schemas/certificates/certificate.ts';

/** The name and the series are reserved as unique values. */
export type StoredCertificateKind = CertificateKind;

/** The last number that a series has given. */
export interface CertificateSeries {
  last: number;
}

/** `expired` is no status of its own: it follows from `expires_at`. */
export type StoredCertificate = Omit<Certificate, 'status'> & {
  status: 'valid' | 'suspended' | 'revoked';
  /** When it is reminded of, ISO 8601 in UTC, the earliest first. */
  remind_at: string[];
  layout: CertificateKind['layout'];
  /** The id of the link by which anyone reads it. A link with another id leads nowhere. */
  share_id: string | null;
};

/** The end of a certificate. The attributes by which a worker finds it are those of its next reminder. */
export interface CertificateExpiry {
  org_id: string;
  certificate_id: string;
  version: number;
  by_due?: string;
  by_due_at?: string;
  attempts?: number;
}
