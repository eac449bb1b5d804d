import { type Answer, saveAnswers, uploadPhoto } from './answers.ts';
import type { Client, Resource } from './client.ts';
import type { Form } from './form-3a.ts';
import { inspectorOf } from './set-up.ts';

interface Finding extends Resource {
  field_id: string | null;
}

export interface Action extends Resource {
  title: string;
}

/** The finding that a violation of the item has made. */
export const findingOf = async (
  api: Client,
  inspectionId: string,
  form: Form,
  number: number,
): Promise<Finding> => {
  const findings = await api.get<Finding[]>(`/inspections/${inspectionId}/findings`);
  const { field_id } = form.items.find((item) => item.number === number)!;
  return findings.find((finding) => finding.field_id === field_id)!;
};

/** The corrective action that this finding has started. */
export const actionOf = async (
  api: Client,
  inspectionId: string,
  form: Form,
  number: number,
): Promise<Action> => {
  const { id } = await findingOf(api, inspectionId, form, number);
  const [action] = await api.get<Action[]>(
    `/inspections/${inspectionId}/corrective-actions?finding_id=${id}`,
  );
  return action!;
};

/** Says why the cooler was too warm, and what is to be done about it. */
export const describeFinding = async (api: Client, inspectionId: string, form: Form): Promise<void> => {
  const { id } = await findingOf(api, inspectionId, form, 22);
  await api.patch(`/findings/${id}/content`, {
    root_cause: 'The door gasket is torn, so the compressor no longer keeps the temperature.',
    recommendation: 'Replace the gasket, and log the temperature of the cooler twice a day.',
  });
};

/** Carries out the repair that the finding asks for, with a photo of before and after, and verifies it. */
export const repairCooler = async (api: Client, inspectionId: string, form: Form): Promise<Action> => {
  const action = await actionOf(api, inspectionId, form, 22);
  const path = `/corrective-actions/${action.id}`;
  for (const [stage, caption, seed] of [
    ['before', 'Torn door gasket', 21],
    ['after', 'New gasket, shelves in order', 22],
  ] as const) {
    const { document_id } = await uploadPhoto(api, { seed, caption, isTidy: stage === 'after' });
    await api.post(`${path}/attachments`, { document_id, stage, caption });
  }
  await api.patch(path, { status: 'in_progress' });
  await api.patch(path, {
    status: 'pending_verification',
    completion_note: 'Gasket replaced. The cooler holds 3.8 °C.',
  });
  await api.post(`${path}/verify`, { note: 'Checked on site.' });
  return action;
};

/** Assigns the action for item 38 to a colleague, or to the caller when there is none. @returns it and the name */
export const assignPestControl = async (
  api: Client,
  inspectionId: string,
  form: Form,
): Promise<Action & { assignee: string }> => {
  const action = await actionOf(api, inspectionId, form, 38);
  const { user_id, name } = await inspectorOf(api);
  await api.patch(`/corrective-actions/${action.id}`, { assignee_id: user_id });
  return { ...action, assignee: name };
};

/**
 * Corrects an answer and a start answer after the inspection is completed, and resolves the finding that the answer had
 * made. @returns how many changes were made
 */
export const correctAnswers = async (api: Client, inspectionId: string, form: Form): Promise<number> => {
  const path = `/inspections/${inspectionId}/corrections`;
  const { id } = await api.post<Resource>(path, {
    reason:
      'The label of the spray bottle was on its back, as the photo shows. The risk category was out of date.',
  });
  const { section_id, field_id } = form.items.find(({ number }) => number === 28)!;
  const answers = await api.get<Answer[]>(`/inspections/${inspectionId}/responses?section_id=${section_id}`);
  const { media } = answers.find((answer) => answer.field_id === field_id)!;
  await saveAnswers(api, inspectionId, [
    { section_id, field_id, value: 'in', note: 'The bottle is labelled on its back.', media: media ?? [] },
  ]);
  await api.patch(`/inspections/${inspectionId}`, { start_answers: { risk_category: 4 } });
  const finding = await findingOf(api, inspectionId, form, 28);
  const { revisions_count } = await api.post<{ revisions_count: number }>(`${path}/${id}/close`);
  await api.patch(`/findings/${finding.id}`, { status: 'resolved' });
  return revisions_count;
};
