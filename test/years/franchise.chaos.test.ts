import { Temporal } from 'temporal-polyfill';
import { handler as notifyDue } from '../../functions/workers/notify-due.ts';
import { checkOrganization } from '../../shared/db/upkeep/consistency/check.ts';
import type { Activity, CorrectiveAction } from '../../shared/schemas/corrective-action.ts';
import type { Finding } from '../../shared/schemas/finding.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import type { Schedule } from '../../shared/schemas/schedules/schedule.ts';
import { findingsOf, SECTION } from '../answers/fixtures.ts';
import { historyOf, moveThrough } from '../corrective-actions/fixtures.ts';
import { newColleague, suspend } from '../inspections/fixtures.ts';
import { newLocation } from '../locations/scenarios.ts';
import { generateAt, inspectionsOf, newSchedule, shown } from '../schedules/fixtures.ts';
import { as } from '../support/call.ts';
import { useClock } from '../support/clock.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { newPerson, type Person } from '../support/people.ts';
import { publishedFamily } from '../templates/fixtures.ts';
import { newChance } from './chance.ts';

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
const VISITS = 27;

/** A restaurant as the model knows it. */
interface Store {
  id: string;
  zone: string;
  name: string;
  manager: { key: string; user_id: string };
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
  const chance = newChance(600);

  let head: Person;
  let verifier: { key: string };
  let stores: Store[];
  let schedule: Schedule;
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

  /** Mends most of what was found a week ago. */
  const mend = async (): Promise<void> => {
    for (const one of expected) {
      if (one.mended !== null || chance() > 0.5) continue;
      const actions: CorrectiveAction[] = await head.correctiveActions.list({
        params: { inspection_id: one.inspection },
      });
      const findings = await findingsOf(head, { id: one.inspection });
      const finding = findings.find(({ field_id }) => field_id === one.question)!;
      const action = actions.find(({ finding_id }) => finding_id === finding.id)!;
      await moveThrough(head, action, 'in_progress', 'pending_verification');
      await as(verifier).correctiveActions.verify({ params: { ca_id: action.id } });
      one.mended = Date.now();
    }
  };

  test('every number that it shows is what a model beside it says', async () => {
    goTo(Date.parse('2027-02-26T12:00:00Z'));
    head = await newPerson('Head office');
    await head.organization.update({ body: { timezone: AT_HOME } });
    verifier = await newColleague(head, 'Verifier');
    stores = [];
    for (const [n, timezone] of ZONES.entries()) {
      const manager = await newColleague(head, `Manager ${n}`);
      const people = [{ user_id: manager.user_id, role: 'manager' }];
      const { id, name } = await newLocation(head, { name: `Restaurant ${n}`, timezone, people });
      stores.push({ id, zone: timezone ?? AT_HOME, name, manager });
    }
    const [renamed, left, deleted, closed] = stores as [Store, Store, Store, Store];
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
    const due: { store: Store; visit: number }[] = [];
    let isDeleted = false;
    let isClosed = false;
    let hasLeft = false;
    for (let visit = 0; visit < VISITS; visit += 1) {
      // The Friday before: what happens to the stores, then the generator.
      goTo(FIRST.add({ weeks: 2 * visit }).toZonedDateTime('UTC').epochMilliseconds - 2.5 * DAY);
      if (visit === 5) {
        await head.locations.update({
          params: { location_id: renamed.id },
          body: { name: 'Grand Restaurant' },
        });
        renamed.name = 'Grand Restaurant';
      }
      if (visit === 8) {
        await suspend(head, left.manager.user_id);
        hasLeft = true;
      }
      if (visit === 0) {
        const params = { location_id: deleted.id };
        expect((await head.try.locations.delete({ params })).status).toBe(409);
        await head.locations.delete({ params, query: { from_schedules: 'remove' } });
        isDeleted = true;
      }
      if (visit === 14 || visit === 20) {
        isClosed = visit === 14;
        const status = isClosed ? 'inactive' : 'active';
        await head.locations.update({ params: { location_id: closed.id }, body: { status } });
      }
      for (const store of stores) {
        if ((store === deleted && isDeleted) || (store === closed && isClosed)) continue;
        due.push({ store, visit });
      }
      await generateAt(head, 1.5);
      await remind();
      const created = await inspectionsOf(head, schedule);
      const fresh = created.filter(({ status }) => status === 'scheduled');
      const stored = fresh.map(({ location_id, scheduled_for, participants }) => [
        location_id,
        scheduled_for,
        participants.map(({ user_id }) => user_id),
      ]);
      const planned = due
        .filter((one) => one.visit === visit)
        .map(({ store }): [string, string, string[]] => [
          store.id,
          isoOf(startOf(store, visit)),
          [store === left && hasLeft ? head.caller.user_id : store.manager.user_id],
        ]);
      const inOrder = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).toSorted();
      expect([visit, inOrder(stored)]).toEqual([visit, inOrder(planned)]);
      for (const inspection of fresh) await audit(inspection);
      goTo(FIRST.add({ weeks: 2 * visit + 1 }).toZonedDateTime('UTC').epochMilliseconds + DAY);
      await mend();
    }

    const inspections = await inspectionsOf(head, schedule);
    expect(inspections).toHaveLength(due.length);
    expect((await shown(head, schedule)).generated_count).toBe(due.length);
    expect((await shown(head, schedule)).problems).toEqual([]);
    const { completed, scheduled, total } = await head.inspections.summarize();
    expect([completed, scheduled, total]).toEqual([due.length, 0, due.length]);
    for (const inspection of inspections) {
      // The readings of a minute are counted.
      clock.pass(2);
      const { id, score } = inspection;
      const own = expected.filter((one) => one.inspection === id);
      const findings: Finding[] = await findingsOf(head, { id });
      const actions: CorrectiveAction[] = await head.correctiveActions.list({
        params: { inspection_id: id },
      });
      const histories = new Map<string, Activity[]>();
      for (const action of actions) histories.set(action.id, await historyOf(head, action));
      const foundHere = own.map(({ question, repeats, due_at, mended, at }, n) => ({
        levels: levelsOf(own[n]!),
        question,
        severity: severityOf(question),
        repeats,
        due_at,
        status: mended === null ? 'open' : 'verified',
        is_overdue: mended === null && Date.parse(due_at) < Date.now(),
        at: isoOf(at),
      }));
      const shownHere = findings.map((finding) => {
        const action = actions.find(({ finding_id }) => finding_id === finding.id)!;
        const escalated = histories.get(action.id)!.filter(({ kind }) => kind === 'escalated');
        return {
          levels: escalated.map(({ note }) => note),
          question: finding.field_id,
          severity: finding.severity,
          repeats: finding.repeat?.count ?? 0,
          due_at: action.due_at,
          status: action.status,
          is_overdue: action.is_overdue,
          at: finding.created_at,
        };
      });
      const byQuestion = (a: { question: string | null }, b: { question: string | null }) =>
        a.question! < b.question! ? -1 : 1;
      expect(shownHere.toSorted(byQuestion)).toEqual(foundHere.toSorted(byQuestion));
      expect(inspection).toMatchObject({
        findings_count: own.length,
        open_corrective_actions_count: own.filter(({ mended }) => mended === null).length,
      });
      const payload = await head.reports.getPayload({ params: { inspection_id: id } });
      const current_name = storeOf(inspection.location_id).name;
      expect(payload.inspection.location).toMatchObject({ name: nameThen.get(id), current_name });
      expect(score!.percentage).toBeCloseTo(100 * results.get(id)!, 6);
    }
    expect((await checkOrganization(head.caller, { repair: false })).differences).toEqual([]);
  });
});
