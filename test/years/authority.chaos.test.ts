import { Temporal } from 'temporal-polyfill';
import { handler as notifyDue } from '../../functions/workers/notify-due.ts';
import { checkOrganization } from '../../shared/db/upkeep/consistency/check.ts';
import type { CorrectiveAction } from '../../shared/schemas/corrective-action.ts';
import type { Finding } from '../../shared/schemas/finding.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import type { CalendarRow, Schedule } from '../../shared/schemas/schedules/schedule.ts';
import { findingsOf } from '../answers/fixtures.ts';
import { newClient } from '../inspections/fixtures.ts';
import { newLocation } from '../locations/scenarios.ts';
import { cleanUp, generateAt, inspectionsOf, newSchedule } from '../schedules/fixtures.ts';
import { useClock } from '../support/clock.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { newPerson, type Person } from '../support/people.ts';
import { publishedFamily } from '../templates/fixtures.ts';
import { newChance } from './chance.ts';

const [SECTION, DOOR] = [uuid(1), uuid(2)];
const FORM = {
  content: {
    ...contentWith(
      field(2, 'pass_fail_na', {
        finding: {
          create: 'auto',
          severity: 'major',
          corrective_action: { title: 'Repair the door', due_by_severity: { major: 'P30D' } },
        },
      }),
    ),
    scoring: { enabled: true, passing_score: 50 },
  },
};

const ZONE = 'Europe/Athens';
const LIFTS = 8;
const YEARS = 3;
const HOUR = 3_600_000;

/** A visit that has failed. */
interface Failure {
  inspection: string;
  due_at: string;
  /** When somebody looks again. */
  followUp: Temporal.PlainDate;
  /** When the schedule visits again if nobody does. */
  again: Temporal.PlainDate;
}

/** A lift as the model knows it. */
interface Lift {
  id: string;
  owner: string;
  /** The date of the next statutory visit, from the last one that passed. */
  next: Temporal.PlainDate;
  /** The visits that have failed since the last one that passed. */
  failed: Failure[];
  visits: number;
}

