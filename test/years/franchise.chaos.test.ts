import { Temporal } from 'temporal-polyfill';
import { handler as notifyDue } from '../../functions/workers/notify-due.ts';
import type { CorrectiveAction } from '../../shared/schemas/corrective-action.ts';
import type { Finding } from '../../shared/schemas/finding.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import type { Schedule } from '../../shared/schemas/schedules/schedule.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { findingsOf, SECTION } from '../answers/fixtures.ts';
import { historyOf, moveThrough } from '../corrective-actions/fixtures.ts';
import { newColleague, suspend } from '../inspections/fixtures.ts';
import { newLocation } from '../locations/scenarios.ts';
import { generateAt, inspectionsOf, newSchedule, shown } from '../schedules/fixtures.ts';
import { as } from '../support/call.ts';
import { seeded } from '../support/chance.ts';
import { useClock } from '../support/clock.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { newPerson, type Person } from '../support/people.ts';
import { scaled } from '../support/scale.ts';
import { publishedFamily } from '../templates/fixtures.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const [FRIDGE, FLOOR] = [uuid(2), uuid(3)];
const severityOf = (question: string): 'critical' | 'minor' => (question === FRIDGE ? 'critical' : 'minor');
const DURATIONS = { critical: 'P7D', minor: 'P30D' };
const failing = (severity: string) => ({
  max_score: severity === 'critical' ? 3 : 1,
  finding: {
    create: 'auto',
    severity,
    corrective_action: { title: 'Mend it', due_by_severity: DURATIONS },
  },
});
const FORM = {
  content: {
    ...contentWith(field(2, 'pass_fail_na', failing('critical')), field(3, 'pass_fail_na', failing('minor'))),
    scoring: { enabled: true },
  },
  settings: {
    repeat_window: 'P60D',
    escalation: [
      { after: 'P0D', to: 'assignee' },
      { after: 'P10D', to: 'admins' },
    ],
  },
};

const ZONES = [
  'America/New_York',
  'America/Los_Angeles',
  'Europe/Athens',
  'Australia/Sydney',
  'Asia/Kolkata',
  null,
];
const AT_HOME = 'Europe/London';
const FIRST = Temporal.PlainDate.from('2027-03-01');
const VISITS = scaled(8, 27);

/** Before which visits something happens to a restaurant. */
const RENAMED_AT = scaled(1, 5);
const LEFT_AT = scaled(2, 8);
const CLOSED_AT = scaled(3, 14);
const REOPENED_AT = scaled(5, 20);

/** A restaurant as the model knows it. */
interface Store {
  id: string;
  zone: string;
  name: string;
  manager: { key: string; user_id: string };
  hasManager: boolean;
  /** Whether it is there and active. */
  isOpen: boolean;
}

/** What the model expects of a finding and of the action that it asks for. */
interface Expected {
  inspection: string;
  store: string;
  question: string;
  at: number;
  repeats: number;
  due_at: string;
  /** When it was verified. */
  mended: number | null;
}

const isoOf = (moment: number): string => new Date(moment).toISOString();

/** When a store opens on the day of a visit. */
const startOf = ({ zone }: Pick<Store, 'zone'>, visit: number): number =>
  FIRST.add({ weeks: 2 * visit }).toZonedDateTime({ timeZone: zone, plainTime: '09:00' }).epochMilliseconds;

/** The last second of the day on which something that is found has to be mended, by the clocks of the store. */
const dueAt = ({ zone }: Store, at: number, question: string): string => {
  const found = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toPlainDate();
  const last = found.add(DURATIONS[severityOf(question)]);
  return isoOf(last.toZonedDateTime({ timeZone: zone, plainTime: '23:59:59' }).epochMilliseconds);
};

