import { namesWith, pick } from '../../base/fields.ts';
import type { StoredAnswer } from '../table/entities.ts';

/** Whether a field of an answer's record is part of the answer, or says who gave it and when; null for neither. */
const PARTS = {
  section_id: null,
  field_id: null,
  instance_index: null,
  instance_path: null,
  value: 'answer',
  note: 'answer',
  is_na: 'answer',
  media: 'answer',
  answered_by: 'author',
  answered_at: 'author',
  client_answered_at: 'author',
  acted_via_key_id: 'author',
  is_failed: null,
  finding_id: null,
  mutation_ids: null,
  is_prefilled: null,
  is_carried_over: null,
  is_asked_again: null,
  earlier_finding: null,
  id: null,
  created_at: null,
  updated_at: null,
  version: null,
} as const satisfies Record<keyof StoredAnswer, 'answer' | 'author' | null>;

/** Who gave an answer, and when. */
export const authorIn = (record: StoredAnswer) => ({
  client_answered_at: null,
  ...pick(record, namesWith(PARTS, 'author')),
});

/** An answer with its author, as it is compared with another one. */
export const givenIn = (record: StoredAnswer) => ({
  ...pick(record, namesWith(PARTS, 'answer')),
  ...authorIn(record),
});
