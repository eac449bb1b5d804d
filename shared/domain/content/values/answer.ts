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
  /**
   * It was taken over from an earlier inspection, and nobody has confirmed it. Until then it does not count as an
   * answer.
   */
  is_prefilled?: boolean;
  /** A re-inspection asks it again. Its instance therefore exists before anything in it is answered. */
  is_asked_again?: boolean;
}

/** Whether a value says nothing: it is null, a blank text, or an empty list or object. */
export const isEmpty = (value: unknown): boolean => {
  if (value === null || value === undefined) return true;
  if (typeof value === 'string') return isBlank(value);
  return typeof value === 'object' && Object.keys(value).length === 0;
};

/**
 * Whether a record is an answer: somebody has given or confirmed it, and it has a value or is marked not applicable.
 */
export const isAnswered = ({
  value,
  is_na,
  is_prefilled,
}: Pick<Answer, 'value' | 'is_na' | 'is_prefilled'>) => !is_prefilled && (is_na || !isEmpty(value));
