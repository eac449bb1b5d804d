import * as createAttachment from '../../functions/corrective-actions/create-corrective-action-attachment.ts';
import * as createCorrectiveAction from '../../functions/corrective-actions/create-corrective-action.ts';
import * as getCorrectiveAction from '../../functions/corrective-actions/get-corrective-action.ts';
import * as listActivity from '../../functions/corrective-actions/list-corrective-action-activity.ts';
import * as updateCorrectiveAction from '../../functions/corrective-actions/update-corrective-action.ts';
import * as createFinding from '../../functions/findings/create-finding.ts';
import * as getFinding from '../../functions/findings/get-finding.ts';
import type { Activity, CorrectiveAction } from '../../shared/schemas/corrective-action.ts';
import type { Finding } from '../../shared/schemas/finding.ts';
import { begun } from '../inspections/fixtures.ts';
import { call, made } from '../support/call.ts';
import type { Person } from '../support/people.ts';

type At = { id: string };
/** Whoever sends a request: a key will do. */
type As = Pick<Person, 'key'>;

/** A finding of an inspection, of a started one of its own unless it is named. */
export const newFinding = async (person: Person, body: object = {}, inspection?: At): Promise<Finding> => {
  const { id } = inspection ?? (await begun(person));
  return made(createFinding, {
    as: person.key,
    params: { inspection_id: id },
    body: { label: 'Loose bolt', ...body },
  });
};

/** An action on a finding, on one of its own unless it is named. */
export const newAction = async (
  person: Person,
  body: object = {},
  finding?: At,
): Promise<CorrectiveAction> => {
  const { id } = finding ?? (await newFinding(person));
  return made(createCorrectiveAction, {
    as: person.key,
    params: { finding_id: id },
    body: { title: 'Tighten it', ...body },
  });
};

export const patch = ({ key }: As, { id }: At, body: object, headers: Record<string, string> = {}) =>
  call(updateCorrectiveAction, { as: key, params: { ca_id: id }, body, headers });

/** An action as it is once it has gone through these statuses. */
export const moved = async (
  { key }: As,
  action: At,
  ...statuses: CorrectiveAction['status'][]
): Promise<CorrectiveAction> => {
  let reached;
  for (const status of statuses) {
    reached = await made(updateCorrectiveAction, { as: key, params: { ca_id: action.id }, body: { status } });
  }
  return reached;
};

/** An action that awaits verification. */
export const completedAction = async (person: Person, body: object = {}): Promise<CorrectiveAction> =>
  moved(person, await newAction(person, body), 'in_progress', 'pending_verification');

export const actionOf = ({ key }: As, { id }: At): Promise<CorrectiveAction> =>
  made(getCorrectiveAction, { as: key, params: { ca_id: id } });

export const findingOf = ({ key }: As, id: string): Promise<Finding> =>
  made(getFinding, { as: key, params: { finding_id: id } });

export const historyOf = ({ key }: As, { id }: At, query = {}): Promise<Activity[]> =>
  made(listActivity, { as: key, params: { ca_id: id }, query });

export const attach = ({ key }: As, { id }: At, document_id: string, body: object = {}) =>
  call(createAttachment, { as: key, params: { ca_id: id }, body: { document_id, ...body } });
