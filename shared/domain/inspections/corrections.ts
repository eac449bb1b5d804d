import type {
  Correction,
  CorrectionDecision,
  CorrectionStatus,
} from '../../schemas/inspections/correction.ts';
import type { Inspection } from '../../schemas/inspections/inspection.ts';
import type { CorrectionStage, Transition } from './workflow.ts';

/** A step of a correction. */
export type CorrectionStep = 'close' | 'discard' | CorrectionDecision;

interface StepRule {
  /** The statuses in which the step is allowed. */
  from: readonly CorrectionStatus[];
  to: (mode: Inspection['correction_mode']) => CorrectionStatus;
  /** The stage while the step is being taken, where it takes several transactions. */
  stage?: CorrectionStage;
  /** The decision that the step records. */
  decision?: NonNullable<Correction['decision']>;
}

/** The workflow of a correction. People who may not decide about a correction can still discard it. */
const STEPS: Readonly<Record<CorrectionStep, StepRule>> = {
  close: {
    from: ['open'],
    to: (mode) => (mode === 'reapprove' ? 'pending_approval' : 'closed'),
    stage: 'closing',
  },
  approve: { from: ['pending_approval'], to: () => 'closed', stage: 'approving', decision: 'approved' },
  request_changes: { from: ['pending_approval'], to: () => 'open', decision: 'changes_requested' },
  reject: { from: ['pending_approval'], to: () => 'rejected', stage: 'rejecting', decision: 'rejected' },
  discard: { from: ['open', 'pending_approval'], to: () => 'discarded', stage: 'discarding' },
};

/** The whole workflow of a correction. The `correction_mode` decides where closing leads. */
export const correctionTransitions = (): Transition<CorrectionStep, CorrectionStatus>[] =>
  Object.entries(STEPS).map(([step, { from, to }]) => ({
    step: step as CorrectionStep,
    from,
    to: [...new Set([to('tracked'), to('reapprove')])],
  }));

/** The status to which a step leads. */
export const correctionStatusAfter = (
  step: CorrectionStep,
  mode: Inspection['correction_mode'],
): CorrectionStatus => STEPS[step].to(mode);

/** The stage to which a step leads; null when the correction has ended with it. */
export const stageAfter = (
  step: CorrectionStep,
  mode: Inspection['correction_mode'],
): CorrectionStage | null => {
  const status = correctionStatusAfter(step, mode);
  return status === 'open' || status === 'pending_approval' ? status : null;
};

/** The stage while a step is being taken; undefined for one that takes a single transaction. */
export const stageOf = (step: CorrectionStep): CorrectionStage | undefined => STEPS[step].stage;

/** The decision that a step records. */
export const decisionOf = (step: CorrectionDecision): NonNullable<Correction['decision']> =>
  STEPS[step].decision!;

/** Whether the step can begin in this stage, or goes on in it. */
export const isCorrectionStepAllowed = (step: CorrectionStep, stage: CorrectionStage): boolean => {
  const { from, stage: own } = STEPS[step];
  return stage === own || from.some((status) => status === stage);
};

const IN_WORDS: Readonly<Partial<Record<CorrectionStage, string>>> = {
  closing: 'being closed',
  approving: 'being approved',
  rejecting: 'being rejected',
  discarding: 'being discarded',
};

/** A stage as an error names it: `open`, `being closed`. */
export const stageInWords = (stage: CorrectionStage): string => IN_WORDS[stage] ?? stage;

/** The correction status of an inspection, from the stage of its active correction; null without one. */
export const correctionStatusOf = (stage: CorrectionStage | null): Inspection['correction_status'] => {
  if (stage === null) return 'none';
  return stage === 'pending_approval' || stage === 'approving' || stage === 'rejecting'
    ? 'pending_approval'
    : 'open';
};

/** The signatures after a correction has changed something: those without a mark were given before it. */
export const markSignatures = (
  signatures: Inspection['signatures'],
  correctionNumber: number,
): Inspection['signatures'] =>
  signatures.map((signature) => ({
    ...signature,
    before_correction: signature.before_correction ?? correctionNumber,
  }));
