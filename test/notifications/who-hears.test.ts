import { handler as deliverWebhooks } from '../../functions/workers/deliver-webhooks.ts';
import { handler as notifyDue } from '../../functions/workers/notify-due.ts';
import * as access from '../../shared/organizations/people/access.ts';
import * as invitations from '../../shared/organizations/people/invitations.ts';
import type { Asset } from '../../shared/schemas/assets/asset.ts';
import type { Certificate } from '../../shared/schemas/certificates/certificate.ts';
import type { Correction } from '../../shared/schemas/inspections/correction.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import type { Source } from '../../shared/schemas/integrations/source.ts';
import type { Location } from '../../shared/schemas/location.ts';
import type { Schedule, ScheduleOverride } from '../../shared/schemas/schedules/schedule.ts';
import { dueDeadlines, notifyOfDeadline } from '../../shared/upkeep/due-notices.ts';
import { createWebhook } from '../../shared/webhooks/endpoints.ts';
import { newAsset } from '../assets/scenarios.ts';
import {
  answered,
  certifying,
  type Issued,
  newCertificate,
  newCertificateKind,
} from '../certificates/fixtures.ts';
import { newAction, newFinding } from '../corrective-actions/fixtures.ts';
import {
  advance,
  answer,
  completedInspection,
  newClient,
  newColleague,
  newInspection,
  start,
  startedInspection,
  suspend,
} from '../inspections/fixtures.ts';
import { newConnection, newSource, work } from '../integrations/fixtures.ts';
import { GOOD_TOKEN, useMemoryVendor } from '../integrations/memory-vendor.ts';
import { newCategory, newIssue, newLink } from '../issues/fixtures.ts';
import { newLocation } from '../locations/scenarios.ts';
import { cleanUp, dateIn, dropClient, generateAt, inDays, newSchedule, of } from '../schedules/fixtures.ts';
import { as } from '../support/call.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { heardOf, installHearing } from '../support/heard.ts';
import { deliver } from '../support/outbox.ts';
import { newMember, newPerson, operatorOf, type Person } from '../support/people.ts';
import { answers, emitEvents, handOnEvents, tasksOf, useReceiver } from '../webhooks/fixtures.ts';

jest.mock('../../shared/reports/pdf/render-pdf.ts', () => jest.requireActual('../support/undrawn.ts'));

installHearing();

/*
 * Who hears of what. Each line of these tables was written by hand: nothing less and nothing more may be written beside
 * the change itself. The members of the organization are as many different people as the rules know parts.
 */

type Colleague = Awaited<ReturnType<typeof newColleague>>;

/** Creates everything, with her key. */
let cleo: Person;
/** Carry inspections out. */
let ina: Colleague;
let ivan: Colleague;
let otto: Colleague;
/** Approves. */
let apo: Colleague;
let names: Record<string, string>;

beforeEach(async () => {
  cleo = await newPerson('Cleo');
  [ina, ivan, otto, apo] = [
    await newColleague(cleo, 'Ina'),
    await newColleague(cleo, 'Ivan'),
    await newColleague(cleo, 'Otto'),
    await newColleague(cleo, 'Apo'),
  ];
  const second = await newMember(cleo, 'admin', 'Bea');
  names = {
    [cleo.caller.user_id]: 'Cleo',
    [ina.user_id]: 'Ina',
    [ivan.user_id]: 'Ivan',
    [otto.user_id]: 'Otto',
    [apo.user_id]: 'Apo',
    [cleo.adminId]: 'Ada',
    [second.user_id]: 'Bea',
  };
});

type Act = () => Promise<unknown>;
type Row = [what: string, prepare: () => Promise<Act>, heard: string[]];

const check = async (_: string, prepare: () => Promise<Act>, heard: string[]): Promise<void> => {
  const act = await prepare();
  expect(await heardOf(names, act)).toEqual(heard);
};

/** What the worker of due dates does at a time. */
const notifyAt = async (now: Date): Promise<void> => {
  for await (const deadlines of dueDeadlines(now))
    for (const deadline of deadlines)
      if (deadline.org_id === cleo.caller.org_id) await notifyOfDeadline(deadline, now);
};

