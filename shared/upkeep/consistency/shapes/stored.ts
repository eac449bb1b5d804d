import * as z from 'zod';
import { QUEUES } from '../../../base/queues.ts';
import { ApiKey } from '../../../schemas/api-key.ts';
import { AssetActivity } from '../../../schemas/assets/asset.ts';
import { AuditEntry } from '../../../schemas/audit.ts';
import { BulkChange, BulkChangeRow } from '../../../schemas/bulk-change.ts';
import { Count, Timestamp, Uuid } from '../../../schemas/common.ts';
import { Activity, Attachment } from '../../../schemas/corrective-action.ts';
import { InspectionActivity } from '../../../schemas/inspections/activity.ts';
import { FormerAnswer, Instance } from '../../../schemas/inspections/answer.ts';
import { Revision } from '../../../schemas/inspections/correction.ts';
import { Inspection } from '../../../schemas/inspections/inspection.ts';
import { SignatureLink } from '../../../schemas/inspections/signature-link.ts';
import { Candidate } from '../../../schemas/integrations/directory.ts';
import { IntegrationActivity } from '../../../schemas/integrations/overview.ts';
import { IntegrationProblem, SyncRun } from '../../../schemas/integrations/run.ts';
import { Source, TargetRef } from '../../../schemas/integrations/source.ts';
import { VendorId } from '../../../schemas/integrations/vendor.ts';
import { IssueActivity } from '../../../schemas/issues/issue.ts';
import { PublicLink } from '../../../schemas/issues/public-link.ts';
import { LoggedRequest } from '../../../schemas/logged-request.ts';
import { MailPause, MailQuestion, WaitReason } from '../../../schemas/mail.ts';
import { Handover, Organization, Weekday } from '../../../schemas/organization.ts';
import { NotificationKind, Preferences } from '../../../schemas/preferences.ts';
import { ReportEmail } from '../../../schemas/reports/report-email.ts';
import { BulkExport, BulkExportSummary, ReportExport } from '../../../schemas/reports/report-export.ts';
import { ShareLink } from '../../../schemas/reports/share-link.ts';
import { Webhook, WebhookAttempt, WebhookDelivery, WebhookReplay } from '../../../schemas/webhook.ts';
import type { StoredAssetActivity } from '../../../table/entities/assets.ts';
import type {
  BulkSelected,
  HeldNotice,
  StoredBulkChange,
  StoredBulkRow,
} from '../../../table/entities/bulk-changes.ts';
import type { CertificateExpiry, CertificateSeries } from '../../../table/entities/certificates.ts';
import type {
  AnswerState,
  BulkSelection,
  ContactForm,
  ContactReminder,
  ContentRow,
  Deadline,
  LayoutNames,
  ReportCount,
  StoredActivity,
  StoredAttachment,
  StoredBulkExport,
  StoredBulkItem,
  StoredExport,
  StoredFormerAnswer,
  StoredInspectionActivity,
  StoredInstance,
  StoredReportEmail,
  StoredRevision,
  StoredShareLink,
  StoredSignatureLink,
  VersionPlace,
} from '../../../table/entities/inspections.ts';
import type {
  SeenPage,
  SourceState,
  StoredCandidate,
  StoredIntegrationActivity,
  StoredRun,
  StoredSource,
  SyncedItem,
  SyncedList,
} from '../../../table/entities/integrations.ts';
import type { IssueDeadline, StoredIssueActivity, StoredPublicLink } from '../../../table/entities/issues.ts';
import type {
  ChangedAnswers,
  ClientDigestTurn,
  DeadLetter,
  EventSequence,
  ExportedBytes,
  HeldMail,
  InOutbox,
  Mailbox,
  MailBatch,
  MailDelivery,
  MonthCount,
  OutboxEvent,
  OutboxRow,
  Sequence,
  SlotRow,
  StorageRow,
  StoredEvent,
  WaitingMail,
} from '../../../table/entities/machinery.ts';
import type { Counted, NumbersState, StoredNumbers } from '../../../table/entities/numbers.ts';
import type {
  AuditRecord,
  EndedQuestion,
  KeyEntry,
  OpenQuestion,
  StoredAddress,
  StoredOrganization,
  StoredPreferences,
  StoredRequest,
} from '../../../table/entities/organization.ts';
import type {
  CalendarEntry,
  CreatedOccurrence,
  PlacesPart,
  Unstarted,
  VisitedPlace,
} from '../../../table/entities/schedules.ts';
import type {
  PendingDelivery,
  StoredDelivery,
  StoredReplay,
  WebhookState,
} from '../../../table/entities/webhooks.ts';
import type { RowKind } from '../../../table/keys.ts';
import { attributes, type Shape } from './shape.ts';

