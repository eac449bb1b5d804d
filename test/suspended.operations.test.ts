import type { AppEntry } from '../infra/catalogue.ts';
import { commands } from '../infra/operator/commands.ts';
import { isAppOnly } from '../shared/http/operation/surface.ts';
import { visits } from './public/scenarios.ts';
import { as } from './support/call.ts';
import { appEntries, operationEntries, pageEntries } from './support/catalogue.ts';
import { newPerson } from './support/people.ts';
import { signIn } from './support/signed-in.ts';
import { BROWSER, visit } from './support/visit.ts';

jest.mock('../shared/reports/pdf/render-pdf.ts', () => jest.requireActual('./support/undrawn.ts'));

const { 'org suspend': suspending } = commands;

const CLOSED = 'organization_suspended';

/** What of these was not refused because the organization is suspended. */
const openOf = async (
  ids: readonly string[],
  codeOf: (id: string) => Promise<string | undefined>,
): Promise<string[]> => {
  const open: string[] = [];
  for (const id of ids) if ((await codeOf(id)) !== CLOSED) open.push(id);
  return open;
};

test('keys are refused everything', async () => {
  const { key, caller } = await newPerson('Closed to keys');
  await suspending.run({ org: caller.org_id });
  const entries = new Map(operationEntries().map((entry) => [entry.operation.id, entry]));
  const codeOf = async (id: string) => (await as(key).call(entries.get(id)!, {})).headers['x-error-code'];
  expect(await openOf([...entries.keys()], codeOf)).toEqual([]);
});

const isOfPerson = ({ operation }: AppEntry): boolean => isAppOnly(operation) && operation.roles === 'any';

test('people who have signed in are refused all but what is their own', async () => {
  const person = await newPerson('Closed to people');
  const admin = await signIn(person);
  await suspending.run({ org: person.caller.org_id });
  const [own, others] = [true, false].map((isOwn) =>
    appEntries().filter((entry) => isOfPerson(entry) === isOwn),
  );
  const entries = new Map(others!.map((entry) => [entry.operation.id, entry]));
  const codeOf = async (id: string) => (await as(admin).call(entries.get(id)!, {})).headers['x-error-code'];
  expect(await openOf([...entries.keys()], codeOf)).toEqual([]);
  // A session belongs to a person, who may be in other organizations as well.
  expect(own!.map(({ operation }) => operation.id)).toEqual([
    'chooseOrganization',
    'declineInvitation',
    'endOtherSessions',
    'endOwnSession',
    'endSession',
    'getSession',
    'joinOrganization',
    'leaveOrganization',
    'listOwnInvitations',
    'listOwnOrganizations',
    'listOwnSessions',
    'signOut',
    'updateOwnOrganization',
  ]);
});

test('visitors are refused every page', async () => {
  const entries = new Map(pageEntries().map((entry) => [entry.operation.id, entry]));
  const codeOf = async (id: string) => {
    const person = await newPerson('Closed to visitors');
    const asked = { headers: BROWSER, ...(await visits[id]![0](person)) };
    await suspending.run({ org: person.caller.org_id });
    return (await visit(entries.get(id)!, asked)).headers['x-error-code'];
  };
  expect(await openOf([...entries.keys()], codeOf)).toEqual([]);
});
