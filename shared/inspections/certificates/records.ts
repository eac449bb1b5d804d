import type { Caller } from '../../base/caller.ts';
import { pick } from '../../base/fields.ts';
import { ofAsset } from '../../domain/labels.ts';
import { Certificate, type CertificateStatus } from '../../schemas/certificates/certificate.ts';
import type { Happening } from '../../schemas/event-data.ts';
import { present, type Presented } from '../../schemas/projection.ts';
import type { Work } from '../../table/change.ts';
import { collection, nextVersion } from '../../table/collection.ts';
import type { CertificateExpiry, StoredCertificate } from '../../table/entities/certificates.ts';
import { keys } from '../../table/keys.ts';
import { dueAt } from '../../table/outbox/due.ts';
import { emit } from '../../table/outbox/outbox.ts';
import * as resource from '../../table/resource.ts';
import type { Write } from '../../table/writes.ts';
import { REMINDED } from '../rows/deadlines.ts';

export const KIND = 'CERTIFICATE';

/** An index's key cannot be null. Certificates without a client or location share a partition that is never read. */
const NONE = 'NONE';

/** When something is to be told of a certificate next, after a moment; undefined when nothing is left. */
export const nextMoment = (
  { status, remind_at, expires_at }: Pick<StoredCertificate, 'status' | 'remind_at' | 'expires_at'>,
  after: string,
): string | undefined =>
  status === 'valid' ? [...remind_at, expires_at].find((at) => at > after) : undefined;

/** The due row of a certificate, without its key. */
const expiryRow = ({ org_id, now }: Work, certificate: StoredCertificate): CertificateExpiry => {
  const at = nextMoment(certificate, now);
  const { id } = certificate;
  return { org_id, certificate_id: id, version: 1, ...(at && dueAt('DEADLINE', id, at)) };
};

/** Certificates, and what follows from each. */
export const certificateRecords = collection(KIND, 'certificate', {
  index: (caller, { status, client_account_id, location_id, kind_id }) => ({
    by_status: keys.certificatesWith(caller, 'STATUS', status),
    by_client: keys.certificatesWith(caller, 'CLIENT', client_account_id ?? NONE),
    by_location: keys.certificatesWith(caller, 'LOCATION', location_id ?? NONE),
    by_family: keys.certificatesWith(caller, 'KIND', kind_id),
  }),
  uses: { as: 'certificates', fields: { kind_id: 'CERTIFICATE_KIND' } },
  followers: [
    {
      what: 'certificate of an inspection',
      row: keys.certified,
      under: 'INSPECTION',
      at: ({ id, inspection_id }) => [[inspection_id, id]],
    },
    {
      what: 'certificate by its asset',
      row: keys.certificateWith,
      at: ({ id, asset_id }) => (asset_id ? [[ofAsset(asset_id), id]] : []),
    },
    {
      what: 'end of a certificate',
      row: keys.certificateExpiry,
      at: ({ id, status, expires_at }) => (status === 'revoked' ? [] : [[expires_at, id]]),
      holds: expiryRow,
      own: REMINDED,
    },
  ],
});

/** The status of a certificate at a time. @param now ISO 8601 in UTC */
export const statusAt = (
  { status, expires_at }: Pick<StoredCertificate, 'status' | 'expires_at'>,
  now: string,
): CertificateStatus => (status === 'valid' && expires_at < now ? 'expired' : status);

/** A certificate as it is sent to clients. @param now the time that decides whether it has expired */
export const toCertificate = (stored: StoredCertificate, now: string): Presented<Certificate> =>
  present(Certificate, stored, { status: statusAt(stored, now) });

/** What anyone who has the number of a certificate may know of it: for what it is and until when, but not for whom. */
export const verificationOf = (stored: StoredCertificate, now: string) => {
  const { number, title, issued_at, expires_at, names_then } = stored;
  const { organization, asset } = names_then;
  return {
    number,
    title,
    status: statusAt(stored, now),
    issued_by: organization,
    issued_at,
    expires_at,
    asset: asset && pick(asset, ['name', 'kind', 'serial', 'manufacturer']),
  };
};

/** The event of a change of a certificate. */
export const certificateEvent = (
  work: Work,
  what: Happening<'certificate'>,
  certificate: StoredCertificate,
): Write => emit(work, `certificate.${what}`, toCertificate(certificate, work.now));

/** Fields of a certificate whose status changes. */
type StatusFields = Pick<StoredCertificate, 'status' | 'status_reason' | 'suspended_by' | 'correction_id'>;

/** Changes the status of a certificate: the next one, and its writes. */
export const changeStatus = (
  work: Work,
  current: StoredCertificate,
  fields: StatusFields,
  what: 'suspended' | 'reinstated' | 'revoked',
): { next: StoredCertificate; writes: Write[] } => {
  const next = nextVersion(work, current, {
    ...fields,
    status_changed_at: work.now,
    status_changed_by: work.user_id || null,
  });
  return {
    next,
    writes: [
      ...resource.replace(certificateRecords, work, current, next),
      certificateEvent(work, what, next),
    ],
  };
};

/** The keys of the certificates that an inspection has issued. */
export const certificatesOf = (caller: Caller, inspectionId: string) =>
  keys.parts(caller, 'INSPECTION', inspectionId, 'CERTIFICATE');
