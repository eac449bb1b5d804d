import type { Evaluation } from '../../domain/content/conditions/evaluate.ts';
import { shareOf } from '../../domain/content/scoring/worth.ts';
import { isAnswered } from '../../domain/content/values/answer.ts';
import { AnswerRecord } from '../../schemas/inspections/answer.ts';
import { present } from '../../schemas/projection.ts';
import type { StoredAnswer } from '../table/entities.ts';

/** A record as clients see it. Whether it is active and what it scores depend on the other answers. */
export const toRecord = ({ index, standingOf }: Evaluation, record: StoredAnswer): AnswerRecord => {
  const place = index.fields.get(record.field_id)!;
  const is_active = standingOf(place, record.instance_path) !== 'hidden';
  const share = is_active && isAnswered(record) ? shareOf(index, place, record) : null;
  return present(AnswerRecord, record, {
    acted_via_key_id: record.acted_via_key_id ?? null,
    client_answered_at: record.client_answered_at ?? null,
    is_prefilled: record.is_prefilled ?? false,
    is_carried_over: record.is_carried_over ?? false,
    is_asked_again: record.is_asked_again ?? false,
    earlier_finding_id: record.earlier_finding?.id ?? null,
    is_active,
    score: share?.score ?? null,
    max_score: share?.max_score ?? null,
  });
};
