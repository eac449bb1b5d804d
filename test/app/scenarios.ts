import { type AppEntry, functionName } from '../../infra/catalogue.ts';
import { as, type Request } from '../support/call.ts';
import { newPerson, type Person } from '../support/people.ts';
import { scenariosOf } from '../support/scenarios.ts';
import { anyIdentity, type SignedIn, signIn } from '../support/signed-in.ts';

/** An admin of an organization, and what else the organization has. */
export type Admin = SignedIn & { person: Person };

type AppScenario = (
  admin: Admin,
) => Promise<Omit<Request, 'as' | 'session'>> | Omit<Request, 'as' | 'session'>;

/** The same person in a further organization. */
const elsewhere = async ({ identity }: Admin): Promise<void> => {
  const { caller: other } = await newPerson('Elsewhere');
  await signIn({ caller: other }, 'inspector', identity);
};

/** Another admin of the same organization. */
const colleague = async (admin: Admin): Promise<string> => (await signIn(admin)).userId;

/** Somebody who was invited. */
const invited = async (admin: Admin): Promise<string> => {
  const body = { email: anyIdentity().email, role: 'approver' };
  return (await as(admin).app.inviteMember({ body })).user_id;
};

/** Valid requests of the operations that signed-in people alone call. What they use together is recorded. */
export const scenarios: Readonly<Record<string, readonly [AppScenario, ...AppScenario[]]>> = {
  getSession: [() => ({})],
  chooseOrganization: [({ caller }) => ({ body: { organization_id: caller.org_id } })],
  endSession: [() => ({})],
  signOut: [() => ({})],
  listApiKeys: [() => ({})],
  createApiKey: [() => ({ body: { name: 'Sync', access: 'read_only', expires: '90d' } })],
  revokeApiKey: [
    async (admin) => {
      const body = { name: 'Old', access: 'read_write' };
      const { id } = await as(admin).app.createApiKey({ body });
      return { params: { key_id: id } };
    },
  ],
  inviteMember: [() => ({ body: { email: anyIdentity().email, role: 'inspector' } })],
  resendInvitation: [async (admin) => ({ params: { user_id: await invited(admin) } })],
  updateMember: [
    async (admin) => ({ params: { user_id: await colleague(admin) }, body: { status: 'suspended' } }),
  ],
  removeMember: [async (admin) => ({ params: { user_id: await colleague(admin) } })],
  getOwnProfile: [() => ({})],
  updateOwnProfile: [() => ({ body: { name: 'Ada King', locale: 'de' } })],
  listAuditRecords: [() => ({})],
  listOwnOrganizations: [
    () => ({}),
    async (admin) => {
      await elsewhere(admin);
      return {};
    },
  ],
};

export const camel = (name: string): string =>
  name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The scenarios of an operation. One that keys call as well has those of its own area. */
export const requestsOf = (entry: AppEntry): readonly AppScenario[] =>
  scenarios[entry.operation.id] ??
  (scenariosOf(entry.area).scenarios[camel(functionName(entry))] ?? []).map(
    (scenario): AppScenario =>
      ({ person }) =>
        scenario(person),
  );
