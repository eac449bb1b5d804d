import { join } from 'node:path';
import { type KeyEntry, ROOT } from '../../infra/catalogue.ts';
import { call } from '../support/call.ts';
import { newPerson } from '../support/people.ts';
import { scenariosOf } from '../support/scenarios.ts';

/**
 * Operations that together send the table calls of most forms that there are. A form is a command with its indexes,
 * limits and returned values, the shape of its key, filter, update and condition expressions, the types of its values,
 * and the size of its transaction. An engine may refuse a form, whatever operation sends it.
 */
const OPERATIONS = [
  'answers/confirm-answers',
  'answers/create-instance',
  'assets/decommission-asset',
  'assets/delete-asset-kind',
  'certificates/list-certificates',
  'corrections/approve-correction',
  'corrective-actions/create-corrective-action-batch',
  'documents/complete-upload',
  'findings/create-finding',
  'findings/list-all-findings',
  'inspections/advance-inspection',
  'inspections/summarize-inspections',
  'inspections/update-inspection',
  'locations/merge-location',
  'notifications/list-my-notifications',
  'reports/create-report',
  'schedules/create-schedule-override-batch',
  'templates/families/delete-family',
  'templates/versions/publish-template',
  'webhooks/create-webhook',
];

test.each(OPERATIONS)('%s succeeds for each of its valid requests', async (name) => {
  const entry = jest.requireActual<Pick<KeyEntry, 'operation' | 'handler'>>(
    join(ROOT, `functions/${name}.ts`),
  );
  const { id, success, existing = success } = entry.operation;
  const { scenarios } = scenariosOf(name.split('/')[0]!);
  const person = await newPerson(id);
  for (const scenario of scenarios[id]!) {
    const { status, body } = await call(entry, { as: person.key, ...(await scenario(person)) });
    // The body is compared too, so that a failure shows it.
    expect({ status, body }).toEqual({ status: status === existing ? existing : success, body });
  }
});
