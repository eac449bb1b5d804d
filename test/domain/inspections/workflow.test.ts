import * as fc from 'fast-check';
import {
  acceptsAnswers,
  approversOf,
  awaitedIn,
  type CorrectionStage,
  decidersOf,
  hasPart,
  inspectionTransitions,
  isOpen,
  isReturned,
  isRunning,
  isStepAllowed,
  reopenParts,
  type InspectionStep,
  requestedStep,
  startPart,
  stepEvent,
  submitPart,
  stepFields,
  unsubmitted,
} from '../../../shared/domain/inspections/workflow.ts';
import { InspectionStatus, type Participant } from '../../../shared/schemas/inspections/inspection.ts';

const STEPS: InspectionStep[] = [
  'start',
  'submit',
  'approve',
  'request_changes',
  'reject',
  'sign_off',
  'decline',
  'archive',
  'restore',
];
const AT = '2030-01-01T00:00:00.000Z';

const participant = (n: number, more: Partial<Participant> = {}): Participant => ({
  user_id: `u${n}`,
  name: `User ${n}`,
  role: 'inspector',
  section_ids: [],
  status: 'assigned',
  submitted_at: null,
  reopened_at: null,
  ...more,
});

describe('stepFields', () => {
  const anyRequirements = fc.record({ requires_approval: fc.boolean(), requires_sign_off: fc.boolean() });

  test('status and times agree after any sequence of allowed steps', () => {
    fc.assert(
      fc.property(
        anyRequirements,
        fc.array(fc.constantFrom(...STEPS), { maxLength: 40 }),
        (requirements, walk) => {
          let inspection: Parameters<typeof stepFields>[1] & Record<string, unknown> = {
            ...requirements,
            status: 'scheduled',
            archived_from: null,
            completed_at: null,
          };
          for (const step of walk) {
            if (!isStepAllowed(step, inspection.status)) continue;
            const before = inspection;
            inspection = { ...inspection, ...stepFields(step, inspection, AT) };
            const { status } = inspection;
            expect(status === 'archived').toBe(inspection['archived_at'] === AT);
            expect(inspection.archived_from).toBe(status === 'archived' ? before.status : null);
            if (step === 'restore') expect(status).toBe(before.archived_from);
            if (status === 'completed') {
              expect(inspection.completed_at).toBe(AT);
              expect(inspection['submitted_at']).toBe(AT);
              expect(inspection['approved_at'] === AT).toBe(requirements.requires_approval);
              expect(inspection['signed_off_at'] === AT).toBe(requirements.requires_sign_off);
            }
            if (status === 'pending_approval') expect(requirements.requires_approval).toBe(true);
            if (status === 'pending_sign_off') expect(requirements.requires_sign_off).toBe(true);
          }
        },
      ),
    );
  });

  test('each step sets its own time, the outcome of a decision and nothing else', () => {
    const plain = { requires_approval: false, requires_sign_off: false, completed_at: null };
    const fieldsOf = (step: InspectionStep, status: InspectionStatus) =>
      stepFields(step, { ...plain, status, archived_from: 'completed' }, AT);
    const unarchived = { archived_at: null, archived_from: null, archive_reason: null };
    const completed = { status: 'completed', completed_at: AT, ...unarchived };
    expect(fieldsOf('start', 'scheduled')).toEqual({ status: 'in_progress', started_at: AT, ...unarchived });
    expect(fieldsOf('submit', 'in_progress')).toEqual({ ...completed, submitted_at: AT });
    expect(fieldsOf('approve', 'pending_approval')).toEqual({
      ...completed,
      approved_at: AT,
      approval_outcome: 'approved',
    });
    expect(fieldsOf('request_changes', 'pending_approval')).toEqual({
      status: 'in_progress',
      approval_outcome: 'changes_requested',
      ...unarchived,
    });
    expect(fieldsOf('reject', 'pending_approval')).toEqual({
      status: 'archived',
      approval_outcome: 'rejected',
      archived_at: AT,
      archived_from: 'pending_approval',
      archive_reason: null,
    });
    expect(fieldsOf('sign_off', 'pending_sign_off')).toEqual({ ...completed, signed_off_at: AT });
    expect(fieldsOf('decline', 'pending_sign_off')).toEqual({ ...completed, signed_off_at: AT });
    expect(fieldsOf('archive', 'scheduled')).toEqual({
      status: 'archived',
      archived_at: AT,
      archived_from: 'scheduled',
      archive_reason: null,
    });
    expect(fieldsOf('restore', 'archived')).toEqual(completed);
  });

  test('an inspection that is completed again keeps the time of its first completion', () => {
    const first = '2029-01-01T00:00:00.000Z';
    const archived = { requires_approval: false, requires_sign_off: false, status: 'archived' } as const;
    expect(
      stepFields('restore', { ...archived, archived_from: 'completed', completed_at: first }, AT),
    ).toMatchObject({ completed_at: first });
  });

  test('each status allows only its own steps', () => {
    const open = InspectionStatus.options.map((status) => [
      status,
      STEPS.filter((step) => isStepAllowed(step, status)),
    ]);
    expect(Object.fromEntries(open)).toEqual({
      scheduled: ['start', 'archive'],
      in_progress: ['submit', 'archive'],
      pending_approval: ['approve', 'request_changes', 'reject', 'archive'],
      pending_sign_off: ['request_changes', 'sign_off', 'decline', 'archive'],
      completed: ['archive'],
      archived: ['restore'],
    });
  });
});

