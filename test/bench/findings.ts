import { v7 as uuidv7 } from 'uuid';
import { startEngines } from '../../infra/local/engines.ts';
import type { Caller } from '../../shared/base/caller.ts';
import { listAll as listAllActions } from '../../shared/db/corrective-actions/lists.ts';
import { listAll as listAllFindings } from '../../shared/db/findings/lists.ts';
import { newFinding } from '../../shared/db/findings/record.ts';
import { newAction } from '../../shared/db/inspection-core/corrective-action-record.ts';
import { inspectionCreation, inspectionRecords } from '../../shared/db/inspection-core/inspection-record.ts';
import { workOf } from '../../shared/db/table/change.ts';
import type { Listing } from '../../shared/db/table/listing.ts';
import { withoutKeys } from '../../shared/db/table/rows.ts';
import { Severity } from '../../shared/schemas/common.ts';
import type { AllCorrectiveActionsQuery } from '../../shared/schemas/corrective-action.ts';
import type { AllFindingsQuery } from '../../shared/schemas/finding.ts';
import { newClient, newInspection, newLocation } from '../inspections/fixtures.ts';
import { newRegion } from '../regions/scenarios.ts';
import { uuid } from '../support/content.ts';
import { newPerson, type Person } from '../support/people.ts';
import { seed } from './seed.ts';
import { compare, heading, line, timed } from './sizes.ts';
import { type Line, print } from './table.ts';
import { callsOf } from './traffic.ts';

/** The numbers of inspections of the two organizations, each with a finding and its action. `--scale` reduces the larger one. */
const ORGANIZATIONS = [1_000, 20_000] as const;
const STORES = 5;
const PAGE = 25;
const OFTEN = [41, 41];
const GOAL = 1.1;
/** Inspections that are held in memory before they are stored. */
const CHUNK = 2_000;

interface Organization {
  person: Person;
  clientId: string;
  storeId: string;
  familyId: string;
  regionId: string;
}

/** An organization with `size` inspections of five stores in turn. They are all open. */
const newOrganization = async (size: number): Promise<Organization> => {
  const person = await newPerson(`Bench of ${size}`);
  const { caller } = person;
  const { id: clientId } = await newClient(person);
  const { id: regionId } = await newRegion(person);
  const stores: string[] = [];
  for (let number = 0; number < STORES; number += 1) stores.push((await newLocation(person, clientId)).id);
  await person.locations.update({ params: { location_id: stores[0]! }, body: { region_id: regionId } });
  const { id } = await newInspection(person, { client_account_id: clientId });
  const like = withoutKeys(await inspectionRecords.get(caller, id));
  const work = workOf(caller);
  for (let first = 0; first < size; first += CHUNK) {
    const items = Array.from({ length: Math.min(CHUNK, size - first) }, (_, index) => {
      const number = first + index;
      const location_id = stores[number % STORES]!;
      const inspection = { ...like, id: uuidv7(), number, name: `Visit ${number}`, location_id };
      const { finding, writes } = newFinding(work, number, inspection, {
        label: 'Loose bolt',
        origin: 'manual',
        severity: Severity.options[number % 4]!,
        field_id: uuid(2 + (number % 3)),
      });
      const action = newAction(work, number, inspection, finding, {
        title: 'Tighten it',
        assignee_id: number % 2 === 0 ? caller.user_id : null,
      });
      return [...inspectionCreation(work, inspection), ...writes, ...action.writes].map(({ item }) => item);
    });
    await seed(items.flat());
  }
  return { person, clientId, storeId: stores[0]!, familyId: like.template_family_id, regionId };
};

/** Reads a page without the request around it, whose number in a minute is limited. */
const pageOf =
  <Query>(list: (caller: Caller, query: Query & { limit: number }) => Promise<Listing<unknown>>) =>
  (queryOf: (organization: Organization) => Query) =>
  async (organization: Organization): Promise<void> => {
    const listed = await list(organization.person.caller, { ...queryOf(organization), limit: PAGE });
    if (!('page' in listed) || listed.page.length !== PAGE) throw new Error('not a whole page');
  };

const findings = pageOf<AllFindingsQuery>(listAllFindings);
const actions = pageOf<AllCorrectiveActionsQuery>(listAllActions);

const READS: Record<string, (organization: Organization) => Promise<void>> = {
  findings: findings(() => ({})),
  'findings of a client': findings(({ clientId }) => ({ client_account_id: [clientId] })),
  'findings at a place': findings(({ storeId }) => ({ location_id: [storeId] })),
  'findings in a region': findings(({ regionId }) => ({ region_id: regionId })),
  'findings of a family': findings(({ familyId }) => ({ template_family_id: [familyId] })),
  'findings of a question': findings(() => ({ field_id: [uuid(2)] })),
  'findings critical and open': findings(() => ({ status: 'open', severity: ['critical'] })),
  'findings at a place, critical': findings(({ storeId }) => ({
    location_id: [storeId],
    severity: ['critical'],
  })),
  actions: actions(() => ({})),
  'actions at a place': actions(({ storeId }) => ({ location_id: [storeId] })),
  'actions of an assignee': actions(({ person }) => ({ assignee_id: [person.caller.user_id] })),
  'actions open': actions(() => ({ status: ['open'] })),
};

/** @param scale a factor for the size of the larger organization */
export const measure = async (scale: number): Promise<void> => {
  process.env['LOG_LEVEL'] = 'silent';
  const engines = await startEngines({ dataDir: null });
  try {
    const [few, most] = ORGANIZATIONS;
    const sizes = [few, Math.max(few, most * scale)];
    const organizations: Organization[] = [];
    for (const size of sizes) organizations.push(await newOrganization(size));
    const lines: Line[] = [];
    for (const [what, read] of Object.entries(READS)) {
      lines.push(line(`${what}, calls`, await callsOf(organizations, read), 1));
      lines.push(line('    ms', await compare(organizations, OFTEN, timed(read)), GOAL));
    }
    print(
      `findings: pages of ${PAGE} across all inspections, each with a finding and an action`,
      heading('inspections in the organization', sizes),
      lines,
      'On the embedded engine. Medians; the sizes are measured in turns.',
    );
  } finally {
    await engines.stop();
  }
};
