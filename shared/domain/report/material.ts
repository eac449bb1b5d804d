import type { NamesWith } from '../../base/fields.ts';
import type { Attachment, CorrectiveAction } from '../../schemas/corrective-action.ts';
import type { Finding } from '../../schemas/finding.ts';
import type { Correction, Revision } from '../../schemas/inspections/correction.ts';
import { correctedField } from '../../schemas/inspections/fields.ts';
import type { Signature } from '../../schemas/inspections/inspection.ts';
import type { ReportAddress, ReportPosition } from '../../schemas/reports/report-answer.ts';
import type { ReportLayoutContent } from '../../schemas/reports/report-layout-content.ts';
import type {
  ReportEarlier,
  ReportInspection,
  ReportOrganization,
  ReportPreviousScore,
} from '../../schemas/reports/report-payload.ts';
import type { ContentIndex, Question } from '../content/content-index.ts';
import type { RepeatedFields } from '../content/scoring/shares.ts';
import type { Answer } from '../content/values/answer.ts';
import type { Naming } from '../content/values/checks.ts';
import { references } from '../content/values/references.ts';

/** An answer with the person who gave it. */
export interface ReportedAnswer extends Answer {
  answered_by: string | null;
  answered_at: string | null;
  client_answered_at?: string | null;
  /** Whether it was given in the earlier inspection, from which a re-inspection has taken it over. */
  is_carried_over?: boolean;
}

/** The part of a finding that a report shows. */
export type ReportedFinding = Omit<
  Finding,
  | 'location_id'
  | 'asset_id'
  | 'resolved_at'
  | 'resolved_by'
  | 'resolved_by_inspection_id'
  | 'names_then'
  | 'repeat'
  | 'external_ref'
  | 'tags'
  | 'metadata'
> &
  Partial<Pick<Finding, 'repeat'>>;

/** Whether a report shows a field of a corrective action, or what it names. */
export const IS_REPORTED_OF_ACTION = {
  id: true,
  finding_id: true,
  number: true,
  title: true,
  description: true,
  priority: true,
  status: true,
  assignee_id: true,
  contact: true,
  due_at: true,
  completed_at: true,
  completed_by: true,
  completed_by_contact: true,
  completion_note: true,
  completed_on_site: false,
  verified_at: true,
  verified_by: true,
  verified_via_key_id: true,
  verification_note: true,
  names_then: true,
  reopened_at: false,
  reopen_reason: false,
  reopen_count: false,
  evidence_required: false,
  evidence_count: false,
  escalation: false,
  due_basis: false,
  // It is computed at the time of the report.
  is_overdue: false,
  inspection_id: false,
  issue_id: false,
  client_account_id: false,
  location_id: false,
  contact_link: false,
  asset_id: false,
  external_ref: false,
  tags: false,
  metadata: false,
  created_by: false,
  created_at: false,
  updated_at: false,
  version: false,
} satisfies Record<keyof CorrectiveAction, boolean>;

/** The part of a corrective action that a report shows. */
export type ReportedAction = Omit<
  Pick<CorrectiveAction, NamesWith<typeof IS_REPORTED_OF_ACTION, true>>,
  'verified_via_key_id' | 'names_then'
> &
  Partial<Pick<CorrectiveAction, 'verified_via_key_id' | 'names_then'>>;

/** A document of a corrective action. */
export type ReportedAttachment = Pick<Attachment, 'document_id' | 'stage' | 'caption'> & {
  action_id: string;
};

/** A change of an answer in a correction. */
export type ReportedRevision = Omit<
  Revision,
  'version' | 'instance_index' | 'acted_via_key_id' | 'previous_client_answered_at' | 'client_answered_at'
> & { correction_id: string };

/** The part of a correction that a report shows. */
export type ReportedCorrection = Pick<
  Correction,
  'id' | 'reason' | 'status' | 'opened_by' | 'created_at' | 'closed_by' | 'closed_at'
> &
  Partial<Pick<Correction, 'decision' | 'decided_by' | 'decided_via_key_id' | 'decided_at'>>;

/** The part of a signature that a report shows. */
export type ReportedSignOff = Pick<
  Signature,
  'signed_name' | 'signed_at' | 'contact' | 'declined' | 'reason'
> &
  Partial<Pick<Signature, 'user_id' | 'acted_via_key_id'>>;

/** What a report shows of a location. */
export interface ReportedPlace {
  address: ReportAddress | null;
  position: ReportPosition | null;
}

/** What a report shows of a document. */
export interface ReportedFile {
  file_name: string;
  mime_type: string;
  size_bytes: number;
}

/** The earlier inspection that a report compares with. */
export interface EarlierMaterial {
  inspection: ReportEarlier;
  /** Of its own template version. */
  index: ContentIndex;
  answers: ReportedAnswer[];
}

