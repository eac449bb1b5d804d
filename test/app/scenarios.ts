import { type AppEntry, functionName } from '../../infra/catalogue.ts';
import { planned } from '../bulk-changes/scenarios.ts';
import { as, type Request } from '../support/call.ts';
import { newPerson, type Person } from '../support/people.ts';
import { scenariosOf } from '../support/scenarios.ts';
import { again, anyIdentity, makeOwner, type SignedIn, signIn } from '../support/signed-in.ts';

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

/** An organization that invites the person. */
const inviting = async ({ identity: { email } }: Admin) => {
  const other = await signIn(await newPerson('Quay'));
  await as(other).app.inviteMember({ body: { email, role: 'inspector' } });
  return { organization_id: other.caller.org_id };
};

/** Makes the admin the owner, who names a colleague as the next one. */
const named = async (admin: Admin): Promise<SignedIn> => {
  const next = await signIn(admin);
  await makeOwner(admin);
  await as(admin).app.createHandover({ body: { user_id: next.userId } });
  return next;
};

/** The colleague names the admin as the next owner. */
const namedByColleague = async (admin: Admin): Promise<Record<string, never>> => {
  const owner = await signIn(admin);
  await makeOwner(owner);
  await as(owner).app.createHandover({ body: { user_id: admin.userId } });
  return {};
};

/** Somebody who was invited. */
const invited = async (admin: Admin): Promise<string> => {
  const body = { email: anyIdentity().email, role: 'approver' };
  return (await as(admin).app.inviteMember({ body })).user_id;
};

/** The id of a key that somebody has made. */
const ownKey = async (admin: SignedIn): Promise<string> =>
  (await as(admin).app.createApiKey({ body: { name: 'Old', access: 'read_write' } })).id;

/** Somebody who has made a key. */
const keyMaker = async (admin: Admin): Promise<string> => {
  const maker = await signIn(admin);
  await ownKey(maker);
  return maker.userId;
};

/** Valid requests of the operations that signed-in people alone call. What they use together is recorded. */
export const scenarios: Readonly<Record<string, readonly [AppScenario, ...AppScenario[]]>> = {
  getSession: [() => ({})],
  chooseOrganization: [({ caller }) => ({ body: { organization_id: caller.org_id } })],
  endSession: [() => ({})],
  listOwnSessions: [() => ({})],
  endOwnSession: [
    async (admin) => {
      await again(admin);
      const found: { id: string; is_current: boolean }[] = await as(admin).app.listOwnSessions();
      return { params: { session_id: found.find(({ is_current }) => !is_current)!.id } };
    },
  ],
  endOtherSessions: [
    async (admin) => {
      await again(admin);
      return {};
    },
  ],
  signOut: [() => ({})],
  listApiKeys: [() => ({})],
  createApiKey: [
    () => ({ body: { name: 'Sync', access: 'read_only', expires: '90d' } }),
    () => ({ body: { name: 'Field app', access: 'read_write', act_for_members: true } }),
  ],
  revokeApiKey: [async (admin) => ({ params: { key_id: await ownKey(admin) } })],
  updateApiKey: [
    async (admin) => ({
      params: { key_id: await ownKey(admin) },
      body: { scopes: ['issues:write'], networks: ['127.0.0.0/8'] },
    }),
  ],
  rotateApiKey: [
    async (admin) => ({ params: { key_id: await ownKey(admin) }, body: { overlap_hours: 2 } }),
    async (admin) => {
      const key_id = await ownKey(admin);
      await as(admin).app.rotateApiKey({ params: { key_id }, body: {} });
      return { params: { key_id }, body: { expires: '90d' } };
    },
  ],
  inviteMember: [() => ({ body: { email: anyIdentity().email, role: 'inspector' } })],
  resendInvitation: [async (admin) => ({ params: { user_id: await invited(admin) } })],
  updateMember: [
    async (admin) => ({ params: { user_id: await colleague(admin) }, body: { status: 'suspended' } }),
    async (admin) => ({
      params: { user_id: await keyMaker(admin) },
      query: { keys: 'revoke' },
      body: { status: 'suspended' },
    }),
  ],
  removeMember: [
    async (admin) => ({ params: { user_id: await colleague(admin) } }),
    async (admin) => ({ params: { user_id: await keyMaker(admin) }, query: { keys: 'revoke' } }),
  ],
  listOwnInvitations: [
    () => ({}),
    async (admin) => {
      await inviting(admin);
      return {};
    },
  ],
  joinOrganization: [async (admin) => ({ params: await inviting(admin), body: { allow_acting: true } })],
  declineInvitation: [async (admin) => ({ params: await inviting(admin) })],
  updateOwnOrganization: [
    ({ caller }) => ({ params: { organization_id: caller.org_id }, body: { allow_acting: true } }),
  ],
  leaveOrganization: [({ caller }) => ({ params: { organization_id: caller.org_id } })],
  createHandover: [
    async (admin) => {
      await makeOwner(admin);
      return { body: { user_id: await colleague(admin) } };
    },
  ],
  acceptHandover: [namedByColleague],
  declineHandover: [namedByColleague],
  withdrawHandover: [
    async (admin) => {
      await named(admin);
      return {};
    },
  ],
  getHome: [() => ({})],
  getOwnProfile: [() => ({})],
  updateOwnProfile: [() => ({ body: { name: 'Ada King', locale: 'de' } })],
  listAuditRecords: [() => ({})],
  listRequests: [() => ({})],
  // Only who has requested it carries it out.
  appUpdateBulkChange: [
    async (admin) => ({ ...(await planned(admin.person, as(admin))), body: { status: 'running' } }),
  ],
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
