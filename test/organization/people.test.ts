import * as handovers from '../../shared/organizations/handovers.ts';
import * as organizations from '../../shared/organizations/organizations.ts';
import * as access from '../../shared/organizations/people/access.ts';
import * as invitations from '../../shared/organizations/people/invitations.ts';
import { admit } from '../../shared/organizations/people/memberships.ts';
import * as ownInvitations from '../../shared/organizations/people/own-invitations.ts';
import * as sessions from '../../shared/organizations/people/sessions.ts';
import type { StoredMember } from '../../shared/table/entities/organization.ts';
import { keys } from '../../shared/table/keys.ts';
import { getRow, getSystemRows } from '../../shared/table/rows.ts';
import { between, installFaults } from '../support/faults.ts';
import { newPerson, operatorOf, type Person } from '../support/people.ts';

installFaults();

const ISSUER = 'https://issuer.example';

let person: Person;
let people = 0;

beforeEach(async () => {
  person = await newPerson('Harbour');
});

/** A member who has not signed in yet, and the person who has the address. */
const newcomer = async () => {
  people += 1;
  const email = `eve-${people}@${person.caller.org_id}.example`;
  const { user_id } = await access.add(operatorOf(person), { name: 'Eve', email, role: 'inspector' });
  const identity: sessions.Identity = {
    issuer: ISSUER,
    subject: email,
    name: 'Eve',
    email,
    isEmailVerified: true,
  };
  return { user_id, identity };
};

const memberOf = (user_id: string) => getRow(person.caller, keys.one(person.caller, 'MEMBER', user_id));

describe('a sign-in that binds a member', () => {
  const signIn = ({ identity }: Awaited<ReturnType<typeof newcomer>>) => admit(identity, Date.now());

  test.each([
    ['gives the member another role', { role: 'approver' as const }],
    ['suspends the member', { status: 'suspended' as const }],
  ])('loses nothing when an admin %s between any two of its calls', async (_, changes) => {
    const places = await between({
      prepare: newcomer,
      work: signIn,
      act: ({ user_id }) => access.update(operatorOf(person), user_id, changes),
      check: async ({ user_id }) => expect(await memberOf(user_id)).toMatchObject(changes),
    });
    expect(places).toBeGreaterThan(1);
  });

  test('binds nobody to a member who is removed between any two of its calls', async () => {
    const places = await between({
      prepare: newcomer,
      work: signIn,
      act: ({ user_id }) => access.remove(operatorOf(person), user_id),
      check: async ({ user_id, identity }) => {
        expect(await memberOf(user_id)).toBeUndefined();
        expect(await signIn({ user_id, identity })).toEqual([]);
      },
    });
    expect(places).toBeGreaterThan(1);
  });

  test('leaves the membership of a former provider to nobody', async () => {
    const { user_id, identity } = await newcomer();
    await signIn({ user_id, identity });
    const again = { ...identity, issuer: 'https://other.example' };
    expect(await signIn({ user_id, identity: again })).toHaveLength(1);
    const { org_id } = person.caller;
    const found = await getSystemRows(
      [identity, again].map((each) => keys.membership(sessions.personOf(each), org_id)),
    );
    expect(found.map((row) => row?.user_id)).toEqual([undefined, user_id]);
  });
});

describe('a person who joins', () => {
  /** Somebody with a session and an invitation. */
  const invited = async () => {
    people += 1;
    const email = `gus-${people}@${person.caller.org_id}.example`;
    const { user_id } = await invitations.invite(operatorOf(person), { email, role: 'inspector' });
    const identity = { issuer: ISSUER, subject: email, name: 'Gus', email, isEmailVerified: true };
    const { session } = await sessions.begin(identity, null, Date.now());
    return { user_id, identity, session };
  };
  type Invited = Awaited<ReturnType<typeof invited>>;

  const join = ({ session }: Invited) =>
    ownInvitations.join(session, person.caller.org_id, false).catch(() => undefined);

  test('is what an admin makes of the member between any two of the calls', async () => {
    const places = await between({
      prepare: invited,
      work: join,
      act: ({ user_id }) => access.update(operatorOf(person), user_id, { role: 'approver' }),
      check: async ({ user_id }) =>
        expect(await memberOf(user_id)).toMatchObject({ role: 'approver', status: 'active' }),
    });
    expect(places).toBeGreaterThan(1);
  });

  test('is no member when the invitation is withdrawn between any two of the calls', async () => {
    const places = await between({
      prepare: invited,
      work: join,
      act: ({ user_id }) => access.remove(operatorOf(person), user_id),
      check: async ({ user_id, identity }) => {
        expect(await memberOf(user_id)).toBeUndefined();
        expect(await admit(identity, Date.now())).toEqual([]);
      },
    });
    expect(places).toBeGreaterThan(1);
  });
});

describe('a handover', () => {
  const present = async () => undefined;

  test('never makes somebody the owner who is demoted between any two of its calls', async () => {
    const owner = { ...operatorOf(person), user_id: person.adminId, role: 'admin' as const };
    const places = await between({
      prepare: async () => {
        const { org_id } = person.caller;
        const email = `next-${(people += 1)}@${org_id}.example`;
        const { user_id } = await access.add(operatorOf(person), { name: 'Nora', email, role: 'admin' });
        await handovers.name(owner, user_id);
        return { ...owner, user_id };
      },
      work: (next) => handovers.accept(next, present).catch(() => undefined),
      act: ({ user_id }) =>
        access
          .update(operatorOf(person), user_id, { role: 'inspector' })
          .then(() => undefined)
          .catch(() => undefined),
      check: async ({ user_id }) => {
        const { owner_user_id } = await organizations.get(person.caller);
        expect(await memberOf(owner_user_id)).toMatchObject({ role: 'admin', status: 'active' });
        const operator = operatorOf(person);
        if (owner_user_id === user_id)
          await organizations.update(operator, { owner_user_id: person.adminId }, undefined, present);
        else await handovers.withdraw(owner, present);
      },
    });
    expect(places).toBeGreaterThan(1);
  });
});

describe('a session', () => {
  test('does not come back when it is ended between any two calls of a request', async () => {
    const places = await between({
      prepare: async () => sessions.begin((await newcomer()).identity, null, Date.now()),
      // A minute later its last use is noted.
      work: ({ token }) => sessions.authenticate(token, Date.now() + 60_000).catch(() => undefined),
      act: ({ token }) => sessions.endByToken(token),
      check: async ({ session }) =>
        expect(await getSystemRows([keys.session(session.hash)])).toEqual([undefined]),
    });
    expect(places).toBeGreaterThan(1);
  });

  test.each<[what: string, change: Partial<StoredMember>, expected: boolean]>([
    ['its person is', {}, true],
    ['somebody else is', { identity: { issuer: ISSUER, person: 'somebody else' } }, false],
    ['nobody is', { identity: undefined as never }, false],
    ['is suspended', { status: 'suspended' }, false],
    ['is only invited', { status: 'invited' }, false],
    ['was suspended after it began', { sessions_from: 1_000 }, false],
    ['was suspended before it began', { sessions_from: 999 }, true],
  ])('acts as the member that %s: %j, %s', (_, change, expected) => {
    const member = {
      status: 'active',
      identity: { issuer: ISSUER, person: 'eve' },
      ...change,
    } as StoredMember;
    expect(sessions.isOf({ person: 'eve', created_at: 1_000 }, member)).toBe(expected);
  });
});
