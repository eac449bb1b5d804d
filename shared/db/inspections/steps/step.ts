import * as errors from '../../../base/errors.ts';
import {
  type InspectionStep,
  isStepAllowed,
  stepEvent,
  stepFields,
} from '../../../domain/inspections/workflow.ts';
import type { Work } from '../../table/change.ts';
import type { StoredInspection } from '../../table/entities.ts';
import type { Edit } from '../edit.ts';

/**
 * The change by a step, and its event.
 * @param fields what the step changes beside the status and its times
 * @throws ApiError 409 when the step is not allowed
 */
export const takeStep = (
  work: Work,
  step: InspectionStep,
  current: StoredInspection,
  fields: Partial<StoredInspection> = {},
): Edit => {
  const { status } = current;
  if (!isStepAllowed(step, status)) throw errors.inspectionStatus(status);
  const next = stepFields(step, current, work.now);
  return { fields: { ...next, ...fields }, event: stepEvent(step, next.status) };
};
