import fc from 'fast-check';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import type { RemainsTask } from '../../shared/table/tasks.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { deleteRemains } from '../../shared/upkeep/remains.ts';
import { closeOf, openCorrection, patchOf } from '../corrections/fixtures.ts';
import { advance, eventsOf, sharedFamily, startedInspection } from '../inspections/fixtures.ts';
import { field, section, uuid } from '../support/content.ts';
import { waitingTasks } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { installRecorder, recording } from '../support/recorder.ts';
import { scaled } from '../support/scale.ts';
import { edited, findingsOf, inspectionOf, saved } from './fixtures.ts';
import { hidingInspection, turnedByStart } from './hiding.ts';

installRecorder();

const [GENERAL, ROOM] = [uuid(1), uuid(20)];
/** Each shows what its name says; all other questions fail with `fail`. */
const [SHOWS_RAIL, RAIL, RUNG, KIND_ONLY, ALWAYS, SHOWS_ROOMS] = [2, 3, 4, 5, 6, 7];
const [SHOWS_DOOR, DOOR, WALL] = [21, 22, 23];

const isTrue = (n: number) => ({ field_id: uuid(n), op: 'eq', value: true });
const finding = { create: 'auto' };
const withAction = { create: 'auto', corrective_action: { title: 'Mend it', due_in_days: 3 } };

const CONTENT = {
  start: { fields: [{ key: 'kind', type: 'text', label: 'Kind' }] },
  sections: [
    section(1, [
      field(SHOWS_RAIL, 'yes_no'),
      field(RAIL, 'pass_fail_na', { visible_if: isTrue(SHOWS_RAIL), finding: withAction }),
      field(RUNG, 'pass_fail_na', { visible_if: { field_id: uuid(RAIL), op: 'failed' }, finding }),
      field(KIND_ONLY, 'pass_fail_na', {
        visible_if: { start_key: 'kind', op: 'eq', value: 'full' },
        finding: withAction,
      }),
      field(ALWAYS, 'pass_fail_na', { finding }),
      field(SHOWS_ROOMS, 'yes_no'),
    ]),
    section(
      20,
      [
        field(SHOWS_DOOR, 'yes_no'),
        field(DOOR, 'pass_fail_na', { visible_if: isTrue(SHOWS_DOOR), finding: withAction }),
        field(WALL, 'pass_fail_na', { finding }),
      ],
      { visible_if: isTrue(SHOWS_ROOMS), repeat: {} },
    ),
  ],
};
/** The fields whose findings have an action. */
const WITH_ACTION = new Set([RAIL, KIND_ONLY, DOOR]);

/** An answer to a question, in an instance if it is in a room. */
interface Given {
  n: number;
  room: number;
  value: string | boolean | null;
}

const pathOf = (n: number, room: number) => (n > 20 ? `${ROOM}[${room}]` : '');
const bodyOf = ({ n, room, value }: Given) => ({
  section_id: n > 20 ? ROOM : GENERAL,
  field_id: uuid(n),
  value,
  ...(n > 20 && { instance_index: room }),
});

let ana: Person;
let inspection: Inspection;
beforeAll(async () => {
  ana = await newPerson('Ana');
});
const begin = async (content: object = CONTENT, body: object = {}) => {
  const template_family_id = await sharedFamily(ana, { content });
  inspection = await startedInspection(ana, { template_family_id, ...body });
};
beforeEach(() => begin());

const give = (n: number, value: Given['value'], room = 0) =>
  saved(ana, inspection, bodyOf({ n, room, value }));
const counts = async () => {
  const { findings_count, open_corrective_actions_count } = await inspectionOf(ana, inspection);
  return [findings_count, open_corrective_actions_count];
};
const cleared = async () => (await findingsOf(ana, inspection)).map(({ trigger_cleared }) => trigger_cleared);

