import * as getAsset from '../../functions/assets/get-asset.ts';
import * as getBulkChange from '../../functions/bulk-changes/get-bulk-change.ts';
import * as getCertificate from '../../functions/certificates/get-certificate.ts';
import * as getClientAccount from '../../functions/client-accounts/get-client-account.ts';
import * as getCorrectiveAction from '../../functions/corrective-actions/get-corrective-action.ts';
import * as getDocument from '../../functions/documents/get-document.ts';
import * as getFinding from '../../functions/findings/get-finding.ts';
import * as getInspection from '../../functions/inspections/get-inspection.ts';
import * as getConnection from '../../functions/integrations/get-connection.ts';
import * as getSource from '../../functions/integrations/get-source.ts';
import * as getIssue from '../../functions/issues/get-issue.ts';
import * as getLocation from '../../functions/locations/get-location.ts';
import * as getMember from '../../functions/members/get-member.ts';
import * as getRegion from '../../functions/regions/get-region.ts';
import * as getSchedule from '../../functions/schedules/get-schedule.ts';
import * as getFamily from '../../functions/templates/families/get-family.ts';
import * as getTemplate from '../../functions/templates/versions/get-template.ts';
import type { KeyEntry } from '../../infra/catalogue.ts';
import { call, type Endpoint } from '../support/call.ts';
import { operationEntries } from '../support/catalogue.ts';
import { waitingEvents } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { scenariosOf } from '../support/scenarios.ts';

jest.mock('../../shared/reports/pdf/render-pdf.ts', () => jest.requireActual('../support/undrawn.ts'));

type Data = Record<string, unknown>;

/** How a resource is read: with its id as a parameter of its GET, and the fields that its events leave out. */
interface Resource {
  get: Endpoint;
  param: string;
  /** The field of the data that holds the id; `id` when left out. */
  id?: string;
  omitted?: string[];
}

const RESOURCES: Record<string, Resource> = {
  client_account: { get: getClientAccount, param: 'ca_id', omitted: ['digest_mail', 'locations_count'] },
  region: { get: getRegion, param: 'region_id', omitted: ['path'] },
  location: { get: getLocation, param: 'location_id', omitted: ['path'] },
  asset: { get: getAsset, param: 'asset_id' },
  certificate: { get: getCertificate, param: 'certificate_id' },
  document: { get: getDocument, param: 'document_id', omitted: ['download_url'] },
  member: { get: getMember, param: 'user_id', id: 'user_id' },
  template: { get: getFamily, param: 'family_id' },
  draft: { get: getTemplate, param: 'template_id', omitted: ['content'] },
  inspection: { get: getInspection, param: 'inspection_id' },
  finding: { get: getFinding, param: 'finding_id', omitted: ['repeat'] },
  corrective_action: { get: getCorrectiveAction, param: 'ca_id' },
  connection: { get: getConnection, param: 'connection_id' },
  source: { get: getSource, param: 'source_id' },
  issue: { get: getIssue, param: 'issue_id' },
  schedule: { get: getSchedule, param: 'schedule_id', omitted: ['paused_reason'] },
  bulk_change: { get: getBulkChange, param: 'bulk_change_id' },
};

/** Types whose data is no resource that a GET by id shows. They have tests of their own. */
const OTHERS = new Set(['inspection.answers_saved', 'corrective_action.commented']);

const nameOf = (type: string, data: Data): string => {
  if (type === 'template.published' || 'family_id' in data) return 'draft';
  return type.split('.')[0]!;
};

/** The present names beside those that a closed resource has kept are read from other rows. */
const withoutCurrentName = (name: string, value: unknown): unknown =>
  name === 'current_name' ? undefined : value;

const shownBy = async (
  person: Person,
  { get, param, omitted = [] }: Resource,
  id: string,
): Promise<Data | undefined> => {
  const { status, body } = await call(get, { as: person.key, params: { [param]: id } });
  if (status !== 200) return undefined;
  const left = Object.fromEntries(Object.entries(body as Data).filter(([field]) => !omitted.includes(field)));
  return JSON.parse(JSON.stringify(left), withoutCurrentName) as Data;
};

/** What GET shows of the data of an event. */
const compared = (type: string, data: Data): Data => {
  const { correction_id: _, ...inspection } = data;
  return type === 'inspection.corrected' ? inspection : data;
};

const emitting = operationEntries().filter(({ recorded }) => recorded?.events?.length);

/** What the resources that a request names show before it, by their ids. */
const shownBefore = async (person: Person, params: Record<string, string> = {}) => {
  const shown = new Map<string, Data>();
  for (const resource of Object.values(RESOURCES)) {
    const id = params[resource.param];
    const before = id && (await shownBy(person, resource, id));
    if (before) shown.set(id, before);
  }
  return shown;
};

/** Makes the request of a scenario, and compares its events with what GET shows. */
const follow = async (
  person: Person,
  entry: KeyEntry,
  make: (person: Person) => object | Promise<object>,
): Promise<void> => {
  const request = (await make(person)) as { params?: Record<string, string> };
  const before = await shownBefore(person, request.params);
  const earlier = await waitingEvents(person.caller);
  const { status } = await call(entry, { as: person.key, ...request });
  expect(status).toBeLessThan(300);
  const events = (await waitingEvents(person.caller)).slice(earlier.length);
  // A request of several transactions has several events of one resource. The last one is as it is now.
  const last = new Map(events.map(({ type, data }) => [`${nameOf(type, data)} ${data.id}`, { type, data }]));
  for (const { type, data } of last.values()) {
    if (OTHERS.has(type)) continue;
    const resource = RESOURCES[nameOf(type, data)]!;
    const id = data[resource.id ?? 'id'] as string;
    const expected = type.endsWith('.deleted')
      ? // What a request deletes without naming it is as its last event says.
        (before.get(id) ?? earlier.findLast((event) => event.data.id === id)?.data)
      : ((await shownBy(person, resource, id)) ?? (await directorySource(person, id)));
    expect({ type, data: compared(type, data) }).toEqual({ type, data: expected });
  }
};

const directorySource = async (person: Person, id: string): Promise<Data | undefined> =>
  (await person.integrations.listDirectorySources()).find((source: Data) => source['id'] === id);

describe.each(emitting.map((entry) => [`${entry.operation.method} ${entry.operation.path}`, entry] as const))(
  '%s',
  (_, entry) => {
    const { id } = entry.operation;

    test('emits what GET shows right after the change, or before a deletion', async () => {
      const person = await newPerson(`Follower of ${id}`);
      // One is enough: the contract test checks the data of all scenarios against the schemas.
      const [scenario] = scenariosOf(entry.area).scenarios[id]!;
      await follow(person, entry, scenario);
    });
  },
);
