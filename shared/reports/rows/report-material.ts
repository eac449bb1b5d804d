import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { namesWith, pick } from '../../base/fields.ts';
import type { ContentIndex } from '../../domain/content/content-index.ts';
import { hexOfHsl } from '../../domain/report/color.ts';
import {
  type EarlierMaterial,
  IS_REPORTED_OF_ACTION,
  type ReportedAction,
  type ReportedAttachment,
  type ReportedPlace,
  type ReportReferences,
  reportReferences,
  type ReportMaterial,
} from '../../domain/report/material.ts';
import { sampleMaterial } from '../../domain/report/sample/material.ts';
import { inspectionRecords } from '../../inspections/rows/inspection-records.ts';
import { repeatedFieldsOf } from '../../inspections/scores.ts';
import { fieldsFor } from '../../schemas/inspections/fields.ts';
import type { ReportLayoutContent } from '../../schemas/reports/report-layout-content.ts';
import type { ReportInspection, ReportOrganization } from '../../schemas/reports/report-payload.ts';
import type { ReportPreviewRequest } from '../../schemas/reports/report-preview.ts';
import { wholeLayout } from '../../schemas/templates/report-layout.ts';
import type {
  NamesThen,
  StoredAction,
  StoredFamily,
  StoredInspection,
} from '../../table/entities/inspections.ts';
import type { Kind } from '../../table/entities/kinds.ts';
import type {
  StoredClientAccount,
  StoredLocation,
  StoredOrganization,
} from '../../table/entities/organization.ts';
import { keys } from '../../table/keys.ts';
import { reference, resolve } from '../../table/references.ts';
import { retrying } from '../../table/retry.ts';
import { getRows, queryRows, readRows, withoutKeys } from '../../table/rows.ts';
import { contentOf } from '../../templates/content.ts';
import { familyRecords } from '../../templates/family-records.ts';
import { expectPicture, requestedLayout } from '../../templates/report-layouts.ts';
import { versionRecords } from '../../templates/version-records.ts';
import { isCompleted, previousScoreOf, readAttachments, readEarlierIds, readParts } from './parts.ts';
import { shownState } from './reports.ts';

/** An organization as its reports show it. */
export const toReportOrganization = ({
  name,
  locale,
  timezone,
  region,
  date_format,
  time_format,
  logo_key,
}: StoredOrganization): ReportOrganization => ({
  name,
  locale,
  timezone,
  region,
  date_format: date_format.toUpperCase(),
  time_format,
  logo: logo_key,
});

/** The part of an action that a report shows. */
const toReportedAction = (stored: StoredAction): ReportedAction =>
  pick(stored, namesWith(IS_REPORTED_OF_ACTION, true));

/** The rows that exist, by their ids. */
const byId = <Found>(ids: Iterable<string>, rows: readonly (Found | undefined)[]): Map<string, Found> =>
  new Map([...ids].flatMap((id, position) => (rows[position] ? [[id, rows[position]] as const] : [])));

/** The rows that a report names beside those of its inspection. One call per 100. */
const readNamed = async (
  caller: Caller,
  inspection: StoredInspection,
  named: ReportReferences,
  earlierIds: readonly string[],
) => {
  const own = [
    keys.organization(caller),
    keys.one(caller, 'TEMPLATE', inspection.template_id),
    familyRecords.key(caller, inspection.template_family_id),
  ] as const;
  const keysOf = <K extends Kind>(kind: K, ids: Iterable<string>) =>
    Array.from(ids, (id) => keys.one(caller, kind, id));
  const people = keysOf('MEMBER', named.people);
  const apiKeys = keysOf('KEY', named.keys);
  const clients = keysOf('CLIENT', named.clients);
  const locations = keysOf('LOCATION', named.locations);
  const documents = keysOf('DOCUMENT', named.documents);
  const earlier = keysOf('INSPECTION', earlierIds);
  const rowsOf = await readRows(caller, [
    ...own,
    ...people,
    ...apiKeys,
    ...clients,
    ...locations,
    ...documents,
    ...earlier,
  ]);
  const [organization, template, family] = rowsOf(own);
  return {
    // While an inspection exists, none of these can be deleted.
    organization: organization!,
    template: template!,
    family: family!,
    people: byId(named.people, rowsOf(people)),
    apiKeys: byId(named.keys, rowsOf(apiKeys)),
    clients: byId(named.clients, rowsOf(clients)),
    locations: byId(named.locations, rowsOf(locations)),
    documents: byId(named.documents, rowsOf(documents)),
    earlier: rowsOf(earlier).filter((row) => row !== undefined),
  };
};

/**
 * The earlier inspection that an inspection was started from, or that it inspects again, with its answers. Undefined
 * for none, and for a deleted one. Two calls, one more for each megabyte of answers, and its content unless it is
 * cached.
 */
