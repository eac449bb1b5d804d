import fc from 'fast-check';
import type { Caller } from '../../shared/base/caller.ts';
import { change, type Decision, NOTHING, type Work } from '../../shared/table/change.ts';
import { job, type JobKind, Overtaken } from '../../shared/table/job.ts';
import { type Key, keys } from '../../shared/table/keys.ts';
import { getRow, queryRows, withoutKeys } from '../../shared/table/rows.ts';
import * as write from '../../shared/table/writes.ts';
import { newPerson } from '../support/people.ts';
import { runs } from '../support/scale.ts';

const LEASE = 60_000;

/** A job whose workers count their steps. */
interface Counting {
  status: 'queued' | 'running' | 'ended';
  turn: number;
  version: number;
  leased_until: number;
  handed_on: number;
  steps: number;
  /** Counted by others, while a worker may have the job. */
  requests: number;
}

const NEW: Counting = {
  status: 'queued',
  turn: 0,
  version: 0,
  leased_until: 0,
  handed_on: 0,
  steps: 0,
  requests: 0,
};

let caller: Caller;
let clock = Date.now();
beforeAll(async () => {
  ({ caller } = await newPerson('Worker'));
  jest.spyOn(Date, 'now').mockImplementation(() => clock);
});
afterAll(() => void jest.restoreAllMocks());

const newKey = <Row extends object>(): Key<Row> => ({
  pk: keys.all(caller, 'DOCUMENT'),
  sk: crypto.randomUUID(),
});

/** The tasks of jobs that were handed on, by how often that was. */
const taskKey = ({ pk, sk }: Key, handedOn: number): Key<{ handed_on: number }> => ({
  pk,
  sk: `${sk} task ${handedOn}`,
});

const kindAt = (key: Key<Counting>): JobKind<Counting> => ({
  key: () => key,
  hasEnded: ({ status }) => status === 'ended',
  guard: ['turn', 'status'],
  begun: ({ turn }) => ({ status: 'running', turn: turn + 1 }),
  lease: LEASE,
  task: (_, { handed_on }) => write.create({ ...taskKey(key, handed_on), handed_on }),
  lost: () => new Overtaken(),
});

type Job = ReturnType<typeof job<Counting>>;
type Step = (job: Job, work: Work, known: Counting) => Decision<Counting>;

/** How the workers of one kind of job know that they have it. */
interface Way {
  kindOf: (key: Key<Counting>) => JobKind<Counting>;
  /** Takes a step in the worker's turn. @returns undefined when the worker has lost the job */
  step: (key: Key<Counting>, known: Counting, step: Step) => Promise<Counting | undefined>;
}

const lost = (error: unknown): undefined => {
  if (!(error instanceof Overtaken)) throw error;
};

/** Only its worker changes the job, as a sync. */
const BY_TURN: Way = {
  kindOf: kindAt,
  step: (key, known, step) => change(caller, (work) => step(job(kindAt(key)), work, known)).catch(lost),
};

/** Requests change it as well, as the endpoint of a webhook: its worker looks at it again before each step. */
const BY_VERSION: Way = {
  kindOf: (key) => {
    const { lost: _, ...kind } = kindAt(key);
    return { ...kind, guard: ['version'], moved: ({ version }) => ({ version: version + 1 }) };
  },
  step: (key, { turn }, step) =>
    change<Counting | undefined>(caller, async (work) => {
      const counting = job(BY_VERSION.kindOf(key));
      const now = counting.unended(await getRow(work, key));
      return now?.turn === turn ? step(counting, work, now) : NOTHING;
    }),
};

