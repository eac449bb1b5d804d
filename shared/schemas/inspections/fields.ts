import type { ReportTexts } from '../../base/i18n/texts/report.ts';
import type { FieldType } from '../templates/content.ts';
import type { Inspection } from './inspection.ts';

/** What copies, changes or shows a field of an inspection. */
type Use =
  /** A duplicate copies it. */
  | 'duplicate'
  /** A re-inspection copies it, as far as it still fits, unless the request gives another value. */
  | 'reinspection'
  /** A re-inspection copies it if it uses the template version of the first inspection. */
  | 'version'
  /** A schedule sets it in the inspections that it creates. */
  | 'schedule'
  /** A correction can change it. */
  | 'correction'
  /** Reports have it under the same name. */
  | 'report'
  /** Lists have a filter of the same name, which selects the inspections with an equal value. */
  | 'filter'
  /** The entry of an inspection in the calendar has it. */
  | 'calendar';

/** The fields of an inspection that clients do not see. They come from its template version and family. */
type Agreed =
  | 'content_hash'
  | 'asked'
  | 'approval'
  | 'sign_off'
  | 'self_assign'
  | 'repeat_window'
  | 'repeat_factor';

/**
 * What each field of an inspection is used for. Replies and events have all fields. In a duplicate or re-inspection
 * that does not copy a field, the field starts with its initial value.
 */
const USES = {
  id: ['report'],
  created_at: [],
  updated_at: [],
  version: [],
  created_by: ['schedule'],
  number: ['report'],
  name: ['duplicate', 'reinspection', 'schedule', 'correction', 'report', 'calendar'],
  client_account_id: ['duplicate', 'reinspection', 'schedule', 'correction', 'filter'],
  location_id: ['duplicate', 'reinspection', 'schedule', 'correction', 'filter', 'calendar'],
  asset_id: ['duplicate', 'reinspection', 'schedule', 'filter'],
  scheduled_for: ['schedule', 'correction', 'report'],
  due_at: ['schedule', 'correction', 'report', 'calendar'],
  participants: ['reinspection', 'schedule', 'correction', 'report'],
  approver_id: ['reinspection', 'schedule'],
  start_answers: ['reinspection', 'correction'],
  external_ref: ['filter'],
  tags: ['duplicate', 'reinspection'],
  metadata: ['duplicate', 'reinspection'],
  template_family_id: ['duplicate', 'filter', 'calendar'],
  template_id: ['duplicate', 'version'],
  content_hash: ['duplicate', 'version'],
  asked: ['duplicate', 'version'],
  requires_approval: ['duplicate'],
  requires_sign_off: ['duplicate'],
  approval: ['duplicate'],
  sign_off: ['duplicate'],
  correction_mode: ['duplicate'],
  self_assign: ['duplicate'],
  repeat_window: ['duplicate'],
  repeat_factor: ['duplicate'],
  source: ['filter'],
  schedule_id: ['schedule', 'filter', 'calendar'],
  occurrence_date: ['schedule', 'calendar'],
  missed_after: ['schedule', 'calendar'],
  issue_id: [],
  prefill_from_inspection_id: [],
  reinspection_of_id: ['filter'],
  reinspection_scope: [],
  reinspections_count: [],
  status: ['report', 'calendar'],
  started_at: ['report', 'calendar'],
  submitted_at: ['report'],
  approved_at: ['report'],
  signed_off_at: ['report'],
  completed_at: ['report'],
  archived_at: ['calendar'],
  archived_from: [],
  archive_reason: [],
  is_overdue: ['filter'],
  is_missed: [],
  approval_outcome: [],
  comment: [],
  signatures: [],
  score: [],
  progress: [],
  findings_count: [],
  open_corrective_actions_count: [],
  active_correction_id: [],
  correction_status: [],
} as const satisfies Record<keyof Inspection | Agreed, readonly Use[]>;

type FieldName = keyof typeof USES;

/** The fields with this use. */
export type FieldFor<U extends Use> = {
  [Name in FieldName]: U extends (typeof USES)[Name][number] ? Name : never;
}[FieldName];

/** The names of the fields with this use, in the order of the table. */
export const fieldsFor = <U extends Use>(use: U): FieldFor<U>[] =>
  (Object.keys(USES) as FieldName[]).filter((name): name is FieldFor<U> =>
    (USES[name] as readonly Use[]).includes(use),
  );

type TextKey = {
  [Key in keyof ReportTexts]: ReportTexts[Key] extends string ? Key : never;
}[keyof ReportTexts];

/** How reports show a field of an inspection that a correction has changed. */
interface Shown {
  /** Its name, among the texts of reports. */
  label: TextKey;
  /** The type of field whose answers are shown like its values, and name the same kind of resource. */
  type: FieldType;
}

/**
 * What a correction can change besides answers: fields of the inspection itself, and `finding` for a finding that it
 * adds.
 */
const CORRECTED = {
  name: { label: 'name', type: 'text' },
  client_account_id: { label: 'client', type: 'client_account' },
  location_id: { label: 'location', type: 'location' },
  scheduled_for: { label: 'scheduledFor', type: 'datetime' },
  due_at: { label: 'due', type: 'datetime' },
  participants: { label: 'participants', type: 'text' },
  finding: { label: 'concerns', type: 'text' },
} as const satisfies Record<SetupField | 'finding', Shown>;

/** The fields whose changes a correction records one by one. Start answers have changes of their own. */
type SetupField = Exclude<FieldFor<'correction'>, 'start_answers'>;

/** How reports show what a revision has changed; undefined for a field that this release does not know. */
export const correctedField = (name: string): Shown | undefined =>
  Object.hasOwn(CORRECTED, name) ? CORRECTED[name as keyof typeof CORRECTED] : undefined;
