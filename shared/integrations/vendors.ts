import type { VendorId } from '../schemas/integrations/vendor.ts';
import { monday } from './monday/monday.ts';
import type { Vendor } from './vendor.ts';

/** All vendors. A new one is a folder, and a line here and in the schema of their ids. */
export const vendors: Readonly<Record<VendorId, Vendor>> = { monday };
