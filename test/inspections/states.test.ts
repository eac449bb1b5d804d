import * as replaceAnswer from '../../functions/answers/replace-answer.ts';
import * as createCorrection from '../../functions/corrections/create-correction.ts';
import * as advanceInspection from '../../functions/inspections/advance-inspection.ts';
import * as archiveInspection from '../../functions/inspections/archive-inspection.ts';
import * as deleteInspection from '../../functions/inspections/delete-inspection.ts';
import * as reopenPart from '../../functions/inspections/reopen-part.ts';
import * as restoreInspection from '../../functions/inspections/restore-inspection.ts';
import * as startInspection from '../../functions/inspections/start-inspection.ts';
import * as updateInspection from '../../functions/inspections/update-inspection.ts';
import {
  isOpen,
  isStepAllowed,
  type InspectionStep,
  requestedStep,
} from '../../shared/domain/inspections/workflow.ts';
import {
  type Advance,
  type Inspection,
  InspectionStatus,
} from '../../shared/schemas/inspections/inspection.ts';
import { as, type Endpoint } from '../support/call.ts';
import { uuid } from '../support/content.ts';
import { newPerson, type Person } from '../support/people.ts';
import { publishedFamily } from '../templates/fixtures.ts';
import { advance, newColleague, newInspection, start, NOTHING_REQUIRED } from './fixtures.ts';

interface Case {
  endpoint: Endpoint;
  body?: object;
  /** Whether the operation is allowed in a status. If not, it answers with a 409 that names the status. */
  isAllowed: (status: InspectionStatus) => boolean;
}

const step = (taken: InspectionStep) => (status: InspectionStatus) => isStepAllowed(taken, status);
const deciding = (decision: NonNullable<Advance['decision']>): Case => ({
  endpoint: advanceInspection,
  body: { decision, comment: 'So it is.' },
  isAllowed: step(decision),
});

const CASES: Record<string, Case> = {
  start: { endpoint: startInspection, isAllowed: step('start') },
  'advance with nothing': {
    endpoint: advanceInspection,
    body: {},
    isAllowed: (status) => {
      const forward = requestedStep(status, {});
      return forward !== undefined && isStepAllowed(forward, status);
    },
  },
  'advance with approve': deciding('approve'),
  'advance with request_changes': deciding('request_changes'),
  'advance with reject': deciding('reject'),
  'advance with decline': deciding('decline'),
  'advance with sign_off': {
    endpoint: advanceInspection,
    body: { sign_off: { signed_name: 'Ada' } },
    isAllowed: step('sign_off'),
  },
  archive: { endpoint: archiveInspection, isAllowed: step('archive') },
  restore: { endpoint: restoreInspection, isAllowed: step('restore') },
  PATCH: { endpoint: updateInspection, body: { name: 'Other' }, isAllowed: isOpen },
  'PUT responses': {
    endpoint: replaceAnswer,
    body: { section_id: uuid(1), field_id: uuid(2), value: 'Tight' },
    isAllowed: isOpen,
  },
  DELETE: { endpoint: deleteInspection, isAllowed: () => true },
  'reopen my part': { endpoint: reopenPart, isAllowed: (status) => status === 'in_progress' },
  'open a correction': {
    endpoint: createCorrection,
    body: { reason: 'Late' },
    isAllowed: (status) => status === 'completed',
  },
};

/** The steps that bring a started inspection to each status. */
const STEPS_TO: Record<InspectionStatus, readonly object[]> = {
  scheduled: [],
  in_progress: [],
  pending_approval: [{}],
  pending_sign_off: [{}, { decision: 'approve' }],
  completed: [{}, { decision: 'approve' }, { sign_off: { signed_name: 'Eve' } }],
  archived: [],
};

describe.each(InspectionStatus.options)('an inspection that is %s', (status) => {
  let person: Person;
  let template_family_id: string;

  const inStatus = async (more: object = {}): Promise<Inspection> => {
    const { key } = person;
    const inspection = await newInspection(person, { template_family_id, ...more });
    if (status === 'scheduled') return inspection;
    if (status === 'archived') {
      await as(key).inspections.archive({ params: { inspection_id: inspection.id } });
    } else await start(key, inspection);
    for (const body of STEPS_TO[status]) await advance(key, inspection, body);
    return inspection;
  };

  /** An inspection in which the caller’s part is submitted and another one is not, if the status allows that. */
  const partlySubmitted = async (): Promise<Inspection> => {
    const other = await newColleague(person, 'Rolf');
    if (status !== 'in_progress') return inStatus();
    const participants = [person.caller.user_id, other.user_id].map((user_id) => ({ user_id }));
    const inspection = await inStatus({ participants });
    return advance(person.key, inspection);
  };

  beforeAll(async () => {
    person = await newPerson(`Somebody ${status}`);
    const family = await publishedFamily(person.key, {
      ...NOTHING_REQUIRED,
      requires_approval: true,
      requires_sign_off: true,
      settings: { approval: { allow_api: true, four_eyes: false } },
    });
    template_family_id = family.id;
  });

  test.each(Object.entries(CASES))(
    '%s: done, or refused with 409',
    async (name, { endpoint, body, isAllowed }) => {
      const { id } = await (name === 'reopen my part' ? partlySubmitted() : inStatus());
      const { status: code, body: answer } = await as(person).call(endpoint, {
        params: { inspection_id: id },
        ...(body && { body }),
      });
      if (isAllowed(status)) expect(code).toBe(endpoint.operation.success);
      else expect([code, answer.detail]).toEqual([409, expect.stringMatching(new RegExp(`is ${status}\\b`))]);
    },
  );
});
