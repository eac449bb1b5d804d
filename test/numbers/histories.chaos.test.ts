import { Temporal } from 'temporal-polyfill';
import { countEvents } from '../../shared/inspections/numbers/events.ts';
import { handOn } from '../../shared/outside/hand-on.ts';
import type { CorrectiveAction } from '../../shared/schemas/corrective-action.ts';
import type { ListedFinding } from '../../shared/schemas/finding.ts';
import type { AnswerRecord } from '../../shared/schemas/inspections/answer.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import type { ActionSummary, FindingSummary, InspectionGroups } from '../../shared/schemas/numbers.ts';
import type { OutboxEvent } from '../../shared/table/entities/machinery.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { RECHECK } from '../../shared/upkeep/consistency/row-checks.ts';
import { RAIL, SECTION, TEXT } from '../answers/fixtures.ts';
import { cleanUp } from '../schedules/fixtures.ts';
import { seeded } from '../support/chance.ts';
import { startClock } from '../support/clock.ts';
import { field, section } from '../support/content.ts';
import { impatient, installFaults, killAfter, withFault } from '../support/faults.ts';
import { outboxOf } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { scaled } from '../support/scale.ts';
import { publishedFamily } from '../templates/fixtures.ts';
import { ALWAYS, countChanges } from './fixtures.ts';

installFaults();
impatient(150);

/** The dates below are around this time, so that a history is the same in every year. */
beforeEach(() => startClock(Date.parse('2026-06-20T12:00:00.000Z')));
afterEach(() => void jest.useRealTimers());

RECHECK.pauseMs = 1;

const CONTENT = {
  sections: [
    section(1, [
      field(2),
      field(4, 'pass_fail_na', {
        max_score: 3,
        allow_na: true,
        finding: { create: 'auto', severity: 'major', label: 'Loose rail' },
      }),
    ]),
  ],
  scoring: { enabled: true, passing_score: 50 },
};

/** Due dates of the past and of the future. */
const DUES = ['2026-01-01T00:00:00.000Z', '2027-12-01T00:00:00.000Z', null];

/** The end of a month: the next one has begun in Auckland, but not in Honolulu. */
const SCHEDULED = ['2026-03-31T18:00:00.000Z', '2026-06-15T12:00:00.000Z', null];
const ZONES = ['Pacific/Auckland', 'Pacific/Honolulu', null];

/** Inspections at the beginning, what happens then, and inspections at the end, of which nothing is deleted. */
const MADE = 8;
const STEPS = 100;
const LATE = 4;

type Counts = Record<string, Record<string, number>>;

/** Adds up numbers by the names of their groups, and leaves out those that are 0. */
const sums = (rows: readonly (readonly [group: string, add: Record<string, number>])[]): Counts => {
  const found: Counts = {};
  for (const [group, add] of rows)
    for (const [name, number] of Object.entries(add))
      if (number !== 0) (found[group] ??= {})[name] = (found[group][name] ?? 0) + number;
  return found;
};

