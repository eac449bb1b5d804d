import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { edited, findingsOf, saved } from '../answers/fixtures.ts';
import { advance, newLocation, startedInspection } from '../inspections/fixtures.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import type { Person } from '../support/people.ts';
import type { Scenarios } from '../support/scenarios.ts';

const CONTENT = {
  ...contentWith(
    field(2),
    field(3, 'pass_fail_na', { finding: { create: 'auto', corrective_action: { title: 'Mend it' } } }),
    field(4, 'text', { visible_if: { start_key: 'site', op: 'not_empty' } }),
    field(5, 'pass_fail_na', { finding: { create: 'auto' } }),
  ),
  start: { fields: [{ key: 'site', type: 'text', label: 'Site' }] },
};

/** Corrections have to be approved, which keys may do. */
const REAPPROVED = {
  requires_approval: true,
  settings: { correction_mode: 'reapprove', approval: { allow_api: true } },
};

/** An inspection with a finding that somebody has worked on. */
const completed = async (person: Person, family: object = {}): Promise<Inspection> => {
  const inspection = await startedInspection(person, { family: { content: CONTENT, ...family } });
  await saved(person, inspection, { field_id: uuid(5), value: 'fail' });
  const [finding] = await findingsOf(person, inspection);
  await edited(person, finding!);
  const submitted = await advance(person.key, inspection);
  if (submitted.status === 'completed') return submitted;
  return advance(person.key, inspection, { decision: 'approve' });
};

/** An inspection with an open correction that has changes of all kinds. */
const corrected = async (person: Person, family: object = {}) => {
  const inspection = await completed(person, family);
  const of = { params: { inspection_id: inspection.id } };
  const correction = await person.corrections.create({ ...of, body: { reason: 'Misread' } });
  await saved(person, inspection, { field_id: uuid(3), value: 'fail' });
  await saved(person, inspection, { field_id: uuid(5), value: 'pass' });
  const { id: location_id } = await newLocation(person);
  await person.inspections.update({
    ...of,
    body: { start_answers: { site: 'North' }, location_id },
  });
  await person.findings.create({ ...of, body: { label: 'Missed' } });
  return { params: { ...of.params, correction_id: correction.id } };
};

const open = (person: Person) => corrected(person);

/** The same, awaiting approval. */
const pending = async (person: Person) => {
  const correction = await corrected(person, REAPPROVED);
  await person.corrections.close(correction);
  return correction;
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
      const { inspection_id } = (await open(person)).params;
      return { params: { inspection_id } };
    },
  ],
  getCorrection: [open],
  listCorrectionRevisions: [
    open,
    async (person) => ({ ...(await open(person)), query: { include_start: true, include_setup: true } }),
  ],
  closeCorrection: [open, (person) => corrected(person, REAPPROVED)],
  discardCorrection: [open, pending],
  approveCorrection: [
    pending,
    async (person) => ({ ...(await pending(person)), body: { comment: 'So it is' } }),
  ],
  requestCorrectionChanges: [
    async (person) => ({ ...(await pending(person)), body: { comment: 'Show the photo' } }),
  ],
  rejectCorrection: [pending],
};