describe('a year of a franchise: an audit every other week in six restaurants of as many time zones', () => {
  const clock = useClock();
  const chance = seeded(600);

  let head: Person;
  let verifier: { key: string };
  let stores: Store[];
  let schedule: Schedule;
  /** The audits that the schedule has to create. */
  const due: { store: Store; visit: number }[] = [];
  const expected: Expected[] = [];
  /** The names of the stores when each audit was completed, by inspection. */
  const nameThen = new Map<string, string>();
  const results = new Map<string, number>();

  const goTo = (moment: number): void => clock.pass((moment - Date.now()) / 1_000);

  const storeOf = (id: string | null): Store => stores.find((store) => store.id === id)!;

  const keyOf = (userId: string): string =>
    stores.find(({ manager }) => manager.user_id === userId)?.manager.key ?? head.key;

  /** When the worker has told people of what is overdue. */
  const reminded: number[] = [];
  const remind = async () => {
    reminded.push(Date.now());
    await notifyDue();
  };

  /** The levels of escalation that have been told of an action. */
  const levelsOf = ({ due_at, mended }: Expected): string[] =>
    ['P0D', 'P10D'].filter((level) => {
      const from = Date.parse(due_at) + (level === 'P0D' ? 0 : 10 * DAY);
      return reminded.some((at) => at >= from && (mended === null || at < mended));
    });

  /** Carries out an audit two hours after its start. */
  const audit = async (inspection: Inspection): Promise<void> => {
    const store = storeOf(inspection.location_id);
    goTo(Date.parse(inspection.scheduled_for!) + 2 * HOUR);
    const { user_id } = inspection.participants[0]!;
    const auditor = as(keyOf(user_id));
    const params = { inspection_id: inspection.id };
    await auditor.inspections.start({ params });
    let score = 4;
    for (const [question, weight] of [
      [FRIDGE, 3],
      [FLOOR, 1],
    ] as const) {
      const isFailed = chance() < 0.4;
      const body = { section_id: SECTION, field_id: question, value: isFailed ? 'fail' : 'pass' };
      await auditor.answers.replace({ params, body });
      if (!isFailed) continue;
      score -= weight;
      const at = Date.now();
      const before = expected.filter(
        (one) => one.store === store.id && one.question === question && one.at > at - 60 * DAY,
      );
      expected.push({
        inspection: inspection.id,
        store: store.id,
        question,
        at,
        repeats: before.length,
        due_at: dueAt(store, at, question),
        mended: null,
      });
    }
    results.set(inspection.id, score / 4);
    await auditor.inspections.advance({ params });
    nameThen.set(inspection.id, store.name);
  };

  const actionsOf = ({ id }: { id: string }): Promise<CorrectiveAction[]> =>
    head.correctiveActions.list({ params: { inspection_id: id } });

  /** Mends most of what was found a week ago. */
  const mend = async (): Promise<void> => {
    for (const one of expected) {
      if (one.mended !== null || chance() > 0.5) continue;
      const inspection = { id: one.inspection };
      const findings = await findingsOf(head, inspection);
      const finding = findings.find(({ field_id }) => field_id === one.question)!;
      const action = (await actionsOf(inspection)).find(({ finding_id }) => finding_id === finding.id)!;
      await moveThrough(head, action, 'in_progress', 'pending_verification');
      await as(verifier).correctiveActions.verify({ params: { ca_id: action.id } });
      one.mended = Date.now();
    }
  };

  const open = async () => {
    head = await newPerson('Head office');
    await head.organization.update({ body: { timezone: AT_HOME } });
    verifier = await newColleague(head, 'Verifier');
    stores = [];
    for (const [n, timezone] of ZONES.entries()) {
      const manager = await newColleague(head, `Manager ${n}`);
      const people = [{ user_id: manager.user_id, role: 'manager' }];
      const { id, name } = await newLocation(head, { name: `Restaurant ${n}`, timezone, people });
      stores.push({ id, zone: timezone ?? AT_HOME, name, manager, hasManager: true, isOpen: true });
    }
    schedule = await newSchedule(head, {
      template_family_id: (await publishedFamily(head.key, FORM)).id,
      location_ids: stores.map(({ id }) => id),
      timezone: 'location',
      assignees: 'by_place',
      assignee_ids: [head.caller.user_id],
      create_ahead_days: 3,
      recurrence: {
        rrule: 'FREQ=WEEKLY;INTERVAL=2',
        dtstart_local: `${FIRST.toString()}T09:00`,
        timezone: AT_HOME,
      },
    });
  };

  const at = ({ id }: Store) => ({ params: { location_id: id } });

  /** What happens to the restaurants before a visit. */
  const befall = async (visit: number) => {
    const [deleted, renamed, left, closed] = stores as [Store, Store, Store, Store];
    if (visit === 0) {
      expect((await head.try.locations.delete(at(deleted))).status).toBe(409);
      await head.locations.delete({ ...at(deleted), query: { from_schedules: 'remove' } });
      deleted.isOpen = false;
    }
    if (visit === RENAMED_AT) {
      renamed.name = 'Grand Restaurant';
      await head.locations.update({ ...at(renamed), body: { name: renamed.name } });
    }
    if (visit === LEFT_AT) {
      await suspend(head, left.manager.user_id);
      left.hasManager = false;
    }
    if (visit === CLOSED_AT || visit === REOPENED_AT) {
      closed.isOpen = visit === REOPENED_AT;
      const status = closed.isOpen ? 'active' : 'inactive';
      await head.locations.update({ ...at(closed), body: { status } });
    }
  };

  const expectCreated = (inspections: readonly Inspection[], visit: number) => {
    const inOrder = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).toSorted();
    const created = inspections.map(({ location_id, scheduled_for, participants }) => [
      location_id,
      scheduled_for,
      participants.map(({ user_id }) => user_id),
    ]);
    const planned = due
      .filter((one) => one.visit === visit)
      .map(({ store }) => [
        store.id,
        isoOf(startOf(store, visit)),
        [store.hasManager ? store.manager.user_id : head.caller.user_id],
      ]);
    expect([visit, inOrder(created)]).toEqual([visit, inOrder(planned)]);
  };

  const expectFindings = async (inspection: Inspection, own: readonly Expected[]) => {
    const findings: Finding[] = await findingsOf(head, inspection);
    const shownHere = [];
    for (const action of await actionsOf(inspection)) {
      const finding = findings.find(({ id }) => id === action.finding_id)!;
      const history = await historyOf(head, action);
      shownHere.push({
        question: finding.field_id!,
        severity: finding.severity,
        repeats: finding.repeat?.count ?? 0,
        at: finding.created_at,
        due_at: action.due_at,
        status: action.status,
        is_overdue: action.is_overdue,
        levels: history.filter(({ kind }) => kind === 'escalated').map(({ note }) => note),
      });
    }
    const foundHere = own.map((one) => ({
      question: one.question,
      severity: severityOf(one.question),
      repeats: one.repeats,
      at: isoOf(one.at),
      due_at: one.due_at,
      status: one.mended === null ? 'open' : 'verified',
      is_overdue: one.mended === null && Date.parse(one.due_at) < Date.now(),
      levels: levelsOf(one),
    }));
    const byQuestion = (a: { question: string }, b: { question: string }) =>
      a.question < b.question ? -1 : 1;
    expect(shownHere.toSorted(byQuestion)).toEqual(foundHere.toSorted(byQuestion));
    expect(findings).toHaveLength(own.length);
  };

  const expectAudit = async (inspection: Inspection) => {
    const { id, score, location_id } = inspection;
    const own = expected.filter((one) => one.inspection === id);
    await expectFindings(inspection, own);
    expect(inspection).toMatchObject({
      status: 'completed',
      findings_count: own.length,
      open_corrective_actions_count: own.filter(({ mended }) => mended === null).length,
    });
    expect(score!.percentage).toBeCloseTo(100 * results.get(id)!, 6);
    const payload = await head.reports.getPayload({ params: { inspection_id: id } });
    const names = { name: nameThen.get(id), current_name: storeOf(location_id).name };
    expect(payload.inspection.location).toMatchObject(names);
  };

  test('every number that it shows is what a model beside it says', async () => {
    goTo(Date.parse('2027-02-26T12:00:00Z'));
    await open();
    for (let visit = 0; visit < VISITS; visit += 1) {
      const monday = FIRST.add({ weeks: 2 * visit }).toZonedDateTime('UTC').epochMilliseconds;
      goTo(monday - 2.5 * DAY);
      await befall(visit);
      for (const store of stores) if (store.isOpen) due.push({ store, visit });
      await generateAt(head, 1.5);
      await remind();
      const created = await inspectionsOf(head, schedule);
      const fresh = created.filter(({ status }) => status === 'scheduled');
      expectCreated(fresh, visit);
      for (const inspection of fresh) await audit(inspection);
      goTo(monday + 8 * DAY);
      await mend();
    }

    const inspections = await inspectionsOf(head, schedule);
    expect(inspections).toHaveLength(due.length);
    expect(await shown(head, schedule)).toMatchObject({ generated_count: due.length, problems: [] });
    const counts = { completed: due.length, scheduled: 0, total: due.length };
    expect(await head.inspections.summarize()).toMatchObject(counts);
    for (const inspection of inspections) {
      // The readings of a minute are counted.
      clock.pass(2);
      await expectAudit(inspection);
    }
    expect((await checkOrganization(head.caller, { repair: false })).differences).toEqual([]);
  });
});
