import * as fc from 'fast-check';
import {
  type ActionStep,
  actionTransitions,
  stepActivity,
  isActionOpen,
  isActionOverdue,
  isStepAllowed,
  contactName,
  contactOf,
  lacksEvidence,
  linkAfter,
  needsSecondPerson,
  stepFields,
  stepRefusal,
  stepsOnSite,
  stepToStatus,
} from '../../shared/domain/corrective-actions.ts';
import { CorrectiveActionStatus } from '../../shared/schemas/corrective-action.ts';

const STEPS: ActionStep[] = ['start', 'complete', 'pass', 'accept', 'decline', 'cancel', 'reopen'];
const AT = '2030-01-01T00:00:00.000Z';
const details = { at: AT, by: 'somebody', via: 'key', note: 'said' };

const BLANK: Omit<Required<ReturnType<typeof stepFields>>, 'status'> = {
  completed_at: null,
  completed_by: null,
  completed_by_contact: false,
  completion_note: '',
  completed_on_site: false,
  verified_at: null,
  verified_by: null,
  verified_via_key_id: null,
  verification_note: '',
  reopened_at: null,
  reopen_reason: '',
  reopen_count: 0,
};

describe('stepFields', () => {
  test('each status allows only its own steps, and they lead here', () => {
    const ways = CorrectiveActionStatus.options.map((status) => [
      status,
      Object.fromEntries(
        STEPS.filter((step) => isStepAllowed(step, status)).map((step) => [
          step,
          stepFields(step, BLANK, details).status,
        ]),
      ),
    ]);
    expect(Object.fromEntries(ways)).toEqual({
      open: { start: 'in_progress', pass: 'pending_verification', cancel: 'cancelled' },
      in_progress: {
        complete: 'pending_verification',
        pass: 'pending_verification',
        cancel: 'cancelled',
      },
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

  test('status, times and notes agree after any sequence of allowed steps', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...STEPS), { maxLength: 40 }), (walk) => {
        let action: typeof BLANK & { status: CorrectiveActionStatus } = { ...BLANK, status: 'open' };
        let reopened = 0;
        for (const step of walk) {
          if (!isStepAllowed(step, action.status)) continue;
          action = { ...action, ...stepFields(step, action, details) };
          reopened += Number(step === 'reopen');
          const isVerified = action.status === 'verified';
          expect([action.verified_at, action.verified_by, action.verified_via_key_id]).toEqual(
            isVerified ? [AT, 'somebody', 'key'] : [null, null, null],
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

  test('each step stores its note in its own field', () => {
    expect(stepFields('complete', BLANK, details)).toMatchObject({ completion_note: 'said' });
    expect(stepFields('accept', BLANK, details)).toMatchObject({ verification_note: 'said' });
    expect(stepFields('decline', BLANK, details)).toMatchObject({ verification_note: 'said' });
    expect(stepFields('reopen', BLANK, details)).toMatchObject({
      reopen_reason: 'said',
      verification_note: '',
    });
  });
});

describe('linkAfter', () => {
  const contact = (email: string | null) => ({ name: 'Cara', email, company: null, phone: null });
  const of = (status: CorrectiveActionStatus, email: string | null = 'cara@cool.example') => ({
    status,
    contact: contact(email),
  });

  test.each([
    ['new', undefined, of('open')],
    ['none', undefined, of('open', null)],
    ['none', of('open'), { status: 'open' as const, contact: null }],
    ['same', of('open'), of('in_progress', 'CARA@cool.example')],
    ['new', of('open'), of('open', 'other@cool.example')],
    ['none', of('pending_verification'), of('pending_verification', 'other@cool.example')],
    ['same', of('in_progress'), of('pending_verification')],
    ['same', of('open'), of('cancelled')],
    ['new', of('pending_verification'), of('in_progress')],
    ['new', of('verified'), of('open')],
    ['new', of('cancelled'), of('open')],
    ['none', of('verified', null), of('open', null)],
  ] as const)('%s after %j becomes %j', (outcome, before, after) => {
    expect(linkAfter(before, after)).toBe(outcome);
  });
});

describe('contactOf', () => {
  test('completes a contact, and one without any detail is none', () => {
    const company = { name: null, email: null, company: 'Cool Ltd', phone: null };
    expect(contactOf({ company: 'Cool Ltd' })).toEqual(company);
    expect([contactOf({ name: null, phone: '' }), contactOf(null), contactOf(undefined)]).toEqual([
      null,
      null,
      null,
    ]);
    expect(contactName(company)).toBe('Cool Ltd');
    expect(contactName(null)).toBeNull();
  });
});

describe('stepRefusal', () => {
  test('names the statuses that the step needs', () => {
    const refused = STEPS.flatMap((step) =>
      CorrectiveActionStatus.options.flatMap((status) =>
        isStepAllowed(step, status) ? [] : [[step, status]],
      ),
    ) as [ActionStep, CorrectiveActionStatus][];
    expect(refused).toHaveLength(STEPS.length * 5 - 12);
    expect(STEPS.map(stepRefusal)).toEqual([
      'Only one that is open can be started',
      'Only one that is in_progress can be completed',
      'Only one that is open or in_progress can be passed',
      'Only one that is pending_verification can be verified',
      'Only one that is pending_verification can be verified',
      'Only one that is open or in_progress or pending_verification can be cancelled',
      'Only one that is pending_verification or verified or cancelled can be reopened',
    ]);
  });
});

test('the workflow, as the API reference shows it', () =>
  expect(
    actionTransitions().map(({ step, from, to }) => `${from.join(', ')} → ${step} → ${to.join()}`),
  ).toEqual([
    'open → start → in_progress',
    'in_progress → complete → pending_verification',
    'open, in_progress → pass → pending_verification',
    'pending_verification → accept → verified',
    'pending_verification → decline → in_progress',
    'open, in_progress, pending_verification → cancel → cancelled',
    'pending_verification, verified, cancelled → reopen → open',
  ]));

describe('stepToStatus', () => {
  test('setting a status neither verifies nor reopens', () => {
    expect(CorrectiveActionStatus.options.map(stepToStatus)).toEqual([
      undefined,
      'start',
      'complete',
      undefined,
      'cancel',
    ]);
  });
});

describe('stepActivity', () => {
  test('verifying and reopening have entries of their own', () => {
    expect(STEPS.map(stepActivity)).toEqual([
      'status_changed',
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
  test('verified and cancelled actions are closed', () => {
    expect(CorrectiveActionStatus.options.filter(isActionOpen)).toEqual([
      'open',
      'in_progress',
      'pending_verification',
    ]);
  });
});

describe('isActionOverdue', () => {
  test('only an action that still has to be done is overdue, and only after its due date', () => {
    const late = (now: string) =>
      CorrectiveActionStatus.options.filter((status) => isActionOverdue({ status, due_at: AT }, now));
    expect(late('2030-01-01T00:00:00.001Z')).toEqual(['open', 'in_progress']);
    expect(late(AT)).toEqual([]);
    expect(isActionOverdue({ status: 'open', due_at: null }, '2999-01-01T00:00:00.000Z')).toBe(false);
  });
});

describe('stepsOnSite', () => {
  test.each(['open', 'in_progress'] as const)('lead from %s to verified, or to a second person', (from) => {
    const reached = (isSecondPersonNeeded: boolean) => {
      let status: CorrectiveActionStatus = from;
      for (const step of stepsOnSite(from, isSecondPersonNeeded)) {
        expect(isStepAllowed(step, status)).toBe(true);
        status = stepFields(step, BLANK, details).status;
      }
      return status;
    };
    expect([reached(false), reached(true)]).toEqual(['verified', 'pending_verification']);
  });

  test.each(['pending_verification', 'verified', 'cancelled'] as const)('are not allowed from %s', (status) =>
    expect(isStepAllowed(stepsOnSite(status, false)[0]!, status)).toBe(false),
  );
});

describe('lacksEvidence', () => {
  test('an action that awaits verification or is verified needs its evidence', () => {
    const required = { evidence_required: true, evidence_count: 0 };
    expect(CorrectiveActionStatus.options.filter((status) => lacksEvidence({ ...required, status }))).toEqual(
      ['pending_verification', 'verified'],
    );
    const status = 'pending_verification' as const;
    expect(lacksEvidence({ status, evidence_required: true, evidence_count: 1 })).toBe(false);
    expect(lacksEvidence({ status, evidence_required: false, evidence_count: 0 })).toBe(false);
  });
});

describe('needsSecondPerson', () => {
  test('the organization’s setting decides, else yes for people and no for keys', () => {
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
