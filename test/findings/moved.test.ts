import { moveFindings } from '../../shared/inspections/findings/repeats.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { answering, RAIL, save } from '../answers/fixtures.ts';
import { newFinding, patch } from '../corrective-actions/fixtures.ts';
import { newClient, start } from '../inspections/fixtures.ts';
import { drain } from '../support/drain.ts';
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
  'another action': ({ finding }) =>
    org.correctiveActions.create({ params: { finding_id: finding.id }, body: { title: 'Replace it' } }),
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

/** An inspection that an issue has led to. */
interface Visit {
  inspection_id: string;
  issue_id: string;
}

/** What makes a finding of an inspection. */
const FINDS: Record<string, (person: Person, visit: Visit) => Promise<unknown>> = {
  'a finding that somebody writes': (person, { inspection_id }) =>
    person.findings.create({ params: { inspection_id }, body: { label: 'Rust' } }),
  'an answer that fails': (person, { inspection_id: id }) =>
    save(person, { id }, { field_id: RAIL, value: 'fail' }),
  'an action for an issue': (person, { issue_id }) =>
    person.issues.createCorrectiveAction({ params: { issue_id }, body: { title: 'Paint it' } }),
};

test.each(Object.keys(FINDS))('%s while the inspection moves, and the other way round', async (name) => {
  const person = await newPerson('Finder');
  const [from, to] = [await newClient(person, 'Former'), await newClient(person, 'Present')];
  const { template_family_id } = await answering(person);
  const find = (visit: Visit) => FINDS[name]!(person, visit);
  const move = ({ inspection_id }: Visit) =>
    person.inspections.update({ params: { inspection_id }, body: { client_account_id: to.id } });
  const prepare = async (): Promise<Visit> => {
    const { id: issue_id } = await person.issues.create({ body: { title: 'Rust' } });
    const { id: inspection_id } = await person.issues.createInspection({
      params: { issue_id },
      body: { template_family_id, client_account_id: from.id },
    });
    await start(person.key, { id: inspection_id });
    return { inspection_id, issue_id };
  };
  const places = [
    await between({ prepare, work: find, act: move, check: async () => {} }),
    await between({ prepare, work: move, act: find, check: async () => {} }),
  ];
  expect(Math.min(...places)).toBeGreaterThan(1);
  const checked = await checkOrganization(person.caller, { repair: false });
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
