import type { Caller } from '../domain/caller.ts';
import { shownDocuments } from '../domain/shown-documents.ts';
import { conflict } from '../http/errors.ts';
import { change } from './change.ts';
import { expectVersion } from './collection.ts';
import { documents } from './documents.ts';
import { deletion, rows, type StoredInspection } from './inspection-rows.ts';
import { type ChildKind, keys } from './keys.ts';
import { queryRows, type Row } from './rows.ts';
import { drop, type Write } from './writes.ts';

/** Writes of one transaction for what stands below an inspection, beside its own row and those that follow it. */
const MOST_BELOW = 45;

const MARKED = new Set<string>(['FINDING', 'REPORT'] satisfies ChildKind[]);

/** A row, and what finds it by its own id. */
const ofRow = (caller: Caller, { pk, sk }: Row<object>): Write[] => {
  const [kind = '', id = ''] = sk.split('#');
  const reference = keys.reference(caller, kind as ChildKind, id);
  return [drop({ pk, sk }), ...(MARKED.has(kind) ? [drop(reference)] : [])];
};

/** The ends of what these use; a document that several of them show is one write. */
const released = (caller: Caller, users: readonly unknown[]): Write[] => {
  const uses = new Map<string, number>();
  for (const user of users) for (const id of shownDocuments(user)) uses.set(id, (uses.get(id) ?? 0) + 1);
  return [...uses].map(([id, count]) => documents.use(caller, id, -count, 'document_id'));
};

/**
 * The end of an inspection and what stands below it: of that as much as fits into one change, and with the last
 * of it the inspection itself.
 */
const ending = async (
  caller: Caller,
  id: string,
  inspection: StoredInspection | undefined,
): Promise<{ writes: Write[]; isAll: boolean }> => {
  const gone: Row<object>[] = [];
  const writesOf = (rows: Row<object>[]) => [
    ...rows.flatMap((row) => ofRow(caller, row)),
    ...released(caller, rows),
  ];
  const partition = keys.below(caller, 'INSPECTION', id);
  for await (const row of queryRows<object>(caller, { partition, pageSize: MOST_BELOW })) {
    if (writesOf([...gone, row]).length > MOST_BELOW) {
      // A row that alone is too much for company goes alone.
      return { writes: writesOf(gone.length > 0 ? gone : [row]), isAll: false };
    }
    gone.push(row);
  }
  return {
    writes: [
      ...gone.flatMap((row) => ofRow(caller, row)),
      ...released(caller, [...gone, inspection?.start_answers]),
      ...(inspection ? deletion(caller, inspection) : []),
    ],
    isAll: true,
  };
};

const isDeletable = ({ status, answered }: StoredInspection): boolean =>
  status === 'scheduled' || (status === 'in_progress' && answered === 0);

/** Deletes an inspection on which nothing was done yet. @throws ApiError 404; 409 once it is past deletion */
export const deleteInspection = (caller: Caller, id: string, expectedVersion?: number): Promise<null> =>
  change(caller, async () => {
    const inspection = await rows.get(caller, id);
    expectVersion(rows.noun, inspection, expectedVersion);
    const { writes, isAll } = await ending(caller, id, inspection);
    if (!isDeletable(inspection) || !isAll) {
      const { status, answered } = inspection;
      throw conflict(`${rows.noun} is ${status} with ${answered} answers; archive it instead`);
    }
    return { writes, reply: null };
  });

/**
 * Deletes an inspection in whatever state, and all that stands below it: in chunks, the inspection with the last
 * one. What was interrupted is completed by calling it again.
 */
export const deleteWhole = async (caller: Caller, id: string): Promise<void> => {
  const deleteSome = () =>
    change(caller, async () => {
      const { writes, isAll } = await ending(caller, id, await rows.find(caller, id));
      return { writes, reply: isAll };
    });
  while (!(await deleteSome()));
};
