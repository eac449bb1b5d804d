import type { CorrectiveAction } from '../../schemas/corrective-action.ts';
import type { Finding } from '../../schemas/finding.ts';
import type {
  ReportCorrectiveAction,
  ReportInspection,
  ReportLayoutContent,
  ReportOrganization,
} from '../../schemas/reports/report-payload.ts';
import type { ContentIndex, Question } from '../content/content-index.ts';
import type { Answer } from '../content/values/answer.ts';
import { references } from '../content/values/references.ts';

/** An answer with the person who gave it. */
export interface ReportedAnswer extends Answer {
  answered_by: string | null;
  answered_at: string | null;
}

/** The part of a corrective action that a report shows. */
export type ReportedAction = Omit<ReportCorrectiveAction, 'finding_number' | 'is_overdue' | 'assignee_name'> &
  Pick<CorrectiveAction, 'finding_id' | 'assignee_id'>;

/** Everything that a report is made of. */
export interface ReportSources {
  organization: ReportOrganization;
  layout: ReportLayoutContent;
  inspection: ReportInspection;
  index: ContentIndex;
  /** Answers to the start fields, by key. */
  startAnswers: Record<string, unknown>;
  answers: ReportedAnswer[];
  findings: Finding[];
  actions: ReportedAction[];
  /** The names of people, clients and locations in answers, by id. */
  names: Map<string, string>;
  /** The names and types of the files of documents that the report shows, by id. */
  documents: Map<string, { file_name: string; mime_type: string }>;
}

/** The ids whose names or files the report of an inspection shows. */
export interface ReportReferences {
  people: Set<string>;
  documents: Set<string>;
  clients: Set<string>;
  locations: Set<string>;
}

const addReferences = (found: ReportReferences, field: Question, value: unknown): void => {
  const { user_ids, document_ids, client_account_ids, location_ids } = references(field, value);
  for (const id of user_ids) found.people.add(id);
  for (const id of document_ids) found.documents.add(id);
  for (const id of client_account_ids) found.clients.add(id);
  for (const id of location_ids) found.locations.add(id);
};

/** Finds the ids whose names or files have to be read for a report. */
export const reportReferences = (
  index: ContentIndex,
  answers: readonly ReportedAnswer[],
  findings: readonly Pick<Finding, 'content'>[],
  startAnswers: Record<string, unknown>,
): ReportReferences => {
  const found: ReportReferences = {
    people: new Set(),
    documents: new Set(),
    clients: new Set(),
    locations: new Set(),
  };
  for (const { field_id, value, answered_by, media = [] } of answers) {
    const place = index.fields.get(field_id);
    if (place) addReferences(found, place.field, value);
    if (answered_by) found.people.add(answered_by);
    for (const { document_id } of media) found.documents.add(document_id);
  }
  for (const [key, value] of Object.entries(startAnswers)) {
    const field = index.startFields.get(key);
    if (field) addReferences(found, field, value);
  }
  for (const { content } of findings)
    for (const { document_id } of content.media) found.documents.add(document_id);
  return found;
};