const inspectionAt = ({ id }: { id: string }) => ({ params: { inspection_id: id } });

describe('of schedules', () => {
  const scheduled = (fields: object = {}): Promise<Schedule> =>
    newSchedule(cleo, { create_ahead_days: 1, assignee_ids: [ina.user_id, ivan.user_id], ...fields });

  const generated = async (fields: object = {}): Promise<Schedule> => {
    const schedule = await scheduled(fields);
    await generateAt(cleo, 0);
    return schedule;
  };

  const withoutClient = async (fields: object = {}): Promise<Schedule> => {
    const { id: client_account_id } = await newClient(cleo);
    const schedule = await scheduled({ client_account_id, ...fields });
    await dropClient(cleo, client_account_id);
    return schedule;
  };

  const STOPPED = [
    'Ada reads schedule_stopped',
    'Bea reads schedule_stopped',
    'Cleo reads schedule_stopped',
    'event schedule.updated',
    'mail to Ada, Bea, Cleo',
  ];

  const override = (schedule: Schedule, body: object): Promise<ScheduleOverride> =>
    cleo.schedules.createOverride({
      ...of(schedule),
      body: { occurrence_date: dateIn(0), ...body },
    });

  const takeBack = (schedule: Schedule, { id }: ScheduleOverride) =>
    cleo.schedules.deleteOverride({
      params: { schedule_id: schedule.id, override_id: id },
    });

  const reassign = () => ({ action: 'reassign', assignee_ids: [ivan.user_id, otto.user_id] });

  test.each<Row>([
    [
      'a generator creates an inspection',
      async () => {
        await scheduled();
        return () => generateAt(cleo, 0);
      },
      [
        'Ina reads inspection_assigned',
        'Ivan reads inspection_assigned',
        'event inspection.created',
        'history created',
        'mail to Ina, Ivan',
      ],
    ],
    [
      'an assignee has left',
      async () => {
        await scheduled();
        await suspend(cleo, ivan.user_id);
        return () => generateAt(cleo, 0);
      },
      [
        'Ada reads schedule_assignee_left',
        'Bea reads schedule_assignee_left',
        'Ina reads inspection_assigned',
        'event inspection.created',
        'event schedule.updated',
        'history created',
        'mail to Ada, Bea',
        'mail to Ina',
      ],
    ],
    [
      'a generator cannot create an inspection',
      async () => {
        await withoutClient();
        return () => generateAt(cleo, 0);
      },
      STOPPED,
    ],
    [
      'the generator meets the same obstacle again',
      async () => {
        await withoutClient();
        await generateAt(cleo, 0);
        return () => generateAt(cleo, 0.1);
      },
      [],
    ],
    [
      'the generator meets a second obstacle of the same kind',
      async () => {
        const schedule = await withoutClient();
        await generateAt(cleo, 0);
        const { id: client_account_id } = await newClient(cleo);
        await cleo.schedules.update({ ...of(schedule), body: { client_account_id } });
        await dropClient(cleo, client_account_id);
        return () => generateAt(cleo, 0.1);
      },
      STOPPED,
    ],
    [
      'the generator can create an inspection again',
      async () => {
        const schedule = await withoutClient({ assignee_ids: [ina.user_id] });
        await generateAt(cleo, 0);
        await cleo.schedules.update({ ...of(schedule), body: { client_account_id: null } });
        return () => generateAt(cleo, 0.1);
      },
      ['Ina reads inspection_assigned', 'event inspection.created', 'history created', 'mail to Ina'],
    ],
    [
      'an occurrence is moved before it has inspections',
      async () => {
        const schedule = await scheduled();
        return () => override(schedule, { action: 'move', new_at: inDays(2) });
      },
      ['event schedule.updated'],
    ],
    [
      'an inspection is moved',
      async () => {
        const schedule = await generated();
        return () => override(schedule, { action: 'move', new_at: inDays(2) });
      },
      ['event inspection.updated', 'event schedule.updated'],
    ],
    [
      'an inspection changes hands',
      async () => {
        const schedule = await generated();
        return () => override(schedule, reassign());
      },
      [
        'Otto reads inspection_assigned',
        'event inspection.updated',
        'event schedule.updated',
        'history assigned',
        'history unassigned',
        'mail to Otto',
      ],
    ],
    [
      'an inspection goes back to its first assignees',
      async () => {
        const schedule = await generated();
        const reassigned = await override(schedule, reassign());
        return () => takeBack(schedule, reassigned);
      },
      [
        'Ina reads inspection_assigned',
        'event inspection.updated',
        'event schedule.updated',
        'history assigned',
        'history unassigned',
        'mail to Ina',
      ],
    ],
    [
      'an inspection is left out',
      async () => {
        const schedule = await generated();
        return () => override(schedule, { action: 'skip' });
      },
      ['event inspection.archived', 'event schedule.updated', 'history archived'],
    ],
    [
      'an inspection that was left out comes back',
      async () => {
        const schedule = await generated();
        const skipped = await override(schedule, { action: 'skip' });
        return () => takeBack(schedule, skipped);
      },
      ['event inspection.restored', 'event schedule.updated', 'history restored'],
    ],
    [
      'a schedule is deleted',
      async () => {
        const schedule = await generated();
        return () => cleo.schedules.delete(of(schedule));
      },
      ['event schedule.deleted', 'task cleanup'],
    ],
  ])('%s', check);
});

