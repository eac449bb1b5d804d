import * as addresses from '../../shared/organizations/addresses/addresses.ts';
import { followLink } from '../../shared/organizations/links/links.ts';
import { newPerson, type Person } from '../support/people.ts';

const DAY = 86_400_000;
const ADDRESS = 'Site.Manager@client.example';

let person: Person;
let other: Person;
beforeAll(async () => {
  [person, other] = [await newPerson('Caller'), await newPerson('Stranger')];
});

afterEach(() => jest.restoreAllMocks());

const daysLater = (days: number): void => {
  const now = Date.now() + days * DAY;
  jest.spyOn(Date, 'now').mockReturnValue(now);
};

const stateOf = async (address: string, { caller } = person): Promise<addresses.AddressState> =>
  (await addresses.standingOf(caller, address)).state;

describe('an address outside the organization', () => {
  test('is asked once, and again after 30 days, until it has answered', async () => {
    const { caller } = person;
    expect(await stateOf(ADDRESS)).toBe('unknown');
    const token = await addresses.ask(caller, ADDRESS, 'mail 1');
    expect(await stateOf(ADDRESS.toLowerCase())).toBe('asked');
    expect(await addresses.ask(caller, ADDRESS.toUpperCase(), 'mail 2')).toBeUndefined();
    daysLater(29.9);
    expect(await addresses.ask(caller, ADDRESS, 'mail 3')).toBeUndefined();
    daysLater(0.2);
    const second = await addresses.ask(caller, ADDRESS, 'mail 4');
    expect(second).toMatch(/^[\w-]{22}$/);
    expect(second).not.toBe(token);
    await addresses.answer(caller, ADDRESS, 'confirmed');
    daysLater(31);
    expect(await addresses.ask(caller, ADDRESS, 'mail 5')).toBeUndefined();
    expect(await stateOf(ADDRESS)).toBe('confirmed');
  });

  test('is asked by the same mail again, whose first attempt may have failed', async () => {
    const address = 'retried@client.example';
    const asked = [1, 2].map(() => addresses.ask(person.caller, address, 'one mail'));
    expect(new Set(await Promise.all(asked)).size).toBe(2);
  });

  test('is asked by one of two mails at once', async () => {
    const mails = ['a', 'b', 'c', 'd'].map((mail) =>
      addresses.ask(person.caller, 'busy@client.example', mail),
    );
    expect((await Promise.all(mails)).filter((token) => token !== undefined)).toHaveLength(1);
  });

  test('has a question whose link works for 7 days', async () => {
    const token = await addresses.ask(person.caller, 'slow@client.example', 'mail');
    const { org_id } = person.caller;
    const link = { org_id, target: { address: 'slow@client.example', question_id: 'mail' } };
    daysLater(6.9);
    expect(await followLink(token!, 'confirm')).toEqual(link);
    await expect(followLink(token!, 'stop')).rejects.toMatchObject({ status: 404 });
    daysLater(0.2);
    await expect(followLink(token!, 'confirm')).rejects.toMatchObject({ status: 404 });
  });

  test('may change its answer, and is unknown to other organizations', async () => {
    const address = 'undecided@client.example';
    await addresses.answer(person.caller, address, 'confirmed');
    await addresses.answer(person.caller, address, 'refused');
    expect(await stateOf(address)).toBe('refused');
    expect(await stateOf(address, other)).toBe('unknown');
  });

  test('gets nothing while it is suppressed; afterwards its own answer counts again', async () => {
    const address = 'gone@client.example';
    const { caller } = person;
    await addresses.answer(caller, address, 'confirmed');
    await addresses.suppress(caller, address, 'bounced');
    await addresses.suppress(caller, address, 'bounced');
    await addresses.answer(caller, address, 'confirmed');
    const standing = await addresses.standingOf(caller, address);
    expect(standing.state).toBe('suppressed');
    expect(addresses.takesMailByHand(standing) || addresses.takesStandingMail(standing)).toBe(false);
    await addresses.restore(caller, address);
    expect(await stateOf(address)).toBe('confirmed');
    await addresses.suppress(caller, 'never-asked@client.example', 'complained');
    expect(await addresses.ask(caller, 'never-asked@client.example', 'mail')).toBeUndefined();
    await addresses.restore(caller, 'never-asked@client.example');
    expect(await stateOf('never-asked@client.example')).toBe('unknown');
  });
});

describe('a mail', () => {
  const takes = (state: addresses.AddressState, isMember: boolean) => ({
    standing: addresses.takesStandingMail({ state, isMember }),
    byHand: addresses.takesMailByHand({ state }),
  });

  test.each([
    ['unknown', false, false, true],
    ['asked', false, false, true],
    ['confirmed', false, true, true],
    ['refused', false, false, false],
    ['suppressed', false, false, false],
    ['unknown', true, true, true],
    ['refused', true, false, false],
    ['suppressed', true, false, false],
  ] as const)('to an address that is %s (member: %s)', (state, isMember, standing, byHand) => {
    expect(takes(state, isMember)).toEqual({ standing, byHand });
  });

  test('finds out who is a member, in the order of the addresses', async () => {
    const standings = await addresses.standingsOf(person.caller, [
      'nobody@client.example',
      'ADMIN@example.com',
    ]);
    expect(standings).toEqual([
      { state: 'unknown', isMember: false, canBeAsked: true, canBeOffered: true },
      { state: 'unknown', isMember: true, canBeAsked: false, canBeOffered: false },
    ]);
  });
});

test('the stop link of every mail is another one, and works for 400 days', async () => {
  const [one, two] = await Promise.all([1, 2].map(() => addresses.stopToken(person.caller, ADDRESS)));
  expect(one).not.toBe(two);
  daysLater(399);
  expect(await followLink(one!, 'stop')).toMatchObject({ target: { address: ADDRESS.toLowerCase() } });
});
