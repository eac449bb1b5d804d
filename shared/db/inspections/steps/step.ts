import type { Caller } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import {
  type InspectionStep,
  isStepAllowed,
  stepEvent,
  stepFields,
} from '../../../domain/inspections/workflow.ts';
import type { StoredInspection } from '../../table/entities.ts';
import { emit } from '../../table/outbox/outbox.ts';
import type { Edit } from '../edit.ts';

/**
 * The change by a step, and its event.
 * @param fields what the step changes beside the status and its times
 * @throws ApiError 409 when the step is not allowed
 */
export const takeStep = (
  caller: Caller,
  step: InspectionStep,
  current: StoredInspection,
  fields: Partial<StoredInspection> = {},
): Edit => {
  const { id, status } = current;
  if (!isStepAllowed(step, status)) throw errors.inspectionStatus(status);
  const next = stepFields(step, current, new Date().toISOString());
  const event = stepEvent(step, next.status);
  return {
    fields: { ...next, ...fields },
    writes: event ? [emit(caller, event, { inspection_id: id, status: next.status })] : [],
  };
};