describe('PUT /inspections/{inspection_id}/responses that hides or shows other questions', () => {
  test('200 and the finding of a question that is hidden goes with its action, and is made again when it is shown', async () => {
    await give(SHOWS_RAIL, true);
    await give(RAIL, 'fail');
    await give(RUNG, 'fail');
    expect(await counts()).toEqual([2, 1]);
    const [first] = await findingsOf(ana, inspection);
    await give(SHOWS_RAIL, false);
    expect([await findingsOf(ana, inspection), await counts()]).toEqual([[], [0, 0]]);
    expect((await eventsOf(ana, inspection.id)).filter((type) => type === 'finding.deleted')).toHaveLength(2);
    await give(SHOWS_RAIL, true);
    const again = await findingsOf(ana, inspection);
    expect(again.map(({ field_id }) => field_id)).toEqual([uuid(RAIL), uuid(RUNG)]);
    expect(again[0]!.id).not.toBe(first!.id);
    expect(await counts()).toEqual([2, 1]);
    // The record knows its new finding.
    await give(RAIL, 'pass');
    expect(await counts()).toEqual([0, 0]);
  });

  test('200 and a finding that somebody has worked on is kept and marked while its question is hidden', async () => {
    await give(SHOWS_RAIL, true);
    await give(RAIL, 'fail');
    const [found] = await findingsOf(ana, inspection);
    await edited(ana, found!);
    await give(SHOWS_RAIL, false);
    expect(await cleared()).toEqual([true]);
    expect(await counts()).toEqual([1, 1]);
    await give(SHOWS_RAIL, true);
    expect(await findingsOf(ana, inspection)).toMatchObject([{ id: found!.id, trigger_cleared: false }]);
  });

  test('200 and a failed answer to a hidden question creates no finding until the question is shown', async () => {
    await give(RAIL, 'fail');
    expect(await counts()).toEqual([0, 0]);
    await give(RAIL, 'pass');
    await give(RAIL, 'fail');
    await give(SHOWS_RAIL, true);
    expect(await counts()).toEqual([1, 1]);
  });

  test('200 and a finding that a person has deleted does not come back with a note', async () => {
    await give(SHOWS_RAIL, true);
    await give(RUNG, null);
    await give(ALWAYS, 'fail');
    await give(RAIL, 'fail');
    for (const { id, field_id } of await findingsOf(ana, inspection))
      if (field_id === uuid(ALWAYS)) await ana.findings.delete({ params: { finding_id: id } });
    await saved(ana, inspection, { ...bodyOf({ n: ALWAYS, room: 0, value: 'fail' }), note: 'Seen' });
    await saved(ana, inspection, { ...bodyOf({ n: RAIL, room: 0, value: 'fail' }), note: 'Seen' });
    expect(await counts()).toEqual([1, 1]);
  });

  test('200 with two more calls when answers fail, and none when no question with a finding is hidden or shown', async () => {
    const callsOf = async (n: number, value: Given['value']) =>
      (await recording(() => give(n, value))).sent.tableCalls;
    await give(SHOWS_RAIL, true);
    const without = await callsOf(SHOWS_RAIL, false);
    await give(SHOWS_RAIL, true);
    await give(RAIL, 'fail');
    expect(await callsOf(SHOWS_RAIL, false)).toBe(without + 2);
    await give(RAIL, 'pass');
    expect(await callsOf(SHOWS_RAIL, true)).toBe(without + 1);
  });

  test('200 and more findings than one transaction can change follow as well', async () => {
    const many = Array.from({ length: 30 }, (_, n) => 100 + n);
    await begin({
      sections: [
        section(1, [field(SHOWS_RAIL, 'yes_no')]),
        section(
          30,
          many.map((n) => field(n, 'pass_fail_na', { finding: withAction })),
          { visible_if: isTrue(SHOWS_RAIL) },
        ),
      ],
    });
    await give(SHOWS_RAIL, true);
    const responses = many.map((n) => ({ section_id: uuid(30), field_id: uuid(n), value: 'fail' }));
    await ana.answers.save({ params: { inspection_id: inspection.id }, body: { responses } });
    expect(await counts()).toEqual([30, 30]);
    await give(SHOWS_RAIL, false);
    expect(await counts()).toEqual([0, 0]);
    await give(SHOWS_RAIL, true);
    expect(await counts()).toEqual([30, 30]);
    const found = await findingsOf(ana, inspection);
    expect(found.map(({ field_id }) => field_id)).toEqual(many.map(uuid));
  });
});

describe('PATCH /inspections/{inspection_id} with start answers that hide or show questions', () => {
  test('200 and the findings follow, and the reply counts them', async () => {
    await begin(CONTENT, { start_answers: { kind: 'full' } });
    await give(KIND_ONLY, 'fail');
    expect(await counts()).toEqual([1, 1]);
    const hidden = await patchOf(ana, inspection, { start_answers: { kind: 'short' } });
    expect(hidden.body).toMatchObject({ findings_count: 0, open_corrective_actions_count: 0 });
    const shown = await patchOf(ana, inspection, { start_answers: { kind: 'full' } });
    expect(shown.body).toMatchObject({ findings_count: 1, open_corrective_actions_count: 1 });
  });
});