/** Bytes of a file, gzipped text, or hashes. */
const Bytes = z.custom<Uint8Array>((value) => ArrayBuffer.isView(value));

/** Who acts: a user id, or a word for the service. */
const Actor = z.string();

/** A time in epoch seconds or milliseconds. */
const Epoch = z.int().min(0);

/** What an event is about, beside its data. */
const SubjectOfEvent = z.object({
  template_family_id: Uuid,
  client_account_id: Uuid.nullable(),
  location_id: Uuid.nullable(),
});

/** Records of answers that an inspection no longer has. */
const GoneAnswers = z.array(
  z.object({ id: Uuid, section_id: Uuid, field_id: Uuid, instance_path: z.string() }),
);

const Texts = z.array(z.string());

/** What only the code that has written it reads, and checks then. */
const Values = z.custom<object>((value) => typeof value === 'object' && value !== null);

const maybeDue = { by_due: z.string().optional(), by_due_at: z.string().optional() };
const failed = { attempts: Count.optional() };
const slotHolder = { slot: Count.nullable().optional() };
const acted = { acted_via_key_id: Uuid.optional() };
const leased = { turn: Count, leased_until: Epoch, handed_on: Count };
const history = { ...acted, updated_at: Timestamp };

const mailBatch = z.object({
  address: z.string().nullable(),
  items: z.array(Values),
  left_out: Count,
} satisfies Record<keyof MailBatch, z.ZodType>);

const sequence = attributes<Sequence>()({ last: z.int() });
const numbers = attributes<StoredNumbers>()({ body: Bytes, version: Count });
const inspectionDeadline = attributes<Deadline>()({
  org_id: Uuid,
  inspection_id: Uuid,
  corrective_action_id: Uuid.optional(),
  due_at: Timestamp,
  told_until: Timestamp.optional(),
  version: Count,
  ...failed,
  ...maybeDue,
});
const slot = attributes<SlotRow>()({
  holder: z.object({ pk: z.string(), sk: z.string() }).optional(),
  max_slots: Count.optional(),
});

