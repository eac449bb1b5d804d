import type { Request } from '../support/call.ts';
import { newPerson, type Person } from '../support/people.ts';
import { type SignedIn, signIn } from '../support/signed-in.ts';

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

/** Valid requests of the operations that signed-in people alone call. Together they use all grants of an operation. */
export const scenarios: Readonly<Record<string, readonly [AppScenario, ...AppScenario[]]>> = {
  getSession: [() => ({})],
  chooseOrganization: [({ caller }) => ({ body: { organization_id: caller.org_id } })],
  endSession: [() => ({})],
  signOut: [() => ({})],
  listOwnOrganizations: [
    () => ({}),
    async (admin) => {
      await elsewhere(admin);
      return {};
    },
  ],
};