/** Carries out the last task. */
const settle = async () => {
  const task = (await waitingTasks(ana.caller)).findLast(({ outbox }) => outbox === 'cleanup')!;
  await deleteRemains(ana.caller, task.data as RemainsTask, Number.POSITIVE_INFINITY);
};

describe('the worker, after a request that hides or shows questions was interrupted', () => {
  test('lets the findings follow, once', async () => {
    inspection = await hidingInspection(ana);
    expect(await counts()).toEqual([1, 1]);
    await turnedByStart(ana, inspection, 'short');
    await settle();
    expect([await findingsOf(ana, inspection), await counts()]).toEqual([[], [0, 0]]);
    await turnedByStart(ana, inspection, 'full');
    for (const _ of [1, 2]) await settle();
    expect(await counts()).toEqual([1, 1]);
  });

  test('creates no finding again that a person has deleted', async () => {
    const visible_if = { start_key: 'kind', op: 'eq', value: 'full' };
    const sections = [section(1, [field(KIND_ONLY, 'pass_fail_na', { visible_if, finding })])];
    await begin({ ...CONTENT, sections }, { start_answers: { kind: 'full' } });
    await give(KIND_ONLY, 'fail');
    const [found] = await findingsOf(ana, inspection);
    await ana.findings.delete({ params: { finding_id: found!.id } });
    await turnedByStart(ana, inspection, 'full');
    await settle();
    expect(await counts()).toEqual([0, 0]);
  });
});

describe('findings that do not agree with what is hidden', () => {
  /** The question is hidden, and the worker has not come yet. */
  const beforeWorker = async () => {
    inspection = await hidingInspection(ana);
    await turnedByStart(ana, inspection, 'short');
  };

  test('are a difference, which the check repairs', async () => {
    await beforeWorker();
    const found = async (repair: boolean) => {
      const { differences } = await checkOrganization(ana.caller, { repair });
      return differences.flatMap(({ what, mended }) =>
        what === 'findings of hidden questions' ? [mended] : [],
      );
    };
    expect([await found(false), await found(true), await found(false)]).toEqual([[false], [true], []]);
    expect(await counts()).toEqual([0, 0]);
  });

  test('follow after a restore, when the inspection was archived before the worker came', async () => {
    await beforeWorker();
    const params = { inspection_id: inspection.id };
    await ana.inspections.archive({ params });
    await settle();
    expect(await counts()).toEqual([1, 1]);
    await ana.inspections.restore({ params });
    await settle();
    expect(await counts()).toEqual([0, 0]);
  });
});

describe('POST /inspections/{inspection_id}/corrections/{correction_id}/close', () => {
  test('200 and the findings of hidden questions are marked, and those of shown ones are created', async () => {
    await begin(CONTENT, { start_answers: { kind: 'full' } });
    await give(SHOWS_RAIL, true);
    await give(RAIL, 'fail');
    await give(KIND_ONLY, 'fail');
    await give(DOOR, 'fail');
    await give(SHOWS_DOOR, true);
    await advance(ana.key, inspection);
    const correct = async (change: () => Promise<unknown>) => {
      const correction = await openCorrection(ana, inspection);
      await change();
      expect(await counts()).toEqual(before);
      expect((await closeOf(ana, correction)).status).toBe(200);
      before = await counts();
    };
    let before = await counts();
    expect(before).toEqual([2, 2]);
    await correct(async () => {
      await give(SHOWS_RAIL, false);
      await patchOf(ana, inspection, { start_answers: { kind: 'short' } });
    });
    expect(await cleared()).toEqual([true, true]);
    await correct(async () => {
      await give(SHOWS_RAIL, true);
      await give(SHOWS_ROOMS, true);
    });
    // A hidden answer counts for nothing, although this correction has changed it.
    await correct(async () => {
      await give(KIND_ONLY, 'pass');
      await give(KIND_ONLY, 'fail');
    });
    const places = (await findingsOf(ana, inspection)).map((each) => [each.field_id, each.trigger_cleared]);
    expect(places).toEqual([
      [uuid(RAIL), false],
      [uuid(KIND_ONLY), true],
      [uuid(DOOR), false],
    ]);
    expect(before).toEqual([3, 3]);
  });
});

