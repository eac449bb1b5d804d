import fc from 'fast-check';
import { NOTIFICATION_TEXTS } from '../../../shared/base/i18n/texts/notifications.ts';
import {
  EVENTS,
  type NotifiedAction,
  type NotifiedInspection,
  type Trigger,
  type Triggers,
} from '../../../shared/domain/notifications/events.ts';
import { audienceNeeded, noticesOf } from '../../../shared/domain/notifications/notices.ts';
import { CorrectiveActionStatus } from '../../../shared/schemas/corrective-action.ts';
import { InspectionStatus, type Participant } from '../../../shared/schemas/inspections/inspection.ts';
import { NotificationEvent } from '../../../shared/schemas/notification.ts';

const EARLIER = '2030-01-01T00:00:00.000Z';
const LATER = '2030-01-02T00:00:00.000Z';

const participant = (user_id: string, fields: Partial<Participant> = {}): Participant => ({
  user_id,
  name: user_id,
  role: 'inspector',
  section_ids: [],
  status: 'started',
  submitted_at: null,
  reopened_at: null,
  ...fields,
});

const newInspection = (fields: Partial<NotifiedInspection> = {}): NotifiedInspection => ({
  id: 'inspection',
  number: 12,
  name: 'Kitchen check',
  status: 'in_progress',
  created_by: 'creator',
  participants: [
    participant('ina'),
    participant('lea', { role: 'lead' }),
    participant('sig', { role: 'signatory' }),
    participant('app', { role: 'approver' }),
  ],
  approver_id: 'named',
  approval: { approver_ids: ['family'], four_eyes: true },
  approval_outcome: null,
  comment: null,
  ...fields,
});

const newAction = (fields: Partial<NotifiedAction> = {}): NotifiedAction => ({
  id: 'action',
  number: 4,
  title: 'Fasten it',
  status: 'open',
  created_by: 'creator',
  assignee_id: 'amir',
  completed_by: null,
  completion_note: '',
  verification_note: '',
  reopen_reason: '',
  ...fields,
});

const finding = { id: 'finding', number: 3, label: 'Loose bolt' };
const everyone = ['creator', 'ina', 'lea', 'sig', 'app'];
const approvers = ['named', 'family', 'app'];

/** Each event with those who are notified of it. */
const told = <On extends Trigger>(
  trigger: On,
  facts: Triggers[On],
  actorId: string | null = null,
): Record<string, string[]> =>
  Object.fromEntries(noticesOf(trigger, facts, actorId).map(({ event, user_ids }) => [event, user_ids]));

/** What a change of an inspection leads to. */
const changed = (
  before: Partial<NotifiedInspection> | undefined,
  after: Partial<NotifiedInspection>,
  actorId: string | null = null,
) =>
  told(
    'inspectionChanged',
    { before: before && newInspection(before), inspection: newInspection(after) },
    actorId,
  );

/** What a change of a corrective action leads to. */
const actionChanged = (
  before: Partial<NotifiedAction> | undefined,
  after: Partial<NotifiedAction>,
  actorId: string | null = null,
) =>
  told(
    'actionChanged',
    { inspection: newInspection(), before: before && newAction(before), action: newAction(after) },
    actorId,
  );

