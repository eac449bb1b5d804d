import type { HolidayCalendar } from '../../schemas/schedules/holiday-calendar.ts';
import type { StoredAsset, StoredAssetKind } from './assets.ts';
import type { StoredBulkChange } from './bulk-changes.ts';
import type { CertificateExpiry, StoredCertificate, StoredCertificateKind } from './certificates.ts';
import type { Versioned } from './common.ts';
import type {
  ContactReminder,
  Deadline,
  StoredAction,
  StoredBulkExport,
  StoredFamily,
  StoredFinding,
  StoredInspection,
  StoredReport,
  StoredTemplate,
} from './inspections.ts';
import type { SourceState, StoredCandidate, StoredConnection, StoredSource } from './integrations.ts';
import type { IssueDeadline, StoredIssue, StoredIssueCategory } from './issues.ts';
import type { DeadLetter, ClientDigestTurn, OutboxRow, WaitingMail } from './machinery.ts';
import type {
  KeyEntry,
  PendingUpload,
  StoredClientAccount,
  StoredDocument,
  StoredLocation,
  StoredMember,
  StoredPreferences,
  StoredRegion,
  StoredTransfer,
} from './organization.ts';
import type { StoredSchedule, Unstarted, VisitedPlace } from './schedules.ts';
import type { StoredWebhook, WebhookState } from './webhooks.ts';

/* What stands where */

/** The rows that are found when their time has come: to hand them on, to send a reminder, or for the platform team. */
export interface DueRows {
  OUTBOX: OutboxRow;
  SCHEDULE: StoredSchedule & { by_due?: string; by_due_at?: string };
  DEADLINE: Deadline | IssueDeadline | CertificateExpiry | Unstarted;
  DEAD_LETTER: DeadLetter;
  REMINDER: ContactReminder;
  CLIENT_DIGEST: ClientDigestTurn;
  SYNC: SourceState;
  TRANSFER: StoredTransfer & { by_due?: string; by_due_at?: string };
  WEBHOOK: WebhookState;
  PLACE: VisitedPlace & { by_due?: string; by_due_at?: string };
  MAIL: WaitingMail & { by_due?: string; by_due_at?: string };
}

/** The row of a resource in the partition of its kind. */
export interface Resources {
  KEY: KeyEntry;
  MEMBER: StoredMember;
  PREFERENCES: StoredPreferences;
  CLIENT: StoredClientAccount;
  REGION: StoredRegion;
  LOCATION: StoredLocation;
  TRANSFER: StoredTransfer;
  ASSET_KIND: StoredAssetKind;
  ASSET: StoredAsset;
  CERTIFICATE_KIND: StoredCertificateKind;
  CERTIFICATE: StoredCertificate;
  DOCUMENT: StoredDocument;
  UPLOAD: PendingUpload;
  FAMILY: StoredFamily;
  TEMPLATE: StoredTemplate;
  INSPECTION: StoredInspection;
  SCHEDULE: StoredSchedule;
  HOLIDAYS: HolidayCalendar;
  BULK_EXPORT: StoredBulkExport;
  BULK_CHANGE: StoredBulkChange;
  CONNECTION: StoredConnection;
  SOURCE: StoredSource;
  CANDIDATE: StoredCandidate;
  ISSUE_CATEGORY: StoredIssueCategory;
  ISSUE: StoredIssue;
  WEBHOOK: StoredWebhook;
}

/** Resources whose rows stand in a partition of their kind under their id. */
export type Kind = keyof Resources;

/** Kinds whose resources can be edited. */
export type VersionedKind = { [K in Kind]: Resources[K] extends Versioned ? K : never }[Kind];

/** The row of a child of an inspection that is also addressed by its own id. */
export interface Children {
  FINDING: StoredFinding;
  ACTION: StoredAction;
  REPORT: StoredReport;
}

/** Children of an inspection that are also addressed by their own id. */
export type ChildKind = keyof Children;