describe('inspectionTransitions', () => {
  const requirements = [true, false].flatMap((requires_approval) =>
    [true, false].map((requires_sign_off) => ({ requires_approval, requires_sign_off })),
  );
  const cases = STEPS.flatMap((step) => InspectionStatus.options.map((status) => [step, status] as const));

  test.each(cases)('says what %s does when an inspection is %s', (step, status) => {
    const transitions = inspectionTransitions().filter((transition) => transition.step === step);
    expect(transitions).toHaveLength(1);
    const [{ from, to }] = transitions as [(typeof transitions)[0]];
    expect(from.includes(status)).toBe(isStepAllowed(step, status));
    if (!isStepAllowed(step, status)) return;
    const reached = requirements.flatMap((each) =>
      InspectionStatus.options
        .filter((archived_from) => archived_from !== 'archived')
        .map(
          (archived_from) =>
            stepFields(step, { ...each, status, archived_from, completed_at: null }, AT).status,
        ),
    );
    expect(to.toSorted()).toEqual([...new Set(reached)].toSorted());
  });

  test('what an inspection requires decides where a step leads', () => {
    const reached = (step: InspectionStep, status: InspectionStatus) =>
      requirements.map(
        (each) => stepFields(step, { ...each, status, archived_from: null, completed_at: null }, AT).status,
      );
    expect(reached('submit', 'in_progress')).toEqual([
      'pending_approval',
      'pending_approval',
      'pending_sign_off',
      'completed',
    ]);
    expect(reached('approve', 'pending_approval')).toEqual([
      'pending_sign_off',
      'completed',
      'pending_sign_off',
      'completed',
    ]);
  });
});

