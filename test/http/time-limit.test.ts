import timers from 'node:timers';
import * as z from 'zod';
import * as errors from '../../shared/base/errors.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { EARLY_TIMEOUT } from '../../shared/http/middlewares/chain.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { change } from '../../shared/table/change.ts';
import { keys } from '../../shared/table/keys.ts';
import { getRow } from '../../shared/table/rows.ts';
import * as write from '../../shared/table/writes.ts';
import { as } from '../support/call.ts';
import { useClock } from '../support/clock.ts';
import { newPerson, type Person } from '../support/people.ts';

const clock = useClock();

/** Milliseconds that a function has, far more than authenticating takes. */
const TIME = 600_000;

/** Milliseconds of them that have passed when the logic begins. */
let used: number;
/** What the logic waits for. */
let waiting: Promise<void>;
let finished: Promise<unknown>;
let person: Person;

const operation = defineOperation({
  id: 'ponder',
  method: 'POST',
  path: '/thoughts',
  summary: 'Ponder',
  access: 'write',
  success: 201,
  response: z.string(),
});
const row = () => ({ ...keys.one(person.caller, 'DOCUMENT', 'a-thought') });
const ponder = {
  operation,
  handler: createHandler(operation, ({ caller }) => {
    clock.pass(used / 1_000);
    const done = (async () => {
      await waiting;
      return change(caller, () => ({ writes: [write.create(row() as never)], reply: 'done' }));
    })();
    finished = done.catch((error: unknown) => error);
    return done;
  }),
};

beforeEach(async () => {
  used = 0;
  person = await newPerson('Slow');
});

describe('a function that runs out of time', () => {
  test('201 when it is in time', async () => {
    waiting = Promise.resolve();
    expect((await as(person).call(ponder, { milliseconds: TIME })).status).toBe(201);
  });

  test('503 before its time limit, instead of a closed connection', async () => {
    const logic = Promise.withResolvers<void>();
    waiting = logic.promise;
    used = TIME - EARLY_TIMEOUT - 123;
    const begun = jest.spyOn(timers, 'setTimeout');
    // The logic is still running: the client is answered first.
    const answer = await as(person).call(ponder, { milliseconds: TIME });
    expect([answer.status, answer.body]).toEqual([503, { detail: errors.unavailable('The service').detail }]);
    // Not before that, either.
    expect(begun.mock.calls.map(([, milliseconds]) => milliseconds)).toContain(123);
    begun.mockRestore();
    logic.resolve();
    await finished;
  });

  test('503, and what continues after it changes nothing if the request had an idempotency key', async () => {
    const logic = Promise.withResolvers<void>();
    waiting = logic.promise;
    used = TIME - EARLY_TIMEOUT;
    const request = { headers: { 'Idempotency-Key': 'k' }, milliseconds: TIME };
    expect((await as(person).call(ponder, request)).status).toBe(503);
    logic.resolve();
    expect(await finished).toMatchObject({ status: 409 });
    expect(await getRow(person.caller, row())).toBeUndefined();
    waiting = Promise.resolve();
    used = 0;
    expect((await as(person).call(ponder, { headers: request.headers })).status).toBe(201);
  });
});
