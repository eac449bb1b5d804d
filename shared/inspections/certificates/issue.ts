import { randomInt } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../../base/caller.ts';
import { pick } from '../../base/fields.ts';
import {
  certificateNumber,
  CODE_ALPHABET,
  CODE_LENGTH,
  expiryOf,
  remindersOf,
} from '../../domain/certificates.ts';
import { createCodedLink } from '../../organizations/links/links.ts';
import type { CertificateKind } from '../../schemas/certificates/certificate-kind.ts';
import type { CertificateNames } from '../../schemas/certificates/certificate.ts';
import type { Work } from '../../table/change.ts';
import { newResource } from '../../table/collection.ts';
import { hasValues } from '../../table/conditions.ts';
import type { StoredCertificate } from '../../table/entities/certificates.ts';
import type { StoredInspection } from '../../table/entities/inspections.ts';
import { keys } from '../../table/keys.ts';
import * as resource from '../../table/resource.ts';
import { getRows, queryRows, withoutKeys } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { passedAt } from '../rows/inspection-records.ts';
import { certificateKindRecords } from './kinds.ts';
import { certificateEvent, certificateRecords, certificatesOf, changeStatus } from './records.ts';

/*
 * How the certificates of an inspection follow it, in the transaction of its change:
 *
 *   the inspection comes to stand as passed ------> it issues what its template family certifies
 *        |                     ^
 *   a correction lets it fail, or it is archived    a later correction lets it pass, or it is restored
 *        v                     |
 *   its valid certificates are suspended ---------> these are reinstated
 *
 * They are suspended, and not revoked, because the inspection may stand as passed again. Somebody revokes them for good.
 */

/**
 * The code of a certificate that is about to be issued. Its link stands outside the organization's partitions, so it is
 * made before the transaction, once for all attempts.
 */
interface Coded {
  id: string;
  code: string;
}

/** The codes of the certificates that one change issues, by the ids of their kinds. */
export type Codes = Map<string, Coded>;

/** A code that nobody can guess. */
const newCode = (): string =>
  Array.from({ length: CODE_LENGTH }, () => CODE_ALPHABET[randomInt(CODE_ALPHABET.length)]!).join('');

/** @param codes those of earlier attempts of the same change */
const codeOf = async (caller: Caller, kindId: string, codes: Codes): Promise<Coded> => {
  const known = codes.get(kindId);
  if (known) return known;
  const coded = { id: uuidv7(), code: newCode() };
  await createCodedLink(caller, 'verify', { certificate_id: coded.id }, coded.code);
  codes.set(kindId, coded);
  return coded;
};

/** The active kinds that a template family issues. One call where it issues none. */
const kindsOf = async (work: Work, familyId: string): Promise<CertificateKind[]> => {
  const found = await Array.fromAsync(queryRows(work, keys.parts(work, 'FAMILY', familyId, 'CERTIFIES')));
  const rows = await getRows(
    work,
    found.map(({ sk }) => certificateKindRecords.key(work, sk.slice('CERTIFIES#'.length))),
  );
  return rows.flatMap((row) => (row?.is_active ? [withoutKeys(row)] : []));
};

/** What a certificate says of its inspection, and the zone of its days. Two calls at most. */
const subjectOf = async (
  work: Work,
  { asset_id, client_account_id, location_id, names_then }: StoredInspection,
): Promise<{ names: CertificateNames; zone: string }> => {
  const [organization, asset] = await getRows(work, [
    keys.organization(work),
    asset_id ? keys.one(work, 'ASSET', asset_id) : undefined,
  ]);
  const [kind] = asset?.kind_id ? await getRows(work, [keys.one(work, 'ASSET_KIND', asset.kind_id)]) : [];
  const location = location_id === null ? undefined : names_then?.locations[location_id];
  const client = client_account_id === null ? undefined : names_then?.clients[client_account_id];
  return {
    zone: location?.timezone ?? organization!.timezone,
    names: {
      organization: organization!.name,
      asset: asset
        ? { ...pick(asset, ['number', 'name', 'serial', 'manufacturer']), kind: kind?.name ?? null }
        : null,
      location: location ? pick(location, ['name', 'path', 'address']) : null,
      client: client ? { name: client.name } : null,
    },
  };
};