describe('of corrections', () => {
  const FAILING = field(3, 'pass_fail_na', { finding: { create: 'auto' } });

  const completed = async (mode: string): Promise<Inspection> => {
    const inspection = await newInspection(cleo, {
      family: {
        content: contentWith(field(2), FAILING),
        requires_approval: mode === 'reapprove',
        settings: { correction_mode: mode, approval: { allow_api: true, four_eyes: false } },
      },
      approver_id: apo.user_id,
      participants: [{ user_id: otto.user_id }],
    });
    await start(otto.key, inspection);
    const submitted = await advance(otto.key, inspection);
    return mode === 'reapprove' ? advance(apo.key, inspection, { decision: 'approve' }) : submitted;
  };

  const at = ({ inspection_id, id }: Correction) => ({ params: { inspection_id, correction_id: id } });

  const open = (inspection: Inspection): Promise<Correction> =>
    as(ina).corrections.create({ ...inspectionAt(inspection), body: { reason: 'Misread' } });

  /** A correction that Ina has opened, in which a field fails and the title is another. */
  const changed = async (mode: string): Promise<Correction> => {
    const inspection = await completed(mode);
    const correction = await open(inspection);
    await answer(cleo, inspection, uuid(3), 'fail');
    await cleo.inspections.update({ ...inspectionAt(inspection), body: { name: 'Quay' } });
    return correction;
  };

  /** The same, after Ivan has closed it. */
  const closed = async (): Promise<Correction> => {
    const correction = await changed('reapprove');
    await as(ivan).corrections.close(at(correction));
    return correction;
  };

  test.each<Row>([
    [
      'one is opened',
      async () => {
        const inspection = await completed('tracked');
        return () => open(inspection);
      },
      ['event inspection.updated', 'history correction_opened'],
    ],
    [
      'one is closed and takes effect',
      async () => {
        const correction = await changed('tracked');
        return () => as(ivan).corrections.close(at(correction));
      },
      ['event finding.created', 'event inspection.corrected', 'history correction_closed'],
    ],
    [
      'one is closed and awaits approval',
      async () => {
        const correction = await changed('reapprove');
        return () => as(ivan).corrections.close(at(correction));
      },
      [
        'Apo reads correction_approval_requested',
        'event inspection.updated',
        'history correction_submitted',
        'mail to Apo',
      ],
    ],
    [
      'one is approved',
      async () => {
        const correction = await closed();
        return () => as(apo).corrections.approve(at(correction));
      },
      [
        'Ina reads correction_approved',
        'Ivan reads correction_approved',
        'event finding.created',
        'event inspection.corrected',
        'history correction_approved',
        'mail to Ina, Ivan',
      ],
    ],
    [
      'changes are requested',
      async () => {
        const correction = await closed();
        const body = { comment: 'Which one?' };
        return () => as(apo).corrections.requestChanges({ ...at(correction), body });
      },
      [
        'Ina reads correction_changes_requested',
        'Ivan reads correction_changes_requested',
        'event inspection.updated',
        'history correction_changes_requested',
        'mail to Ina, Ivan',
      ],
    ],
    [
      'one is rejected, and its changes are taken back',
      async () => {
        const correction = await closed();
        return () => as(apo).corrections.reject(at(correction));
      },
      [
        'Ina reads correction_rejected',
        'Ivan reads correction_rejected',
        'event inspection.answers_saved',
        'event inspection.updated',
        'event inspection.updated',
        'history correction_rejected',
        'mail to Ina, Ivan',
      ],
    ],
    [
      'one is discarded',
      async () => {
        const correction = await closed();
        return () => as(otto).corrections.discard(at(correction));
      },
      [
        'event inspection.answers_saved',
        'event inspection.updated',
        'event inspection.updated',
        'history correction_discarded',
      ],
    ],
  ])('%s', check);
});

