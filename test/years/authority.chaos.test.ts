import { Temporal } from 'temporal-polyfill';
import { handler as notifyDue } from '../../functions/workers/notify-due.ts';
import type { Certificate } from '../../shared/schemas/certificates/certificate.ts';
import type { CorrectiveAction } from '../../shared/schemas/corrective-action.ts';
import type { Finding, ListedFinding } from '../../shared/schemas/finding.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import type { CalendarRow, Schedule } from '../../shared/schemas/schedules/schedule.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { findingsOf } from '../answers/fixtures.ts';
import { newAsset } from '../assets/scenarios.ts';
import { newCertificateKind } from '../certificates/fixtures.ts';
import { newClient } from '../inspections/fixtures.ts';
import { newLocation } from '../locations/scenarios.ts';
import { newRegion } from '../regions/scenarios.ts';
import { cleanUp, generateAt, inspectionsOf, newSchedule, shown } from '../schedules/fixtures.ts';
import { seeded } from '../support/chance.ts';
import { useClock } from '../support/clock.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { newPerson, type Person } from '../support/people.ts';
import { scaled } from '../support/scale.ts';
import { publishedFamily } from '../templates/fixtures.ts';

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
const LIFTS = scaled(5, 8);
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

/** A building as the model knows it. */
interface Building {
  id: string;
  owner: string;
  district: string;
}

/** A lift as the model knows it. */
interface Lift {
  id: string;
  building: Building;
  /** The date of the next statutory visit, from the last one that passed. */
  next: Temporal.PlainDate;
  /** The visits that have failed since the last one that passed. */
  failed: Failure[];
  visits: number;
}

describe('three years of a lift authority: a visit a year after the last one that passed, and again after a failure', () => {
  const clock = useClock();
  const chance = seeded(1_853);

  let authority: Person;
  let owners: { id: string; name: string }[];
  let districts: string[];
  let buildings: Building[];
  let lifts: Lift[];
  let retired: Lift[];
  let schedule: Schedule;
  /** The asset of each certificate, with its last day. */
  let certified: string[];
  /** The district of each statutory visit that has failed, by inspection. */
  let failures: Map<string, string>;
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
    const { id: parent_id } = await newRegion(authority, { name: 'Attica' });
    districts = [];
    for (const name of ['Piraeus', 'Athens'])
      districts.push((await newRegion(authority, { name, parent_id })).id);
    buildings = [];
    for (const [n, { id: owner }] of owners.entries()) {
      const district = districts[n % districts.length]!;
      const fields = { name: `Building ${n}`, client_account_id: owner, region_id: district };
      buildings.push({ id: (await newLocation(authority, fields)).id, owner, district });
    }
    [lifts, retired, certified, failures] = [[], [], [], new Map()];
    for (let n = 0; n < LIFTS; n += 1) {
      const building = buildings[n % buildings.length]!;
      const { id } = await newAsset(authority, { name: `Lift ${n}`, location_id: building.id });
      lifts.push({ id, building, next: first, failed: [], visits: 0 });
    }
    const { id: template_family_id } = await publishedFamily(authority.key, FORM);
    await newCertificateKind(authority, { template_family_id, valid_for: 'P12M' });
    schedule = await newSchedule(authority, {
      template_family_id,
      asset_ids: lifts.map(({ id }) => id),
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
    ownerThen.set(inspection.id, nameOf(inspection.client_account_id!));
    lift.visits += 1;
    if (isPassed) {
      lift.next = today().add({ months: 12 });
      certified.push(`${lift.id} ${lift.next.toString()}`);
    }
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
      ({ asset_id, status }) => asset_id === lift.id && status === 'scheduled',
    )!;
    expect(inspection).toMatchObject({
      client_account_id: lift.building.owner,
      location_id: lift.building.id,
      scheduled_for: new Date(
        lift.next.toZonedDateTime({ timeZone: ZONE, plainTime: '09:00' }).epochMilliseconds,
      ).toISOString(),
    });
    const isPassed = chance() < 0.6;
    const due_at = dueAt();
    await visit(lift, inspection, isPassed);
    if (isPassed) return;
    lift.failed.push({ inspection: inspection.id, due_at, ...nextLooks() });
    failures.set(inspection.id, lift.building.district);
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
    if (isPassed) lift.failed = [];
    else lift.failed.push({ ...former, inspection: again.id, ...nextLooks() });
  };

  /** An owner gets another name: the visits before keep that of then. */
  const rename = async (): Promise<void> => {
    const owner = owners[Math.floor(chance() * owners.length)]!;
    owner.name = `${owner.name.split(' since ')[0]} since ${today().toString()}`;
    await authority.clientAccounts.update({ params: { ca_id: owner.id }, body: { name: owner.name } });
  };

  /** A lift goes to another building, where it is visited from then on. */
  const move = async (lift: Lift): Promise<void> => {
    lift.building = buildings[Math.floor(chance() * buildings.length)]!;
    const body = { location_id: lift.building.id };
    await authority.assets.update({ params: { asset_id: lift.id }, body });
  };

  /** A lift is taken down, and nobody visits it again. */
  const retire = async (lift: Lift): Promise<void> => {
    const ended = await authority.assets.decommission({ params: { asset_id: lift.id }, body: {} });
    expect(ended).toMatchObject({ ended_schedule_ids: [schedule.id], ended_inspection_ids: [] });
    lifts = lifts.filter((each) => each !== lift);
    retired.push(lift);
    expect(new Set((await shown(authority, schedule)).asset_ids)).toEqual(new Set(lifts.map(({ id }) => id)));
  };

  /** The certificates, and the findings of each district, are those of the model. */
  const expectAcross = async () => {
    const certificates: Certificate[] = await authority.certificates.list({ query: { limit: 200 } });
    const lastDay = (at: string) => Temporal.Instant.from(at).toZonedDateTimeISO(ZONE).toPlainDate();
    const found = certificates.map(
      ({ asset_id, expires_at }) => `${asset_id} ${lastDay(expires_at).toString()}`,
    );
    expect(found.toSorted()).toEqual(certified.toSorted());
    for (const region_id of districts) {
      const findings: ListedFinding[] = await authority.findings.listAll({
        query: { region_id, limit: 200 },
      });
      const ofVisits = findings.filter(({ inspection_id }) => failures.has(inspection_id));
      const expected = [...failures].flatMap(([id, district]) => (district === region_id ? [id] : []));
      expect(new Set(ofVisits.map(({ inspection_id }) => inspection_id))).toEqual(new Set(expected));
    }
  };

  const expectCalendar = async () => {
    const from = today();
    const to = from.add({ days: 365 });
    const rows: CalendarRow[] = await authority.schedules.getCalendar({
      query: { from: from.toString(), to: to.toString() },
    });
    const planned = rows
      .filter(({ status }) => status === 'projected')
      .map(({ asset_id, occurrence_date }) => `${asset_id} ${occurrence_date}`);
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
        if (lift.failed.length === 0 && chance() < 0.2) await move(lift);
      }
      const idle = lifts.find(({ failed, visits }) => failed.length === 0 && visits > 1);
      if (idle && (retired.length === 0 || (retired.length < 2 && chance() < 0.2))) await retire(idle);
      goTo(date, 12);
      await settle();
      await expectCalendar();
    }
    const inspections: Inspection[] = await authority.inspections.list({ query: { limit: 200 } });
    const completed = inspections.filter(({ status }) => status === 'completed');
    expect(completed).toHaveLength([...lifts, ...retired].reduce((sum, { visits }) => sum + visits, 0));
    expect(retired.length).toBeGreaterThan(0);
    await expectAcross();
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
