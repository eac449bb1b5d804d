import { v7 as uuidv7 } from 'uuid';
import type { Caller, PersonRole } from '../../shared/base/caller.ts';
import { MAX_CALL_MS } from '../../shared/base/connection.ts';
import * as apiKeys from '../../shared/organizations/api-keys.ts';
import * as organizations from '../../shared/organizations/organizations.ts';
import * as access from '../../shared/organizations/people/access.ts';
import type { AuditRecord } from '../../shared/table/entities/organization.ts';
import { keys } from '../../shared/table/keys.ts';
import { RETRY } from '../../shared/table/retry.ts';
import { queryRows, withoutKeys } from '../../shared/table/rows.ts';
import { as, type Client } from './call.ts';
import './event-check.ts';
import './own-table.ts';

/** More than a busy machine needs until an engine has answered, or until one of many writers has its turn. In milliseconds. */
const PATIENCE = 240_000;

// Tests of outages set limits of their own. Benchmarks and the game day make people as well, and need those of the service.
if ('afterEach' in globalThis) {
  Object.assign(RETRY, { budget: PATIENCE, races: PATIENCE });
  for (const service of Object.keys(MAX_CALL_MS)) Object.assign(MAX_CALL_MS, { [service]: PATIENCE });
}

/** Somebody with keys, and the client of the first one. */
export interface Person extends Client {
  /** A read-and-write key. */
  key: string;
  readOnlyKey: string;
  /** The identity of `key`, for tests that call functions below the API. */
  caller: Caller & { key_id: string };
  adminId: string;
}

/** A new organization with a read-and-write key and a read-only key. */
export const newPerson = async (name: string): Promise<Person> => {
  const { org_id, admin_user_id } = await organizations.create(name, 'admin@example.com');
  const operator = { org_id, user_id: admin_user_id, name };
  const [full, readOnly] = [
    await apiKeys.create(operator, { name, access: 'read_write', expires: 'never' }),
    await apiKeys.create(operator, { name: `${name}, reading`, access: 'read_only', expires: '30d' }),
  ];
  return {
    ...as(full.key),
    key: full.key,
    readOnlyKey: readOnly.key,
    caller: { org_id, user_id: full.user_id, key_id: full.id, name },
    adminId: admin_user_id,
  };
};

/** A key of somebody's organization that may act for its members. */
export const actingKey = ({ caller }: Person) =>
  apiKeys.create(caller, {
    name: 'Field app',
    access: 'read_write',
    expires: 'never',
    act_for_members: true,
  });

/** A member who is a person of somebody's organization. */
export const newMember = async (
  person: Person,
  role: PersonRole,
  name = 'Ada',
): Promise<{ user_id: string; name: string }> => {
  const { user_id } = await access.add(operatorOf(person), {
    name,
    email: `${uuidv7()}@example.com`,
    role,
  });
  return { user_id, name };
};

/** The header by which a key acts for a member. */
export const onBehalfOf = ({ user_id }: { user_id: string }) => ({ 'On-Behalf-Of': user_id });

/** The platform team as a caller in somebody's organization. */
export const operatorOf = ({ caller }: Person): Caller => ({
  org_id: caller.org_id,
  user_id: 'operator',
  name: 'operator',
});

/** The changes of access and settings that somebody's organization has recorded, oldest first. */
export const auditOf = (person: Person): Promise<AuditRecord[]> =>
  Array.fromAsync(
    queryRows<AuditRecord>(person.caller, { partition: keys.audit.partition(person.caller) }),
    withoutKeys,
  );
