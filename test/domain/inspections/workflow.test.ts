import * as fc from 'fast-check';
import {
  inspectionTransitions,
  isOpen,
  isStepAllowed,
  reopenParts,
  type InspectionStep,
  requestedStep,
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
  'reapprove',
  'archive',
  'restore',
];
/** Without `reapprove`: the end of a correction also clears the times that earlier steps have set. */
const ORDINARY_STEPS = STEPS.filter((step) => step !== 'reapprove');
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
        fc.array(fc.constantFrom(...ORDINARY_STEPS), { maxLength: 40 }),
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

  test('each status allows only its own steps', () => {
    const open = InspectionStatus.options.map((status) => [
      status,
      STEPS.filter((step) => isStepAllowed(step, status)),
    ]);
    expect(Object.fromEntries(open)).toEqual({
      scheduled: ['start', 'archive'],
      in_progress: ['submit', 'archive'],
      pending_approval: ['approve', 'request_changes', 'reject', 'archive'],
      pending_sign_off: ['sign_off', 'archive'],
      completed: ['reapprove', 'archive'],
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
});
