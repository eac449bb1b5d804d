import { handler as notifyDue } from '../../functions/workers/notify-due.ts';
import * as access from '../../shared/db/people/access.ts';
import * as invitations from '../../shared/db/people/invitations.ts';
import type { Correction } from '../../shared/schemas/inspections/correction.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import type { Schedule, ScheduleOverride } from '../../shared/schemas/schedules/schedule.ts';
import { newAction } from '../corrective-actions/fixtures.ts';
import {
  advance,
  answer,
  newClient,
  newColleague,
  newInspection,
  start,
  suspend,
} from '../inspections/fixtures.ts';
import { newCategory } from '../issues/fixtures.ts';
import { dateIn, dropClient, generateAt, inDays, newSchedule, of } from '../schedules/fixtures.ts';
import { as } from '../support/call.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { heardOf, installHearing } from '../support/heard.ts';
import { newMember, newPerson, operatorOf, type Person } from '../support/people.ts';

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

describe('of deadlines', () => {
  const due_at = inDays(-1);

  test.each<Row>([
    [
      'an inspection is overdue',
      async () => {
        await newInspection(cleo, { due_at, participants: [{ user_id: ina.user_id }] });
        return notifyDue;
      },
      ['Cleo reads overdue', 'Ina reads overdue', 'mail to Cleo, Ina'],
    ],
    [
      'a corrective action is due',
      async () => {
        await newAction(cleo, { due_at, assignee_id: ivan.user_id });
        return notifyDue;
      },
      ['Cleo reads corrective_action_due', 'Ivan reads corrective_action_due', 'mail to Cleo, Ivan'],
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