/** What a worker does to a job that it has, and what becomes of the job. */
const STEPS: Record<string, { step: Step; after: (expected: Counting) => Partial<Counting> }> = {
  save: {
    step: (counting, work, known) => counting.save(work, known, { steps: known.steps + 1 }),
    after: ({ steps }) => ({ steps: steps + 1 }),
  },
  renew: {
    step: (counting, work, known) => counting.renew(work, known, { steps: known.steps + 1 }),
    after: ({ steps }) => ({ steps: steps + 1, leased_until: clock + LEASE }),
  },
  release: {
    step: (counting, work, known) => counting.release(work, known),
    after: () => ({ leased_until: 0 }),
  },
  'hand on': {
    step: (counting, work, known) => counting.handOn(work, known),
    after: ({ handed_on }) => ({ leased_until: 0, handed_on: handed_on + 1 }),
  },
  end: {
    step: (counting, work, known) => counting.end(work, known, { status: 'ended' }),
    after: () => ({ leased_until: 0, status: 'ended' }),
  },
};

/** What the table should hold, who has taken the job, and who of them was the last one. */
interface Model {
  expected: Counting;
  takers: Set<number>;
  last: number | undefined;
}

/** The table, and what each worker knows of the job. A worker that was overtaken keeps what it knew. */
interface World {
  key: Key<Counting>;
  known: (Counting | undefined)[];
}

type Command = fc.AsyncCommand<Model, World>;

const WORKERS = 3;
const aWorker = fc.nat({ max: WORKERS - 1 });

const commandsOf = ({ kindOf, step }: Way, isChangedByRequests: boolean): fc.Arbitrary<Command>[] => {
  const moves = isChangedByRequests ? 1 : 0;

  const command = (
    name: string,
    run: (model: Model, world: World) => Promise<void>,
    check: Command['check'] = () => true,
  ): Command => ({
    check,
    toString: () => name,
    run: async (model, world) => {
      await run(model, world);
      expect(withoutKeys((await getRow(caller, world.key))!)).toEqual(model.expected);
    },
  });

  const take = (key: Key<Counting>, asked?: number) =>
    change(caller, async (work) => job(kindOf(key)).take(work, await getRow(work, key), asked)).catch(lost);

  const canBeTaken = ({ expected }: Model, asked: number) =>
    expected.status !== 'ended' && asked >= expected.handed_on && expected.leased_until <= clock;

  const noteTaken = (model: Model, { known }: World, worker: number, taken: Counting) => {
    const { expected } = model;
    model.expected = {
      ...expected,
      status: 'running',
      turn: expected.turn + 1,
      version: expected.version + moves,
      leased_until: clock + LEASE,
    };
    model.takers.add(worker);
    model.last = worker;
    known[worker] = taken;
  };

  const mayWrite = ({ expected, last }: Model, worker: number) =>
    last === worker && expected.status === 'running';

  // A task may be an old one, which was handed on since.
  const takes = fc.tuple(aWorker, fc.nat({ max: 2 })).map(([worker, age]) =>
    command(`${worker} takes with a task ${age} old`, async (model, world) => {
      const asked = model.expected.handed_on - age;
      const taken = await take(world.key, asked);
      expect(taken !== undefined).toBe(canBeTaken(model, asked));
      if (taken) noteTaken(model, world, worker, taken);
    }),
  );

  const takesAtOnce = fc.constant(
    command('all take at once', async (model, world) => {
      const could = canBeTaken(model, Infinity);
      const tries = await Promise.all(world.known.map(() => take(world.key)));
      expect(tries.filter(Boolean)).toHaveLength(Number(could));
      for (const [worker, taken] of tries.entries()) if (taken) noteTaken(model, world, worker, taken);
    }),
  );

  /** A step of a worker that has taken the job: also late, when another one has taken it since, or after its end. */
  const steps = (name: keyof typeof STEPS) =>
    aWorker.map((worker) =>
      command(
        `${worker} ${name}`,
        async (model, world) => {
          const { step: does, after: leaves } = STEPS[name]!;
          const may = mayWrite(model, worker);
          const after = await step(world.key, world.known[worker]!, does);
          expect(after !== undefined).toBe(may);
          if (!after) return;
          const { expected } = model;
          model.expected = { ...expected, ...leaves(expected), version: expected.version + moves };
          // Who has ended it, and goes on, does so with what it knew.
          if (name !== 'end') world.known[worker] = after;
        },
        ({ takers }) => takers.has(worker),
      ),
    );

  const checks = aWorker.map((worker) =>
    command(
      `${worker} checks, in a change of something else`,
      async (model, world) => {
        const may = mayWrite(model, worker);
        const other = newKey();
        const written = await step(world.key, world.known[worker]!, (counting, work, known) => ({
          writes: [counting.check(work, known), write.put({ ...other })],
          reply: known,
        }));
        expect(written !== undefined).toBe(may);
        expect((await getRow(caller, other)) !== undefined).toBe(may);
      },
      ({ takers }) => takers.has(worker),
    ),
  );

  const crashes = aWorker.map((worker) =>
    command(`${worker} crashes`, async (model) => {
      model.takers.delete(worker);
    }),
  );

  const passes = fc.constantFrom(LEASE / 2, LEASE).map((time) =>
    command(`${time / 1_000} seconds pass`, async () => {
      clock += time;
    }),
  );

  const givesUp = fc.constant(
    command('it is given up while no worker has it', async (model, { key }) => {
      const counting = job(kindOf(key));
      const { expected } = model;
      const standing = counting.unended(await getRow(caller, key), new Date(clock).toISOString());
      expect(standing !== undefined).toBe(expected.status !== 'ended' && expected.leased_until <= clock);
      if (!standing) return;
      await change(caller, (work) => counting.end(work, standing, { status: 'ended' }));
      const version = expected.version + moves;
      model.expected = { ...expected, status: 'ended', leased_until: 0, version };
    }),
  );

  const requests = fc.constant(
    command('a request changes it', async (model, { key }) => {
      await change(caller, async (work) => {
        const known = withoutKeys((await getRow(work, key))!);
        return job(kindOf(key)).save(work, known, { requests: known.requests + 1 });
      });
      const { version, requests: before } = model.expected;
      model.expected = { ...model.expected, version: version + 1, requests: before + 1 };
    }),
  );

  const often = [
    takes,
    takesAtOnce,
    passes,
    steps('save'),
    steps('renew'),
    steps('release'),
    steps('hand on'),
    checks,
    ...(isChangedByRequests ? [requests] : []),
  ];
  return [...often, ...often, ...often, steps('end'), crashes, givesUp];
};

