import type { Reminded } from '../../domain/escalation.ts';
import type { Workers } from '../../domain/four-eyes.ts';
import type { KnownFinding } from '../../domain/inspections/repeats.ts';
import type { CorrectionStage } from '../../domain/inspections/workflow.ts';
import type { StoredRecipient } from '../../domain/mail/feedback.ts';
import type { MailNote } from '../../domain/mail/progress.ts';
import type { Activity, Attachment, CorrectiveAction } from '../../schemas/corrective-action.ts';
import type { Finding } from '../../schemas/finding.ts';
import type { InspectionActivity } from '../../schemas/inspections/activity.ts';
import type { AnswerRecord, FormerAnswer, Instance } from '../../schemas/inspections/answer.ts';
import type { Correction, Revision } from '../../schemas/inspections/correction.ts';
import type { Inspection } from '../../schemas/inspections/inspection.ts';
import type { SignatureLink } from '../../schemas/inspections/signature-link.ts';
import type { ReportEmail } from '../../schemas/reports/report-email.ts';
import type { BulkExportItem, BulkExportSummary, ReportExport } from '../../schemas/reports/report-export.ts';
import type { Report } from '../../schemas/reports/report.ts';
import type { ShareLink } from '../../schemas/reports/share-link.ts';
import type { Family, FamilySettings } from '../../schemas/templates/family.ts';
import type { ReportLayout } from '../../schemas/templates/report-layout.ts';
import type { TemplateVersion } from '../../schemas/templates/template.ts';
import type { Recorded, SlotHolder } from './common.ts';
import type { SyncedList } from './integrations.ts';
import type { StoredClientAccount, StoredLocation } from './organization.ts';

/* Templates */

/** The published version, with what a new inspection copies from it. */
export interface CurrentVersion {
  template_id: string;
  version_number: number;
  content_hash: string;
  /** Number of fields that take an answer. A field in a repeat section counts once. */
  total: number;
  /** Number of these that are always required. */
  required: number;
}

/** The status and `current_version_id` are derived from the other fields. */
export type StoredFamily = Omit<Family, 'status' | 'current_version_id'> & {
  current: CurrentVersion | null;
  /** The number of the newest version, draft or not. */
  last_version_number: number;
};

/** The content has its own row. `total` and `required` are the progress that a new inspection starts with. */
export type StoredTemplate = TemplateVersion & {
  total: number;
  required: number;
  /** The lists of sources from which publishing took options, by the ids of the sources. */
  lists: Readonly<Record<string, SyncedList>>;
};

/** Lists a version among the versions of its family. */
export interface VersionPlace {
  template_id: string;
}

/** A version's content. */
export interface ContentRow {
  /** Gzipped canonical JSON. */
  body: Uint8Array;
  content_hash: string;
}

/** The family's settings say which layout is the default. */
export type StoredLayout = Omit<ReportLayout, 'is_default'>;

/** The case-folded names of a family's layouts, by layout id. Each change of the layouts replaces this row. */
export interface LayoutNames {
  names: Record<string, string>;
  version: number;
}

/* Inspections */

/** What an inspection names, by the ids, as it was named at a time. */
export interface NamesThen {
  clients: Record<string, Pick<StoredClientAccount, 'name' | 'external_ref'>>;
  locations: Record<
    string,
    Pick<StoredLocation, 'name' | 'address' | 'lat' | 'lng' | 'timezone' | 'external_ref'> & {
      /** The names of the locations above it, the farthest first. */
      path: string[];
    }
  >;
  people: Record<string, string>;
}

/**
 * An inspection with the settings that were agreed when it was created. The row is updated in place and never
 * replaced, because saved answers and findings change its counters without changing its version.
 */
export type StoredInspection = Omit<
  Inspection,
  'is_overdue' | 'is_missed' | 'progress' | 'correction_status'
