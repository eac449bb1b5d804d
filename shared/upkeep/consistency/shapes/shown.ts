import { AssetKind } from '../../../schemas/assets/asset-kind.ts';
import { Asset } from '../../../schemas/assets/asset.ts';
import { CertificateKind } from '../../../schemas/certificates/certificate-kind.ts';
import { Certificate } from '../../../schemas/certificates/certificate.ts';
import { ClientAccount } from '../../../schemas/client-account.ts';
import { CorrectiveAction } from '../../../schemas/corrective-action.ts';
import { Document } from '../../../schemas/document.ts';
import { Finding } from '../../../schemas/finding.ts';
import { AnswerRecord } from '../../../schemas/inspections/answer.ts';
import { Correction } from '../../../schemas/inspections/correction.ts';
import { Inspection } from '../../../schemas/inspections/inspection.ts';
import { Connection } from '../../../schemas/integrations/connection.ts';
import { IssueCategory } from '../../../schemas/issues/category.ts';
import { Issue } from '../../../schemas/issues/issue.ts';
import { LocationTransfer } from '../../../schemas/location-transfer.ts';
import { Location } from '../../../schemas/location.ts';
import { Member } from '../../../schemas/member.ts';
import { Notification } from '../../../schemas/notification.ts';
import { Region } from '../../../schemas/region.ts';
import { Report } from '../../../schemas/reports/report.ts';
import { HolidayCalendar } from '../../../schemas/schedules/holiday-calendar.ts';
import { Schedule } from '../../../schemas/schedules/schedule.ts';
import { Family } from '../../../schemas/templates/family.ts';
import { ReportLayout } from '../../../schemas/templates/report-layout.ts';
import { TemplateVersion } from '../../../schemas/templates/template.ts';
import { Webhook } from '../../../schemas/webhook.ts';
import type { StoredAsset, StoredAssetKind } from '../../../table/entities/assets.ts';
import type { StoredCertificate, StoredCertificateKind } from '../../../table/entities/certificates.ts';
import type {
  StoredAction,
  StoredAnswer,
  StoredCorrection,
  StoredFamily,
  StoredFinding,
  StoredInspection,
  StoredLayout,
  StoredReport,
  StoredTemplate,
} from '../../../table/entities/inspections.ts';
import type { StoredConnection } from '../../../table/entities/integrations.ts';
import type { StoredIssue, StoredIssueCategory } from '../../../table/entities/issues.ts';
import type { StoredNotification } from '../../../table/entities/machinery.ts';
import type {
  StoredClientAccount,
  StoredDocument,
  StoredLocation,
  StoredMember,
  StoredRegion,
  StoredTransfer,
} from '../../../table/entities/organization.ts';
import type { StoredSchedule } from '../../../table/entities/schedules.ts';
import type { StoredWebhook } from '../../../table/entities/webhooks.ts';
import type { RowKind } from '../../../table/keys.ts';
import { type Shape, shape } from './shape.ts';

/** The shapes of the rows that clients see almost as they are stored. */
export const SHOWN = {
  ACTION: shape<StoredAction>()(CorrectiveAction, {
    asset_id: true,
    client_account_id: true,
    completed_on_site: true,
    contact_link: true,
    is_overdue: true,
    location_id: true,
  }),
  ASSET: shape<StoredAsset>()(Asset, {}),
  ASSET_KIND: shape<StoredAssetKind>()(AssetKind, {}),
  CERTIFICATE: shape<StoredCertificate>()(Certificate, {}),
  CERTIFICATE_KIND: shape<StoredCertificateKind>()(CertificateKind, {}),
  CLIENT: shape<StoredClientAccount>()(ClientAccount, {
    digest_mail: true,
    external_id: true,
    locations_count: true,
    source: true,
    source_id: true,
    synced_at: true,
  }),
  CONNECTION: shape<StoredConnection>()(Connection, { sources_count: true, status: true }),
  DOCUMENT: shape<StoredDocument>()(Document, {}),
  FAMILY: shape<StoredFamily>()(Family, { current_version_id: true, status: true }),
  FINDING: shape<StoredFinding>()(Finding, {
    asset_id: true,
    external_ref: true,
    location_id: true,
    metadata: true,
    repeat: true,
    tags: true,
  }),
  INSPECTION: shape<StoredInspection>()(Inspection, {
    correction_status: true,
    is_missed: true,
    is_overdue: true,
    progress: true,
  }),
  ISSUE: shape<StoredIssue>()(Issue, { is_overdue: true }),
  ISSUE_CATEGORY: shape<StoredIssueCategory>()(IssueCategory, {}),
  LOCATION: shape<StoredLocation>()(Location, { path: true }),
  TRANSFER: shape<StoredTransfer>()(LocationTransfer, {}),
  MEMBER: shape<StoredMember>()(Member, { invitation_expires_at: true, mail: true }),
  REGION: shape<StoredRegion>()(Region, { path: true }),
  REPORT: shape<StoredReport>()(Report, { is_current: true, is_stale: true }),
  HOLIDAYS: shape<HolidayCalendar>()(HolidayCalendar, {}),
  SCHEDULE: shape<StoredSchedule>()(Schedule, {
    left_out: true,
    paused_reason: true,
    places: true,
    problem: true,
    problems: true,
    warnings: true,
  }),
  TEMPLATE: shape<StoredTemplate>()(TemplateVersion, {}),
  WEBHOOK: shape<StoredWebhook>()(Webhook, {
    filter: true,
    header_names: true,
    failing_since: true,
    last_failure: true,
    last_success_at: true,
    previous_secret_until: true,
  }),
  answer: shape<StoredAnswer>()(AnswerRecord, {
    acted_via_key_id: true,
    earlier_finding_id: true,
    is_active: true,
    is_asked_again: true,
    is_carried_over: true,
    is_prefilled: true,
    max_score: true,
    score: true,
  }),
  correction: shape<StoredCorrection>()(Correction, {}),
  layout: shape<StoredLayout>()(ReportLayout, { is_default: true }),
  readNotification: shape<StoredNotification>()(Notification, { is_read: true }),
  unreadNotification: shape<StoredNotification>()(Notification, { is_read: true }),
} satisfies Partial<Record<RowKind, Shape>>;
