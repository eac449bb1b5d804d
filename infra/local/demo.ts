import * as apiKeys from '../../shared/organizations/api-keys.ts';
import * as organizations from '../../shared/organizations/organizations.ts';
import * as access from '../../shared/organizations/people/access.ts';
import type { LocalPerson } from './people.ts';

const ADMIN = { name: 'Ada Papadaki', email: 'admin@example.com', role: 'admin' } as const;

/** The other people of the demo organization. */
const OTHERS = [
  { name: 'Ben Okafor', email: 'approver@example.com', role: 'approver' },
  { name: 'Ines Duarte', email: 'inspector@example.com', role: 'inspector' },
] as const;

/** Who can sign in as a member of the demo organization. */
export const DEMO_PEOPLE: readonly LocalPerson[] = [ADMIN, ...OTHERS].map(({ name, email, role }) => ({
  name,
  email,
  about: role,
}));

/** Creates an organization with people of each role and an API key. @returns the key */
export const createDemo = async (): Promise<string> => {
  const { org_id, admin_user_id } = await organizations.create('Demo', ADMIN.email);
  const operator = { org_id, user_id: admin_user_id, name: 'operator' };
  await access.update(operator, admin_user_id, { name: ADMIN.name });
  for (const person of OTHERS) await access.add(operator, person);
  const { key } = await apiKeys.create(operator, { name: 'Demo', access: 'read_write', expires: 'never' });
  return key;
};