> & {
  /** The content hash of the template version that the inspection uses. */
  content_hash: string;
  /** The progress that an inspection of that version starts with. */
  asked: { total: number; required: number };
  /** Number of fields that take an answer now. Conditions and repeat sections change it. */
  total: number;
  /** Number of these that are required. */
  required: number;
  approval: FamilySettings['approval'];
  sign_off: FamilySettings['sign_off'];
  self_assign: FamilySettings['self_assign'];
  /** Number of records that hold an answer. */
  answered: number;
  /** Increased with each saved answer, so that a decision on all answers can detect a new one. */
  answers_revision: number;
  /** Increased with each change of a finding or corrective action: a report may then be out of date. */
  findings_revision: number;
  /** Where the active correction is; null when there is none. */
  correction_stage: CorrectionStage | null;
  /** Number of changes in the active correction. */
  correction_revisions: number;
  /** What a completed inspection names, as it was named then. Absent before that. */
  names_then?: NamesThen;
  /** Within what time its findings repeat earlier ones. */
  repeat_window: FamilySettings['repeat_window'];
  /** The schedule for which it is a visit, if that counts from the last one; a re-inspection has that of the first. */
  visited_by_schedule?: string;
  /** Set where its schedule, or that of the first inspection, inspects assets: it is a visit of its asset. */
  visits_asset?: true;
  /** The due date and the end of its window of which events have told that they passed. Written in place, without a new version. */
  overdue_for?: string;
  missed_for?: string;
  /** How often the fields of such findings count. */
  repeat_factor: FamilySettings['repeat_factor'];
  /** The fields that counted more often when the score was computed, by `placeName`; absent where none can. */
  repeated_fields?: string[];
  /** Whether the findings that have passed in a completed re-inspection are still to be resolved. */
  is_resolving?: boolean;
  /** Increased with each new finding, action or report, so that a deletion of the inspection misses none. */
  parts_revision: number;
  /** Who has worked on it or its corrections. It only grows; absent while nobody has. */
  worked_by?: Workers;
  /** Whether it was ever completed, approved or signed: no cascade deletes it then. Absent before. */
  is_kept?: true;
};

/** An answer that another one has replaced. */
export type StoredFormerAnswer = Recorded<FormerAnswer>;

/** Whether an answer is active and how it scores is computed when it is read. */
export type StoredAnswer = Omit<
  Recorded<AnswerRecord>,
  | 'is_active'
  | 'score'
  | 'max_score'
  | 'is_prefilled'
  | 'is_carried_over'
  | 'is_asked_again'
  | 'earlier_finding_id'
> & {
  /** Absent from all answers but those that a re-inspection has taken over. */
  is_carried_over?: true;
  /** Absent from all records but those that a re-inspection asks again. */
  is_asked_again?: true;
  /** The finding that was open at the field when the re-inspection was created. It may have been deleted. */
  earlier_finding?: { inspection_id: string; id: string };
  /** When the last change of the record was made, by the clock of the client. Absent where it has not said it. */
  said_at?: string;
  /** Absent from an answer that somebody has given or confirmed. */
  is_prefilled?: true;
  /** The finding that the failed answer led to. It may have been deleted. */
  finding_id: string | null;
  /** The `client_mutation_id`s of the latest saves, oldest first. */
  mutation_ids: string[];
};

/**
 * Which fields of an inspection are answered, and the answers that conditions and formulas use, in one row, so that
 * saving one answer costs the same however many there are. It is written in the same transaction as the answers, and
 * only where the content has conditions, formulas or repeat sections.
 */
export interface AnswerState {
  /** Gzipped JSON: for each field, by its position in the content, its instances by their indexes. */
  body: Uint8Array;
  version: number;
}

/** An instance of a repeat section whose index is reserved for a client. */
export type StoredInstance = Instance;

/** The number of changes in the active correction is on the inspection's row. */
export type StoredCorrection = Correction;

/** A correction's change. Its text is not searched for documents: a revision does not count as a use of one. */
export interface StoredRevision {
  id: string;
  sequence: number;
  answer_source: Revision['answer_source'];
  /** JSON. */
  body: string;
}

/** An entry of an inspection's history. */
export type StoredInspectionActivity = Recorded<InspectionActivity> & { updated_at: string };