/** An organization that lives through a random history. */
const newHistory = async (seed: number) => {
  const person = await newPerson(`History ${seed}`);
  const random = seeded(seed);
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)]!;
  const families = [
    await publishedFamily(person.key, { content: CONTENT, settings: { correction_mode: 'tracked' } }),
    await publishedFamily(person.key, { content: CONTENT }),
  ];
  const places: string[] = [];
  const clients: string[] = [];
  for (const timezone of ZONES) {
    const client = await person.clientAccounts.create({ body: { name: 'Acme' } });
    clients.push(client.id);
    for (let number = 0; number < 2; number += 1) {
      const body = { name: `Store ${number}`, client_account_id: client.id, timezone };
      places.push((await person.locations.create({ body })).id);
    }
  }
  const inspections = (): Promise<Inspection[]> => person.inspections.list();
  const at = ({ id }: { id: string }) => ({ params: { inspection_id: id } });
  const one = async () => at(pick([...(await inspections()), { id: places[0]! }]));
  const finding = async () =>
    ({
      params: { finding_id: pick([...(await person.findings.listAll()), { id: places[0]! }]).id },
    }) as const;
  const action = async () => ({
    params: { ca_id: pick([...(await person.correctiveActions.listAll()), { id: places[0]! }]).id },
  });
  const answer = () =>
    pick([
      { section_id: SECTION, field_id: RAIL, value: pick(['pass', 'fail']) },
      { section_id: SECTION, field_id: RAIL, value: null, is_na: true },
      { section_id: SECTION, field_id: TEXT, value: pick(['Good', null]) },
    ]);
  const correct = async () => {
    const inspection = pick([...(await person.inspections.list({ query: { status: ['completed'] } }))]);
    if (!inspection) return;
    const { status, body } = await person.try.corrections.create({
      ...at(inspection),
      body: { reason: 'Misread' },
    });
    if (status !== 201) return;
    await person.try.answers.replace({ ...at(inspection), body: answer() });
    const correction = { params: { inspection_id: inspection.id, correction_id: body.id } };
    if (random() < 0.7) await person.try.corrections.close(correction);
  };
  const create = () =>
    person.try.inspections.create({
      body: {
        template_family_id: pick(families).id,
        location_id: pick([...places, null]),
        scheduled_for: pick(SCHEDULED),
        due_at: pick(DUES),
      },
    });
  const turns: (() => Promise<unknown>)[] = [
    create,
    create,
    create,
    async () => person.try.inspections.start(await one()),
    async () => person.try.answers.replace({ ...(await one()), body: answer() }),
    async () => person.try.inspections.advance(await one()),
    async () => person.try.inspections.advance(await one()),
    async () => person.try.inspections.archive(await one()),
    async () => person.try.inspections.restore(await one()),
    async () => {
      await person.try.inspections.delete(await one());
      await cleanUp(person);
    },
    async () => person.try.inspections.update({ ...(await one()), body: { location_id: pick(places) } }),
    async () => person.try.inspections.update({ ...(await one()), body: { due_at: pick(DUES) } }),
    async () => person.try.findings.create({ ...(await one()), body: { label: 'Rust', severity: 'minor' } }),
    async () =>
      person.try.findings.update({
        ...(await finding()),
        body: pick([{ severity: 'critical' }, { status: 'resolved' }, { status: 'open' }]),
      }),
    async () => person.try.findings.delete(await finding()),
    async () =>
      person.try.correctiveActions.create({
        ...(await finding()),
        body: { title: 'Paint', priority: pick(['low', 'high']), due_at: pick(DUES) },
      }),
    async () =>
      person.try.correctiveActions.update({
        ...(await action()),
        body: { status: pick(['in_progress', 'pending_verification', 'cancelled']) },
      }),
    async () => person.try.correctiveActions.verify({ ...(await action()), body: {} }),
    correct,
    correct,
    async () => {
      if (random() < 0.7) return;
      await person.try.locations.transfer({
        params: { location_id: pick(places) },
        body: { client_account_id: pick(clients) },
      });
      await cleanUp(person);
    },
    async () => {
      if (random() < 0.8) return;
      await person.try.locations.merge({
        params: { location_id: pick(places) },
        body: { into: pick(places) },
      });
      await cleanUp(person);
    },
  ];
  const old: OutboxEvent[] = [];
  /** Counts some of what waits, in any order: again what was counted long ago, and now and then with a kill. */
  const count = async () => {
    const waiting = (await outboxOf(person.caller)).filter(
      (row): row is OutboxEvent => row.outbox === 'event',
    );
    const some = waiting
      .filter(() => random() < 0.6)
      .map((row) => ({ row, order: random() }))
      .toSorted((a, b) => a.order - b.order)
      .map(({ row }) => row);
    if (random() < 0.5) {
      const kill = killAfter(Math.floor(random() * 14), random() < 0.5);
      await withFault(kill.fault, () => handOn(some)).catch(() => {});
    } else await handOn(some);
    old.push(...some);
    await countEvents(
      person.caller,
      old.filter(() => random() < 0.2),
    );
  };
  for (let made = 0; made < MADE; made += 1) await create();
  for (let step = 0; step < STEPS; step += 1) {
    await pick(turns)();
    if (random() < 0.3) await count();
  }
  for (let made = 0; made < LATE; made += 1)
    await person.inspections.create({ body: { template_family_id: pick(families).id } });
  await cleanUp(person);
  await countChanges(person);
  return person;
};

const monthOf = (timezone: string | null, time: string): string =>
  Temporal.Instant.from(time)
    .toZonedDateTimeISO(timezone ?? 'UTC')
    .toPlainDate()
    .toString()
    .slice(0, 7);

/** The numbers of inspections by location, client account and month, counted from the list of all of them. */
const countInspections = async (person: Person, zoneOf: (id: string | null) => string | null) => {
  const all: Inspection[] = await person.inspections.list();
  return sums(
    all.map((each) => {
      const { location_id, client_account_id, completed_at, scheduled_for, due_at, created_at } = each;
      const month = monthOf(zoneOf(location_id), completed_at ?? scheduled_for ?? due_at ?? created_at);
      const isCompleted = each.status === 'completed';
      const score = isCompleted ? each.score : null;
      return [
        [location_id, client_account_id, month].join(),
        {
          total: 1,
          [each.status]: 1,
          overdue: Number(each.is_overdue),
          passed: Number(score?.result === 'pass'),
          failed: Number(score?.result === 'fail'),
          scored: Number((score?.percentage ?? null) !== null),
          score: score?.percentage ?? 0,
          completed_late: Number(isCompleted && due_at !== null && due_at < each.submitted_at!),
        },
      ] as const;
    }),
  );
};