describe('a job', () => {
  test.each([
    ['its worker alone changes', BY_TURN, false],
    ['requests change too', BY_VERSION, true],
  ] as const)(
    'that %s is done by one worker at a time to its end, whatever happens',
    async (_, way, isShared) => {
      await fc.assert(
        fc.asyncProperty(
          fc.commands(commandsOf(way, isShared), { maxCommands: 60, size: 'max' }),
          async (commands) => {
            const key = newKey<Counting>();
            const model: Model = { expected: NEW, takers: new Set(), last: undefined };
            const world: World = { key, known: Array.from({ length: WORKERS }, () => undefined) };
            await change(caller, () => ({ writes: [write.create({ ...key, ...NEW })], reply: undefined }));
            await fc.asyncModelRun(() => ({ model, real: world }), commands);

            const tasks = queryRows(caller, { partition: key.pk, prefix: `${key.sk} task` });
            expect(await Array.fromAsync(tasks)).toHaveLength(model.expected.handed_on);
            // Whoever was last, a task that comes again after the lease finds what is left.
            clock += LEASE;
            const counting = job(way.kindOf(key));
            const rest = await change(caller, async (work) =>
              counting.take(work, await getRow(work, key), model.expected.handed_on),
            );
            expect(rest?.steps).toBe(model.expected.status === 'ended' ? undefined : model.expected.steps);
          },
        ),
        { numRuns: runs(10) },
      );
    },
  );
});
