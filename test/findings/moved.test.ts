import { moveFindings } from '../../shared/db/findings/repeats.ts';
import { checkOrganization } from '../../shared/db/upkeep/consistency/check.ts';
import { newFinding, patch } from '../corrective-actions/fixtures.ts';
import { newClient } from '../inspections/fixtures.ts';
import { drain } from '../releases/drain.ts';
import { between, installFaults } from '../support/faults.ts';
import { waitingEvents } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';

installFaults();

let org: Person;
let former: { id: string };
let present: { id: string };

beforeAll(async () => {
  org = await newPerson('Org');
  former = await newClient(org, 'Former');
  present = await newClient(org, 'Present');
});

/** A finding of an inspection for the former client, and an action of it. */
const prepare = async () => {
  const finding = await newFinding(org);
  const inspection_id = finding.inspection_id;
  await org.inspections.update({ params: { inspection_id }, body: { client_account_id: former.id } });
  const params = { finding_id: finding.id };
  const action = await org.correctiveActions.create({ params, body: { title: 'Paint it' } });
  return { finding, inspection_id, action };
};

type Found = Awaited<ReturnType<typeof prepare>>;

const WORK: Record<string, (found: Found) => Promise<unknown>> = {
  'a new severity': ({ finding }) =>
    org.findings.update({ params: { finding_id: finding.id }, body: { severity: 'major' } }),
  'a new title of the action': ({ action }) => patch(org, action, { title: 'Paint it red' }),
  'the same client again': ({ inspection_id }) =>
    org.inspections.update({ params: { inspection_id }, body: { client_account_id: former.id } }),
};

test.each(Object.keys(WORK))('%s while the inspection moves to another client', async (name) => {
  const places = await between({
    prepare,
    work: WORK[name]!,
    act: ({ inspection_id }) =>
      org.inspections.update({ params: { inspection_id }, body: { client_account_id: present.id } }),
    check: async () => {},
  });
  expect(places).toBeGreaterThan(2);
  // Looks at all of them: the lists of either client have what belongs there.
  const checked = await checkOrganization(org.caller, { repair: false });
  expect(checked).toMatchObject({ unsettled: 0, differences: [] });
});

test('an action that follows its inspection to another client says so, and is found as changed', async () => {
  const { inspection_id, action } = await prepare();
  await drain(org.caller);
  await org.inspections.update({ params: { inspection_id }, body: { client_account_id: present.id } });
  await moveFindings(org.caller, inspection_id);
  const after = await org.correctiveActions.get({ params: { ca_id: action.id } });
  expect(after).toEqual({ ...action, client_account_id: present.id, updated_at: after.updated_at });
  expect(after.updated_at > action.updated_at).toBe(true);
  const told = (await waitingEvents(org.caller)).filter(({ type }) => type === 'corrective_action.updated');
  expect(told.map(({ data }) => data)).toEqual([after]);
});
