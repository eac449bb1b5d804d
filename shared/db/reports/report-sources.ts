import type { Caller } from '../../base/caller.ts';
import { notFound } from '../../base/errors.ts';
import {
  type ReportedAction,
  type ReportedAnswer,
  reportReferences,
  type ReportSources,
} from '../../domain/report/build.ts';
import type { Finding } from '../../schemas/finding.ts';
import type { ReportLayoutContent, ReportOrganization } from '../../schemas/reports/report-payload.ts';
import { rows as inspectionRows, type StoredInspection, toInspection } from '../inspection-core/record.ts';
import type { StoredOrganization } from '../organization/organizations.ts';
import { keys } from '../table/keys.ts';
import { getRows, queryRows, type Row } from '../table/rows.ts';
import { contentOf } from '../templates/content.ts';
import * as families from '../templates/families.ts';
import type { StoredFamily } from '../templates/families.ts';
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

/**
 * Everything a report of an inspection shows, as it stands, and the state of the inspection that this is.
 * Calls: the inspection, a Query per megabyte of what belongs to it, its content unless remembered, one for each
 * hundred names and files it speaks of, and those of `layoutFor`.
 * @param layoutFor how a report of the inspection's family looks
 * @throws ApiError 404; what `layoutFor` throws
 */
export const readReportSources = async (
  caller: Caller,
  inspectionId: string,
  layoutFor: (family: StoredFamily) => Promise<ReportLayoutContent>,
): Promise<{ sources: ReportSources; shows: string }> => {
  const [row] = await getRows(caller, [inspectionRows.key(caller, inspectionId)]);
  if (!row) throw notFound(inspectionRows.noun);
  const inspection = row as unknown as Row<StoredInspection>;
  const index = await contentOf(caller, inspection.template_id, inspection.content_hash);
  const answers: ReportedAnswer[] = [];
  const findings: Finding[] = [];
  const actions: ReportedAction[] = [];
  for await (const child of queryRows(caller, {
    partition: keys.below(caller, 'INSPECTION', inspectionId),
  })) {
    if (child.sk.startsWith('ANSWER#')) answers.push(child as unknown as ReportedAnswer);
    if (child.sk.startsWith('FINDING#')) findings.push(child as unknown as Finding);
    if (child.sk.startsWith('ACTION#')) actions.push(child as unknown as ReportedAction);
  }

  const spoken = reportReferences(index, answers, findings, inspection.start_answers);
  for (const { user_id } of inspection.participants) spoken.people.add(user_id);
  for (const { assignee_id } of actions) if (assignee_id) spoken.people.add(assignee_id);
  if (inspection.client_account_id) spoken.clients.add(inspection.client_account_id);
  if (inspection.location_id) spoken.locations.add(inspection.location_id);
  const [people, documents, clients, locations] = [
    [...spoken.people],
    [...spoken.documents],
    [...spoken.clients],
    [...spoken.locations],
  ];
  const rows = await getRows<Record<string, unknown>>(caller, [
    keys.organization(caller),
    keys.one(caller, 'TEMPLATE', inspection.template_id),
    families.key(caller, inspection.template_family_id),
    ...people.map((id) => keys.one(caller, 'MEMBER', id)),
    ...clients.map((id) => keys.one(caller, 'CLIENT', id)),
    ...locations.map((id) => keys.one(caller, 'LOCATION', id)),
    ...documents.map((id) => keys.one(caller, 'DOCUMENT', id)),
  ]);
  const organization = rows[0] as unknown as StoredOrganization;
  const template = rows[1] as unknown as { id: string; name: string; version_number: number };
  const layout = await layoutFor(rows[2] as unknown as StoredFamily);
  const named = new Map(
    [...people, ...clients, ...locations, ...documents].map((id, position) => [id, rows[position + 3]]),
  );
  const nameOf = (id: string | null) =>
    id === null ? undefined : (named.get(id)?.['name'] as string | undefined);

  const { participants, client_account_id, location_id, ...header } = toInspection(inspection);
  return {
    shows: shownState(inspection),
    sources: {
      organization: toReportOrganization(organization),
      layout,
      inspection: {
        id: header.id,
        number: header.number,
        name: header.name,
        status: header.status,
        client:
          client_account_id === null
            ? null
            : { id: client_account_id, name: nameOf(client_account_id) ?? 'deleted client' },
        location:
          location_id === null
            ? null
            : {
                id: location_id,
                name: nameOf(location_id) ?? 'deleted location',
                address: (named.get(location_id)?.['address'] as string | null | undefined) ?? '',
              },
        template: { id: template.id, name: template.name, version_number: template.version_number },
        participants: participants.map(({ user_id, name, role, status, submitted_at }) => ({
          user_id,
          name,
          role,
          status,
          submitted_at,
        })),
        scheduled_for: header.scheduled_for,
        due_at: header.due_at,
        started_at: header.started_at,
        submitted_at: header.submitted_at,
        approved_at: header.approved_at,
        signed_off_at: header.signed_off_at,
        completed_at: header.completed_at,
      },
      index,
      startAnswers: inspection.start_answers,
      answers,
      findings,
      actions,
      names: new Map([...people, ...clients, ...locations].map((id) => [id, nameOf(id) ?? id])),
      documents: new Map(
        documents.flatMap((id) => {
          const document = named.get(id) as { file_name: string; mime_type: string } | undefined;
          return document ? [[id, { file_name: document.file_name, mime_type: document.mime_type }]] : [];
        }),
      ),
    },
  };
};
