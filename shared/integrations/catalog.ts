import * as errors from '../base/errors.ts';
import type { CatalogEntry } from '../schemas/integrations/overview.ts';
import { type ReferenceField, TargetRef, TARGETS } from '../schemas/integrations/source.ts';
import { referenceFields } from '../schemas/integrations/target-fields.ts';
import type { VendorId } from '../schemas/integrations/vendor.ts';
import { allVendors, isVendor } from './vendors.ts';

/** What can be connected, and what can be synced from it. */
export const catalog = (): CatalogEntry[] =>
  allVendors().map(({ id, name, auth, capabilities, levels }) => ({
    vendor: id,
    name,
    auth: { ...auth, fields: [...auth.fields] },
    capabilities: [...capabilities],
    levels: [...levels],
    targets: TARGETS.filter((target) =>
      capabilities.includes(target === 'members' ? 'directory' : 'sources'),
    ),
  }));

/** The vendor that a path names. @throws ApiError 404 */
export const vendorIdOf = (name: string): VendorId => {
  if (!isVendor(name)) throw errors.notFound('vendor');
  return name;
};

/** The fields of the target that a path names. @throws ApiError 404 */
export const fieldsOf = (name: string): ReferenceField[] => {
  const parsed = TargetRef.safeParse(name);
  if (!parsed.success) throw errors.notFound('target');
  return referenceFields(parsed.data);
};
