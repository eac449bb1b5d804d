import * as createCorrection from '../../functions/corrections/create-correction.ts';
import * as updateInspection from '../../functions/inspections/update-inspection.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { saved } from '../answers/fixtures.ts';
import { advance, startedInspection } from '../inspections/fixtures.ts';
import { as } from '../support/call.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import type { Person } from '../support/people.ts';
import type { FailureGrants, Scenarios } from '../support/scenarios.ts';

const CONTENT = {
  ...contentWith(
    field(2),
    field(3, 'pass_fail_na', { finding: { create: 'auto' } }),
    field(4, 'text', { visible_if: { start_key: 'site', op: 'not_empty' } }),
  ),
  start: { fields: [{ key: 'site', type: 'text', label: 'Site' }] },
};

const completed = async (person: Person): Promise<Inspection> =>
  advance(person.key, await startedInspection(person, { family: { content: CONTENT } }));

/** An inspection with an open correction that has changes of all kinds. */
const corrected = async (person: Person) => {
  const inspection = await completed(person);
  const of = { params: { inspection_id: inspection.id } };
  const correction = await as(person).must.post(createCorrection, { ...of, body: { reason: 'Misread' } });
  await saved(person, inspection, { field_id: uuid(3), value: 'fail' });
  await as(person).must.patch(updateInspection, { ...of, body: { start_answers: { site: 'North' } } });
  return { params: { ...of.params, correction_id: correction.id } };
};

/** Requests of the operations on corrections. */
export const scenarios: Scenarios = {
  createCorrection: [
    async (person) => ({
      params: { inspection_id: (await completed(person)).id },
      body: { reason: 'Misread' },
    }),
  ],
  listCorrections: [
    async (person) => {
      const { inspection_id } = (await corrected(person)).params;
      return { params: { inspection_id } };
    },
  ],
  getCorrection: [corrected],
  listCorrectionRevisions: [corrected],
  closeCorrection: [corrected],
  discardCorrection: [corrected],
};

/** Used to read the template's content when it is not in memory any more. */
export const failureGrants: FailureGrants = { closeCorrection: ['table:GetItem'] };