describe('three years of a lift authority: a visit a year after the last one that passed, and again after a failure', () => {
  const clock = useClock();
  const chance = newChance(1_853);

  let authority: Person;
  let owners: { id: string; name: string }[];
  let lifts: Lift[];
  let schedule: Schedule;
  /** The name of the owner when each visit was completed, by inspection. */
  const ownerThen = new Map<string, string>();

  const goTo = (date: Temporal.PlainDate, hours: number): void => {
    const moment = date.toZonedDateTime(ZONE).epochMilliseconds + hours * HOUR;
    if (moment > Date.now()) clock.pass((moment - Date.now()) / 1_000);
  };
  const nameOf = (owner: string): string => owners.find(({ id }) => id === owner)!.name;
  const of = ({ id }: { id: string }) => ({ params: { inspection_id: id } });

  const open = async (first: Temporal.PlainDate) => {
    authority = await newPerson('Lift authority');
    await authority.organization.update({ body: { timezone: ZONE } });
    owners = [];
    for (const name of ['Acropolis Homes', 'Harbour Estates', 'Olive Trust'])
      owners.push({ ...(await newClient(authority, name)), name });
    lifts = [];
    for (let n = 0; n < LIFTS; n += 1) {
      const owner = owners[n % owners.length]!.id;
      const { id } = await newLocation(authority, { name: `Lift ${n}`, client_account_id: owner });
      lifts.push({ id, owner, next: first, failed: [], visits: 0 });
    }
    schedule = await newSchedule(authority, {
      template_family_id: (await publishedFamily(authority.key, FORM)).id,
      location_ids: lifts.map(({ id }) => id),
      assignee_ids: [authority.caller.user_id],
      create_ahead_days: 0,
      recurrence: { dtstart_local: `${first.toString()}T09:00`, timezone: ZONE },
      after: { of: 'pass', every: 'P12M' },
      window: { due_after: 'P30D', miss_after: null },
    });
  };

  const settle = async () => {
    await cleanUp(authority);
    await generateAt(authority, 0);
    await notifyDue();
  };

  /** Inspects a lift. @returns whether it has passed */
  const visit = async (lift: Lift, inspection: Inspection, isPassed: boolean): Promise<void> => {
    await authority.inspections.start(of(inspection));
    const body = { section_id: SECTION, field_id: DOOR, value: isPassed ? 'pass' : 'fail' };
    await authority.answers.replace({ ...of(inspection), body });
    await authority.inspections.advance(of(inspection));
    ownerThen.set(inspection.id, nameOf(lift.owner));
    lift.visits += 1;
  };

  const today = (): Temporal.PlainDate =>
    Temporal.Instant.fromEpochMilliseconds(Date.now()).toZonedDateTimeISO(ZONE).toPlainDate();

  const nextLooks = (): Pick<Failure, 'followUp' | 'again'> => ({
    followUp: today().add({ days: 20 }),
    again: today().add({ days: 30 }),
  });

  /** The end of the thirtieth day. */
  const dueAt = (): string =>
    new Date(
      today().add({ days: 30 }).toZonedDateTime({ timeZone: ZONE, plainTime: '23:59:59' }).epochMilliseconds,
    ).toISOString();

  /** The statutory visit of a lift, when it is due. */
  const inspect = async (lift: Lift): Promise<void> => {
    const scheduled = await inspectionsOf(authority, schedule);
    const inspection = scheduled.find(
      ({ location_id, status }) => location_id === lift.id && status === 'scheduled',
    )!;
    expect(inspection).toMatchObject({
      client_account_id: lift.owner,
      scheduled_for: new Date(
        lift.next.toZonedDateTime({ timeZone: ZONE, plainTime: '09:00' }).epochMilliseconds,
      ).toISOString(),
    });
    const isPassed = chance() < 0.6;
    const due_at = dueAt();
    await visit(lift, inspection, isPassed);
    if (isPassed) lift.next = today().add({ months: 12 });
    else
      lift.failed.push({
        inspection: inspection.id,
        due_at,
        ...nextLooks(),
      });
  };

  /** The follow-up of a visit that has failed, by a re-inspection, until it passes. */
  const followUp = async (lift: Lift): Promise<void> => {
    const { inspection: first } = lift.failed[0]!;
    const former = lift.failed.at(-1)!;
    const again: Inspection = await authority.inspections.createReinspection({
      params: { inspection_id: former.inspection },
    });
    const isPassed = chance() < 0.7;
    await visit(lift, again, isPassed);
    const [finding]: Finding[] = await findingsOf(authority, { id: first });
    const [action]: CorrectiveAction[] = await authority.correctiveActions.list({
      params: { inspection_id: first },
    });
    expect([finding!.status, action!.due_at]).toEqual([
      isPassed ? 'resolved' : 'open',
      lift.failed[0]!.due_at,
    ]);
    if (isPassed) {
      lift.next = today().add({ months: 12 });
      lift.failed = [];
    } else lift.failed.push({ ...former, inspection: again.id, ...nextLooks() });
  };

  /** An owner gets another name: the visits before keep that of then. */
  const rename = async (): Promise<void> => {
    const owner = owners[Math.floor(chance() * owners.length)]!;
    owner.name = `${owner.name.split(' since ')[0]} since ${today().toString()}`;
    await authority.clientAccounts.update({ params: { ca_id: owner.id }, body: { name: owner.name } });
  };

  const expectCalendar = async () => {
    const from = today();
    const to = from.add({ days: 365 });
    const rows: CalendarRow[] = await authority.schedules.getCalendar({
      query: { from: from.toString(), to: to.toString() },
    });
    const planned = rows
      .filter(({ status }) => status === 'projected')
      .map(({ location_id, occurrence_date }) => `${location_id} ${occurrence_date}`);
    const expected = lifts
      .map(({ id, next, failed }) => ({ id, date: failed.at(-1)?.again ?? next }))
      .filter(
        ({ date }) => Temporal.PlainDate.compare(date, from) > 0 && Temporal.PlainDate.compare(date, to) <= 0,
      )
      .map(({ id, date }) => `${id} ${date.toString()}`);
    expect(planned.toSorted()).toEqual(expected.toSorted());
  };

  test('every date that it shows is what a model beside it says', async () => {
    const first = today().add({ days: 3 });
    await open(first);
    const last = first.add({ years: YEARS });
    await settle();
    for (;;) {
      const dates = lifts.map(({ next, failed }) => failed.at(-1)?.followUp ?? next);
      const date = dates.toSorted((a, b) => Temporal.PlainDate.compare(a, b))[0]!;
      if (Temporal.PlainDate.compare(date, last) > 0) break;
      goTo(date, 10);
      await settle();
      for (const [n, lift] of lifts.entries()) {
        if (Temporal.PlainDate.compare(dates[n]!, date) !== 0) continue;
        if (lift.failed.length > 0) await followUp(lift);
        else await inspect(lift);
        if (chance() < 0.2) await rename();
      }
      goTo(date, 12);
      await settle();
      await expectCalendar();
    }
    const inspections: Inspection[] = await authority.inspections.list({ query: { limit: 200 } });
    const completed = inspections.filter(({ status }) => status === 'completed');
    expect(completed).toHaveLength(lifts.reduce((sum, { visits }) => sum + visits, 0));
    for (const inspection of completed) {
      clock.pass(1);
      const payload = await authority.reports.getPayload(of(inspection));
      expect(payload.inspection.client).toMatchObject({
        name: ownerThen.get(inspection.id),
        current_name: nameOf(inspection.client_account_id!),
      });
    }
    expect((await checkOrganization(authority.caller, { repair: false })).differences).toEqual([]);
  });
});
