import type { OperationEntry } from '../../infra/catalogue.ts';
import { requestsOf, scenarios as appScenarios } from '../app/scenarios.ts';
import { visits } from '../public/scenarios.ts';
import { call } from '../support/call.ts';
import { appEntries, operationEntries, pageEntries } from '../support/catalogue.ts';
import { newPerson, type Person } from '../support/people.ts';
import { scenariosOf } from '../support/scenarios.ts';
import { again, signIn } from '../support/signed-in.ts';
import { visit } from '../support/visit.ts';
import { expectFollowed } from './copy.ts';

jest.mock('../../shared/reports/pdf/render-pdf.ts', () => jest.requireActual('../support/undrawn.ts'));

/** Prepares an organization, and returns how to send the request. */
type Prepare = (person: Person) => Promise<() => Promise<{ status: number }>>;

const isWriting = ({ operation }: OperationEntry): boolean => operation.method !== 'GET';

const byKeys = operationEntries()
  .filter(isWriting)
  .map((entry): [string, Prepare[]] => [
    entry.operation.id,
    (scenariosOf(entry.area).scenarios[entry.operation.id] ?? []).map((scenario) => async (person) => {
      const request = await scenario(person);
      return () => call(entry, { as: person.key, ...request });
    }),
  ]);

const byAdmins = appEntries()
  .filter((entry) => isWriting(entry) && entry.operation.id in appScenarios)
  .map((entry): [string, Prepare[]] => [
    entry.operation.id,
    requestsOf(entry).map((scenario) => async (person) => {
      const admin = { ...(await signIn(person)), person };
      const request = { as: null, session: await again(admin), ...(await scenario(admin)) };
      return () => call(entry, request);
    }),
  ]);

const byVisitors = pageEntries()
  .filter(isWriting)
  .map((entry): [string, Prepare[]] => [
    entry.operation.id,
    (visits[entry.operation.id] ?? []).map((scenario) => async (person) => {
      const request = await scenario(person);
      return () => visit(entry, request);
    }),
  ]);

describe.each([...byKeys, ...byAdmins, ...byVisitors])('%s', (_, prepared) => {
  test('emits events that lead a copy of the lists from before it to after it', async () => {
    for (const prepare of prepared) {
      const person = await newPerson('Copy');
      const send = await prepare(person);
      await expectFollowed(person, async () => expect((await send()).status).toBeLessThan(400));
    }
  });
});