const readEarlier = async (
  caller: Caller,
  { prefill_from_inspection_id, reinspection_of_id }: StoredInspection,
): Promise<EarlierMaterial | undefined> => {
  const id = reinspection_of_id ?? prefill_from_inspection_id;
  if (!id) return undefined;
  const [inspection, answers] = await Promise.all([
    inspectionRecords.find(caller, id),
    Array.fromAsync(queryRows(caller, keys.parts(caller, 'INSPECTION', id, 'ANSWER'))),
  ]);
  if (!inspection) return undefined;
  const { number, name, completed_at, template_id, content_hash } = inspection;
  return {
    inspection: { id, number, name, completed_at },
    index: await contentOf(caller, template_id, content_hash),
    answers: answers.filter(({ is_prefilled }) => !is_prefilled),
  };
};

/** The ids whose names or files a report of the inspection shows. */
const referencesOf = (
  inspection: StoredInspection,
  index: ContentIndex,
  parts: Omit<Awaited<ReturnType<typeof readParts>>, 'inspection'>,
  attachments: ReportedAttachment[],
  earlier: EarlierMaterial | undefined,
): ReportReferences => {
  const named = reportReferences(
    index,
    {
      ...parts,
      actions: parts.actions.map(toReportedAction),
      attachments,
      signOffs: inspection.signatures,
      startAnswers: inspection.start_answers,
    },
    earlier,
  );
  for (const { user_id } of inspection.participants) named.people.add(user_id);
  if (inspection.client_account_id) named.clients.add(inspection.client_account_id);
  if (inspection.location_id) named.locations.add(inspection.location_id);
  return named;
};

/** A location as a report shows it. Its address is one text, whose lines are already in the order of its country. */
const placeOf = (location: Pick<StoredLocation, 'address' | 'lat' | 'lng'> | undefined): ReportedPlace => {
  const { address = null, lat = null, lng = null } = location ?? {};
  const lines = (address ?? '').split('\n').map((line) => line.trim());
  return {
    address:
      address === null
        ? null
        : { lines: lines.filter((line) => line !== ''), city: '', region: '', postal_code: '', country: '' },
    position: lat === null || lng === null ? null : { lat, lng, accuracy_m: null },
  };
};

/** A re-inspection is compared with the first one unless the layout says otherwise. */
const blocksOf = (
  { reinspection_of_id }: StoredInspection,
  { blocks }: ReportLayoutContent,
): ReportLayoutContent['blocks'] =>
  reinspection_of_id
    ? blocks.map((block) =>
        block.kind === 'sections' ? { ...block, options: { before: true, ...block.options } } : block,
      )
    : blocks;

/** The layout of an inspection's report, in the colour of its client if the layout wants it. */
const layoutOf = (
  inspection: StoredInspection,
  layout: ReportLayoutContent,
  clients: ReadonlyMap<string, StoredClientAccount>,
): ReportLayoutContent => {
  const { theme } = layout;
  const brand = clients.get(inspection.client_account_id ?? '')?.brand_primary;
  return {
    ...layout,
    blocks: blocksOf(inspection, layout),
    theme: theme.client_color && brand ? { ...theme, primary_color: hexOfHsl(brand) } : theme,
  };
};

/** The client of an inspection as it was named when the inspection was completed, or else as it is. */
const clientThen = (
  { client_account_id, names_then }: StoredInspection,
  present: StoredClientAccount | undefined,
): ReportInspection['client'] => {
  const { name = null, external_ref = null } = names_then?.clients[client_account_id!] ?? present ?? {};
  return { id: client_account_id!, name, external_ref, current_name: present?.name ?? null };
};

/** The same for its location. */
const locationThen = (
  { location_id, names_then }: StoredInspection,
  present: StoredLocation | undefined,
): ReportInspection['location'] => {
  const then = names_then?.locations[location_id!];
  const { name = null, external_ref = null, timezone = null } = then ?? present ?? {};
  return {
    id: location_id!,
    name,
    external_ref,
    current_name: present?.name ?? null,
    ...(then && { path: then.path }),
    timezone,
    ...placeOf(then ?? present),
  };
};

/** The names that an inspection has kept, by their ids. */
const namesIn = ({ clients, locations, people }: NamesThen = { clients: {}, locations: {}, people: {} }) => [
  ...Object.entries(people),
  ...Object.entries({ ...clients, ...locations }).map(([id, { name }]) => [id, name] as const),
];