describe('of inspections', () => {
  const CONTENT = { content: contentWith(field(3, 'pass_fail_na', { finding: { create: 'auto' } })) };

  const assigned = (body: object = {}): Promise<Inspection> =>
    newInspection(cleo, { family: CONTENT, participants: [{ user_id: ina.user_id }], ...body });

  const failed = async (): Promise<Inspection> => {
    const inspection = await assigned();
    await start(ina.key, inspection);
    await answer(cleo, inspection, uuid(3), 'fail');
    return advance(ina.key, inspection);
  };

  const reinspect = (inspection: Inspection): Promise<Inspection> =>
    cleo.inspections.createReinspection({
      ...inspectionAt(inspection),
      body: { participants: [{ user_id: ivan.user_id }] },
    });

  test.each<Row>([
    [
      'one is created',
      async () => {
        const { template_family_id } = await assigned();
        return () => assigned({ template_family_id });
      },
      ['Ina reads inspection_assigned', 'event inspection.created', 'history created', 'mail to Ina'],
    ],
    [
      'one gets another inspector',
      async () => {
        const inspection = await assigned();
        const body = { participants: [{ user_id: ina.user_id }, { user_id: ivan.user_id }] };
        return () => cleo.inspections.update({ ...inspectionAt(inspection), body });
      },
      ['Ivan reads inspection_assigned', 'event inspection.updated', 'history assigned', 'mail to Ivan'],
    ],
    [
      'one is archived',
      async () => {
        const inspection = await assigned();
        return () => cleo.inspections.archive(inspectionAt(inspection));
      },
      ['event inspection.archived', 'history archived'],
    ],
    [
      'one is restored',
      async () => {
        const inspection = await assigned();
        await cleo.inspections.archive(inspectionAt(inspection));
        return () => cleo.inspections.restore(inspectionAt(inspection));
      },
      ['event inspection.restored', 'history restored'],
    ],
    [
      'one is inspected again',
      async () => {
        const inspection = await failed();
        return () => reinspect(inspection);
      },
      [
        'Ivan reads inspection_assigned',
        'event inspection.created',
        'history created',
        'history reinspection_created',
        'mail to Ivan',
      ],
    ],
    [
      'a re-inspection passes',
      async () => {
        const again = await reinspect(await failed());
        await start(ivan.key, again);
        await answer(cleo, again, uuid(3), 'pass');
        return () => advance(ivan.key, again);
      },
      [
        'Cleo reads completed',
        'event finding.updated',
        'event inspection.completed',
        'history findings_resolved',
        'history part_submitted',
        'history submitted',
        'mail to Cleo',
        'task cleanup in 120 s',
      ],
    ],
    [
      'one is deleted',
      async () => {
        const inspection = await assigned();
        return () => cleo.inspections.delete(inspectionAt(inspection));
      },
      ['event inspection.deleted', 'task cleanup'],
    ],
  ])('%s', check);
});

