import { saveAnswers } from './answers.ts';
import type { Client, Resource } from './client.ts';
import { type Action, actionOf, findingOf } from './follow-up.ts';
import type { Form } from './form-3a.ts';
import type { Inspection, Member } from './set-up.ts';

const HOUR_MS = 3_600_000;

interface Contact {
  name: string;
  company: string;
  email: string;
}

/** Has somebody who is no member do the work: they are mailed a link to this one action. */
export const callContractor = async (
  api: Client,
  inspectionId: string,
  form: Form,
  contact: Contact,
): Promise<Action> => {
  const action = await actionOf(api, inspectionId, form, 38);
  await api.patch(`/corrective-actions/${action.id}`, { contact });
  return action;
};

/** Has the contractor also do what the re-inspection has found undone. */
export const orderTiles = async (
  api: Client,
  inspectionId: string,
  form: Form,
  contact: Contact,
): Promise<Action> => {
  const { id } = await findingOf(api, inspectionId, form, 55);
  const title = 'Fit the new tiles in the dish area';
  const due_at = new Date(Date.now() + 14 * 24 * HOUR_MS).toISOString();
  return api.post<Action>(`/findings/${id}/corrective-actions`, { title, due_at, contact });
};

interface AskedAgain {
  section_id: string;
  field_id: string;
  instance_index: number;
  is_asked_again: boolean;
}

/** What the items that failed are like now. All others that are asked again are in order. */
const STILL_OUT = new Map([[55, 'Tiles are ordered; the floor is dry.']]);

/**
 * Inspects what has failed once more, as an app does that was offline for an hour.
 * @param inspector the client that acts for the member who does it
 * @param member nobody when the client acts for itself, as in the first inspection
 */
export const inspectAgain = async (
  api: Client,
  inspector: Client,
  member: Member | undefined,
  inspectionId: string,
  form: Form,
): Promise<Inspection> => {
  const { id } = await api.post<Resource>(`/inspections/${inspectionId}/reinspection`, {
    scope: 'failed',
    name: 'Re-inspection of what failed',
    ...(member && { participants: [{ user_id: member.user_id }] }),
  });
  await inspector.post(`/inspections/${id}/start`);
  const asked = (await api.get<AskedAgain[]>(`/inspections/${id}/responses`)).filter(
    ({ is_asked_again }) => is_asked_again,
  );
  const client_answered_at = new Date(Date.now() - HOUR_MS).toISOString();
  const { temperature_id, is_safe_id } = form.temperatures;
  await saveAnswers(
    inspector,
    id,
    asked.map(({ section_id, field_id, instance_index }) => {
      const item = form.items.find((each) => each.field_id === field_id);
      const note = STILL_OUT.get(item?.number ?? 0);
      const place = { section_id, field_id, instance_index, client_answered_at };
      if (field_id === temperature_id) return { ...place, value: 3.8 };
      if (field_id === is_safe_id) return { ...place, value: true };
      return note ? { ...place, value: 'out', note } : { ...place, value: 'in' };
    }),
  );
  return inspector.post<Inspection>(`/inspections/${id}/advance`);
};

/** Verifies the actions of an inspection that await it. @returns how many there were */
export const verifyAll = async (api: Client, inspectionId: string): Promise<number> => {
  const path = `/inspections/${inspectionId}/corrective-actions?status=pending_verification`;
  const actions = await api.get<Resource[]>(path);
  for (const { id } of actions) await api.post(`/corrective-actions/${id}/verify`, { note: 'Seen on site.' });
  return actions.length;
};

/** How many of an inspection's findings are resolved. */
export const resolvedFindings = async (api: Client, inspectionId: string): Promise<string> => {
  const findings = await api.get<{ status: string }[]>(`/inspections/${inspectionId}/findings`);
  return `${findings.filter(({ status }) => status === 'resolved').length} of ${findings.length}`;
};
