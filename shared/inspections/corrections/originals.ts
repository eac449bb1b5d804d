import type { Caller } from '../../base/caller.ts';
import type { Revision } from '../../schemas/inspections/correction.ts';
import type { StoredAnswer, StoredInspection, StoredRevision } from '../../table/entities/inspections.ts';
import { type Key, keys } from '../../table/keys.ts';
import { queryRows } from '../../table/rows.ts';
import { addedFindingId, FINDING_FIELD, revisionOf } from '../rows/revisions.ts';

/** A record as it was before the correction. */
export interface OriginalRecord {
  key: Key<StoredAnswer>;
  revision: Revision;
  /** Null when there was none. */
  before: StoredAnswer | null;
}

/** A field of the setup, or a start answer, as it was before the correction. */
export interface OriginalField {
  source: 'setup' | 'start';
  name: string;
  before: unknown;
}

/** The state before a correction, from the first revision of each thing that it has changed. */
export interface Originals {
  records: OriginalRecord[];
  fields: OriginalField[];
  /** The ids of the findings that the correction has added. */
  findingIds: string[];
}

/**
 * The state before a correction, and the findings that it has added.
 * @param rows all revisions of the correction, in their order
 */
export const originalsIn = (
  caller: Caller,
  inspectionId: string,
  rows: Iterable<StoredRevision>,
): Originals => {
  const records = new Map<string, OriginalRecord>();
  const fields = new Map<string, OriginalField>();
  const findingIds: string[] = [];
  for (const row of rows) {
    const { revision, before } = revisionOf(row);
    const { answer_source: source, field_id: name, instance_path } = revision;
    if (source === 'body') {
      const key = keys.answer(caller, inspectionId, name, instance_path);
      if (!records.has(key.sk)) records.set(key.sk, { key, revision, before: before as StoredAnswer | null });
    } else if (source === 'setup' && name === FINDING_FIELD) {
      const added = addedFindingId(revision);
      if (added) findingIds.push(added);
    } else if (!fields.has(`${source} ${name}`)) {
      fields.set(`${source} ${name}`, { source, name, before });
    }
  }
  return { records: [...records.values()], fields: [...fields.values()], findingIds };
};

/** The same, from stored revisions. A Query per megabyte of them. */
export const originals = async (caller: Caller, inspectionId: string, id: string): Promise<Originals> =>
  originalsIn(
    caller,
    inspectionId,
    await Array.fromAsync(queryRows(caller, keys.revision.range(caller, inspectionId, id))),
  );

/** An inspection with these fields of its setup and these start answers as before the correction. */
export const withOriginals = (
  inspection: StoredInspection,
  fields: readonly OriginalField[],
): StoredInspection => {
  const start_answers = { ...inspection.start_answers };
  const setup: Record<string, unknown> = {};
  for (const { source, name, before } of fields) {
    if (source === 'setup') setup[name] = before;
    else if (before === null) delete start_answers[name];
    else start_answers[name] = before;
  }
  return { ...inspection, ...setup, start_answers };
};
