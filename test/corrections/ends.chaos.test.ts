import { type Caller, isKey } from '../../shared/base/caller.ts';
import {
  correctionStatusOf,
  type CorrectionStep,
  correctionTransitions,
  isCorrectionStepAllowed,
} from '../../shared/domain/inspections/corrections.ts';
import type { CorrectionStage } from '../../shared/domain/inspections/workflow.ts';
import * as corrections from '../../shared/inspections/corrections/corrections.ts';
import { create } from '../../shared/inspections/create.ts';
import { show } from '../../shared/inspections/lists.ts';
import * as inspections from '../../shared/inspections/steps.ts';
import * as organizations from '../../shared/organizations/organizations.ts';
import { CorrectionMode } from '../../shared/schemas/common.ts';
import type { Correction } from '../../shared/schemas/inspections/correction.ts';
import { NewInspection } from '../../shared/schemas/inspections/inspection.ts';
import { newColleague, NOTHING_REQUIRED } from '../inspections/fixtures.ts';
import { installFaults, on, sdkError, withFault } from '../support/faults.ts';
import { newPerson, operatorOf, type Person } from '../support/people.ts';
import { scaled } from '../support/scale.ts';
import { publishedFamily } from '../templates/fixtures.ts';
import { take } from './fixtures.ts';

installFaults();

const STAGES: readonly CorrectionStage[] = [
  'open',
  'closing',
  'pending_approval',
  'approving',
  'rejecting',
  'discarding',
];

/** The step that brings a correction to a stage, where it is not opened in it, and whether it is interrupted there. */
const LEADING: Readonly<Partial<Record<CorrectionStage, { step: CorrectionStep; isInterrupted: boolean }>>> =
  {
    closing: { step: 'close', isInterrupted: true },
    pending_approval: { step: 'close', isInterrupted: false },
    approving: { step: 'approve', isInterrupted: true },
    rejecting: { step: 'reject', isInterrupted: true },
    discarding: { step: 'discard', isInterrupted: true },
  };

/** Steps in the order in which a caller tries them: the last is the one that nobody is refused. */
const STEPS = ['close', 'approve', 'reject', 'discard'] as const;

/** Takes a step whose first transaction is its last. */
const interrupted = async (taken: () => Promise<unknown>): Promise<void> => {
  let transactions = 0;
  const breakOff = on(
    ({ command }) => command === 'TransactWriteItems' && (transactions += 1) > 1,
    async () => {
      throw sdkError('ValidationException');
    },
  );
  await expect(withFault(breakOff, taken)).rejects.toMatchObject({ name: 'ValidationException' });
};

const CALLERS = [
  'the key that corrects',
  'a key with a part',
  'another key',
  'the person who corrects',
  'another person',
] as const;

/** Settings that decide who may approve. They matter only where there is something to approve. */
const SETTINGS = [
  ...[true, false].flatMap((allow_api) =>
    [true, false, null].map((fourEyes) => ({ allow_api, fourEyes, four_eyes: false })),
  ),
  { allow_api: true, fourEyes: false, four_eyes: true },
];
const cases = CorrectionMode.options.flatMap((mode) =>
  (mode === 'reapprove' ? SETTINGS : SETTINGS.slice(0, 1)).map((settings, setting) => ({
    mode,
    setting,
    ...settings,
  })),
);

/** The stages to which a mode can lead. */
const stagesOf = (mode: CorrectionMode): CorrectionStage[] =>
  STAGES.filter((stage) =>
    mode === 'reapprove' ? stage !== 'closing' : correctionStatusOf(stage) !== 'pending_approval',
  );

