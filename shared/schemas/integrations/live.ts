import * as z from 'zod';
import { MAX_CURSOR } from '../common.ts';
import { MAX_VENDOR_PAGE } from './vendor.ts';

/** The query parameters of a list that is read from a vendor. Without `limit` it is complete. */
export const liveQuery = <Filters extends z.core.$ZodLooseShape>(filters: Filters) =>
  z.strictObject({
    limit: z.int().min(1).max(MAX_VENDOR_PAGE).optional().meta({
      description:
        'The maximum number of rows; the `Link` header leads to the next page, which a vendor remembers for about an hour. All rows when left out.',
    }),
    cursor: z.string().max(MAX_CURSOR).optional().meta({
      description: 'Where the page starts, from the `Link` header of the previous page.',
    }),
    ...filters,
  });