const keyOf = (by: {
  location?: { id: string } | null | undefined;
  client_account?: { id: string } | null | undefined;
  month?: string | undefined;
}) => [by.location?.id ?? null, by.client_account?.id ?? null, by.month].join();

describe('the numbers of an organization', () => {
  test.each(scaled([1], [1, 2, 3, 4]))(
    'are those of a full count, after corrections, archives, moves, kills and repeated deliveries (history %i)',
    async (seed) => {
      const person = await newHistory(seed);
      const inspections: Inspection[] = await person.inspections.list();
      const zones = new Map<string, string | null>();
      for (const id of new Set(inspections.flatMap(({ location_id }) => location_id ?? [])))
        zones.set(id, (await person.locations.get({ params: { location_id: id } })).timezone);
      const zoneOf = (id: string | null) => zones.get(id!) ?? null;

      const group_by = ['location', 'client_account', 'month'];
      const { groups, as_of }: InspectionGroups = await person.inspections.summarize({
        query: { ...ALWAYS, group_by },
      });
      expect(as_of).not.toBeNull();
      const told = groups.map(({ by, numbers }) => {
        const { score, duration, ...counts } = numbers;
        expect(duration.count).toBeLessThanOrEqual(counts.completed);
        return [keyOf(by), { ...counts, scored: score.count, score: score.sum }] as const;
      });
      expect(sums(told)).toEqual(await countInspections(person, zoneOf));

      const findings: ListedFinding[] = await person.findings.listAll();
      const bySeverity: FindingSummary = await person.findings.summarize({
        query: { ...ALWAYS, group_by: ['location', 'client_account', 'severity'] },
      });
      expect(
        sums(
          bySeverity.groups.map(({ by, numbers: { findings: total, open, resolved } }) => [
            `${keyOf(by)} ${by.severity}`,
            { total, open, resolved },
          ]),
        ),
      ).toEqual(
        sums(
          findings.map(({ location, client_account, severity, status }) => [
            `${keyOf({ location, client_account })} ${severity}`,
            { total: 1, [status]: 1 },
          ]),
        ),
      );

      const actions: CorrectiveAction[] = await person.correctiveActions.listAll();
      const byPriority: ActionSummary = await person.correctiveActions.summarize({
        query: { ...ALWAYS, group_by: ['priority', 'status'] },
      });
      expect(
        sums(
          byPriority.groups.map(({ by, numbers: { actions: total, overdue } }) => [
            `${by.priority} ${by.status}`,
            { total, overdue },
          ]),
        ),
      ).toEqual(
        sums(
          actions.map(({ priority, status, is_overdue }) => [
            `${priority} ${status}`,
            { total: 1, overdue: Number(is_overdue) },
          ]),
        ),
      );

      const answered: (readonly [string, Record<string, number>])[] = [];
      for (const { id, status, active_correction_id } of inspections) {
        if (status !== 'completed' || active_correction_id !== null) continue;
        const answers: AnswerRecord[] = await person.answers.list({ params: { inspection_id: id } });
        for (const { field_id, value, is_na, is_failed } of answers)
          if (value !== null || is_na)
            answered.push([
              field_id,
              { answered: 1, failed: Number(is_failed), not_applicable: Number(is_na) },
            ]);
      }
      const template_family_id = [...new Set(inspections.map((each) => each.template_family_id))];
      const byField: FindingSummary = await person.findings.summarize({
        query: { ...ALWAYS, group_by: ['field'], template_family_id },
      });
      const isCorrecting = inspections.some(({ active_correction_id }) => active_correction_id !== null);
      const toldAnswers = sums(
        byField.groups.flatMap(({ by, numbers }) =>
          by.field ? [[by.field.id, numbers.answers as Record<string, number>] as const] : [],
        ),
      );
      // What is being corrected counts as it was before.
      if (!isCorrecting) expect(toldAnswers).toEqual(sums(answered));

      expect(inspections.length).toBeGreaterThanOrEqual(LATE);
      const { differences } = await checkOrganization(person.caller, { repair: false });
      expect(differences).toEqual([]);
    },
  );
});
