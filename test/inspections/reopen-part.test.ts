import fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import { ApiError } from '../../shared/base/api-error.ts';
import * as errors from '../../shared/base/errors.ts';
import { show } from '../../shared/inspections/lists.ts';
import { inspectionRecords } from '../../shared/inspections/rows/inspection-records.ts';
import * as inspections from '../../shared/inspections/steps.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { change } from '../../shared/table/change.ts';
import { RETRY } from '../../shared/table/retry.ts';
import * as write from '../../shared/table/writes.ts';
import { as } from '../support/call.ts';
import { installFaults, withFault } from '../support/faults.ts';
import { waitingEvents } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { runs } from '../support/scale.ts';
import { publishedFamily } from '../templates/fixtures.ts';
import { advance, newColleague, newInspection, NOTHING_REQUIRED, start } from './fixtures.ts';

installFaults();
// A change that loses a race is retried without a delay, because only the order of the calls matters here.
Object.assign(RETRY, { base: 0 });

/** Each run tries another order of some twenty calls. `INTERLEAVINGS` sets a larger number for a long test. */
const RUNS = Number(process.env['INTERLEAVINGS'] ?? 40);

type Colleague = Awaited<ReturnType<typeof newColleague>>;

let ana: Person;
let family: { id: string };
let people: [Colleague, Colleague, Colleague];

beforeAll(async () => {
  ana = await newPerson('Ana');
  family = await publishedFamily(ana.key, NOTHING_REQUIRED);
  people = [await newColleague(ana, 'Bo'), await newColleague(ana, 'Cy'), await newColleague(ana, 'Di')];
});

const teamInspection = async (): Promise<Inspection> =>
  start(
    ana.key,
    await newInspection(ana, {
      template_family_id: family.id,
      participants: people.map(({ user_id }) => ({ user_id })),
    }),
  );
const reopen = (key: string, { id }: Inspection) =>
  as(key).try.inspections.reopenPart({ params: { inspection_id: id } });
const get = ({ id }: Inspection): Promise<Inspection> =>
  ana.inspections.get({ params: { inspection_id: id } });

describe('POST /inspections/{inspection_id}/participants/me/reopen', () => {
  test('200 with null, and the part is no longer submitted', async () => {
    const [bo] = people;
    const inspection = await teamInspection();
    await advance(bo.key, inspection);
    const answer = await reopen(bo.key, inspection);
    expect([answer.status, answer.text]).toEqual([200, 'null']);
    const { participants, status } = await get(inspection);
    expect([status, participants[0]]).toEqual([
      'in_progress',
      expect.objectContaining({ status: 'started', submitted_at: null, reopened_at: expect.any(String) }),
    ]);
    expect((await advance(bo.key, inspection)).participants[0]!.status).toBe('submitted');
  });

  test('409 for a part that is not submitted, for a caller without a part, and after the inspection has moved on', async () => {
    const [bo, cy, di] = people;
    const inspection = await teamInspection();
    const detail = async (key: string) => {
      const { status, body } = await reopen(key, inspection);
      return [status, body.detail];
    };
    expect(await detail(bo.key)).toEqual([409, errors.partNotSubmitted('in_progress', 'assigned').detail]);
    expect(await detail(ana.key)).toEqual([409, errors.partNotSubmitted('in_progress', undefined).detail]);
    for (const { key } of [bo, cy, di]) await advance(key, inspection);
    expect(await detail(bo.key)).toEqual([
      409,
      errors.inspectionStatus('completed', 'not in_progress').detail,
    ]);
  });

  test('200 or 409 in parallel with the last submission, and the inspection is reopened or completed, never both', async () => {
    const [bo, cy, di] = people;
    for (let round = 0; round < 15; round += 1) {
      const inspection = await teamInspection();
      await advance(bo.key, inspection);
      await advance(cy.key, inspection);
      const [reopened] = await Promise.all([reopen(bo.key, inspection), advance(di.key, inspection)]);
      expect([200, 409]).toContain(reopened.status);
      const { status, participants } = await get(inspection);
      expect([status, participants[0]!.status]).toEqual(
        reopened.status === 200 ? ['in_progress', 'started'] : ['completed', 'submitted'],
      );
    }
  });
});

