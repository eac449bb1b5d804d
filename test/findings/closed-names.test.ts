import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { actionOf, findingOf, moveThrough, newAction, newFinding } from '../corrective-actions/fixtures.ts';
import { newClient, newLocation, startedInspection } from '../inspections/fixtures.ts';
import { issueIn, issueOf, patch as patchIssue } from '../issues/fixtures.ts';
import { newPerson, type Person } from '../support/people.ts';

let ana: Person;
let client: { id: string };
let flat: { id: string };
let inspection: Inspection;

beforeEach(async () => {
  ana = await newPerson('Ana');
  client = await newClient(ana, 'Acme');
  const tower = await newLocation(ana, client.id);
  flat = await ana.locations.create({
    body: { name: 'Flat 41', client_account_id: client.id, parent_id: tower.id },
  });
  inspection = await startedInspection(ana, { location_id: flat.id });
});

const renameAll = async () => {
  await ana.clientAccounts.update({ params: { ca_id: client.id }, body: { name: 'Zenith' } });
  await ana.locations.update({ params: { location_id: flat.id }, body: { name: 'Flat 99' } });
  await ana.me.updateMyProfile({ body: { name: 'Ana Maria' } });
};

const THEN = {
  client: { name: 'Acme', current_name: 'Zenith' },
  location: { name: 'Flat 41', path: ['Yard'], current_name: 'Flat 99' },
  people: [{ name: 'Ana', current_name: 'Ana Maria' }],
};

test('a finding and an action keep the names of when they were closed, until they are opened again', async () => {
  const finding = await newFinding(ana, {}, inspection);
  expect(finding.names_then).toBeNull();
  const action = await newAction(ana, { assignee_id: ana.caller.user_id }, finding);
  await moveThrough(ana, action, 'in_progress', 'pending_verification');
  const at = { ca_id: action.id };
  await ana.correctiveActions.verify({ params: at, body: { resolve_finding: true } });
  await renameAll();

  expect(await findingOf(ana, finding.id)).toMatchObject({ status: 'resolved', names_then: THEN });
  expect(await actionOf(ana, action)).toMatchObject({ status: 'verified', names_then: THEN });
  const of = { params: { inspection_id: inspection.id } };
  expect(await ana.findings.list(of)).toMatchObject([{ names_then: THEN }]);
  expect(await ana.correctiveActions.list(of)).toMatchObject([{ names_then: THEN }]);
  const payload = await ana.reports.getPayload(of);
  expect(payload['findings']).toMatchObject([
    { corrective_actions: [{ assignee_name: 'Ana', verified_by_name: 'Ana' }] },
  ]);

  await ana.findings.update({ params: { finding_id: finding.id }, body: { status: 'open' } });
  await ana.correctiveActions.reopen({ params: at, body: { reason: 'Loose again' } });
  expect((await findingOf(ana, finding.id)).names_then).toBeNull();
  expect((await actionOf(ana, action)).names_then).toBeNull();
});

test('an action that was carried out on the spot keeps its names, and its finding does', async () => {
  const finding = await newFinding(ana, {}, inspection);
  const action = await ana.correctiveActions.create({
    params: { finding_id: finding.id },
    body: { title: 'Tighten it', completed_on_site: true },
  });
  await renameAll();
  expect(await actionOf(ana, action)).toMatchObject({ status: 'verified', names_then: THEN });
  expect(await findingOf(ana, finding.id)).toMatchObject({ status: 'resolved', names_then: THEN });
});

test('an issue keeps the names of when it was resolved, and gets those of what it names later', async () => {
  const issue = await issueIn(ana, 'resolved', { location_id: flat.id });
  await renameAll();
  await patchIssue(ana, issue, { status: 'closed' });
  expect(await issueOf(ana, issue)).toMatchObject({ names_then: THEN });
  expect(await ana.issues.list({})).toMatchObject([{ names_then: THEN }]);

  const yard = await newLocation(ana, client.id);
  await patchIssue(ana, issue, { location_id: yard.id });
  const { names_then } = await issueOf(ana, issue);
  expect(names_then).toMatchObject({ client: THEN.client, location: { name: 'Yard' }, people: THEN.people });

  await patchIssue(ana, issue, { status: 'in_progress', note: 'Wet again' });
  expect((await issueOf(ana, issue)).names_then).toBeNull();
});
