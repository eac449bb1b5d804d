import type { Caller } from '../../base/caller.ts';
import { merge } from '../../base/fields.ts';
import { fold } from '../../base/text.ts';
import {
  CertificateKind,
  type CertificateKindChanges,
  type CertificateKindQuery,
  type NewCertificateKind,
} from '../../schemas/certificates/certificate-kind.ts';
import { present } from '../../schemas/projection.ts';
import { change } from '../../table/change.ts';
import { collection, edit, expectVersion, newResource } from '../../table/collection.ts';
import { keys } from '../../table/keys.ts';
import type { Listing } from '../../table/listing.ts';
import { reference, resolve } from '../../table/references.ts';
import * as resource from '../../table/resource.ts';
import { withoutKeys } from '../../table/rows.ts';
import { close } from '../../table/usage.ts';
import * as write from '../../table/writes.ts';

const KIND = 'CERTIFICATE_KIND';
const NAME = 'name of certificate kinds';
const SERIES = 'series of certificate kinds';

/** Certificate kinds, and by what the inspections of a family find those that they issue. */
export const certificateKindRecords = collection(KIND, 'certificate kind', {
  uses: { as: 'certificates', fields: { template_family_id: 'FAMILY' } },
  unique: { [NAME]: ({ name }) => fold(name), [SERIES]: ({ series }) => series },
  followers: [
    {
      what: 'certificate kind of a family',
      row: keys.certifies,
      under: 'FAMILY',
      at: ({ id, template_family_id }) => [[template_family_id, id]],
    },
  ],
});

const toKind = (stored: CertificateKind): CertificateKind => present(CertificateKind, stored);

/** @throws ApiError 400 for a template family that does not exist; 409 for a name or series in use */
export const create = (caller: Caller, fields: NewCertificateKind): Promise<CertificateKind> =>
  change(caller, async (work) => {
    await resolve(work, [reference(work, 'template_family_id', 'FAMILY', fields.template_family_id)]);
    const kind: CertificateKind = newResource(work, fields);
    return { writes: resource.create(certificateKindRecords, work, kind), reply: toKind(kind) };
  });

/** @throws ApiError 404 */
export const get = async (caller: Caller, id: string): Promise<CertificateKind> =>
  toKind(await certificateKindRecords.get(caller, id));

/** In creation order. */
export const list = (caller: Caller, query: CertificateKindQuery): Promise<Listing<CertificateKind>> =>
  certificateKindRecords.list(caller, query, {}, toKind);

/** @throws ApiError 404; 409 for another version, or a name in use */
export const update = async (
  caller: Caller,
  id: string,
  changes: CertificateKindChanges,
  expectedVersion?: number,
): Promise<CertificateKind> =>
  toKind(
    await edit(certificateKindRecords, caller, id, expectedVersion, (current) => ({
      next: merge(current, changes),
    })),
  );

/** @throws ApiError 404; 409 for another version, or while there are certificates of this kind */
export const remove = (caller: Caller, id: string, expectedVersion?: number): Promise<null> =>
  change(caller, async (work) => {
    const kind = withoutKeys(await certificateKindRecords.get(work, id));
    expectVersion(certificateKindRecords.noun, kind, expectedVersion);
    return {
      writes: [
        ...resource.remove(certificateKindRecords, work, kind),
        write.drop(keys.certificateSeries(work, id)),
        ...close(work, KIND, id, 'certificates', 'The certificate kind has certificates'),
      ],
      reply: null,
    };
  });