/** Where a finding or an action is. */
interface Place {
  /** The location of the instance of a repeat section that it is in. Null or absent where the instance has none. */
  location_id?: string | null;
  /** How often it was moved under its version: with its inspection, or by a merge of locations. */
  moves?: number;
}

/** By what the lists of the organization find a finding or an action: what its inspection is of, and its question. */
export interface ListedUnder {
  client_account_id: string | null;
  /** The location of the instance that it is in, or else that of the inspection. */
  location_id: string | null;
  template_family_id: string;
  field_id: string | null;
  /** Absent without an asset. */
  asset_id?: string;
}

/** Findings of former releases have no external_ref and no labels. */
export type StoredFinding = Omit<
  Finding,
  'location_id' | 'asset_id' | 'repeat' | 'external_ref' | 'tags' | 'metadata'
> &
  Partial<Pick<Finding, 'external_ref' | 'tags' | 'metadata'>> &
  Place & {
    /** Where it is looked for by later inspections. Null without a location or a question. */
    found_in: { location_id: string; template_family_id: string } | null;
    listed_under: ListedUnder;
    /** The version in which the answer gave it its severity; absent while that is the first. Later ones are people's. */
    graded_version?: number;
  };

/** A finding among those of its template family at a location, in the order of their creation. */
export type FoundAt = KnownFinding;

/** The client account and whether an action is overdue come from its inspection and the time. */
export type StoredAction = Omit<
  CorrectiveAction,
  'client_account_id' | 'location_id' | 'asset_id' | 'is_overdue' | 'completed_on_site' | 'contact_link'
> &
  Place & {
    listed_under: ListedUnder;
    /** Who was mailed a reminder. Written in place, without a new version. */
    reminded?: Reminded;
    /** The due date of which an event has told that it passed. Written in place as well. */
    overdue_for?: string;
    /** The version in which the answer changed it together with its finding; absent while that is the first. */
    graded_version?: number;
    /** Who has worked on it. Absent from actions that nobody has worked on. */
    worked_by?: Workers;
    /** Absent from actions that were not. */
    completed_on_site?: boolean;
    /** The link that the contact was sent last. */
    contact_link: StoredContactLink | null;
    /** What became of the mail with a link. Written in place, without a new version. */
    contact_link_mailed?: MailNote & { link_id: string };
    /** When a link was opened last. Written in place as well. */
    contact_link_opened?: { link_id: string; at: string };
  };

/** A link that is about to be mailed, with others to the same address. */
export interface UnsentLink {
  inspection_id: string;
  action_id: string;
  link_id: string;
  /** Epoch seconds. */
  ttl: number;
}

/** A link that works as long as its action names it. */
export interface StoredContactLink {
  id: string;
  /** The case-folded address that has it. */
  address: string;
  requested_at: string;
  expires_at: string;
  /** Signs the forms of its page. */
  form_secret: string;
}

/** When a contact is reminded of its tasks. A worker finds the row by `by_due`. */
export interface ContactReminder {
  org_id: string;
  /** The case-folded address. */
  address: string;
  /** When it was reminded last, or will be by a mail that waits; null for never. */
  sent_at: string | null;
  version: number;
  by_due?: string;
  by_due_at?: string;
  /** Epoch seconds; only while there is nothing to remind of. */
  ttl?: number;
}

/** A form that a contact has sent, so that the same form is taken once. */
export interface ContactForm {
  /** Epoch seconds. */
  ttl: number;
}

/** An entry of an action's history. */
export type StoredActivity = Recorded<Activity> & { updated_at: string };

/** The file's name, type and size are in the document's row. */
export type StoredAttachment = Omit<Attachment, 'file_name' | 'mime_type' | 'size_bytes'>;

