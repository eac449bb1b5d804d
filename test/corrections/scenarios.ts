import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { edited, findingsOf, saved } from '../answers/fixtures.ts';
import { answered } from '../certificates/fixtures.ts';
import { advance, newLocation, start, startedInspection } from '../inspections/fixtures.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import type { Person } from '../support/people.ts';
import type { Scenarios } from '../support/scenarios.ts';
import { openCorrection } from './fixtures.ts';

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
  settings: { correction_mode: 'reapprove', approval: { allow_api: true, four_eyes: false } },
};

/** An inspection after its last step. */
const ended = async (person: Person, inspection: Inspection): Promise<Inspection> => {
  const submitted = await advance(person.key, inspection);
  return submitted.status === 'completed'
    ? submitted
    : advance(person.key, inspection, { decision: 'approve' });
};

/** An inspection with a finding that somebody has worked on. */
const completed = async (person: Person, family: object = {}): Promise<Inspection> => {
  const inspection = await startedInspection(person, { family: { content: CONTENT, ...family } });
  await saved(person, inspection, { field_id: uuid(5), value: 'fail' });
  const [finding] = await findingsOf(person, inspection);
  await edited(person, finding!);
  return ended(person, inspection);
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

/**
 * A re-inspection with an open correction, by which something fails that it has resolved in the first one. Something
 * else has a finding in both.
 */
const correctedAgain = async (person: Person, family: object = {}) => {
  const first = await startedInspection(person, { family: { content: CONTENT, ...family } });
  await saved(person, first, { field_id: uuid(3), value: 'fail' });
  await saved(person, first, { field_id: uuid(5), value: 'fail' });
  await ended(person, first);
  const finding_id = (await findingsOf(person, first))[1]!.id;
  const setFinding = (status: string) => person.findings.update({ params: { finding_id }, body: { status } });
  const at = { params: { inspection_id: first.id } };
  const again = await start(person.key, await person.inspections.createReinspection(at));
  await saved(person, again, { field_id: uuid(3), value: 'pass' });
  await setFinding('resolved');
  await saved(person, again, { field_id: uuid(5), value: 'fail' });
  await ended(person, again);
  await setFinding('open');
  const of = { params: { inspection_id: again.id } };
  const { id } = await person.corrections.create({ ...of, body: { reason: 'The wrong door' } });
  await saved(person, again, { field_id: uuid(3), value: 'fail' });
  await saved(person, again, { field_id: uuid(5), value: 'fail', note: 'Bent' });
  return { params: { ...of.params, correction_id: id } };
};

/** The same, awaiting approval. */
const pendingAgain = async (person: Person) => {
  const correction = await correctedAgain(person, REAPPROVED);
  await person.corrections.close(correction);
  return correction;
};

/** An open correction that awaits approval. */
const pending = async (person: Person) => {
  const correction = await corrected(person, REAPPROVED);
  await person.corrections.close(correction);
  return correction;
};

/** An open correction that lets an inspection fail which has issued a certificate, or lets another one pass. */
const certified = async (person: Person, hasPassed: boolean, family: object = {}) => {
  const inspection = await answered(person, hasPassed, family);
  if (inspection.status !== 'completed') await advance(person.key, inspection, { decision: 'approve' });
  const { id } = await openCorrection(person, inspection);
  await saved(person, inspection, { field_id: uuid(2), value: !hasPassed });
  return { params: { inspection_id: inspection.id, correction_id: id } };
};

/** The same, awaiting approval. */
const certifiedPending = async (person: Person, hasPassed: boolean) => {
  const correction = await certified(person, hasPassed, REAPPROVED);
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
  closeCorrection: [
    open,
    (person) => corrected(person, REAPPROVED),
    (person) => correctedAgain(person),
    (person) => certified(person, true),
    (person) => certified(person, false),
  ],
  discardCorrection: [open, pending],
  approveCorrection: [
    pending,
    pendingAgain,
    (person) => certifiedPending(person, true),
    (person) => certifiedPending(person, false),
    async (person) => ({ ...(await pending(person)), body: { comment: 'So it is' } }),
  ],
  requestCorrectionChanges: [
    async (person) => ({ ...(await pending(person)), body: { comment: 'Show the photo' } }),
  ],
  rejectCorrection: [pending],
  decideCorrection: [
    async (person) => ({ ...(await pending(person)), body: { decision: 'approve' } }),
    async (person) => ({ ...(await pendingAgain(person)), body: { decision: 'approve' } }),
    async (person) => ({ ...(await certifiedPending(person, true)), body: { decision: 'approve' } }),
    async (person) => ({ ...(await certifiedPending(person, false)), body: { decision: 'approve' } }),
    async (person) => ({ ...(await pending(person)), body: { decision: 'reject', comment: 'No' } }),
    async (person) => ({
      ...(await pending(person)),
      body: { decision: 'request_changes', comment: 'Show the photo' },
    }),
  ],
};
