import { v7 as uuidv7 } from 'uuid';
import { startEngines } from '../../infra/local/engines.ts';
import type { Caller } from '../../shared/base/caller.ts';
import { listAll as listAllActions } from '../../shared/inspections/corrective-actions/lists.ts';
import { listAll as listAllFindings } from '../../shared/inspections/findings/lists.ts';
import { newFinding } from '../../shared/inspections/findings/records.ts';
import { list as listInspections } from '../../shared/inspections/lists.ts';
import { newAction } from '../../shared/inspections/rows/corrective-action-records.ts';
import { inspectionCreation, inspectionRecords } from '../../shared/inspections/rows/inspection-records.ts';
import { Severity } from '../../shared/schemas/common.ts';
import type { AllCorrectiveActionsQuery } from '../../shared/schemas/corrective-action.ts';
import type { AllFindingsQuery } from '../../shared/schemas/finding.ts';
import { workOf } from '../../shared/table/change.ts';
import type { Listing } from '../../shared/table/listing.ts';
import { withoutKeys } from '../../shared/table/rows.ts';
import type { Write } from '../../shared/table/writes.ts';
import { newAsset } from '../assets/scenarios.ts';
import { newClient, newInspection, newLocation } from '../inspections/fixtures.ts';
import { newRegion } from '../regions/scenarios.ts';
import { uuid } from '../support/content.ts';
import { newPerson, type Person } from '../support/people.ts';
import { putRows } from './put-rows.ts';
import { heading, line } from './sizes.ts';
import { type Line, print } from './table.ts';
import { traffic } from './traffic.ts';

/** The numbers of inspections of the organizations, each with a finding and its action. `--scale` reduces the larger ones. */
const ORGANIZATIONS = [1_000, 20_000, 200_000] as const;
const STORES = 5;
const PAGE = 25;
const GOAL = 1.1;
/** Inspections that are held in memory before they are stored. */
const CHUNK = 500;
const HOUR_MS = 3_600_000;

interface Organization {
  person: Person;
  clientId: string;
  storeId: string;
  familyId: string;
  regionId: string;
  assetId: string;
}

/** An organization with `size` inspections of five stores in turn. They are all open. */
const newOrganization = async (size: number): Promise<Organization> => {
  const person = await newPerson(`Bench of ${size}`);
  const { caller } = person;
  const { id: clientId } = await newClient(person);
  const { id: regionId } = await newRegion(person);
  const { id: assetId } = await newAsset(person);
  const stores: string[] = [];
  for (let number = 0; number < STORES; number += 1) stores.push((await newLocation(person, clientId)).id);
  await person.locations.update({ params: { location_id: stores[0]! }, body: { region_id: regionId } });
  const { id } = await newInspection(person, { client_account_id: clientId });
  const like = withoutKeys(await inspectionRecords.get(caller, id));
  const work = workOf(caller);
  const now = Date.parse(work.now);
  const writesOf = (number: number): Write[] => {
    const inspection = {
      ...like,
      id: uuidv7(),
      number,
      name: `Visit ${number}`,
      location_id: stores[number % STORES]!,
      asset_id: number % 2 === 0 ? assetId : null,
      tags: number % 2 === 0 ? ['shop'] : [],
      due_at: new Date(now + ((number % 1_000) - 500) * HOUR_MS).toISOString(),
    };
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
    return [...inspectionCreation(work, inspection), ...writes, ...action.writes];
  };
  for (let first = 0; first < size; first += CHUNK) {
    const numbers = Array.from({ length: Math.min(CHUNK, size - first) }, (_, index) => first + index);
    await putRows(numbers.flatMap(writesOf));
  }
  return { person, clientId, storeId: stores[0]!, familyId: like.template_family_id, regionId, assetId };
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
const inspections = pageOf<Parameters<typeof listInspections>[1]>(listInspections);

const READS: Record<string, (organization: Organization) => Promise<void>> = {
  inspections: inspections(() => ({})),
  'inspections of a client': inspections(({ clientId }) => ({ client_account_id: [clientId] })),
  'inspections at a place': inspections(({ storeId }) => ({ location_id: [storeId] })),
  'inspections of a family': inspections(({ familyId }) => ({ template_family_id: [familyId] })),
  'inspections of an asset': inspections(({ assetId }) => ({ asset_id: [assetId] })),
  'inspections with a tag': inspections(() => ({ tag: ['shop'] })),
  'inspections scheduled': inspections(() => ({ status: ['scheduled'] })),
  'inspections by their due dates': inspections(() => ({ sort: 'due_at' })),
  findings: findings(() => ({})),
  'findings of a client': findings(({ clientId }) => ({ client_account_id: [clientId] })),
  'findings at a place': findings(({ storeId }) => ({ location_id: [storeId] })),
  'findings in a region': findings(({ regionId }) => ({ region_id: regionId })),
  'findings of a family': findings(({ familyId }) => ({ template_family_id: [familyId] })),
  'findings of an asset': findings(({ assetId }) => ({ asset_id: [assetId] })),
  'findings of a question': findings(() => ({ field_id: [uuid(2)] })),
  'findings critical and open': findings(() => ({ status: ['open'], severity: ['critical'] })),
  'findings at a place, critical': findings(({ storeId }) => ({
    location_id: [storeId],
    severity: ['critical'],
  })),
  actions: actions(() => ({})),
  'actions at a place': actions(({ storeId }) => ({ location_id: [storeId] })),
  'actions of an asset': actions(({ assetId }) => ({ asset_id: [assetId] })),
  'actions of an assignee': actions(({ person }) => ({ assignee_id: [person.caller.user_id] })),
  'actions open': actions(() => ({ status: ['open'] })),
};

/** @param scale a factor for the sizes of the larger organizations */
export const measure = async (scale: number): Promise<void> => {
  process.env['LOG_LEVEL'] = 'silent';
  const engines = await startEngines({ dataDir: null });
  try {
    const [few, ...more] = ORGANIZATIONS;
    const sizes = [few, ...more.map((size) => Math.max(few, size * scale))];
    const organizations: Organization[] = [];
    for (const size of sizes) organizations.push(await newOrganization(size));
    const lines: Line[] = [];
    for (const [what, read] of Object.entries(READS)) {
      const seen = [];
      for (const organization of organizations) seen.push(await traffic(() => read(organization)));
      lines.push(
        line(
          `${what}, calls`,
          seen.map(({ calls }) => calls),
          1,
        ),
        line(
          '    bytes',
          seen.map(({ bytes }) => bytes),
          GOAL,
        ),
      );
    }
    print(
      `findings: pages of ${PAGE} across all inspections, each with a finding and an action`,
      heading('inspections in the organization', sizes),
      lines,
      'DynamoDB calls of a page, and the bytes of their replies. They do not depend on the machine.',
    );
  } finally {
    await engines.stop();
  }
};