/** What an actor can do. */
type Action = 'submit' | 'reopen';

/**
 * Lets the database calls of several actors through one at a time. `turns` says whose call is next, so every order
 * of their calls can occur.
 */
const inTurns = async (actors: (() => Promise<unknown>)[], turns: readonly number[]): Promise<void> => {
  const waiting: ((() => void) | undefined)[] = actors.map(() => undefined);
  const isDone = actors.map(() => false);
  let wake = () => {};
  const run = actors.map((act, actor) =>
    withFault(async ({ send }) => {
      await new Promise<void>((resolve) => {
        waiting[actor] = resolve;
        wake();
      });
      return send();
    }, act).finally(() => {
      isDone[actor] = true;
      wake();
    }),
  );
  let turn = 0;
  while (isDone.includes(false)) {
    const isSettled = () => actors.every((_, actor) => isDone[actor] || waiting[actor]);
    if (!isSettled()) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      continue;
    }
    const ready = actors.flatMap((_, actor) => (waiting[actor] ? [actor] : []));
    if (ready.length === 0) break;
    const actor = ready[(turns[turn % turns.length] ?? 0) % ready.length]!;
    turn += 1;
    const proceed = waiting[actor]!;
    waiting[actor] = undefined;
    proceed();
  }
  await Promise.all(run);
};

/** Makes copies of a started inspection, each with a single write of its row, which is all that these tests need. */
const newCopier = async (): Promise<() => Promise<{ id: string }>> => {
  const participants = people.map(({ user_id }) => ({ user_id }));
  const { id: source } = await newInspection(ana, { template_family_id: family.id, participants });
  await inspections.start(ana.caller, source);
  const row = await inspectionRecords.get(ana.caller, source);
  return () => {
    const copy = { ...row, id: uuidv7() };
    const copied = write.put({ ...copy, ...inspectionRecords.key(ana.caller, copy.id) });
    return change(ana.caller, () => ({ writes: [copied], reply: copy }));
  };
};

const eventsSince = async (id: string) => (await waitingEvents(ana.caller)).filter((event) => event.id > id);

describe('reopening and submitting', () => {
  test('in any order of their database calls: no completed inspection has an open part, and each reply is true', async () => {
    const callers = people.map(({ user_id }, position) => ({
      ...ana.caller,
      user_id,
      name: ['Bo', 'Cy', 'Di'][position]!,
    }));
    const newCopy = await newCopier();
    const actions = fc.array(fc.constantFrom<Action>('submit', 'reopen'), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(actions, actions, actions),
        fc.array(fc.nat(2), { minLength: 8, maxLength: 40 }),
        async (plans, turns) => {
          const since = uuidv7();
          const inspection = await newCopy();
          const outcomes: [number, Action, boolean][] = [];
          const actors = plans.map((plan, actor) => async () => {
            for (const action of plan) {
              const work =
                action === 'submit'
                  ? inspections.advance(callers[actor]!, inspection.id, {})
                  : inspections.reopenPart(callers[actor]!, inspection.id);
              const isDone = await work.then(
                () => true,
                (error: unknown) => {
                  if (error instanceof ApiError && error.status === 409) return false;
                  throw error;
                },
              );
              outcomes.push([actor, action, isDone]);
            }
          });
          await inTurns(actors, turns);
          const { status, participants } = await show(ana.caller, inspection.id);
          const isSubmitted = participants.every((participant) => participant.status === 'submitted');
          expect([status, isSubmitted]).toEqual(
            status === 'completed' ? ['completed', true] : ['in_progress', false],
          );
          for (const [actor, { status: part }] of participants.entries()) {
            const done = outcomes.filter(([who, , isDone]) => who === actor && isDone);
            expect(part === 'submitted').toBe(done.at(-1)?.[1] === 'submit');
          }
          const completions = (await eventsSince(since)).filter(
            ({ type, data }) => type === 'inspection.completed' && data.id === inspection.id,
          );
          expect(completions).toHaveLength(Number(status === 'completed'));
        },
      ),
      { numRuns: runs(RUNS) },
    );
  });
});