describe('a change of an inspection', () => {
  test('inspection_assigned: all participants of a new inspection', () => {
    expect(changed(undefined, { status: 'scheduled' })).toEqual({
      inspection_assigned: ['ina', 'lea', 'sig', 'app'],
    });
  });

  test('inspection_assigned: later only the new participants, whatever their order', () => {
    const participants = [participant('new'), ...newInspection().participants.toReversed()];
    expect(changed({}, { participants })).toEqual({ inspection_assigned: ['new'] });
    expect(changed({ participants }, {})).toEqual({});
  });

  test('inspection_assigned: also while it is restored from the archive', () => {
    const participants = [participant('ina'), participant('new')];
    expect(changed({ status: 'archived', participants: [participant('ina')] }, { participants })).toEqual({
      inspection_assigned: ['new'],
    });
  });

  test('inspection_assigned: nobody whom a correction of a completed inspection names', () => {
    const participants = [participant('new')];
    expect(changed({ status: 'completed' }, { status: 'completed', participants })).toEqual({});
  });

  test('part_reopened: everyone and the approvers, each once', () => {
    const participants = [
      participant('ina', { reopened_at: LATER }),
      participant('app', { role: 'approver' }),
    ];
    const before = [
      participant('ina', { status: 'submitted', submitted_at: EARLIER }),
      participant('app', { role: 'approver' }),
    ];
    expect(changed({ participants: before }, { participants })).toEqual({
      part_reopened: ['creator', 'ina', 'app', 'named', 'family'],
    });
  });

  test('part_reopened: not of a part that was reopened before', () => {
    const participants = [participant('ina', { reopened_at: EARLIER }), participant('lea')];
    expect(changed({ participants }, { participants: participants.toReversed() })).toEqual({});
  });

  test('approval_requested: the named approver, those of the family and those among the participants', () => {
    expect(changed({}, { status: 'pending_approval' })).toEqual({ approval_requested: approvers });
    expect(changed({ status: 'completed' }, { status: 'pending_approval' })).toEqual({
      approval_requested: approvers,
    });
  });

  test('approval_requested: not whoever has worked on it, and so may not approve it', () => {
    const worked_by = new Set(approvers.slice(1).map((id) => `user ${id}`));
    expect(changed({}, { status: 'pending_approval', worked_by })).toEqual({
      approval_requested: approvers.slice(0, 1),
    });
  });

  test('sign_off_requested: the signatories', () => {
    expect(changed({}, { status: 'pending_sign_off' })).toEqual({ sign_off_requested: ['sig'] });
  });

  test('changes_requested: everyone, also a second time, and the reopened parts are not reported too', () => {
    const after = {
      status: 'in_progress',
      approval_outcome: 'changes_requested',
      participants: newInspection().participants.map((each) => ({ ...each, reopened_at: LATER })),
    } as const;
    for (const approval_outcome of [null, 'changes_requested'] as const) {
      for (const status of ['pending_approval', 'pending_sign_off'] as const) {
        expect(changed({ status, approval_outcome }, after)).toEqual({ changes_requested: everyone });
      }
    }
  });

  test('approved: everyone, and who comes next', () => {
    const before = { status: 'pending_approval' } as const;
    expect(changed(before, { status: 'completed', approval_outcome: 'approved' })).toEqual({
      approved: everyone,
      completed: everyone,
    });
    expect(changed(before, { status: 'pending_sign_off', approval_outcome: 'approved' })).toEqual({
      approved: everyone,
      sign_off_requested: ['sig'],
    });
  });

  test('rejected: everyone, but nobody when an inspection is archived without a decision', () => {
    const before = { status: 'pending_approval' } as const;
    expect(changed(before, { status: 'archived', approval_outcome: 'rejected' })).toEqual({
      rejected: everyone,
    });
    expect(changed(before, { status: 'archived' })).toEqual({});
  });

  test('completed: everyone', () => {
    expect(changed({ status: 'pending_sign_off' }, { status: 'completed' })).toEqual({ completed: everyone });
    expect(changed({ status: 'completed' }, { status: 'completed' })).toEqual({});
  });

  test.each(InspectionStatus.options)('nobody hears of an inspection that is restored to %s', (status) => {
    expect(changed({ status: 'archived', approval_outcome: 'rejected' }, { status })).toEqual({});
  });

  test('the comment comes with a decision, and with nothing else', () => {
    const notes = (before: Partial<NotifiedInspection>, after: Partial<NotifiedInspection>) =>
      Object.fromEntries(
        noticesOf(
          'inspectionChanged',
          { before: newInspection(before), inspection: newInspection({ ...after, comment: ' Blurred ' }) },
          null,
        ).map(({ event, note }) => [event, note]),
      );
    const pending = { status: 'pending_approval' } as const;
    expect(notes(pending, { status: 'in_progress' })).toEqual({ changes_requested: 'Blurred' });
    expect(notes(pending, { status: 'archived', approval_outcome: 'rejected' })).toEqual({
      rejected: 'Blurred',
    });
    expect(notes(pending, { status: 'completed', approval_outcome: 'approved' })).toEqual({
      approved: 'Blurred',
      completed: '',
    });
    expect(notes({}, pending)).toEqual({ approval_requested: '' });
  });
});

