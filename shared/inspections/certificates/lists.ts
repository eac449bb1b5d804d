import type { Caller } from '../../base/caller.ts';
import { ofAsset } from '../../domain/labels.ts';
import type { Certificate, CertificateQuery } from '../../schemas/certificates/certificate.ts';
import { candidateRows, type IdsOf } from '../../table/candidates.ts';
import type { StoredCertificate } from '../../table/entities/certificates.ts';
import { keys } from '../../table/keys.ts';
import { type Listing, listing, readCursor } from '../../table/listing.ts';
import { queryRows, type Row, withRows } from '../../table/rows.ts';
import { certificateRecords, certificatesOf, KIND, statusAt, toCertificate } from './records.ts';

/** Whether a certificate passes all given filters. */
const filterOf = (query: CertificateQuery, now: string): ((certificate: StoredCertificate) => boolean) => {
  const { kind_id, asset_id, location_id, client_account_id, inspection_id, status, updated_since } = query;
  const equalities = Object.entries({
    kind_id,
    asset_id,
    location_id,
    client_account_id,
    inspection_id,
  }).filter(([, value]) => value !== undefined);
  return (certificate) =>
    equalities.every(([field, value]) => certificate[field as keyof StoredCertificate] === value) &&
    (status === undefined || status.includes(statusAt(certificate, now))) &&
    (updated_since === undefined || certificate.updated_at >= updated_since);
};

/** Ids that include all certificates of the list: by what few have in common, if the query says so. */
const candidatesOf =
  (caller: Caller, query: CertificateQuery) =>
  (idsOf: IdsOf): AsyncGenerator<string> | undefined => {
    const { inspection_id, asset_id, location_id, client_account_id, kind_id, status = [] } = query;
    if (inspection_id) {
      const { partition, prefix } = certificatesOf(caller, inspection_id);
      return idsOf(partition, undefined, prefix);
    }
    if (asset_id) {
      const { partition, prefix } = keys.certificateWith.range(caller, ofAsset(asset_id));
      return idsOf(partition, undefined, prefix);
    }
    if (location_id) return idsOf(keys.certificatesWith(caller, 'LOCATION', location_id), 'by_location');
    if (client_account_id)
      return idsOf(keys.certificatesWith(caller, 'CLIENT', client_account_id), 'by_client');
    if (kind_id) return idsOf(keys.certificatesWith(caller, 'KIND', kind_id), 'by_family');
    const [only] = status;
    if (status.length === 1 && (only === 'suspended' || only === 'revoked'))
      return idsOf(keys.certificatesWith(caller, 'STATUS', only), 'by_status');
    return undefined;
  };

/** A certificate, and where it stands in its list. */
interface Placed {
  position: string;
  row: Row<StoredCertificate>;
}

/** The certificates that expire before a time, the first to expire first. */
const rowsByEnd = async function* (
  caller: Caller,
  before: string,
  after: string | undefined,
  limit: number | undefined,
): AsyncGenerator<Placed> {
  const found = queryRows(caller, {
    partition: keys.certificateExpiry.partition(caller),
    after,
    upTo: before,
    pageSize: limit && limit + 1,
  });
  const keysOf = ({ certificate_id }: { certificate_id: string }) =>
    [certificateRecords.key(caller, certificate_id)] as const;
  for await (const [{ sk }, [row]] of withRows(caller, found, keysOf, limit && limit + 1)) {
    if (row) yield { position: sk, row };
  }
};

/** Newest first, or the first to expire first with `expires_before`. @throws ApiError 422 for a cursor of another list */
export const list = async (caller: Caller, query: CertificateQuery): Promise<Listing<Certificate>> => {
  const after = readCursor(caller, KIND, query);
  const now = new Date().toISOString();
  const isWanted = filterOf(query, now);
  const { expires_before } = query;
  const rows = async function* (): AsyncGenerator<Placed> {
    if (expires_before !== undefined) return yield* rowsByEnd(caller, expires_before, after, query.limit);
    for await (const row of candidateRows(caller, KIND, query, after, candidatesOf(caller, query)))
      yield { position: row.id, row };
  };
  const found = (async function* () {
    for await (const placed of rows()) if (isWanted(placed.row)) yield placed;
  })();
  return listing(
    caller,
    KIND,
    query,
    found,
    ({ position }) => position,
    ({ row }) => toCertificate(row, now),
  );
};
