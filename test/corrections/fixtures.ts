import type { Caller } from '../../shared/base/caller.ts';
import type { CorrectionStep } from '../../shared/domain/inspections/corrections.ts';
import * as corrections from '../../shared/inspections/corrections/corrections.ts';
import type { Correction, Revision, RevisionPage } from '../../shared/schemas/inspections/correction.ts';
import type { Person } from '../support/people.ts';

export const of = ({ id }: { id: string }) => ({ params: { inspection_id: id } });

export const at = (correction: Correction) => ({
  params: { inspection_id: correction.inspection_id, correction_id: correction.id },
});

export const openCorrection = (person: Person, inspection: { id: string }): Promise<Correction> =>
  person.corrections.create({ ...of(inspection), body: { reason: 'Misread' } });

export const closeOf = (person: Person, correction: Correction) =>
  person.try.corrections.close(at(correction));

export const patchOf = (person: Person, inspection: { id: string }, body: object) =>
  person.try.inspections.update({ ...of(inspection), body });

export const revisionsOf = async (
  person: Person,
  correction: Correction,
  query: Record<string, boolean> = {},
): Promise<Revision[]> => {
  const page: RevisionPage = await person.corrections.listRevisions({ ...at(correction), query });
  return page.items;
};

/** Takes a step of a correction, without a request. */
export const take = (
  caller: Caller,
  { inspection_id, id }: Correction,
  step: CorrectionStep,
): Promise<Correction> => {
  const decided = { inspection_id, correction_id: id, comment: 'So it is' };
  switch (step) {
    case 'close':
      return corrections.close(caller, inspection_id, id);
    case 'discard':
      return corrections.discard(caller, inspection_id, id);
    case 'approve':
      return corrections.approve(caller, decided);
    case 'reject':
      return corrections.reject(caller, decided);
    case 'request_changes':
      return corrections.requestChanges(caller, decided);
  }
};
