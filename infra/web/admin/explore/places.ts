import type { AdminPlace } from '../../../../shared/http/pages/admin-data.ts';

/** Where the pages of objects are, by the attributes that hold their ids. */
const BY_ATTRIBUTE: Readonly<Record<string, AdminPlace>> = {
  asset_id: 'assets',
  bulk_change_id: 'bulk-changes',
  certificate_id: 'certificates',
  certificate_kind_id: 'certificate-kinds',
  client_account_id: 'clients',
  corrective_action_id: 'corrective-actions',
  family_id: 'templates',
  finding_id: 'findings',
  inspection_id: 'inspections',
  issue_id: 'issues',
  kind_id: 'asset-kinds',
  location_id: 'locations',
  region_id: 'regions',
  reinspection_of_id: 'inspections',
  report_id: 'reports',
  schedule_id: 'schedules',
  template_family_id: 'templates',
};

/** The same by the part of an event's type, or of an audited action, before its dot. */
const BY_KIND: Readonly<Record<string, AdminPlace>> = {
  asset: 'assets',
  bulk_change: 'bulk-changes',
  certificate: 'certificates',
  client_account: 'clients',
  corrective_action: 'corrective-actions',
  family: 'templates',
  finding: 'findings',
  inspection: 'inspections',
  issue: 'issues',
  location: 'locations',
  region: 'regions',
  report: 'reports',
  schedule: 'schedules',
  template: 'templates',
};

/** The place of what an event or an audited action is about. @param type such as `inspection.created` */
export const placeOfType = (type: string): AdminPlace | undefined => BY_KIND[type.split('.')[0]!];

/** An object that something names. */
export interface Named {
  place: AdminPlace;
  id: string;
}

/** The objects that the data of an event names, what it is about first. Each comes once. */
export const namedIn = (type: string, data: object): Named[] => {
  const own = placeOfType(type);
  // A version of a template has no page; its family has.
  const { id, family_id } = data as { id?: unknown; family_id?: unknown };
  const about = family_id ?? id;
  const named = [
    ...(own && typeof about === 'string' ? [{ place: own, id: about }] : []),
    ...Object.entries(data).flatMap(([attribute, value]) => {
      // Certificates have kinds of their own.
      const isKind = own === 'certificates' && attribute === 'kind_id';
      const place = isKind ? 'certificate-kinds' : BY_ATTRIBUTE[attribute];
      return place && typeof value === 'string' ? [{ place, id: value }] : [];
    }),
  ];
  return [...new Map(named.map((each) => [each.id, each])).values()];
};