describe('requestedStep', () => {
  test('an empty advance makes no decision, signs nothing and never goes back', () => {
    expect(InspectionStatus.options.map((status) => requestedStep(status, {}))).toEqual([
      'start',
      'submit',
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('an advance', () => {
  test('with a decision or a signature asks for that step, whatever the status', () => {
    for (const status of InspectionStatus.options) {
      expect(requestedStep(status, { decision: 'reject' })).toBe('reject');
      const sign_off = { signed_name: 'A', contact: null };
      expect(requestedStep(status, { sign_off })).toBe('sign_off');
      expect(requestedStep(status, { decision: 'decline', sign_off })).toBe('decline');
    }
  });

  test('is awaited with a decision or a signature where nothing else moves an inspection on', () => {
    expect(InspectionStatus.options.flatMap((status) => awaitedIn(status) ?? [])).toEqual([
      'a decision',
      'a sign_off or decision',
    ]);
    expect(awaitedIn('pending_approval')).toBe('a decision');
    expect(awaitedIn('pending_sign_off')).toBe('a sign_off or decision');
  });
});

describe('isReturned', () => {
  test('an inspection that awaits a decision or a signature can be sent back; a start or restore is something else', () => {
    const left = (to: InspectionStatus) => InspectionStatus.options.filter((from) => isReturned(from, to));
    expect(left('in_progress')).toEqual(['pending_approval', 'pending_sign_off']);
    expect(left('archived')).toEqual([]);
  });
});

describe('stepEvent', () => {
  test('reports the start, and then the status that a step reaches', () => {
    expect(stepEvent('start', 'in_progress')).toBe('inspection.started');
    expect(stepEvent('submit', 'pending_approval')).toBe('inspection.pending_approval');
    expect(stepEvent('approve', 'pending_sign_off')).toBe('inspection.pending_sign_off');
    expect(stepEvent('sign_off', 'completed')).toBe('inspection.completed');
    expect(stepEvent('reject', 'archived')).toBe('inspection.archived');
    expect(stepEvent('request_changes', 'in_progress')).toBe('inspection.reopened');
  });

  test('reports a restored inspection as that, whatever its status', () => {
    expect(new Set(InspectionStatus.options.map((status) => stepEvent('restore', status)))).toEqual(
      new Set(['inspection.restored']),
    );
  });
});

describe('isRunning and acceptsAnswers', () => {
  test('an inspection runs until it is completed or archived', () => {
    expect(InspectionStatus.options.filter((status) => !isRunning(status))).toEqual([
      'completed',
      'archived',
    ]);
  });

  test('answers are accepted while it is open, and once it is completed only in an open correction', () => {
    const accepting = (correction_stage: CorrectionStage | null) =>
      InspectionStatus.options.filter((status) => acceptsAnswers({ status, correction_stage }));
    expect(accepting(null)).toEqual(['scheduled', 'in_progress']);
    expect(accepting('open')).toEqual(['scheduled', 'in_progress', 'completed']);
    expect(accepting('closing')).toEqual(['scheduled', 'in_progress']);
    expect(accepting('discarding')).toEqual(['scheduled', 'in_progress']);
  });
});

describe('isOpen', () => {
  test('an inspection accepts answers and edits until it is submitted', () => {
    expect(InspectionStatus.options.filter(isOpen)).toEqual(['scheduled', 'in_progress']);
  });
});

describe('parts', () => {
  test('a second submission and a second reopening change nothing', () => {
    const submitted = submitPart([participant(1), participant(2)], 'u1', AT);
    expect(unsubmitted(submitted).map(({ user_id }) => user_id)).toEqual(['u2']);
    expect(submitPart(submitted, 'u1', '2031-01-01T00:00:00.000Z')).toEqual(submitted);
    const reopened = reopenParts(submitted, AT);
    expect(unsubmitted(reopened)).toHaveLength(2);
    expect(reopenParts(reopened, '2031-01-01T00:00:00.000Z')).toEqual(reopened);
    expect(reopenParts(submitted, AT, ({ user_id }) => user_id === 'u2')).toEqual(submitted);
  });

  test('inspectors and leads have a part; approvers and signatories have none', () => {
    const team = (['inspector', 'lead', 'approver', 'signatory'] as Participant['role'][]).map((role, n) =>
      participant(n, { role }),
    );
    expect(team.filter(hasPart).map(({ role }) => role)).toEqual(['inspector', 'lead']);
    expect(unsubmitted(team).map(({ role }) => role)).toEqual(['inspector', 'lead']);
  });

  test('a start concerns only a part of this participant that nobody has begun', () => {
    const team = [participant(1), participant(2), participant(3, { status: 'submitted', submitted_at: AT })];
    expect(startPart(team, 'u1')).toEqual([{ ...team[0], status: 'started' }, team[1], team[2]]);
    expect(startPart(team, 'u3')).toEqual(team);
    expect(startPart(startPart(team, 'u1'), 'u1')).toEqual(startPart(team, 'u1'));
  });

  test('a submission and a reopening set their times', () => {
    const [submitted] = submitPart([participant(1)], 'u1', AT);
    expect(submitted).toEqual({ ...participant(1), status: 'submitted', submitted_at: AT });
    expect(reopenParts([submitted!, participant(2)], AT)).toEqual([
      { ...participant(1), status: 'started', reopened_at: AT },
      participant(2),
    ]);
    expect(reopenParts([submitted!], AT, () => false)).toEqual([submitted]);
  });
});

describe('approversOf', () => {
  test('names its own approver, those of the family, and the participants in that role', () => {
    const participants = [participant(1), participant(2, { role: 'approver' })];
    expect(approversOf({ approver_id: 'own', approval: { approver_ids: ['family'] }, participants })).toEqual(
      ['own', 'family', 'u2'],
    );
    expect(approversOf({ approver_id: null, approval: { approver_ids: [] }, participants: [] })).toEqual([
      null,
    ]);
  });
});

describe('decidersOf', () => {
  const waiting = (four_eyes: boolean) => ({
    approver_id: 'own',
    approval: { approver_ids: ['family', 'other'], four_eyes },
    participants: [],
    worked_by: new Set(['user own', 'maker family', 'key other']),
  });

  test('names approvers who have not worked on it, neither directly nor by a key that they have made', () =>
    expect(decidersOf(waiting(true))).toEqual(['other']));

  test('names all of them without four eyes, and while nobody has worked on it', () => {
    expect(decidersOf(waiting(false))).toEqual(['own', 'family', 'other']);
    const { worked_by: _, ...untouched } = waiting(true);
    expect(decidersOf(untouched)).toEqual(['own', 'family', 'other']);
  });
});