describe('of places', () => {
  const followed = async (change: () => Promise<unknown>): Promise<void> => {
    await change();
    await cleanUp(cleo);
  };

  /** A location, of a client account or of none, and all that can be open there. */
  const occupied = async (fields: object): Promise<Location> => {
    const location = await newLocation(cleo, fields);
    const there = { location_id: location.id };
    await newFinding(
      cleo,
      {},
      await startedInspection(cleo, { ...there, participants: [{ user_id: ina.user_id }] }),
    );
    await newIssue(cleo, { ...there, assignee_id: ivan.user_id });
    await newLink(cleo, there);
    await newSchedule(cleo, { ...fields, location_ids: [location.id], assignee_ids: [ina.user_id] });
    return location;
  };

  test.each<Row>([
    [
      'one goes to another client account, with what is open there',
      async () => {
        const { id: client_account_id } = await newClient(cleo);
        const { id } = await occupied({ client_account_id: (await newClient(cleo)).id });
        const body = { client_account_id };
        return () => followed(() => cleo.locations.transfer({ params: { location_id: id }, body }));
      },
      [
        'audit public_link.updated',
        'event finding.updated',
        'event inspection.updated',
        'event issue.updated',
        'event location.updated',
        'event schedule.updated',
        'task cleanup',
        'task cleanup',
        'task cleanup in 5 s',
      ],
    ],
    [
      'one is merged into another one, with what is open there',
      async () => {
        const { id } = await occupied({});
        await newLocation(cleo, { parent_id: id });
        const body = { into: (await newLocation(cleo)).id };
        return () => followed(() => cleo.locations.merge({ params: { location_id: id }, body }));
      },
      [
        'audit public_link.updated',
        'event finding.updated',
        'event inspection.updated',
        'event issue.updated',
        'event location.deleted',
        'event location.updated',
        'event schedule.updated',
        'task cleanup',
        'task cleanup in 5 s',
      ],
    ],
    [
      'a schedule has lost all of its locations',
      async () => {
        const { id: client_account_id } = await newClient(cleo);
        const of = { client_account_id: (await newClient(cleo)).id };
        const { id } = await newLocation(cleo, of);
        await newSchedule(cleo, { ...of, location_ids: [id], assignee_ids: [ina.user_id] });
        const body = { client_account_id, schedules: 'keep' };
        return () => followed(() => cleo.locations.transfer({ params: { location_id: id }, body }));
      },
      ['event location.updated', 'event schedule.updated', 'task cleanup', 'task cleanup in 5 s'],
    ],
  ])('%s', check);
});

describe('of assets', () => {
  const at = ({ id }: Asset) => ({ params: { asset_id: id } });

  test.each<Row>([
    ['one is created', async () => () => newAsset(cleo), ['event asset.created']],
    [
      'one gets another serial number',
      async () => {
        const asset = await newAsset(cleo);
        return () => cleo.assets.update({ ...at(asset), body: { serial: '1' } });
      },
      ['event asset.updated'],
    ],
    [
      'one goes to another location',
      async () => {
        const [asset, { id: location_id }] = [await newAsset(cleo), await newLocation(cleo)];
        return () => cleo.assets.update({ ...at(asset), body: { location_id } });
      },
      ['event asset.moved'],
    ],
    [
      'one is put into another one',
      async () => {
        const [asset, { id: parent_id }] = [await newAsset(cleo), await newAsset(cleo)];
        return () => cleo.assets.update({ ...at(asset), body: { parent_id } });
      },
      ['event asset.moved'],
    ],
    [
      'one is deleted',
      async () => {
        const asset = await newAsset(cleo);
        return () => cleo.assets.delete(at(asset));
      },
      ['event asset.deleted', 'task cleanup'],
    ],
  ])('%s', check);
});

