import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../domain/caller.ts';
import type { Organization } from '../schemas/organization.ts';
import { change } from './change.ts';
import { newResource } from './collection.ts';
import { keys } from './keys.ts';
import { memberWrites } from './members.ts';
import { create } from './writes.ts';

/** As stored: the logo is an object of the bucket, its URL is signed when it is read. */
export type StoredOrganization = Omit<Organization, 'logo_url'> & { logo_key: string | null };

const DEFAULTS = {
  reply_to_email: null,
  timezone: 'UTC',
  locale: 'en',
  region: null,
  date_format: 'yyyy-MM-dd',
  time_format: '24h',
  week_starts_on: 'monday',
  weekend_days: ['saturday', 'sunday'],
  client_layer_enabled: true,
  logo_key: null,
} satisfies Partial<StoredOrganization>;

export const organizations = {
  /** A new organization with its first admin, who owns it. */
  create: (name: string, adminEmail: string): Promise<{ org_id: string; admin_user_id: string }> => {
    const caller: Caller = { org_id: uuidv7(), user_id: uuidv7(), name: adminEmail };
    return change(caller, () => {
      const organization: StoredOrganization = {
        ...newResource({ name, owner_user_id: caller.user_id, ...DEFAULTS }),
        id: caller.org_id,
      };
      return {
        writes: [
          create({ ...keys.organization(caller), ...organization }),
          ...memberWrites(caller, {
            user_id: caller.user_id,
            name: adminEmail,
            email: adminEmail,
            role: 'admin',
          }),
        ],
        reply: { org_id: caller.org_id, admin_user_id: caller.user_id },
      };
    });
  },
};
