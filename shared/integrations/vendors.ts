import { VendorId } from '../schemas/integrations/vendor.ts';
import type { Vendor } from './vendor.ts';

/** The vendors by their ids. A new one is a folder of its own and a line here. */
const vendors = new Map<VendorId, Vendor>();

/** Takes a vendor into the catalogue, in place of one with the same id. */
export const addVendor = (vendor: Vendor): void => {
  vendors.set(vendor.id, vendor);
};

/** All vendors. */
export const allVendors = (): Vendor[] => [...vendors.values()];

export const vendorOf = (id: VendorId): Vendor => vendors.get(id)!;

/** The vendor with this id, which a path names; undefined for an unknown one. */
export const findVendor = (id: string): Vendor | undefined => {
  const parsed = VendorId.safeParse(id);
  return parsed.success ? vendors.get(parsed.data) : undefined;
};