describe('of certificates', () => {
  const at = ({ id }: Certificate) => ({ params: { certificate_id: id } });

  const issued = async (people: readonly Colleague[] = []): Promise<Issued> => {
    const { id: location_id } = await newLocation(cleo, {
      people: people.map(({ user_id }) => ({ user_id, role: 'caretaker' })),
    });
    return newCertificate(cleo, { location_id }, { remind_before: ['P7D'] });
  };

  /** Lets the worker look so many days before the end. */
  const daysBefore = ({ expires_at }: Certificate, days: number): Promise<void> =>
    notifyAt(new Date(Date.parse(expires_at) - days * 86_400_000 + 7_200_000));

  test.each<Row>([
    [
      'an inspection that issues one is completed',
      async () => {
        const inspection = await certifying(cleo);
        return () => advance(cleo.key, inspection);
      },
      ['event certificate.issued', 'event inspection.completed', 'history submitted'],
    ],
    [
      'one is suspended',
      async () => {
        const { certificate } = await issued();
        return () => cleo.certificates.suspend({ ...at(certificate), body: { reason: 'Brake' } });
      },
      ['audit certificate.suspended', 'event certificate.suspended'],
    ],
    [
      'one is reinstated',
      async () => {
        const { certificate } = await issued();
        await cleo.certificates.suspend({ ...at(certificate), body: { reason: 'Brake' } });
        return () => cleo.certificates.reinstate(at(certificate));
      },
      ['audit certificate.reinstated', 'event certificate.reinstated'],
    ],
    [
      'one is revoked',
      async () => {
        const { certificate } = await issued();
        return () => cleo.certificates.revoke({ ...at(certificate), body: { reason: 'Mistake' } });
      },
      ['audit certificate.revoked', 'event certificate.revoked'],
    ],
    [
      'one is revoked once more',
      async () => {
        const { certificate } = await issued();
        await cleo.certificates.revoke({ ...at(certificate), body: { reason: 'Mistake' } });
        return () => cleo.certificates.revoke({ ...at(certificate), body: { reason: 'Again' } });
      },
      [],
    ],
    [
      'one is shared',
      async () => {
        const { certificate } = await issued();
        return () => cleo.certificates.share(at(certificate));
      },
      ['audit certificate.shared', 'event certificate.updated'],
    ],
    [
      'one is not shared any more',
      async () => {
        const { certificate } = await issued();
        await cleo.certificates.share(at(certificate));
        return () => cleo.certificates.unshare(at(certificate));
      },
      ['audit certificate.unshared', 'event certificate.updated'],
    ],
    [
      'its inspection is archived',
      async () => {
        const { inspection } = await issued();
        return () => cleo.inspections.archive(inspectionAt(inspection));
      },
      ['event certificate.suspended', 'event inspection.archived', 'history archived'],
    ],
    [
      'its inspection is restored',
      async () => {
        const { inspection } = await issued();
        await cleo.inspections.archive(inspectionAt(inspection));
        return () => cleo.inspections.restore(inspectionAt(inspection));
      },
      ['event certificate.reinstated', 'event inspection.restored', 'history restored'],
    ],
    [
      'a correction lets its inspection fail',
      async () => {
        const inspection = await answered(cleo, true);
        const { id } = await cleo.corrections.create({
          ...inspectionAt(inspection),
          body: { reason: 'Misread' },
        });
        await answer(cleo, inspection, uuid(2), false);
        const params = { inspection_id: inspection.id, correction_id: id };
        return () => cleo.corrections.close({ params });
      },
      ['event certificate.suspended', 'event inspection.corrected', 'history correction_closed'],
    ],
    [
      'one expires soon, at a place that people look after',
      async () => {
        const { certificate } = await issued([ivan, otto]);
        return () => daysBefore(certificate, 7);
      },
      [
        'Ivan reads certificate_expiring',
        'Otto reads certificate_expiring',
        'event certificate.expiring',
        'mail to Ivan, Otto',
      ],
    ],
    [
      'one has expired, at a place that nobody looks after',
      async () => {
        const { certificate } = await issued();
        return () => daysBefore(certificate, 0);
      },
      [
        'Ada reads certificate_expired',
        'Bea reads certificate_expired',
        'event certificate.expired',
        'mail to Ada, Bea',
      ],
    ],
    [
      'one that somebody has suspended has expired',
      async () => {
        const { certificate } = await issued();
        await cleo.certificates.suspend({ ...at(certificate), body: { reason: 'Brake' } });
        return () => daysBefore(certificate, 0);
      },
      [],
    ],
    [
      'one that a later one has replaced has expired, and so has the later one',
      async () => {
        const { certificate, inspection } = await issued();
        const { template_family_id, asset_id, location_id } = inspection;
        await completedInspection(cleo, { template_family_id, asset_id, location_id });
        return () => daysBefore(certificate, 0);
      },
      [
        'Ada reads certificate_expired',
        'Bea reads certificate_expired',
        'event certificate.expired',
        'mail to Ada, Bea',
      ],
    ],
    [
      'one has expired whose asset has a later one of another kind',
      async () => {
        const { certificate, inspection } = await issued();
        const { asset_id, location_id } = inspection;
        const { template_family_id } = await newCertificateKind(cleo, { valid_for: 'P2Y' });
        await completedInspection(cleo, { template_family_id, asset_id, location_id });
        return () => daysBefore(certificate, 0);
      },
      [
        'Ada reads certificate_expired',
        'Bea reads certificate_expired',
        'event certificate.expired',
        'mail to Ada, Bea',
      ],
    ],
    [
      'one has expired whose later one is suspended',
      async () => {
        const { certificate, inspection } = await issued();
        const { template_family_id, asset_id, location_id } = inspection;
        const { id } = await completedInspection(cleo, { template_family_id, asset_id, location_id });
        const [later] = await cleo.certificates.list({ query: { inspection_id: id } });
        await cleo.certificates.suspend({ ...at(later), body: { reason: 'Brake' } });
        return () => daysBefore(certificate, 0);
      },
      [
        'Ada reads certificate_expired',
        'Bea reads certificate_expired',
        'event certificate.expired',
        'mail to Ada, Bea',
      ],
    ],
  ])('%s', check);
});

