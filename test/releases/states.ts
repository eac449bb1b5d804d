import { randomUUID } from 'node:crypto';
import type { Caller } from '../../shared/base/caller.ts';
import { setMaxStorage } from '../../shared/organizations/organizations.ts';
import { change } from '../../shared/table/change.ts';
import { deadLetter } from '../../shared/table/outbox/dead-letters.ts';
import { GIGABYTE } from '../../shared/table/stored-bytes.ts';
import { requestsOf } from '../app/scenarios.ts';
import { visits } from '../public/scenarios.ts';
import { as, call } from '../support/call.ts';
import { appEntries, operationEntries, pageEntries } from '../support/catalogue.ts';
import { tell } from '../support/notices.ts';
import { waitingTasks } from '../support/outbox.ts';
import { newPerson, operatorOf } from '../support/people.ts';
import { scenariosOf } from '../support/scenarios.ts';
import { signIn } from '../support/signed-in.ts';
import { visit } from '../support/visit.ts';

/** What a client sends so that a repeated request changes nothing twice. */
const once = () => ({ 'Idempotency-Key': randomUUID() });

/** What no request leads to: what the platform team does, and work that has failed at every attempt. */
const operated = async (): Promise<Caller> => {
  const person = await newPerson('Operated');
  await setMaxStorage(operatorOf(person), GIGABYTE);
  await tell(person);
  const [task] = await waitingTasks(person.caller);
  const letter = {
    id: task!.id,
    what: task!.outbox,
    reason: 'Error: refused',
    attempts: 6,
    work: { ...task },
  };
  await change(person.caller, (work) => ({ writes: [deadLetter(work, letter)], reply: undefined }));
  return person.caller;
};

/** Each makes an organization for a request of the contract tests, and sends that. */
export const STATES: readonly (() => Promise<Caller>)[] = [
  ...operationEntries().flatMap((entry) =>
    (scenariosOf(entry.area).scenarios[entry.operation.id] ?? []).map((scenario) => async () => {
      const person = await newPerson(entry.operation.id);
      const request = await scenario(person);
      await call(entry, { as: person.key, ...request, headers: { ...once(), ...request.headers } });
      return person.caller;
    }),
  ),
  ...appEntries().flatMap((entry) =>
    requestsOf(entry).map((scenario) => async () => {
      const person = await newPerson(entry.operation.id);
      const admin = { ...(await signIn(person)), person };
      await as(admin).call(entry, await scenario(admin));
      return person.caller;
    }),
  ),
  ...pageEntries().flatMap((entry) =>
    (visits[entry.operation.id] ?? []).map((scenario) => async () => {
      const person = await newPerson(entry.operation.id);
      await visit(entry, await scenario(person));
      return person.caller;
    }),
  ),
  operated,
];