describe('a change of a correction', () => {
  const correction = { reason: 'Misread', opened_by: 'ina', closed_by: null, comment: 'Blurred' } as const;
  const correctionChanged = (
    before: Triggers['correctionChanged']['before'],
    status: Triggers['correctionChanged']['correction']['status'],
  ) => {
    const facts = { inspection: newInspection(), before, correction: { ...correction, status } };
    return noticesOf('correctionChanged', facts, 'app').map(({ event, user_ids, note }) => [
      event,
      user_ids,
      note,
    ]);
  };

  test('correction_approval_requested: the approvers, with the reason', () => {
    expect(correctionChanged({ status: 'open', closed_by: null }, 'pending_approval')).toEqual([
      ['correction_approval_requested', ['named', 'family'], 'Misread'],
    ]);
  });

  test.each([
    ['correction_approved', 'closed'],
    ['correction_changes_requested', 'open'],
    ['correction_rejected', 'rejected'],
  ] as const)('%s: who closed and who opened it, with the comment', (event, status) => {
    expect(correctionChanged({ status: 'pending_approval', closed_by: 'lea' }, status)).toEqual([
      [event, ['lea', 'ina'], 'Blurred'],
    ]);
  });

  test('nobody hears of one that ends without a decision, or whose decision has only begun', () => {
    expect(correctionChanged({ status: 'open', closed_by: null }, 'closed')).toEqual([]);
    for (const status of ['discarded', 'pending_approval'] as const) {
      expect(correctionChanged({ status: 'pending_approval', closed_by: 'lea' }, status)).toEqual([]);
    }
  });
});

describe('an overdue inspection', () => {
  test('overdue: who has not submitted a part, and the creator', () => {
    const inspection = newInspection({
      participants: [
        participant('ina', { status: 'submitted' }),
        participant('lea', { role: 'lead', status: 'assigned' }),
        participant('sig', { role: 'signatory' }),
      ],
    });
    expect(told('inspectionOverdue', { inspection })).toEqual({ overdue: ['lea', 'creator'] });
  });
});

describe('a new finding', () => {
  test('finding_created: only those whom the family names', () => {
    const facts = { inspection: newInspection(), finding };
    expect(noticesOf('findingCreated', facts, 'ina')).toEqual([]);
    const audience = { user_ids: ['desk'], emails: ['client@example.com'] };
    expect(noticesOf('findingCreated', facts, 'ina', audience)).toEqual([
      {
        kind: 'inspection_outcomes',
        event: 'finding_created',
        title: 'Finding 3 “Loose bolt” was added to inspection 12 “Kitchen check”.',
        about: {
          inspection: { id: 'inspection', number: 12, name: 'Kitchen check' },
          entries: [{ id: 'finding', number: 3, name: 'Loose bolt' }],
        },
        note: '',
        inspection_id: 'inspection',
        issue_id: null,
        finding_id: 'finding',
        corrective_action_id: null,
        schedule_id: null,
        source_id: null,
        connection_id: null,
        webhook_id: null,
        actor_id: 'ina',
        user_ids: ['desk'],
        emails: ['client@example.com'],
      },
    ]);
  });
});

describe('a change of a corrective action', () => {
  const completed = { status: 'pending_verification', completed_by: 'cleo' } as const;
  const involved = ['creator', 'amir', 'cleo'];

  test('corrective_action_assigned: the assignee, new or changed, but nobody when there is none', () => {
    expect(actionChanged(undefined, {})).toEqual({ corrective_action_assigned: ['amir'] });
    expect(actionChanged({}, { assignee_id: 'nia' })).toEqual({ corrective_action_assigned: ['nia'] });
    expect(actionChanged({}, { assignee_id: null })).toEqual({});
    expect(actionChanged(undefined, { assignee_id: null })).toEqual({});
    expect(actionChanged({}, { title: 'Tighten it' })).toEqual({});
  });

  test.each([
    ['corrective_action_completed', { status: 'in_progress' }, completed, ['creator', 'amir']],
    ['corrective_action_verified', completed, { ...completed, status: 'verified' }, involved],
    ['corrective_action_declined', completed, { status: 'in_progress' }, involved],
    ['corrective_action_reopened', completed, { status: 'open' }, involved],
    ['corrective_action_reopened', { status: 'cancelled' }, { status: 'open' }, ['creator', 'amir']],
  ] as const)('%s: the creator, the assignee and who completed it before', (event, before, after, users) => {
    expect(actionChanged(before, after)).toEqual({ [event]: users });
  });

  test('nobody hears that an action was started or cancelled', () => {
    expect(actionChanged({}, { status: 'in_progress' })).toEqual({});
    for (const status of CorrectiveActionStatus.options) {
      expect(actionChanged({ status }, { status: 'cancelled' })).toEqual({});
    }
  });

  test('each step brings the note that was given with it', () => {
    const notes = { completion_note: '40 Nm', verification_note: 'Fast', reopen_reason: 'Loose' };
    const note = (before: Partial<NotifiedAction>, after: Partial<NotifiedAction>) =>
      noticesOf(
        'actionChanged',
        {
          inspection: newInspection(),
          before: newAction(before),
          action: newAction({ ...after, ...notes }),
        },
        null,
      ).map((notice) => notice.note);
    expect(note({ status: 'in_progress' }, completed)).toEqual(['40 Nm']);
    expect(note(completed, { status: 'verified' })).toEqual(['Fast']);
    expect(note(completed, { status: 'in_progress' })).toEqual(['Fast']);
    expect(note(completed, { status: 'open' })).toEqual(['Loose']);
    expect(note({}, { assignee_id: 'nia' })).toEqual(['']);
  });
});