/**
 * The certificates that an inspection issues: one of each kind, with the next number of its series. Another issue of the
 * same kind at the same time conflicts with it on the series, so that its numbers have neither gaps nor doubles.
 */
const issue = async (work: Work, inspection: StoredInspection, codes: Codes): Promise<Write[]> => {
  const { asset_id, client_account_id, location_id, template_family_id } = inspection;
  if (!asset_id && location_id === null) return [];
  const kinds = await kindsOf(work, template_family_id);
  if (kinds.length === 0) return [];
  const { names, zone } = await subjectOf(work, inspection);
  const series = await getRows(
    work,
    kinds.map(({ id }) => keys.certificateSeries(work, id)),
  );
  const inspected_at = passedAt(inspection)!;
  const issued = kinds.map(async (kind, position): Promise<Write[]> => {
    const last = series[position]?.last;
    const next = (last ?? 0) + 1;
    const { id, code } = await codeOf(work, kind.id, codes);
    const expires_at = expiryOf(inspected_at, kind.valid_for, zone);
    const certificate: StoredCertificate = {
      ...newResource(work, {
        number: certificateNumber(kind.series, next, code),
        kind_id: kind.id,
        title: kind.name,
        status: 'valid' as const,
        status_reason: '',
        status_changed_at: null,
        status_changed_by: null,
        suspended_by: null,
        correction_id: null,
        inspection_id: inspection.id,
        inspection_number: inspection.number,
        template_family_id,
        asset_id: asset_id ?? null,
        location_id,
        client_account_id,
        names_then: names,
        inspected_at,
        issued_at: work.now,
        expires_at,
        timezone: zone,
        shared_at: null,
        remind_at: remindersOf(expires_at, kind.remind_before, zone, work.now),
        layout: kind.layout,
        share_id: null,
      }),
      id,
    };
    return [
      write.update(keys.certificateSeries(work, kind.id), { set: { last: next } }, hasValues({ last })),
      ...resource.create(certificateRecords, work, certificate),
      certificateEvent(work, 'issued', certificate),
    ];
  });
  return (await Promise.all(issued)).flat();
};

/** Why the certificates of an inspection change with it. */
export interface Cause {
  by: 'correction' | 'archiving';
  correction_id: string | null;
  reason: string;
}

/** The certificates that an inspection has issued. Two calls; one where it has issued none. */
export const issuedBy = async (work: Work, inspectionId: string): Promise<StoredCertificate[]> => {
  const { prefix, ...range } = certificatesOf(work, inspectionId);
  const found = await Array.fromAsync(queryRows(work, { ...range, prefix }));
  const rows = await getRows(
    work,
    found.map(({ sk }) => certificateRecords.key(work, sk.slice(prefix.length))),
  );
  return rows.flatMap((row) => (row ? [withoutKeys(row)] : []));
};

/**
 * What a change of an inspection means for its certificates, for the transaction of that change. No call where it has
 * not passed before, and does not now.
 * @param before the inspection as it was read
 * @param codes kept for all attempts of the change
 * @param cause left out for its completion
 */
export const certificateWrites = async (
  work: Work,
  before: StoredInspection,
  after: StoredInspection,
  codes: Codes,
  cause?: Cause,
): Promise<Write[]> => {
  const [was, is] = [passedAt(before), passedAt(after)];
  if ((was === null) === (is === null)) return [];
  const certificates = before.completed_at === null ? [] : await issuedBy(work, after.id);
  if (is === null) {
    return certificates
      .filter(({ status }) => status === 'valid')
      .flatMap((certificate) => {
        const { by: suspended_by, correction_id, reason: status_reason } = cause!;
        const fields = { status: 'suspended' as const, status_reason, suspended_by, correction_id };
        return changeStatus(work, certificate, fields, 'suspended').writes;
      });
  }
  if (certificates.length === 0) return cause?.by === 'archiving' ? [] : issue(work, after, codes);
  return certificates
    .filter(({ status, suspended_by }) => status === 'suspended' && suspended_by !== 'request')
    .flatMap((certificate) => {
      const fields = { status: 'valid' as const, status_reason: '', suspended_by: null, correction_id: null };
      return changeStatus(work, certificate, fields, 'reinstated').writes;
    });
};