describe('of what others run', () => {
  const vendor = useMemoryVendor();
  const receiverOf = useReceiver();

  /** A source that Ina has made, on a connection that Cleo has made. */
  const synced = async (): Promise<Source> => {
    vendor.token = GOOD_TOKEN;
    vendor.put('b', { i1: { name: 'One', kind: null, where: null } });
    return newSource({ ...cleo, ...as(ina) }, { connection_id: (await newConnection(cleo)).id });
  };

  /** An endpoint that Otto has made, with an event that waits for it. */
  const waiting = async (): Promise<void> => {
    const { url } = receiverOf();
    await createWebhook({ ...cleo.caller, user_id: otto.user_id }, { url, types: ['*'], description: '' });
    await emitEvents(cleo);
    await handOnEvents(cleo);
    for (const task of await tasksOf(cleo)) await deliver(deliverWebhooks, task);
  };

  test.each<Row>([
    [
      'a vendor refuses the credential of a connection during a sync',
      async () => {
        const { id } = await synced();
        await cleo.integrations.startSync({ params: { source_id: id } });
        vendor.token = 'another-token-0123456789';
        return () => work(cleo);
      },
      [
        'Ada reads credential_refused',
        'Bea reads credential_refused',
        'Cleo reads credential_refused',
        'Ina reads credential_refused',
        'event connection.updated',
        'event sync.failed',
        'mail to Ada, Bea, Cleo, Ina',
      ],
    ],
    [
      'an endpoint is gone',
      async () => {
        await waiting();
        receiverOf().behave(answers(410));
        await emitEvents(cleo);
        await handOnEvents(cleo);
        return async () => {
          for (const task of await tasksOf(cleo)) await deliver(deliverWebhooks, task);
        };
      },
      [
        'Ada reads webhook_disabled',
        'Bea reads webhook_disabled',
        'Otto reads webhook_disabled',
        'audit webhook.disabled',
        'mail to Ada, Bea, Otto',
        'task webhooks cancel',
      ],
    ],
  ])('%s', check);
});