/** Shapes of the rows that clients do not see as they are stored. A secret is in no export, so none is named. */
export const STORED = {
  organization: attributes<StoredOrganization>()({
    ...Organization.omit({ handover: true, logo_url: true, reply_to_confirmed: true }).shape,
    logo_key: z.string().nullable(),
    logo_bytes: Count.optional(),
    mail_limits: z
      .object({ to_members: Count, to_others: Count, report_recipients: Count })
      .partial()
      .optional(),
    max_requests_per_minute: Count.optional(),
    max_requests_of_all_keys: Count.optional(),
    mails_paused: MailPause.nullable().optional(),
    suspended: Values.nullable().optional(),
    handover: Handover.extend({ named_by: Actor }).nullable().optional(),
  }),
  audit: attributes<AuditRecord>()({
    id: Uuid,
    action: AuditEntry.shape.action,
    target_id: z.string(),
    actor_id: Actor,
    actor_name: z.string(),
    actor_kind: AuditEntry.shape.actor.shape.kind,
    ...acted,
    at: Timestamp,
    changes: z.record(z.string(), Values).optional(),
  }),
  address: attributes<StoredAddress>()({
    address: z.string(),
    answer: z.enum(['confirmed', 'refused']).nullable(),
    answered_at: Timestamp.nullable(),
    asked_at: Timestamp.nullable(),
    asked_by: z.string().nullable(),
    offered_at: Timestamp.optional(),
    offered_by: z.string().optional(),
    questions: z.array(z.string()).optional(),
    suppressed: z.object({ reason: z.enum(['bounced', 'complained']), at: Timestamp }).nullable(),
    version: Count,
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
  openQuestion: attributes<OpenQuestion>()({
    ...MailQuestion.shape,
    created_by: Actor,
    updated_at: Timestamp,
    ttl: Epoch,
  }),
  endedQuestion: attributes<EndedQuestion>()({ ended_at: Timestamp, ttl: Epoch }),
  KEY: attributes<Omit<KeyEntry, 'hash' | 'previous'>>()({
    id: Uuid,
    name: z.string(),
    prefix: z.string(),
    access: ApiKey.shape.access,
    act_for_members: z.literal(true).optional(),
    user_id: Actor,
    created_at: Timestamp,
    created_by: Actor.nullable(),
    created_by_name: z.string().nullable(),
    expires_at: Timestamp.nullable(),
    scopes: ApiKey.shape.scopes,
    networks: Texts.nullable(),
    rotated_at: Timestamp.nullable(),
  }),
  PREFERENCES: attributes<StoredPreferences>()({
    ui: z.string(),
    notifications: Preferences.shape.notifications,
    version: Count,
  }),

  assetActivity: attributes<StoredAssetActivity>()({ ...AssetActivity.shape, ...history }),
  certificateSeries: attributes<CertificateSeries>()({ last: z.int() }),
  certificateExpiry: attributes<CertificateExpiry>()({
    org_id: Uuid,
    certificate_id: Uuid,
    version: Count,
    ...maybeDue,
    ...failed,
  }),

  familyVersion: attributes<VersionPlace>()({ template_id: Uuid }),
  layoutNames: attributes<LayoutNames>()({ names: z.record(z.string(), z.string()), version: Count }),
  content: attributes<ContentRow>()({ body: Bytes, content_hash: z.string() }),

  formerAnswer: attributes<StoredFormerAnswer>()({ ...FormerAnswer.shape, ...acted }),
  answerState: attributes<AnswerState>()({ body: Bytes, version: Count }),
  instance: attributes<StoredInstance>()(Instance.shape),
  revision: attributes<StoredRevision>()({
    id: Uuid,
    sequence: Count,
    answer_source: Revision.shape.answer_source,
    body: z.string(),
  }),
  inspectionActivity: attributes<StoredInspectionActivity>()({ ...InspectionActivity.shape, ...history }),
  signatureLink: attributes<Omit<StoredSignatureLink, 'form_secret'>>()({
    ...SignatureLink.omit({ url: true, status: true, mail: true }).shape,
    signed_nonce: z.string().optional(),
    mailed: Values.optional(),
    ttl: Epoch,
  }),
  reportCount: attributes<ReportCount>()({ last: Count }),
  raisedIssue: attributes<object>()({}),
  due: inspectionDeadline,
  activity: attributes<StoredActivity>()({ ...Activity.shape, ...history }),
  attachment: attributes<StoredAttachment>()(
    Attachment.omit({ file_name: true, mime_type: true, size_bytes: true }).shape,
  ),
  contactForm: attributes<ContactForm>()({ ttl: Epoch }),
  contactReminder: attributes<ContactReminder>()({
    org_id: Uuid,
    address: z.string(),
    sent_at: Timestamp.nullable(),
    version: Count,
    ...maybeDue,
    ttl: Epoch.optional(),
  }),
  actionDue: inspectionDeadline,

  export: attributes<StoredExport>()({
    ...ReportExport.omit({ url: true, filename: true }).shape,
    ...slotHolder,
    turn: Count,
  }),
  reportEmail: attributes<StoredReportEmail>()({
    ...ReportEmail.omit({ status: true, mail: true }).shape,
    // Waiting was added to recipients later.
    recipients: z.array(ReportEmail.shape.recipients.element.partial({ waiting: true })).readonly(),
    ...slotHolder,
    report_id: Uuid,
    inspection_id: Uuid,
    reply_to: z.string().nullable(),
    body: z.string(),
    include_link: z.boolean(),
    updated_at: Timestamp,
    version: Count,
  }),
  shareLink: attributes<StoredShareLink>()({
    ...ShareLink.omit({ url: true, status: true }).shape,
    offered_to: z.string().optional(),
    accepted_at: Timestamp.optional(),
    ttl: Epoch,
  }),
  BULK_EXPORT: attributes<StoredBulkExport>()({
    ...BulkExportSummary.omit({ url: true }).shape,
    ...slotHolder,
    ...leased,
  }),
  bulkSelection: attributes<BulkSelection>()({ inspection_ids: z.array(Uuid) }),
  bulkItem: attributes<StoredBulkItem>()({ ...BulkExport.shape.items.element.shape, attempts: Count }),
  exportedBytes: attributes<ExportedBytes>()({ bytes: z.int() }),

  BULK_CHANGE: attributes<StoredBulkChange>()({
    ...BulkChange.omit({ acted_via_key_id: true }).shape,
    ...slotHolder,
    ...leased,
    requester: z.object({ user_id: Actor, name: z.string(), key_id: Uuid.optional(), ...acted }),
    is_selected: z.boolean(),
    next: Count,
    round: Count,
  }),
  bulkSelected: attributes<BulkSelected>()({ ids: z.array(Uuid) }),
  bulkRow: attributes<StoredBulkRow>()({ ...BulkChangeRow.shape, version: Count }),
  heldNotice: attributes<HeldNotice>()({
    what: z.literal('notice'),
    mail_id: z.string(),
    kind: NotificationKind,
    user_ids: z.array(Actor),
    emails: Texts,
    item: Values,
  }),

  publicLink: attributes<Omit<StoredPublicLink, 'form_secret'>>()({
    ...PublicLink.omit({ token: true, url: true, qr_url: true, qr_svg_url: true, status: true }).shape,
    asset_id: Uuid.nullable().optional(),
    token_start: z.string(),
  }),
  issueActivity: attributes<StoredIssueActivity>()({ ...IssueActivity.shape, ...history }),
  issueDue: attributes<IssueDeadline>()({
    org_id: Uuid,
    issue_id: Uuid,
    due_at: Timestamp,
    version: Count,
    ...failed,
    ...maybeDue,
  }),

  schedulePlaces: attributes<PlacesPart>()({ location_ids: z.array(Uuid) }),
  occurrence: attributes<CreatedOccurrence>()({ inspection_id: Uuid }),
  visitedPlace: attributes<VisitedPlace>()({
    org_id: Uuid,
    schedule_id: Uuid,
    location_id: Uuid,
    first_on: z.string().nullable(),
    last_on: z.string().nullable(),
    next_on: z.string().nullable(),
    next_at: Timestamp.nullable(),
    due_at: Timestamp.nullable(),
    revision: Count,
    turn: Count,
  }),
  unstarted: attributes<Unstarted>()({
    org_id: Uuid,
    schedule_id: Uuid,
    inspection_id: Uuid,
    missed_after: Timestamp.nullable(),
    version: Count,
    ...failed,
    ...maybeDue,
  }),
  calendarEntry: attributes<CalendarEntry>()({
    ...Inspection.pick({
      name: true,
      location_id: true,
      due_at: true,
      template_family_id: true,
      schedule_id: true,
      occurrence_date: true,
      missed_after: true,
      status: true,
      archived_at: true,
      started_at: true,
    }).shape,
    inspection_id: Uuid,
    starts_at: Timestamp,
    assignee_ids: z.array(Actor),
    asset_id: Uuid.optional(),
    version: Count,
  }),

  numbers,
  answerNumbers: numbers,
  counted: attributes<Counted>()({
    month: z.string(),
    location_id: Uuid.nullable(),
    client_account_id: Uuid.nullable(),
    template_family_id: Uuid,
    timezone: z.string(),
    body: Bytes,
    is_repeat: z.boolean().optional(),
    is_completed: z.boolean().optional(),
    revision: Count.optional(),
    version: Count,
  }),
  numbersState: attributes<NumbersState>()({ is_whole: z.boolean() }),

  mail: attributes<MailDelivery>()({
    state: z.enum(['collected', 'sending', 'sent', 'refused', 'over_limit']),
    send_after: Timestamp.optional(),
    reason: WaitReason.optional(),
    held_until: Timestamp.optional(),
    addresses: Texts.readonly().optional(),
    batch: mailBatch.optional(),
    about: z.array(Values).optional(),
    detail: z.string().optional(),
    is_in_doubt: z.boolean().optional(),
    leased_until: Epoch,
    version: Count,
    ttl: Epoch,
  }),
  mailbox: attributes<Mailbox>()({
    ...mailBatch.shape,
    batch_id: z.string(),
    scheduled_at: Epoch,
    version: Count,
  }),
  clientDigestTurn: attributes<ClientDigestTurn>()({
    org_id: Uuid,
    client_account_id: Uuid,
    weekday: Weekday.optional(),
    told_until: Timestamp.optional(),
    ...maybeDue,
  }),
  waitingMail: attributes<WaitingMail>()({
    org_id: Uuid,
    mail_id: z.string(),
    recipient: z.string(),
    send_after: Timestamp,
    reason: WaitReason.optional(),
    mailbox: z.string().optional(),
    task: Values,
  }),
  heldMail: attributes<HeldMail>()({
    mail_id: z.string(),
    recipient: z.string(),
    send_after: Timestamp,
    ttl: Epoch,
  }),
  mailCount: sequence,
  mailFate: sequence,

  maxStoredBytes: attributes<StorageRow>()({ bytes: z.int().optional(), max_bytes: Count.optional() }),
  monthCount: attributes<MonthCount>()({ reports: Count.optional(), mails: Count.optional() }),
  slot,
  maxSlots: slot,
  sequence,
  eventSequence: attributes<EventSequence>()({
    last: Count.optional(),
    recorded_at: Timestamp.optional(),
    webhooks: z.int().optional(),
    active_webhooks: z.int().optional(),
  }),
  loggedRequest: attributes<StoredRequest>()({
    ...LoggedRequest.omit({ duration_ms: true }).shape,
    number: Count,
    duration: z.number(),
    ttl: Epoch,
  }),

  outbox: attributes<
    InOutbox & { outbox: OutboxRow['outbox'] } & Partial<
        Pick<OutboxEvent, 'type' | 'body' | 'answers_of' | 'about'>
      > & {
        data?: object;
        delay_seconds?: number;
      }
  >()({
    id: z.string(),
    org_id: Uuid,
    occurred_at: Timestamp,
    actor_id: Actor,
    ...acted,
    request_id: z.string().optional(),
    ...failed,
    by_due: z.string(),
    by_due_at: z.string(),
    outbox: z.enum(['event', ...QUEUES]),
    type: z.string().optional(),
    body: Bytes.optional(),
    data: Values.optional(),
    answers_of: z
      .object({ inspection_id: Uuid, template_family_id: Uuid, gone: GoneAnswers.optional() })
      .optional(),
    about: SubjectOfEvent.optional(),
    delay_seconds: z.number().optional(),
  }),
  changedAnswers: attributes<ChangedAnswers>()({
    inspection_id: Uuid,
    gone: GoneAnswers.optional(),
    sequence: z.int().min(1),
    recorded_at: Timestamp,
    ttl: Epoch,
  }),
  event: attributes<StoredEvent>()({
    id: Uuid,
    type: z.string(),
    sequence: z.int().min(1),
    timestamp: Timestamp,
    actor_id: Actor,
    request_id: z.string().nullable(),
    ...acted,
    org_id: Uuid,
    recorded_at: Timestamp,
    body: Bytes,
    about: SubjectOfEvent.optional(),
    ttl: Epoch,
  }),
  deadLetter: attributes<DeadLetter>()({
    id: z.string(),
    org_id: Uuid,
    what: z.enum(['event', ...QUEUES, 'deadline']),
    reason: z.string(),
    attempts: Count,
    failed_at: Timestamp,
    work: z.record(z.string(), z.unknown()),
    by_due: z.string(),
    by_due_at: z.string(),
  }),

  SOURCE: attributes<StoredSource>()({
    ...Source.pick({
      name: true,
      group_ids: true,
      level: true,
      identity_column: true,
      mappings: true,
      value_maps: true,
      on_missing: true,
      schedule_minutes: true,
    }).shape,
    id: Uuid,
    connection_id: Uuid,
    vendor: VendorId,
    target_ref: TargetRef,
    board_id: z.string().nullable(),
    board_name: z.string().nullable(),
    is_paused: z.boolean(),
    created_by: Actor,
    version: Count,
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
  CANDIDATE: attributes<StoredCandidate>()({
    ...Candidate.omit({ status: true, matched_user_id: true, last_seen_at: true }).shape,
    is_ignored: z.boolean(),
    left_at: Timestamp.nullable(),
  }),
  sourceState: attributes<SourceState>()({
    org_id: Uuid,
    source_id: Uuid,
    run_id: Uuid.nullable(),
    problem: IntegrationProblem.nullable(),
    warning: z.string().nullable(),
    next_sync_at: Timestamp.nullable(),
    last_synced_at: Timestamp.nullable(),
    last_run: SyncRun.nullable(),
    rows_count: Count,
    whole_calls: Count,
    version: Count,
    ...maybeDue,
  }),
  syncRun: attributes<StoredRun>()({
    ...SyncRun.shape,
    ...slotHolder,
    ...leased,
    allow_mass_deactivation: z.boolean(),
    reading: Count,
    pages: Count,
    cursor: z.string().nullable(),
    is_read: z.boolean(),
    has_gaps: z.boolean(),
    ttl: Epoch,
  }),
  // The bytes of a page without items are read as an empty text.
  seenPage: attributes<SeenPage>()({
    marks: z.custom<Uint8Array>((value) => value === '' || ArrayBuffer.isView(value)),
    ttl: Epoch,
  }),
  syncedItem: attributes<SyncedItem>()({
    external_id: z.string(),
    item_id: z.string(),
    target_ref: TargetRef,
    resource_id: z.string(),
    hash: z.string(),
    is_active: z.boolean(),
    run_id: Uuid,
    outcome: z.enum(['created', 'updated', 'deactivated']),
    option: z
      .object({
        label: z.string(),
        value: z.string(),
        color: z.string().nullable(),
        score: z.number().nullable(),
        is_failed: z.boolean(),
      })
      .optional(),
    updated_at: Timestamp,
  }),
  syncedList: attributes<SyncedList>()({ changed_at: Timestamp }),
  integrationActivity: attributes<StoredIntegrationActivity>()({ ...IntegrationActivity.shape, ttl: Epoch }),

  webhookState: attributes<WebhookState>()({
    org_id: Uuid,
    webhook_id: Uuid,
    failures: Count,
    failing_since: Webhook.shape.failing_since,
    last_success_at: Webhook.shape.last_success_at,
    last_failure: Webhook.shape.last_failure,
    probe_at: Timestamp.nullable(),
    replay_id: Uuid.nullable(),
    turn: Count,
    run_at: Timestamp.nullable(),
    leased_until: Epoch,
    due_at: Timestamp.nullable(),
    version: Count,
    ...maybeDue,
  }),
  delivery: attributes<StoredDelivery>()({
    id: Uuid,
    webhook_id: Uuid,
    event_id: Uuid,
    type: WebhookDelivery.shape.type,
    sequence: z.int().nullable(),
    status: WebhookDelivery.shape.status,
    created_at: Timestamp,
    next_attempt_at: Timestamp.nullable(),
    queued_at: Timestamp.nullable(),
    attempts: z.array(WebhookAttempt),
    request: z.object({ url: z.string(), headers: z.record(z.string(), z.string()) }).nullable(),
    body: z.string().optional(),
    ttl: Epoch,
  }),
  pendingDelivery: attributes<PendingDelivery>()({
    delivery_id: Uuid,
    created_at: Timestamp,
    ttl: Epoch,
  }),
  webhookReplay: attributes<StoredReplay>()({
    ...WebhookReplay.omit({ since: true, until: true }).shape,
    next: z.int().nullable(),
    last: z.int(),
    updated_at: Timestamp,
    ttl: Epoch,
  }),
} satisfies Partial<Record<RowKind, Shape>>;
