import * as fc from 'fast-check';
import {
  type ActionStep,
  activityOf,
  dueAfter,
  isActionOpen,
  isActionOverdue,
  isStepOpen,
  lacksEvidence,
  needsSecondPerson,
  stepped,
  stepRefusal,
  stepTo,
} from '../../shared/domain/corrective-actions.ts';
import { CorrectiveActionStatus } from '../../shared/schemas/corrective-action.ts';

const STEPS: ActionStep[] = ['start', 'complete', 'accept', 'decline', 'cancel', 'reopen'];
const AT = '2030-01-01T00:00:00.000Z';
const taken = { at: AT, by: 'somebody', note: 'said' };

const BLANK: Parameters<typeof stepped>[1] = {
  completed_at: null,
  completed_by: null,
  completion_note: '',
  verified_at: null,
  verified_by: null,
  verification_note: '',
  reopened_at: null,
  reopen_reason: '',
  reopen_count: 0,
};

describe('stepped', () => {
  test('each status is left by its own steps only, to these', () => {
    const ways = CorrectiveActionStatus.options.map((status) => [
      status,
      Object.fromEntries(
        STEPS.filter((step) => isStepOpen(step, status)).map((step) => [
          step,
          stepped(step, BLANK, taken).status,
        ]),
      ),
    ]);
    expect(Object.fromEntries(ways)).toEqual({
      open: { start: 'in_progress', cancel: 'cancelled' },
      in_progress: { complete: 'pending_verification', cancel: 'cancelled' },
      pending_verification: {
        accept: 'verified',
        decline: 'in_progress',
        cancel: 'cancelled',
        reopen: 'open',
      },
      verified: { reopen: 'open' },
      cancelled: { reopen: 'open' },
    });
  });

  test('any walk over open steps keeps status, times and notes in agreement', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...STEPS), { maxLength: 40 }), (walk) => {
        let action: typeof BLANK & { status: CorrectiveActionStatus } = { ...BLANK, status: 'open' };
        let reopened = 0;
        for (const step of walk) {
          if (!isStepOpen(step, action.status)) continue;
          action = { ...action, ...stepped(step, action, taken) };
          reopened += Number(step === 'reopen');
          const isVerified = action.status === 'verified';
          expect([action.verified_at, action.verified_by]).toEqual(
            isVerified ? [AT, 'somebody'] : [null, null],
          );
          expect(action.completed_at === null).toBe(action.completed_by === null);
          if (isVerified || action.status === 'pending_verification') expect(action.completed_at).toBe(AT);
          if (action.status === 'open' || action.status === 'in_progress') {
            expect([action.completed_at, action.completion_note]).toEqual([null, '']);
          }
          expect([action.reopen_count, action.reopened_at]).toEqual([reopened, reopened ? AT : null]);
        }
      }),
    );
  });

  test('what is said is kept where it was said', () => {
    expect(stepped('complete', BLANK, taken)).toMatchObject({ completion_note: 'said' });
    expect(stepped('accept', BLANK, taken)).toMatchObject({ verification_note: 'said' });
    expect(stepped('decline', BLANK, taken)).toMatchObject({ verification_note: 'said' });
    expect(stepped('reopen', BLANK, taken)).toMatchObject({ reopen_reason: 'said', verification_note: '' });
  });
});

describe('stepRefusal', () => {
  test('names the status as it is, and those it would have to be', () => {
    const refused = STEPS.flatMap((step) =>
      CorrectiveActionStatus.options.flatMap((status) => (isStepOpen(step, status) ? [] : [[step, status]])),
    ) as [ActionStep, CorrectiveActionStatus][];
    expect(refused).toHaveLength(STEPS.length * 5 - 10);
    for (const [step, status] of refused) {
      expect(stepRefusal(step, status)).toMatch(`corrective action is ${status}; only one that is `);
    }
    expect(stepRefusal('reopen', 'open')).toBe(
      'corrective action is open; only one that is pending_verification or verified or cancelled can be reopened',
    );
  });
});

describe('stepTo', () => {
  test('nobody verifies or reopens by setting a status', () => {
    expect(CorrectiveActionStatus.options.map(stepTo)).toEqual([
      undefined,
      'start',
      'complete',
      undefined,
      'cancel',
    ]);
  });
});

describe('activityOf', () => {
  test('verifying and reopening are told as such', () => {
    expect(STEPS.map(activityOf)).toEqual([
      'status_changed',
      'status_changed',
      'verified',
      'status_changed',
      'status_changed',
      'reopened',
    ]);
  });
});

describe('isActionOpen', () => {
  test('what is verified or cancelled is closed', () => {
    expect(CorrectiveActionStatus.options.filter(isActionOpen)).toEqual([
      'open',
      'in_progress',
      'pending_verification',
    ]);
  });
});

describe('isActionOverdue', () => {
  test('only what is still to be done is late, and only past its time', () => {
    const late = (now: string) =>
      CorrectiveActionStatus.options.filter((status) => isActionOverdue({ status, due_at: AT }, now));
    expect(late('2030-01-01T00:00:00.001Z')).toEqual(['open', 'in_progress']);
    expect(late(AT)).toEqual([]);
    expect(isActionOverdue({ status: 'open', due_at: null }, '2999-01-01T00:00:00.000Z')).toBe(false);
  });
});

describe('lacksEvidence', () => {
  test('what awaits verification has the evidence that it requires', () => {
    const required = { evidence_required: true, evidence_count: 0 };
    expect(CorrectiveActionStatus.options.filter((status) => lacksEvidence({ ...required, status }))).toEqual(
      ['pending_verification'],
    );
    const status = 'pending_verification' as const;
    expect(lacksEvidence({ status, evidence_required: true, evidence_count: 1 })).toBe(false);
    expect(lacksEvidence({ status, evidence_required: false, evidence_count: 0 })).toBe(false);
  });
});

describe('needsSecondPerson', () => {
  test('what the organization says, else of people but not of keys', () => {
    expect([true, false, null].map((setting) => needsSecondPerson(setting, true))).toEqual([
      true,
      false,
      true,
    ]);
    expect([true, false, null].map((setting) => needsSecondPerson(setting, false))).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('dueAfter', () => {
  test('so many times 24 hours later, across a change to summer time and a month', () => {
    expect(dueAfter('2030-03-30T12:30:00.000Z', 2)).toBe('2030-04-01T12:30:00.000Z');
    expect(dueAfter(AT, 0)).toBe(AT);
    expect(dueAfter(AT, null)).toBeNull();
  });
});
