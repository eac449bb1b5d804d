import type { Activity, CorrectiveAction } from '../../shared/schemas/corrective-action.ts';
import type { Finding } from '../../shared/schemas/finding.ts';
import { startedInspection } from '../inspections/fixtures.ts';
import { as } from '../support/call.ts';
import type { Person } from '../support/people.ts';

type At = { id: string };
/** Somebody with an API key, who sends a request. */
type As = Pick<Person, 'key'>;

/** A finding of this inspection, or of a new started one. */
export const newFinding = async (person: Person, body: object = {}, inspection?: At): Promise<Finding> => {
  const { id } = inspection ?? (await startedInspection(person));
  return person.findings.create({
    params: { inspection_id: id },
    body: { label: 'Loose bolt', ...body },
  });
};

/** A corrective action of this finding, or of a new one. */
export const newAction = async (
  person: Person,
  body: object = {},
  finding?: At,
): Promise<CorrectiveAction> => {
  const { id } = finding ?? (await newFinding(person));
  return person.correctiveActions.create({
    params: { finding_id: id },
    body: { title: 'Tighten it', ...body },
  });
};

export const patch = ({ key }: As, { id }: At, body: object, headers: Record<string, string> = {}) =>
  as(key).try.correctiveActions.update({ params: { ca_id: id }, body, headers });

/** Moves an action through these statuses. */
export const moveThrough = async (
  { key }: As,
  action: At,
  ...statuses: CorrectiveAction['status'][]
): Promise<CorrectiveAction> => {
  let current;
  for (const status of statuses) {
    current = await as(key).correctiveActions.update({
      params: { ca_id: action.id },
      body: { status },
    });
  }
  return current;
};

/** An action that awaits verification. */
export const completedAction = async (person: Person, body: object = {}): Promise<CorrectiveAction> =>
  moveThrough(person, await newAction(person, body), 'in_progress', 'pending_verification');

export const actionOf = ({ key }: As, { id }: At): Promise<CorrectiveAction> =>
  as(key).correctiveActions.get({ params: { ca_id: id } });

export const findingOf = ({ key }: As, id: string): Promise<Finding> =>
  as(key).findings.get({ params: { finding_id: id } });

export const historyOf = ({ key }: As, { id }: At, query = {}): Promise<Activity[]> =>
  as(key).correctiveActions.listActivity({ params: { ca_id: id }, query });

export const attach = ({ key }: As, { id }: At, document_id: string, body: object = {}) =>
  as(key).try.correctiveActions.createAttachment({ params: { ca_id: id }, body: { document_id, ...body } });
