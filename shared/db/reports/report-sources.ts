import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import type { ContentIndex } from '../../domain/content/content-index.ts';
import {
  type ReportedAction,
  type ReportedAnswer,
  type ReportReferences,
  reportReferences,
  type ReportSources,
} from '../../domain/report/sources.ts';
import type { Finding } from '../../schemas/finding.ts';
import type {
  ReportInspection,
  ReportLayoutContent,
  ReportOrganization,
} from '../../schemas/reports/report-payload.ts';
import { inspectionRecords } from '../inspection-core/record.ts';
import type { Kind, StoredFamily, StoredInspection, StoredOrganization } from '../table/entities.ts';
import { keys } from '../table/keys.ts';
import { getRows, isPart, queryRows, readRows } from '../table/rows.ts';
import { contentOf } from '../templates/content.ts';
import { familyRecords } from '../templates/families/record.ts';
import { shownState } from './reports.ts';

/** An organization as its reports show it. */
export const toReportOrganization = ({
  name,
  locale,
  timezone,
  date_format,
  time_format,
  logo_key,
}: StoredOrganization): ReportOrganization => ({
  name,
  locale,
  timezone,
  date_format: date_format.toUpperCase(),
  time_format,
  logo: logo_key,
});

/** The rows below an inspection that its reports show. A Query per megabyte of all that is below it. */
const readParts = async (caller: Caller, inspectionId: string) => {
  const answers: ReportedAnswer[] = [];
  const findings: Finding[] = [];
  const actions: ReportedAction[] = [];
  for await (const row of queryRows(caller, { partition: keys.below(caller, 'INSPECTION', inspectionId) })) {
    if (isPart(row, 'ANSWER')) answers.push(row);
    if (isPart(row, 'FINDING')) findings.push(row);
    if (isPart(row, 'ACTION')) actions.push(row);
  }
  return { answers, findings, actions };
};

/** Pairs ids with their rows, as far as these exist. */
const byId = <Found>(ids: Iterable<string>, rows: readonly (Found | undefined)[]): Map<string, Found> =>
  new Map([...ids].flatMap((id, position) => (rows[position] ? [[id, rows[position]] as const] : [])));

/** The rows that a report names beside those of its inspection. One call per 100. */
const readNamed = async (caller: Caller, inspection: StoredInspection, named: ReportReferences) => {
  const own = [
    keys.organization(caller),
    keys.one(caller, 'TEMPLATE', inspection.template_id),
    familyRecords.key(caller, inspection.template_family_id),
  ] as const;
  const keysOf = <K extends Kind>(kind: K, ids: Iterable<string>) =>
    Array.from(ids, (id) => keys.one(caller, kind, id));
  const people = keysOf('MEMBER', named.people);
  const clients = keysOf('CLIENT', named.clients);
  const locations = keysOf('LOCATION', named.locations);
  const documents = keysOf('DOCUMENT', named.documents);
  const rowsOf = await readRows(caller, [...own, ...people, ...clients, ...locations, ...documents]);
  const [organization, template, family] = rowsOf(own);
  return {
    // While an inspection exists, none of these can be deleted.
    organization: organization!,
    template: template!,
    family: family!,
    people: byId(named.people, rowsOf(people)),
    clients: byId(named.clients, rowsOf(clients)),
    locations: byId(named.locations, rowsOf(locations)),
    documents: byId(named.documents, rowsOf(documents)),
  };
};

/** The ids whose names or files a report of the inspection shows. */
const referencesOf = (
  inspection: StoredInspection,
  index: ContentIndex,
  { answers, findings, actions }: Awaited<ReturnType<typeof readParts>>,
): ReportReferences => {
  const named = reportReferences(index, answers, findings, inspection.start_answers);
  for (const { user_id } of inspection.participants) named.people.add(user_id);
  for (const { assignee_id } of actions) if (assignee_id) named.people.add(assignee_id);
  if (inspection.client_account_id) named.clients.add(inspection.client_account_id);
  if (inspection.location_id) named.locations.add(inspection.location_id);
  return named;
};

/** An inspection as its reports show it. */
const toReportInspection = (
  inspection: StoredInspection,
  { clients, locations, template }: Awaited<ReturnType<typeof readNamed>>,
): ReportInspection => {
  const { id, number, name, status, client_account_id, location_id, participants } = inspection;
  const { scheduled_for, due_at, started_at, submitted_at, approved_at, signed_off_at, completed_at } =
    inspection;
  return {
    id,
    number,
    name,
    status,
    client:
      client_account_id === null
        ? null
        : { id: client_account_id, name: clients.get(client_account_id)?.name ?? 'deleted client' },
    location:
      location_id === null
        ? null
        : {
            id: location_id,
            name: locations.get(location_id)?.name ?? 'deleted location',
            address: locations.get(location_id)?.address ?? '',
          },
    template: { id: template.id, name: template.name, version_number: template.version_number },
    participants: participants.map(({ user_id, name, role, status, submitted_at }) => ({
      user_id,
      name,
      role,
      status,
      submitted_at,
    })),
    scheduled_for,
    due_at,
    started_at,
    submitted_at,
    approved_at,
    signed_off_at,
    completed_at,
  };
};

/**
 * Everything that a report of an inspection shows now, and the state of the inspection that this is.
 * Calls: the inspection, a Query per megabyte of what is below it, its content unless it is cached, one for each
 * hundred names and files, and those of `layoutFor`.
 * @param layoutFor how a report of the inspection's family looks
 * @throws ApiError 404; what `layoutFor` throws
 */
export const readReportSources = async (
  caller: Caller,
  inspectionId: string,
  layoutFor: (family: StoredFamily) => Promise<ReportLayoutContent>,
): Promise<{ sources: ReportSources; shows: string }> => {
  const [inspection] = await getRows(caller, [inspectionRecords.key(caller, inspectionId)]);
  if (!inspection) throw errors.notFound(inspectionRecords.noun);
  const index = await contentOf(caller, inspection.template_id, inspection.content_hash);
  const parts = await readParts(caller, inspectionId);
  const references = referencesOf(inspection, index, parts);
  const named = await readNamed(caller, inspection, references);
  const layout = await layoutFor(named.family);
  const names = new Map<string, { name: string }>([...named.people, ...named.clients, ...named.locations]);
  const nameable = [...references.people, ...references.clients, ...references.locations];
  return {
    shows: shownState(inspection),
    sources: {
      organization: toReportOrganization(named.organization),
      layout,
      inspection: toReportInspection(inspection, named),
      index,
      startAnswers: inspection.start_answers,
      ...parts,
      // The id stands for the name of what has been deleted.
      names: new Map(nameable.map((id) => [id, names.get(id)?.name ?? id])),
      documents: new Map(
        Array.from(named.documents, ([id, { file_name, mime_type }]) => [id, { file_name, mime_type }]),
      ),
    },
  };
};