describe('of deadlines', () => {
  const due_at = inDays(-1);

  test.each<Row>([
    [
      'an inspection is overdue',
      async () => {
        await newInspection(cleo, { due_at, participants: [{ user_id: ina.user_id }] });
        return notifyDue;
      },
      ['Cleo reads overdue', 'Ina reads overdue', 'event inspection.overdue', 'mail to Cleo, Ina'],
    ],
    [
      'nobody has started an inspection of a schedule in time',
      async () => {
        await newSchedule(cleo, { create_ahead_days: 1, window: { miss_after: 'PT1H' } });
        await generateAt(cleo, 0);
        return () => notifyAt(new Date(inDays(0.6)));
      },
      ['event schedule.occurrence_missed'],
    ],
    [
      'a corrective action is due',
      async () => {
        await newAction(cleo, { due_at, assignee_id: ivan.user_id });
        return notifyDue;
      },
      [
        'Cleo reads corrective_action_due',
        'Ivan reads corrective_action_due',
        'event corrective_action.overdue',
        'mail to Cleo, Ivan',
      ],
    ],
    [
      'a corrective action is escalated',
      async () => {
        const escalation = [{ after: 'P0D', to: ina.user_id }];
        await newAction(cleo, { due_at, assignee_id: ivan.user_id, escalation });
        return notifyDue;
      },
      [
        'Cleo reads corrective_action_due',
        'Ina reads corrective_action_escalated',
        'Ivan reads corrective_action_due',
        'event corrective_action.overdue',
        'event corrective_action.updated',
        'mail to Cleo, Ivan',
        'mail to Ina',
      ],
    ],
    [
      'an issue with an assignee is overdue',
      async () => {
        const { id: category_id } = await newCategory(cleo, { default_assignee_id: otto.user_id });
        await cleo.issues.create({
          body: { title: 'Leak', category_id, due_at, assignee_id: ina.user_id },
        });
        return notifyDue;
      },
      ['Ina reads issue_overdue', 'mail to Ina'],
    ],
    [
      'an issue that nobody has is overdue',
      async () => {
        const { id: category_id } = await newCategory(cleo, { default_assignee_id: otto.user_id });
        await cleo.issues.create({
          body: { title: 'Leak', category_id, due_at, assignee_id: null },
        });
        return notifyDue;
      },
      ['Otto reads issue_overdue', 'mail to Otto'],
    ],
  ])('%s', check);
});

describe('of members', () => {
  const FIELDS = { name: 'Eve', email: 'eve@example.com', role: 'inspector' } as const;

  test.each<Row>([
    [
      'one is added',
      async () => () => access.add(operatorOf(cleo), FIELDS),
      ['audit member.added', 'event member.created'],
    ],
    [
      'one is invited',
      async () => () => invitations.invite(operatorOf(cleo), FIELDS),
      ['audit member.invited', 'event member.created', 'task mail invitation'],
    ],
    [
      'one is invited once more',
      async () => {
        const { user_id } = await invitations.invite(operatorOf(cleo), FIELDS);
        return () => invitations.resend(operatorOf(cleo), user_id);
      },
      ['audit member.invitation_sent', 'event member.updated', 'task mail invitation'],
    ],
    [
      'one gets another role',
      async () => {
        const { user_id } = await access.add(operatorOf(cleo), FIELDS);
        return () => access.update(operatorOf(cleo), user_id, { role: 'approver' });
      },
      ['audit member.updated', 'event member.updated'],
    ],
    [
      'one is suspended',
      async () => {
        const { user_id } = await access.add(operatorOf(cleo), FIELDS);
        return () => access.update(operatorOf(cleo), user_id, { status: 'suspended' });
      },
      ['audit member.suspended', 'event member.updated'],
    ],
    [
      'one is active again',
      async () => {
        const { user_id } = await access.add(operatorOf(cleo), FIELDS);
        await access.update(operatorOf(cleo), user_id, { status: 'suspended' });
        return () => access.update(operatorOf(cleo), user_id, { status: 'active' });
      },
      ['audit member.activated', 'event member.updated'],
    ],
    [
      'one is removed',
      async () => {
        const { user_id } = await access.add(operatorOf(cleo), FIELDS);
        return () => access.remove(operatorOf(cleo), user_id);
      },
      ['audit member.removed', 'event member.deleted'],
    ],
  ])('%s', check);
});