describe.each(cases)(
  'with $mode, allow_api $allow_api, four eyes $fourEyes and those of the family $four_eyes',
  ({ mode, setting, allow_api, fourEyes, four_eyes }) => {
    let person: Person;
    let operator: Caller;
    let template_family_id: string;
    let callers: Record<(typeof CALLERS)[number], Caller>;

    beforeAll(async () => {
      person = await newPerson('Ana');
      operator = operatorOf(person);
      const family = await publishedFamily(person.key, {
        ...NOTHING_REQUIRED,
        requires_approval: mode === 'reapprove',
        settings: { correction_mode: mode, approval: { allow_api, four_eyes } },
      });
      template_family_id = family.id;
      await organizations.update(operator, { four_eyes_verification: fourEyes }, undefined, async () => null);
      const colleague = async (name: string): Promise<Caller> => {
        const { user_id, id } = await newColleague(person, name);
        return { ...person.caller, user_id, key_id: id, name } as Caller;
      };
      callers = {
        'the key that corrects': person.caller,
        'a key with a part': await colleague('Partaker'),
        'another key': await colleague('Other'),
        'the person who corrects': { ...operator, user_id: person.adminId },
        'another person': operator,
      };
    });

    /** A completed inspection of which somebody had a part. */
    const completed = async () => {
      const partaker = callers['a key with a part'];
      const request = { template_family_id, participants: [{ user_id: partaker.user_id }] };
      const { id } = await create(person.caller, NewInspection.parse(request));
      await inspections.start(person.caller, id);
      const submitted = await inspections.advance(partaker, id, {});
      return submitted.status === 'completed'
        ? submitted
        : inspections.advance(operator, id, { decision: 'approve' });
    };

    const statusOf = async (id: string) => (await show(operator, id)).correction_status;

    const correctionIn = async (stage: CorrectionStage, author: Caller): Promise<Correction> => {
      const { id } = await completed();
      const correction = await corrections.open(author, id, { reason: 'Misread' });
      const { step, isInterrupted } = LEADING[stage] ?? {};
      if (!step) return correction;
      if (step === 'approve' || step === 'reject') await corrections.close(author, id, correction.id);
      if (isInterrupted) await interrupted(() => take(operator, correction, step));
      else await take(author, correction, step);
      expect(await statusOf(id)).toBe(correctionStatusOf(stage));
      return correction;
    };

    if (mode === 'locked') {
      test('no correction begins', async () => {
        const { id } = await completed();
        await expect(corrections.open(person.caller, id, { reason: 'Misread' })).rejects.toMatchObject({
          status: 409,
        });
        expect(await statusOf(id)).toBe('none');
      });
      return;
    }

    // In a small run each caller meets each stage under one of the settings.
    const isWalked = (caller: number, stage: number) =>
      scaled(mode !== 'reapprove' || (caller + stage + setting) % CALLERS.length === 0, true);
    const walks = CALLERS.flatMap((name, caller) =>
      stagesOf(mode)
        .filter((_, stage) => isWalked(caller, stage))
        .map((stage) => [name, stage] as const),
    );
    test.each(walks)('%s brings a correction to its end that is %s', async (name, stage) => {
      const caller = callers[name];
      const author = name.endsWith('who corrects') ? caller : callers['the key that corrects'];
      const correction = await correctionIn(stage, author);
      const refusals: unknown[] = [];
      for (const step of STEPS) {
        if ((await statusOf(correction.inspection_id)) === 'none') break;
        await take(caller, correction, step).catch(({ status }: { status: number }) => {
          expect([403, 409]).toContain(status);
          refusals.push([step, status]);
        });
      }
      const status = await statusOf(correction.inspection_id);
      expect({ refusals, status }).toMatchObject({ status: 'none' });
      const left = await inspections.archive(caller, correction.inspection_id);
      expect(left.status).toBe('archived');
    });

    if (mode !== 'reapprove') return;

    test.each(CALLERS)(
      '%s decides as it may on an inspection, and approves no work of its own',
      async (name) => {
        const caller = callers[name];
        const isAuthor = name.includes('corrects');
        const author = isAuthor ? caller : callers['the key that corrects'];
        const correction = await correctionIn('pending_approval', author);
        const mayDecide = !isKey(caller) || allow_api;
        const isOwn = isAuthor || name === 'a key with a part';
        const mayApprove = mayDecide && !(isOwn && four_eyes) && !(isAuthor && (fourEyes ?? !isKey(caller)));
        const tried = (step: CorrectionStep) =>
          take(caller, correction, step).then(
            ({ status }) => status,
            (error: { status: number }) => error.status,
          );
        expect(await tried('request_changes')).toBe(mayDecide ? 'open' : 403);
        if (mayDecide) await corrections.close(author, correction.inspection_id, correction.id);
        expect(await tried('approve')).toBe(mayApprove ? 'closed' : 403);
        if (!mayApprove) expect(await tried('reject')).toBe(mayDecide ? 'rejected' : 403);
      },
    );
  },
);

test('each step is allowed in the statuses that its rule names, and goes on in its own stage', () => {
  const allowed = correctionTransitions().map(({ step }) => [
    step,
    STAGES.filter((stage) => isCorrectionStepAllowed(step, stage)),
  ]);
  expect(Object.fromEntries(allowed)).toEqual({
    close: ['open', 'closing'],
    approve: ['pending_approval', 'approving'],
    request_changes: ['pending_approval'],
    reject: ['pending_approval', 'rejecting'],
    discard: ['open', 'pending_approval', 'discarding'],
  });
});
