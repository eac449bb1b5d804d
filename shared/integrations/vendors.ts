import * as errors from '../base/errors.ts';
import type { CatalogEntry } from '../schemas/integrations/overview.ts';
import { type ReferenceField, TargetRef, TARGETS } from '../schemas/integrations/source.ts';
import { referenceFields } from '../schemas/integrations/target-fields.ts';
import { VENDOR_IDS, type VendorId } from '../schemas/integrations/vendor.ts';
import { monday } from './monday/monday.ts';
import type { Vendor } from './vendor.ts';

const known = new Map<VendorId, Vendor>();

/** Adds a vendor that can be connected. It replaces one with the same id. */
export const addVendor = (vendor: Vendor): void => {
  if (!known.has(vendor.id)) VENDOR_IDS.push(vendor.id);
  known.set(vendor.id, vendor);
};

// A new vendor is a folder, and its name in this list.
for (const vendor of [monday]) addVendor(vendor);

export const allVendors = (): Vendor[] => [...known.values()];

export const isVendor = (id: string): id is VendorId => known.has(id);

/** The vendor of an id that a schema has checked, or that a connection or a source has. */
export const vendorOf = (id: VendorId): Vendor => {
  const vendor = known.get(id);
  if (!vendor) throw new Error(`there is no vendor ${id}`);
  return vendor;
};

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
