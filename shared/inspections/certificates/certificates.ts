import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../../base/caller.ts';
import { publicUrl } from '../../base/environment.ts';
import * as errors from '../../base/errors.ts';
import { readNumber } from '../../domain/certificates.ts';
import { createCodedLink, createLink } from '../../organizations/links/links.ts';
import type { AuditedAction } from '../../schemas/audit.ts';
import type { Certificate, SharedCertificate } from '../../schemas/certificates/certificate.ts';
import { audit } from '../../table/audit.ts';
import { change, type Decision, type Work } from '../../table/change.ts';
import { expectVersion, nextVersion } from '../../table/collection.ts';
import { versionIs } from '../../table/conditions.ts';
import type { StoredCertificate } from '../../table/entities/certificates.ts';
import type { LinkTargets, StoredOrganization } from '../../table/entities/organization.ts';
import { keys } from '../../table/keys.ts';
import * as resource from '../../table/resource.ts';
import { getRows, queryRows, withoutKeys } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { inspectionRecords, passedAt } from '../rows/inspection-records.ts';
import { certificateEvent, certificateRecords, changeStatus, KIND, toCertificate } from './records.ts';

/** @throws ApiError 404 */
export const get = async (caller: Caller, id: string): Promise<Certificate> =>
  toCertificate(await certificateRecords.get(caller, id), new Date().toISOString());

/** A certificate that somebody changes. */
const edit = <Reply>(
  caller: Caller,
  id: string,
  expectedVersion: number | undefined,
  decide: (current: StoredCertificate, work: Work) => Promise<Decision<Reply>> | Decision<Reply>,
): Promise<Reply> =>
  change(caller, async (work) => {
    const current = withoutKeys(await certificateRecords.get(work, id));
    expectVersion(certificateRecords.noun, current, expectedVersion);
    return decide(current, work);
  });

/** The decision about a certificate whose status changes. */
const changed = (
  work: Work,
  action: AuditedAction,
  { next, writes }: { next: StoredCertificate; writes: Write[] },
): Decision<Certificate> => ({
  writes: [...writes, audit(work, action, next.id)],
  reply: toCertificate(next, work.now),
});

/**
 * Suspends a certificate until it is reinstated. One that its inspection has suspended is then no longer reinstated with it.
 * @throws ApiError 404; 409 for another version, or for one that somebody has suspended or revoked
 */
export const suspend = (
  caller: Caller,
  id: string,
  reason: string,
  expectedVersion?: number,
): Promise<Certificate> =>
  edit(caller, id, expectedVersion, (current, work) => {
    if (current.status === 'revoked' || current.suspended_by === 'request')
      throw errors.certificateStatus(current.status);
    const { correction_id } = current;
    const fields = {
      status: 'suspended' as const,
      status_reason: reason,
      suspended_by: 'request' as const,
      correction_id,
    };
    return changed(work, 'certificate.suspended', changeStatus(work, current, fields, 'suspended'));
  });

/**
 * Lets a suspended certificate be valid again.
 * @throws ApiError 404; 409 for another version, for one that is not suspended, or while its inspection does not stand as
 *   passed
 */
export const reinstate = (caller: Caller, id: string, expectedVersion?: number): Promise<Certificate> =>
  edit(caller, id, expectedVersion, async (current, work) => {
    if (current.status !== 'suspended')
      throw errors.certificateStatus(toCertificate(current, work.now).status);
    const inspection = await inspectionRecords.find(work, current.inspection_id);
    if (!inspection || passedAt(inspection) === null) throw errors.certificateUnfounded();
    const fields = { status: 'valid' as const, status_reason: '', suspended_by: null, correction_id: null };
    const { next, writes } = changeStatus(work, current, fields, 'reinstated');
    const standing = write.check(
      inspectionRecords.key(work, inspection.id),
      undefined,
      versionIs(inspection.version),
    );
    return changed(work, 'certificate.reinstated', { next, writes: [...writes, standing] });
  });

/**
 * Revokes a certificate for good. Revoking it again changes nothing.
 * @throws ApiError 404; 409 for another version
 */