/** Everything that a report is made of. */
export interface ReportMaterial {
  organization: ReportOrganization;
  layout: ReportLayoutContent;
  inspection: ReportInspection;
  /** Whether the inspection is not completed. */
  isDraft: boolean;
  /** Those who signed the inspection off, or refused to. */
  signOffs: ReportedSignOff[];
  index: ContentIndex;
  /** Answers to the start fields, by key. */
  startAnswers: Record<string, unknown>;
  answers: ReportedAnswer[];
  findings: ReportedFinding[];
  actions: ReportedAction[];
  attachments: ReportedAttachment[];
  /** In the order in which they were opened. */
  corrections: ReportedCorrection[];
  /** The changes of each correction, in their order. */
  revisions: ReportedRevision[];
  previousScore: ReportPreviousScore | null;
  /** Failed fields that count more often in the score; absent where none can. */
  repeated?: RepeatedFields;
  /** Absent where the inspection was not started from an earlier one, or that was deleted. */
  earlier?: EarlierMaterial;
  /** The names of people, API keys, clients and locations, by id. One that was deleted has none. */
  names: ReadonlyMap<string, string>;
  /** The locations in answers, by id. */
  places: ReadonlyMap<string, ReportedPlace>;
  /** The files of documents that the report shows, by id. */
  documents: ReadonlyMap<string, ReportedFile>;
}

/** The ids whose names or files the report of an inspection shows. */
export interface ReportReferences {
  people: Set<string>;
  /** API keys that acted for people. */
  keys: Set<string>;
  documents: Set<string>;
  clients: Set<string>;
  locations: Set<string>;
}

const addReferences = (found: ReportReferences, field: Naming | undefined, value: unknown): void => {
  if (!field) return;
  const { user_ids, document_ids, client_account_ids, location_ids } = references(field, value);
  for (const id of user_ids) found.people.add(id);
  for (const id of document_ids) found.documents.add(id);
  for (const id of client_account_ids) found.clients.add(id);
  for (const id of location_ids) found.locations.add(id);
};

/** The question whose answer a revision has changed; undefined where the content lacks it. */
export const changedQuestion = (
  { fields, startFields }: ContentIndex,
  { answer_source, field_id }: Pick<ReportedRevision, 'answer_source' | 'field_id'>,
): Question | undefined =>
  answer_source === 'start' ? startFields.get(field_id) : fields.get(field_id)?.field;

/** The fields of an inspection that can refer to people, documents, clients and locations. */
type Referring = Pick<
  ReportMaterial,
  | 'signOffs'
  | 'startAnswers'
  | 'answers'
  | 'findings'
  | 'actions'
  | 'attachments'
  | 'corrections'
  | 'revisions'
>;

/**
 * Finds the ids whose names or files have to be read for a report.
 * @param earlier what it compares with
 */
export const reportReferences = (
  index: ContentIndex,
  material: Referring,
  earlier?: Pick<EarlierMaterial, 'index' | 'answers'>,
): ReportReferences => {
  const found: ReportReferences = {
    people: new Set(),
    keys: new Set(),
    documents: new Set(),
    clients: new Set(),
    locations: new Set(),
  };
  const addPeople = (...ids: (string | null)[]): void => {
    for (const id of ids) if (id !== null) found.people.add(id);
  };
  const addKey = (id: string | null = null): void => {
    if (id !== null) found.keys.add(id);
  };
  const addAnswers = (fields: ContentIndex['fields'], answers: readonly ReportedAnswer[]): void => {
    for (const { field_id, value, answered_by, media = [] } of answers) {
      addReferences(found, fields.get(field_id)?.field, value);
      addPeople(answered_by);
      for (const { document_id } of media) found.documents.add(document_id);
    }
  };
  addAnswers(index.fields, material.answers);
  if (earlier) addAnswers(earlier.index.fields, earlier.answers);
  for (const [key, value] of Object.entries(material.startAnswers))
    addReferences(found, index.startFields.get(key), value);
  for (const { content } of material.findings)
    for (const { document_id } of content.media) found.documents.add(document_id);
  for (const { assignee_id, completed_by, verified_by, verified_via_key_id } of material.actions) {
    addPeople(assignee_id, completed_by, verified_by);
    addKey(verified_via_key_id);
  }
  for (const { document_id } of material.attachments) found.documents.add(document_id);
  for (const { user_id, acted_via_key_id } of material.signOffs) {
    addKey(acted_via_key_id);
    if (acted_via_key_id) addPeople(user_id ?? null);
  }
  for (const { opened_by, closed_by, decided_by, decided_via_key_id } of material.corrections) {
    addPeople(opened_by, closed_by, decided_by ?? null);
    addKey(decided_via_key_id);
  }
  for (const revision of material.revisions) {
    const field =
      revision.answer_source === 'setup'
        ? correctedField(revision.field_id)
        : changedQuestion(index, revision);
    addReferences(found, field, revision.previous_value);
    addReferences(found, field, revision.value);
    addPeople(revision.changed_by);
  }
  return found;
};