/** An inspection as its reports show it. */
const toReportInspection = (
  inspection: StoredInspection,
  { clients, locations, template }: Awaited<ReturnType<typeof readNamed>>,
): ReportInspection => {
  const { client_account_id, location_id } = inspection;
  const { id, number, name, status, participants, ...others } = pick(inspection, fieldsFor('report'));
  return {
    id,
    number,
    name,
    status,
    client: client_account_id === null ? null : clientThen(inspection, clients.get(client_account_id)),
    location: location_id === null ? null : locationThen(inspection, locations.get(location_id)),
    template: { id: template.id, name: template.name, version_number: template.version_number },
    participants: participants.map(({ user_id, name, role, status, submitted_at }) => ({
      user_id,
      name,
      role,
      status,
      submitted_at,
    })),
    ...others,
  };
};

/**
 * Everything that a report of an inspection shows now, and which state of the inspection this is.
 * Calls: the inspection, a Query per megabyte of the rows below it, one for the earlier inspections at its location,
 * one for each corrective action that was changed, its content unless it is cached, one for each hundred names and
 * files, those of `readEarlier`, and those of `layoutFor`.
 * @param layoutFor reads the layout of a report of the inspection's family
 * @throws ApiError 404; what `layoutFor` throws
 */
export const readReportMaterial = async (
  caller: Caller,
  inspectionId: string,
  layoutFor: (family: StoredFamily) => Promise<ReportLayoutContent>,
): Promise<{ material: ReportMaterial; shows: string }> => {
  const [stored] = await getRows(caller, [inspectionRecords.key(caller, inspectionId)]);
  if (!stored) throw errors.notFound(inspectionRecords.noun);
  const index = await contentOf(caller, stored.template_id, stored.content_hash);
  const [{ inspection, ...parts }, earlierIds, earlier, repeated] = await Promise.all([
    readParts(caller, withoutKeys(stored)),
    readEarlierIds(caller, stored),
    readEarlier(caller, stored),
    repeatedFieldsOf(caller, stored),
  ]);
  const attachments = await readAttachments(caller, parts.actions);
  const references = referencesOf(inspection, index, parts, attachments, earlier);
  const named = await readNamed(caller, inspection, references, earlierIds);
  const layout = layoutOf(stored, await layoutFor(named.family), named.clients);
  const { people, apiKeys, clients, locations, documents } = named;
  return {
    shows: shownState(stored),
    material: {
      organization: toReportOrganization(named.organization),
      layout,
      inspection: toReportInspection(inspection, named),
      isDraft: !isCompleted(inspection),
      signOffs: inspection.signatures,
      index,
      startAnswers: inspection.start_answers,
      ...parts,
      actions: parts.actions.map(toReportedAction),
      attachments,
      previousScore: previousScoreOf(inspection, named.earlier),
      ...(repeated && { repeated }),
      ...(earlier && { earlier }),
      names: new Map([
        ...[...people, ...apiKeys, ...clients, ...locations].map(([id, { name }]) => [id, name] as const),
        ...namesIn(inspection.names_then),
      ]),
      places: new Map(
        Array.from(locations, ([id, location]) => [
          id,
          placeOf(inspection.names_then?.locations[id] ?? location),
        ]),
      ),
      documents: new Map(
        Array.from(documents, ([id, { file_name, mime_type, size_bytes }]) => [
          id,
          { file_name, mime_type, size_bytes },
        ]),
      ),
    },
  };
};

const LOGO = 'layout.theme.logo';

const layoutFor = async (
  caller: Caller,
  family: StoredFamily,
  { layout_id, layout }: ReportPreviewRequest,
): Promise<ReportLayoutContent> =>
  layout ? wholeLayout(layout) : requestedLayout(caller, family, layout_id);

/**
 * The material of a family's sample report, with generated answers. Calls: the family, the version with the
 * organization, the layout unless it is in the request, and the content unless it is cached.
 * @throws ApiError 404 for the family; 400 for a version, layout or logo that does not exist, or a logo that is no
 *   image
 */
export const readPreviewMaterial = async (
  caller: Caller,
  familyId: string,
  request: ReportPreviewRequest,
): Promise<ReportMaterial> => {
  const { index, ...setting } = await retrying('The database', async () => {
    const family = await familyRecords.get(caller, familyId);
    // A new family has a draft, so one without a draft has published it.
    const templateId = request.template_id ?? family.draft_version_id ?? family.current!.template_id;
    const [organization, version, logo] = await resolve(caller, [
      { field: 'organization', key: keys.organization(caller) },
      { field: 'template_id', key: versionRecords.key(caller, templateId) },
      reference(caller, LOGO, 'DOCUMENT', request.layout?.theme?.logo),
    ]);
    if (logo) expectPicture(LOGO, logo);
    if (version.family_id !== familyId) throw errors.referenceNotFound('template_id');
    const index = await contentOf(caller, templateId, version.content_hash);
    const { id, name, version_number } = version;
    return {
      index,
      organization: toReportOrganization(organization),
      layout: await layoutFor(caller, family, request),
      template: { id, name, version_number },
    };
  });
  return sampleMaterial(index, setting);
};