describe('the due date of a corrective action', () => {
  const due = (isDue: boolean, status: NotifiedInspection['status'] = 'in_progress') =>
    told('actionDeadline', { inspection: newInspection({ status }), action: newAction(), isDue });

  test('corrective_action_due_soon and corrective_action_due: the assignee and the creator', () => {
    expect(due(false)).toEqual({ corrective_action_due_soon: ['amir', 'creator'] });
    expect(due(true)).toEqual({ corrective_action_due: ['amir', 'creator'] });
    expect(due(true, 'completed')).toEqual({ corrective_action_due: ['amir', 'creator'] });
  });

  test('nobody is reminded while the inspection is archived', () => {
    expect([due(false, 'archived'), due(true, 'archived')]).toEqual([{}, {}]);
  });
});

describe('recipients', () => {
  const audience = { user_ids: ['desk', 'ina'], emails: ['client@example.com'] };
  const completion = {
    before: newInspection({ status: 'pending_sign_off' }),
    inspection: newInspection({ status: 'completed', comment: 'Done' }),
  };

  test('the actor is never notified of their own act', () => {
    expect(changed({}, { status: 'pending_approval' }, 'app')).toEqual({
      approval_requested: ['named', 'family'],
    });
    expect(actionChanged({}, { assignee_id: 'nia' }, 'nia')).toEqual({});
    const [notice] = noticesOf('inspectionChanged', completion, 'desk', audience);
    expect(notice!.user_ids).toEqual(everyone);
    expect(notice!.actor_id).toBe('desk');
  });

  test('nobody is the actor when only time has passed', () => {
    const facts = { inspection: newInspection(), action: newAction(), isDue: true };
    expect(noticesOf('actionDeadline', facts, null)).toMatchObject([{ actor_id: null }]);
  });

  test('the audience joins the event that it is set for, and no other', () => {
    const approval = { ...completion, before: newInspection({ status: 'pending_approval' }) };
    approval.inspection = newInspection({ status: 'completed', approval_outcome: 'approved' });
    const notices = noticesOf('inspectionChanged', approval, null, audience);
    expect(notices.map(({ event, user_ids, emails }) => [event, user_ids, emails])).toEqual([
      ['approved', everyone, []],
      ['completed', [...everyone, 'desk'], ['client@example.com']],
    ]);
  });

  test('an address gets the notice even when no member is left', () => {
    const facts = { inspection: newInspection(), finding };
    const notices = noticesOf('findingCreated', facts, 'ina', { ...audience, user_ids: ['ina'] });
    expect(notices).toMatchObject([{ user_ids: [], emails: ['client@example.com'] }]);
  });

  test('audienceNeeded names the setting to read, and none for other changes', () => {
    const { inspection } = completion;
    expect(audienceNeeded('inspectionChanged', completion)).toBe('on_completed');
    expect(audienceNeeded('inspectionOverdue', { inspection })).toBe('on_overdue');
    expect(audienceNeeded('findingCreated', { inspection, finding })).toBe('on_finding');
    expect(audienceNeeded('inspectionChanged', { ...completion, before: inspection })).toBeUndefined();
    expect(
      audienceNeeded('actionDeadline', { inspection, action: newAction(), isDue: true }),
    ).toBeUndefined();
  });

  test('no trigger needs two audiences, because only one is read', () => {
    const triggers = Object.values(EVENTS).flatMap(({ trigger, audience: setting }) =>
      setting ? [trigger] : [],
    );
    expect(new Set(triggers).size).toBe(triggers.length);
  });

  test('any change notifies no null, no duplicate and no actor, and each notice reaches someone', () => {
    const users = fc.constantFrom('ina', 'lea', 'sig', 'app', 'creator', 'named');
    const inspection = fc
      .record({
        status: fc.constantFrom(...InspectionStatus.options),
        created_by: users,
        approver_id: fc.option(users),
        approval: fc.record({
          approver_ids: fc.array(users, { maxLength: 3 }),
          four_eyes: fc.boolean(),
        }),
        approval_outcome: fc.constantFrom(null, 'approved', 'changes_requested', 'rejected'),
        participants: fc.array(
          fc
            .tuple(
              users,
              fc.constantFrom('inspector', 'lead', 'approver', 'signatory'),
              fc.constantFrom(null, LATER),
            )
            .map(([id, role, reopened_at]) => participant(id, { role, reopened_at })),
          { maxLength: 5 },
        ),
      })
      .map(newInspection);
    fc.assert(
      fc.property(fc.option(inspection, { nil: undefined }), inspection, users, (before, after, actor) => {
        const facts = { before, inspection: after };
        for (const { user_ids } of noticesOf('inspectionChanged', facts, actor)) {
          expect(user_ids.length).toBeGreaterThan(0);
          expect(new Set(user_ids).size).toBe(user_ids.length);
          expect(user_ids).not.toContain(actor);
          expect(user_ids).not.toContain(null);
        }
      }),
    );
  });
});