describe('any changes of answers, start answers and instances', () => {
  /** What a client has sent, and the findings that follow from it. */
  interface Model {
    kind: string;
    answers: Map<string, Given>;
    /** The places of findings that somebody has worked on. */
    touched: Set<string>;
    /** Findings whose answers were deleted. */
    orphans: string[];
  }

  const nameOf = (n: number, room: number) => `${uuid(n)} ${pathOf(n, room)}`;

  const isShown = ({ kind, answers }: Model, n: number, room: number): boolean => {
    const says = (other: number, value: unknown) => answers.get(nameOf(other, room))?.value === value;
    const model = { kind, answers } as Model;
    if (n > 20 && !says(SHOWS_ROOMS, true)) return false;
    if (n === RAIL) return says(SHOWS_RAIL, true);
    if (n === RUNG) return isShown(model, RAIL, room) && says(RAIL, 'fail');
    if (n === KIND_ONLY) return kind === 'full';
    if (n === DOOR) return says(SHOWS_DOOR, true);
    return true;
  };

  /** The findings that there should be: their places, and whether they are marked. */
  const expected = (model: Model): string[] => {
    const counting = [...model.answers.values()]
      .filter(({ n, room, value }) => value === 'fail' && isShown(model, n, room))
      .map(({ n, room }) => nameOf(n, room));
    const kept = [...model.touched].filter((name) => !counting.includes(name));
    return [
      ...counting.map((name) => `${name} counts`),
      ...[...kept, ...model.orphans].map((name) => `${name} is marked`),
    ].toSorted();
  };

  const given = fc
    .tuple(
      fc.constantFrom(SHOWS_RAIL, RAIL, RUNG, KIND_ONLY, ALWAYS, SHOWS_ROOMS, SHOWS_DOOR, DOOR, WALL),
      fc.nat(1),
      fc.constantFrom('fail', 'fail', 'pass', null),
    )
    .map(([n, room, answer]): Given => {
      const shows = [SHOWS_RAIL, SHOWS_ROOMS, SHOWS_DOOR].includes(n);
      return { n, room, value: shows && answer !== null ? answer === 'fail' : answer };
    });
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ one: given }) },
    { weight: 3, arbitrary: fc.record({ batch: fc.array(given, { minLength: 2, maxLength: 8 }) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('full', 'short') }) },
    { weight: 1, arbitrary: fc.record({ removed: fc.nat(1) }) },
    { weight: 1, arbitrary: fc.record({ touched: fc.nat(3) }) },
  );

  type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

  const remember = (model: Model, each: Given): void => {
    model.answers.set(nameOf(each.n, each.room), each);
  };

  const take = async (model: Model, change: Step): Promise<void> => {
    const params = { inspection_id: inspection.id };
    if ('one' in change) {
      await give(change.one.n, change.one.value, change.one.room);
      remember(model, change.one);
    } else if ('batch' in change) {
      await ana.answers.save({ params, body: { responses: change.batch.map(bodyOf) } });
      for (const each of change.batch) remember(model, each);
    } else if ('kind' in change) {
      await patchOf(ana, inspection, { start_answers: { kind: change.kind } });
      model.kind = change.kind;
    } else if ('removed' in change) {
      const instance_path = `${ROOM}[${change.removed}]`;
      const { status } = await ana.try.answers.deleteInstance({ params, query: { instance_path } });
      if (status !== 204) return;
      for (const [name, { n, room }] of model.answers) {
        if (n < 20 || room !== change.removed) continue;
        model.answers.delete(name);
        if (model.touched.delete(name)) model.orphans.push(name);
      }
    } else {
      const counting = (await findingsOf(ana, inspection)).filter((each) => !each.trigger_cleared);
      const found = counting[change.touched];
      if (!found) return;
      await edited(ana, found);
      model.touched.add(`${found.field_id} ${found.instance_path}`);
    }
  };

  test('only shown answers that fail have findings that nobody has worked on, and the counters agree', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 15 }), async (steps) => {
        // Each has its own organization, and so its own rate limit.
        ana = await newPerson('Ana');
        await begin();
        const model: Model = { kind: '', answers: new Map(), touched: new Set(), orphans: [] };
        for (const each of steps) {
          await take(model, each);
          const found = await findingsOf(ana, inspection);
          const names = found.map(
            ({ field_id, instance_path, trigger_cleared }) =>
              `${field_id} ${instance_path} ${trigger_cleared ? 'is marked' : 'counts'}`,
          );
          expect(names.toSorted()).toEqual(expected(model));
          const actions = found.filter(({ field_id }) => [...WITH_ACTION].some((n) => uuid(n) === field_id));
          expect(await counts()).toEqual([found.length, actions.length]);
        }
        const { differences } = await checkOrganization(ana.caller, { repair: false });
        expect(differences).toEqual([]);
      }),
      { numRuns: scaled(5, 75), endOnFailure: true },
    );
  });
});
