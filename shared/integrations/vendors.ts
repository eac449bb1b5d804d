import { VENDOR_IDS, type VendorId } from '../schemas/integrations/vendor.ts';
import { monday } from './monday/monday.ts';
import type { Vendor } from './vendor.ts';

const known = new Map<VendorId, Vendor>();

/** Makes a vendor one that can be connected. It takes the place of one with the same id. */
export const addVendor = (vendor: Vendor): void => {
  if (!known.has(vendor.id)) VENDOR_IDS.push(vendor.id);
  known.set(vendor.id, vendor);
};

// A new vendor is a folder, and its name in this list.
for (const vendor of [monday]) addVendor(vendor);

export const allVendors = (): Vendor[] => [...known.values()];

export const isVendor = (id: string): id is VendorId => known.has(id);

/** @param id of a connection or a source, or one that a schema has checked */
export const vendorOf = (id: VendorId): Vendor => {
  const vendor = known.get(id);
  if (!vendor) throw new Error(`there is no vendor ${id}`);
  return vendor;
};
