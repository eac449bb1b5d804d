import { isEmpty } from './answer.ts';
import type { References, Naming } from './checks.ts';
import { TYPES } from './types.ts';

/** The ids in a checked answer that have to exist in the organization. */
export const references = (field: Naming, value: unknown): References => {
  const rules = TYPES[field.type];
  return {
    document_ids: [],
    user_ids: [],
    client_account_ids: [],
    location_ids: [],
    synced_items: [],
    ...(!isEmpty(value) && rules.references?.(value as never, field)),
  };
};