export const revoke = (
  caller: Caller,
  id: string,
  reason: string,
  expectedVersion?: number,
): Promise<Certificate> =>
  edit(caller, id, expectedVersion, (current, work) => {
    if (current.status === 'revoked') return { writes: [], reply: toCertificate(current, work.now) };
    const fields = {
      status: 'revoked' as const,
      status_reason: reason,
      suspended_by: null,
      correction_id: current.correction_id,
    };
    return changed(work, 'certificate.revoked', changeStatus(work, current, fields, 'revoked'));
  });

/** The writes of a change of the link by which anyone reads a certificate. */
const shareWrites = (
  work: Work,
  current: StoredCertificate,
  share_id: string | null,
): { next: StoredCertificate; writes: Write[] } => {
  const next = nextVersion(work, current, { share_id, shared_at: share_id === null ? null : work.now });
  return {
    next,
    writes: [
      ...resource.replace(certificateRecords, work, current, next),
      certificateEvent(work, 'updated', next),
      audit(work, share_id === null ? 'certificate.unshared' : 'certificate.shared', next.id),
    ],
  };
};

/**
 * Makes the link by which anyone who has it reads the certificate. It has no end; the former one ends.
 * @throws ApiError 404; 409 for another version
 */
export const share = async (
  caller: Caller,
  id: string,
  expectedVersion?: number,
): Promise<SharedCertificate> => {
  await certificateRecords.get(caller, id);
  const share_id = uuidv7();
  const url = publicUrl('k', await createLink(caller, 'certificate', { certificate_id: id, share_id }));
  return edit(caller, id, expectedVersion, (current, work) => {
    const { next, writes } = shareWrites(work, current, share_id);
    return { writes, reply: { ...toCertificate(next, work.now), url } };
  });
};

/** Ends that link. Nothing changes where there is none. @throws ApiError 404; 409 for another version */
export const unshare = (caller: Caller, id: string, expectedVersion?: number): Promise<Certificate> =>
  edit(caller, id, expectedVersion, (current, work) => {
    if (current.share_id === null) return { writes: [], reply: toCertificate(current, work.now) };
    const { next, writes } = shareWrites(work, current, null);
    return { writes, reply: toCertificate(next, work.now) };
  });

/** A certificate, and the organization that has issued it. */
export interface Shown {
  certificate: StoredCertificate;
  organization: StoredOrganization;
}

/** Both. One call. @throws ApiError 404 */
const read = async (caller: Caller, id: string, noun: string): Promise<Shown> => {
  const [certificate, organization] = await getRows(caller, [
    certificateRecords.key(caller, id),
    keys.organization(caller),
  ]);
  if (!certificate || !organization) throw errors.notFound(noun);
  return { certificate: withoutKeys(certificate), organization: withoutKeys(organization) };
};

/** A certificate whose page is drawn. One call. @throws ApiError 404 */
export const readShown = (caller: Caller, id: string): Promise<Shown> =>
  read(caller, id, certificateRecords.noun);

/**
 * The certificate of a link. One call.
 * @throws ApiError 404 for a link that was revoked or replaced, and for a certificate that was deleted
 */
export const openShared = async (
  caller: Caller,
  { certificate_id, share_id }: LinkTargets['certificate'],
): Promise<Shown> => {
  const shown = await read(caller, certificate_id, 'link');
  if (shown.certificate.share_id !== share_id) throw errors.notFound('link');
  return shown;
};

/**
 * The certificate that has a number, which its code has led to. One call.
 * @param typed the number as somebody has typed it
 * @throws ApiError 404 unless the whole number is right
 */
export const openNumbered = async (
  caller: Caller,
  { certificate_id }: LinkTargets['verify'],
  typed: string,
): Promise<Shown> => {
  const shown = await read(caller, certificate_id, 'link');
  if (shown.certificate.number !== readNumber(typed)?.number) throw errors.notFound('link');
  return shown;
};

/**
 * Makes the links anew by which the numbers of all certificates are found.
 * @returns how many, and how many certificates have a link for anyone, which nobody can make anew but who shares them
 */
export const renewCodes = async (caller: Caller): Promise<{ codes: number; shared: number }> => {
  const renewed = { codes: 0, shared: 0 };
  for await (const { id, number, share_id } of queryRows(caller, { partition: keys.all(caller, KIND) })) {
    await createCodedLink(caller, 'verify', { certificate_id: id }, readNumber(number)!.code);
    renewed.codes += 1;
    if (share_id !== null) renewed.shared += 1;
  }
  return renewed;
};