/** Whether a report is current or stale is computed from its inspection. */
export type StoredReport = Omit<Report, 'is_current' | 'is_stale'> &
  SlotHolder & {
    /** The language that the request names; null for that of the layout or the organization. */
    wanted_language: Report['language'];
    /** The state of the inspection that the report shows, once it is rendered. */
    shows: string | null;
    /** Bytes of the PDF, once it is rendered. */
    size_bytes: number | null;
    /** Bytes of the payload as it is stored, gzipped. */
    payload_bytes: number | null;
    sha256: string | null;
    /** Number of exports that were created, so that two concurrent requests do not create the same one. */
    exports: number;
    /** Number of mails that are sent once the report is rendered. Absent where none was requested. */
    emails_waiting?: number;
    /** Increased with each new export, mail or share link, so that a deletion of the report misses none. Absent before the first. */
    parts_revision?: number;
  };

/** The size and hash of a file that was made. */
export interface ExportedFile {
  size_bytes: number;
  /** In hexadecimal. */
  sha256: string;
}

/**
 * An export of a report. Until the report is ready, its status follows from the report; that of a PDF always does, like
 * its size and hash.
 */
export type StoredExport = Omit<ReportExport, 'status' | 'url' | 'filename'> &
  SlotHolder & {
    status: Exclude<ReportExport['status'], 'expired'>;
    /** Moves with every attempt to make the file; at the end it is that of the attempt that has made it. */
    turn: number;
  };

/** A bulk export. Its inspections and their reports stand below it. */
export type StoredBulkExport = Omit<BulkExportSummary, 'status' | 'url'> &
  SlotHolder & {
    status: Exclude<BulkExportSummary['status'], 'expired'>;
    /** Moves with every turn of the worker, so that two never work on it at once. */
    turn: number;
    /** Until when a worker holds it, in epoch milliseconds; 0 when none does. */
    leased_until: number;
    /** How often a worker left the rest to a new task. Tasks before that have nothing to do any more. */
    handed_on: number;
  };

/** The inspections of a bulk export in the order of its file. */
export interface BulkSelection {
  inspection_ids: string[];
}

/** How far the report of one inspection of a bulk export is. */
export type StoredBulkItem = BulkExportItem & {
  /** How often the worker began to make it. */
  attempts: number;
};

/** A mail of a report. Its status is that of its recipients. */
export interface StoredReportEmail extends Omit<ReportEmail, 'status' | 'mail' | 'recipients'>, SlotHolder {
  recipients: readonly StoredRecipient[];
  report_id: string;
  inspection_id: string;
  reply_to: string | null;
  body: string;
  include_link: boolean;
  updated_at: string;
  version: number;
}

/** A link to a report for whoever has it. The link's own row has its token's hash and leads here. */
export type StoredShareLink = Omit<ShareLink, 'url' | 'status' | 'offered_to'> & {
  /** The address that the report was offered to, case-folded. Absent where nobody has to say yes first. */
  offered_to?: string;
  /** When somebody at this address has said yes. Absent before: then there is no token yet. */
  accepted_at?: string;
  /** Epoch seconds. */
  ttl: number;
};

/** A link by which a witness signs. The link's own row has its token's hash and leads here. */
export type StoredSignatureLink = Omit<SignatureLink, 'url' | 'status' | 'mail'> & {
  /** Signs the forms of its page. */
  form_secret: string;
  /** Of the form by which it was signed, so that the same form is thanked for again. Absent before. */
  signed_nonce?: string;
  /** What became of the mail with the link. Absent until something is known, and without an email address. */
  mailed?: MailNote;
  /** Epoch seconds. */
  ttl: number;
};

/** Number of reports that an inspection has had. */
export interface ReportCount {
  last: number;
}

/** Leads from the id of a finding, action or report to its inspection. */
export interface ChildReference {
  inspection_id: string;
}

/** A due date. A worker finds the row by `by_due` until the last reminder is sent. */
export interface Deadline {
  org_id: string;
  inspection_id: string;
  /** Set for an action's due date, absent for the inspection's own. */
  corrective_action_id?: string;
  due_at: string;
  /** The time up to which the levels of an action's escalation have been told; absent before the action is due. */
  told_until?: string;
  version: number;
  /** How often its notifications failed for a reason that lasts. Absent before the first time. */
  attempts?: number;
  by_due?: string;
  by_due_at?: string;
}