describe('the table', () => {
  test('has a rule for every event, with a title that its trigger can fill', () => {
    const events = NotificationEvent.options.toSorted();
    expect(Object.keys(EVENTS).toSorted()).toEqual(events);
    expect(Object.keys(NOTIFICATION_TEXTS.en.events).toSorted()).toEqual(events);
    for (const event of events) {
      const names = new Set(NOTIFICATION_TEXTS.en.events[event].title.match(/\{\w+\}/g));
      const filled = {
        inspectionChanged: ['{inspection}'],
        correctionChanged: ['{inspection}'],
        inspectionOverdue: ['{inspection}'],
        findingCreated: ['{finding}', '{inspection}'],
        actionChanged: ['{action}', '{inspection}'],
        contactWrote: ['{action}', '{inspection}'],
        actionDeadline: ['{action}', '{inspection}'],
        actionEscalated: ['{action}', '{inspection}'],
        certificateExpiring: ['{inspection}'],
        certificateExpired: ['{inspection}'],
        issueChanged: ['{issue}'],
        issueOverdue: ['{issue}'],
        scheduleStopped: ['{schedule}'],
        scheduleIncomplete: ['{schedule}'],
        syncEnded: ['{source}'],
        credentialRefused: ['{connection}'],
        webhookDisabled: ['{webhook}'],
        mailsPaused: ['{organization}'],
      }[EVENTS[event].trigger];
      expect([...names].toSorted()).toEqual(filled);
    }
  });
});

test.each<[string, NotificationEvent[]]>([
  [
    'new_assignments',
    [
      'inspection_assigned',
      'approval_requested',
      'sign_off_requested',
      'correction_approval_requested',
      'corrective_action_assigned',
      'issue_reported',
      'issue_assigned',
    ],
  ],
  [
    'approval_outcomes',
    [
      'changes_requested',
      'approved',
      'rejected',
      'correction_approved',
      'correction_changes_requested',
      'correction_rejected',
    ],
  ],
  [
    'inspection_outcomes',
    [
      'part_reopened',
      'completed',
      'finding_created',
      'corrective_action_completed',
      'corrective_action_verified',
      'corrective_action_declined',
      'corrective_action_reopened',
      'corrective_action_contact_wrote',
    ],
  ],
  [
    'overdue_inspections',
    [
      'overdue',
      'issue_overdue',
      'certificate_expiring',
      'certificate_expired',
      'schedule_stopped',
      'schedule_location_deleted',
      'schedule_location_inactive',
      'schedule_assignee_left',
      'schedule_unassigned',
      'schedule_approver_left',
    ],
  ],
  [
    'sync_status',
    ['sync_failed', 'sync_incomplete', 'credential_refused', 'webhook_disabled', 'mails_paused'],
  ],
  ['ca_due_soon', ['corrective_action_due_soon']],
  ['ca_due', ['corrective_action_due', 'corrective_action_escalated']],
])('the preference %s switches off %j, and no other', (kind, events) =>
  expect(NotificationEvent.options.filter((event) => EVENTS[event].kind === kind).toSorted()).toEqual(
    events.toSorted(),
  ),
);
