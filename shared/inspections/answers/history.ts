import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../../base/caller.ts';
import { FormerAnswer, type FormerAnswerQuery } from '../../schemas/inspections/answer.ts';
import { present } from '../../schemas/projection.ts';
import type { Work } from '../../table/change.ts';
import type { StoredAnswer } from '../../table/entities/inspections.ts';
import { keys } from '../../table/keys.ts';
import { type Listing, listing, readCursor } from '../../table/listing.ts';
import { queryRows } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { inspectionRecords } from '../rows/inspection-records.ts';

/**
 * Keeps an answer that another one replaces, or that arrives too late. It stays until the inspection is erased.
 * @param isLate whether it never stood in the record
 */
export const formerAnswer = (
  work: Work,
  inspectionId: string,
  answer: StoredAnswer,
  isLate: boolean,
): Write => {
  const { section_id, field_id, instance_path, value, note, is_na, media, ...others } = answer;
  const { answered_by, acted_via_key_id, answered_at, client_answered_at } = others;
  const id = uuidv7();
  return write.create({
    ...keys.formerAnswer(work, inspectionId, field_id, id),
    id,
    section_id,
    field_id,
    instance_path,
    value,
    note,
    is_na,
    media,
    answered_by,
    answered_at,
    client_answered_at,
    ...(acted_via_key_id && { acted_via_key_id }),
    is_late: isLate,
    replaced_at: work.now,
  });
};

/**
 * The answers of an inspection that others have replaced, by the ids of their fields, the oldest first.
 * @throws ApiError 404
 */
export const listFormer = async (
  caller: Caller,
  inspectionId: string,
  query: FormerAnswerQuery,
): Promise<Listing<FormerAnswer>> => {
  const { field_id } = query;
  const name = `FORMER ${inspectionId}`;
  const after = readCursor(caller, name, query);
  await inspectionRecords.get(caller, inspectionId);
  const { partition, prefix } = keys.parts(caller, 'INSPECTION', inspectionId, 'FORMER');
  const rows = queryRows(caller, {
    partition,
    prefix: field_id === undefined ? prefix : `${prefix}${field_id}#`,
    after,
  });
  return listing(
    caller,
    name,
    query,
    rows,
    (row) => row.sk,
    (row) => present(FormerAnswer, row, { acted_via_key_id: row.acted_via_key_id ?? null }),
  );
};
