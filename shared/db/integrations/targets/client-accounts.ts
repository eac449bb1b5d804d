import type { SyncedValues } from '../../../domain/integrations/synced-row.ts';
import { NewClientAccount } from '../../../schemas/client-account.ts';
import { initialValues } from '../../../schemas/resource.ts';
import { clientAccountRecords, NO_CONTACT } from '../../client-accounts/client-accounts.ts';
import type { Work } from '../../table/change.ts';
import { newResource, nextVersion } from '../../table/collection.ts';
import type { StoredClientAccount } from '../../table/entities.ts';
import * as resource from '../../table/resource.ts';
import type { Write } from '../../table/writes.ts';
import { NOT_SYNCED, syncedFrom, type Target } from './target.ts';

const CONTACT = 'contact.';

/** The values of a row as fields of an account, whose contact is an object. */
const fieldsOf = (
  values: SyncedValues,
  contact: StoredClientAccount['contact'],
): Partial<StoredClientAccount> => {
  const entries = Object.entries(values);
  const own = entries.filter(([key]) => !key.startsWith(CONTACT));
  const ofContact = entries.flatMap(([key, value]) =>
    key.startsWith(CONTACT) ? [[key.slice(CONTACT.length), value] as const] : [],
  );
  // The plan has checked each value by the schema of its field.
  return { ...Object.fromEntries(own), contact: { ...contact, ...Object.fromEntries(ofContact) } };
};

const replacement = (
  work: Work,
  before: StoredClientAccount,
  fields: Partial<StoredClientAccount>,
): Write[] => {
  const after = nextVersion(work, before, fields);
  return resource.replace(clientAccountRecords, work, before, after);
};

export const clientAccounts: Target<StoredClientAccount> = {
  // Its row, the former and the new external_ref, and its synced row.
  rowsAtOnce: 24,

  keyOf: clientAccountRecords.key,

  upsert: async (work, source, row, standing, wasMissing) => {
    const fields = {
      ...fieldsOf(row.values, standing?.contact ?? NO_CONTACT),
      ...syncedFrom(work, source, row, Object.keys(row.values)),
    };
    if (standing) {
      const active = wasMissing ? { is_active: true } : {};
      return { writes: replacement(work, standing, { ...fields, ...active }), resource_id: standing.id };
    }
    const account: StoredClientAccount = newResource(work, {
      ...initialValues(NewClientAccount),
      name: '',
      contact: NO_CONTACT,
      ...fields,
    });
    return {
      writes: [...resource.create(clientAccountRecords, work, account)],
      resource_id: account.id,
    };
  },

  deactivate: async (work, standing) =>
    standing.is_active ? replacement(work, standing, { is_active: false }) : [],

  detach: (work, standing) => replacement(work, standing, { ...NOT_SYNCED, synced_fields: [] }),
};
