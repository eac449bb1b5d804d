import type { AdminPlace } from '../../../../shared/http/pages/admin-data.ts';

/** The lists of the app that have a first entry by a request of a key, and the operation that makes it. */
export const FIRST_OPERATIONS = {
  inspections: 'createInspection',
  findings: 'createFinding',
  'corrective-actions': 'createCorrectiveAction',
  reports: 'createReport',
  issues: 'createIssue',
  templates: 'createFamily',
  schedules: 'createSchedule',
  clients: 'createClientAccount',
  locations: 'createLocation',
  regions: 'createRegion',
  assets: 'createAsset',
  'asset-kinds': 'createAssetKind',
  // Inspections issue certificates, as their kinds say.
  certificates: 'createCertificateKind',
  'certificate-kinds': 'createCertificateKind',
  'bulk-changes': 'createBulkChange',
  // Everything that is created is an event.
  events: 'createClientAccount',
  requests: 'getOrganization',
  webhooks: 'createWebhook',
  integrations: 'createConnection',
} as const satisfies Partial<Record<AdminPlace, string>>;

/** A list that says how its first entry comes to be. */
export type FirstPlace = keyof typeof FIRST_OPERATIONS;
