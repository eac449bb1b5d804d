import * as fc from 'fast-check';
import {
  blockedMessage,
  inspectionWays,
  isOpen,
  isOpenTo,
  reopen,
  type Step,
  stepOf,
  submit,
  take,
  unsubmitted,
} from '../../../shared/domain/inspections/workflow.ts';
import { InspectionStatus, type Participant } from '../../../shared/schemas/inspections/inspection.ts';

const STEPS: Step[] = [
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
/** A correction’s end takes back what these steps have stamped, which is its own matter. */
const WALKED = STEPS.filter((step) => step !== 'reapprove');
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

describe('take', () => {
  const way = fc.record({ requires_approval: fc.boolean(), requires_sign_off: fc.boolean() });

  test('any walk over open steps keeps times and status in agreement', () => {
    fc.assert(
      fc.property(way, fc.array(fc.constantFrom(...WALKED), { maxLength: 40 }), (demands, walk) => {
        let inspection: Parameters<typeof take>[1] & Record<string, unknown> = {
          ...demands,
          status: 'scheduled',
          archived_from: null,
          completed_at: null,
        };
        for (const step of walk) {
          if (!isOpenTo(step, inspection.status)) continue;
          const before = inspection;
          inspection = { ...inspection, ...take(step, inspection, AT) };
          const { status } = inspection;
          expect(status === 'archived').toBe(inspection['archived_at'] === AT);
          expect(inspection.archived_from).toBe(status === 'archived' ? before.status : null);
          if (step === 'restore') expect(status).toBe(before.archived_from);
          if (status === 'completed') {
            expect(inspection.completed_at).toBe(AT);
            expect(inspection['submitted_at']).toBe(AT);
            expect(inspection['approved_at'] === AT).toBe(demands.requires_approval);
            expect(inspection['signed_off_at'] === AT).toBe(demands.requires_sign_off);
          }
          if (status === 'pending_approval') expect(demands.requires_approval).toBe(true);
          if (status === 'pending_sign_off') expect(demands.requires_sign_off).toBe(true);
        }
      }),
    );
  });

  test('each status is left by its own steps only', () => {
    const open = InspectionStatus.options.map((status) => [
      status,
      STEPS.filter((step) => isOpenTo(step, status)),
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

describe('inspectionWays', () => {
  const demands = [true, false].flatMap((requires_approval) =>
    [true, false].map((requires_sign_off) => ({ requires_approval, requires_sign_off })),
  );
  const cases = STEPS.flatMap((step) => InspectionStatus.options.map((status) => [step, status] as const));

  test.each(cases)('tells what %s does where an inspection is %s', (step, status) => {
    const ways = inspectionWays().filter((way) => way.step === step);
    expect(ways).toHaveLength(1);
    const [{ from, to }] = ways as [(typeof ways)[0]];
    expect(from.includes(status)).toBe(isOpenTo(step, status));
    if (!isOpenTo(step, status)) return;
    const reached = demands.flatMap((each) =>
      InspectionStatus.options
        .filter((archived_from) => archived_from !== 'archived')
        .map(
          (archived_from) => take(step, { ...each, status, archived_from, completed_at: null }, AT).status,
        ),
    );
    expect(to.toSorted()).toEqual([...new Set(reached)].toSorted());
  });

  test('leads by the demands of an inspection', () => {
    const reached = (step: Step, status: InspectionStatus) =>
      demands.map(
        (each) => take(step, { ...each, status, archived_from: null, completed_at: null }, AT).status,
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

describe('stepOf', () => {
  test('an empty advance decides nothing, signs nothing and never goes back', () => {
    expect(InspectionStatus.options.map((status) => stepOf(status, {}))).toEqual([
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
  test('answers and edits are accepted until everything is handed in', () => {
    expect(InspectionStatus.options.filter(isOpen)).toEqual(['scheduled', 'in_progress']);
  });
});

describe('parts', () => {
  test('a second submission and a second reopening change nothing', () => {
    const submitted = submit([participant(1), participant(2)], 'u1', AT);
    expect(unsubmitted(submitted).map(({ user_id }) => user_id)).toEqual(['u2']);
    expect(submit(submitted, 'u1', '2031-01-01T00:00:00.000Z')).toEqual(submitted);
    const reopened = reopen(submitted, AT);
    expect(unsubmitted(reopened)).toHaveLength(2);
    expect(reopen(reopened, '2031-01-01T00:00:00.000Z')).toEqual(reopened);
    expect(reopen(submitted, AT, ({ user_id }) => user_id === 'u2')).toEqual(submitted);
  });
});

describe('blockedMessage', () => {
  test('names ten and counts the others', () => {
    const blockers = Array.from({ length: 12 }, (_, i) => `b${i}`);
    expect(blockedMessage('in_progress', blockers.slice(0, 1))).toBe(
      'inspection is in_progress with 1 blocker: b0',
    );
    expect(blockedMessage('in_progress', blockers.slice(0, 10))).toMatch(/with 10 blockers: .*b9$/);
    expect(blockedMessage('in_progress', blockers)).toMatch(/with 12 blockers: .*b9; and 2 more$/);
  });
});
