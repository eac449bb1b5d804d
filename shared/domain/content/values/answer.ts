import { isBlank } from '../../../base/text.ts';

/** One medium of an answer. */
export interface MediaItem {
  document_id: string;
  caption: string;
}

/** An answer as it is stored: to one field in one instance. */
export interface Answer {
  field_id: string;
  instance_path: string;
  value: unknown;
  note: string;
  is_na: boolean;
  /** Media beside the value, of a field whose value is not media itself. */
  media?: MediaItem[];
}

/** Whether a value says nothing: it is null, a blank text, or an empty list or object. */
export const isEmpty = (value: unknown): boolean => {
  if (value === null || value === undefined) return true;
  if (typeof value === 'string') return isBlank(value);
  return typeof value === 'object' && Object.keys(value).length === 0;
};

/** Whether a record is an answer: it has a value, or it is marked not applicable. */
export const isAnswered = ({ value, is_na }: Pick<Answer, 'value' | 'is_na'>) => is_na || !isEmpty(value);
