import { ApiError } from '../base/api-error.ts';
import type { KeyCaller } from '../base/caller.ts';
import { sha256 } from '../base/encoding.ts';
import * as errors from '../base/errors.ts';
import { MalformedRow } from '../base/problem.ts';
import { currentRequest, inRequest, type RequestScope } from '../base/request.ts';
import { following } from '../table/former-locations.ts';
import { claimKey, completeKey, releaseKey } from '../table/idempotency.ts';
import { findReserved } from '../table/unique.ts';

/** What became of a row. */
interface RowResult<Shown> {
  index: number;
  status: 'created' | 'unchanged' | 'conflict' | 'invalid';
  response?: Shown;
  detail?: ApiError['detail'];
}

type Outcome<Shown> = Omit<RowResult<Shown>, 'index'>;

/** What all rows may have beside the fields of their resource. */
interface AnyRow {
  client_mutation_id?: string | undefined;
  external_ref?: string | null | undefined;
}

/** How the resources of a batch are made, and found again. */
interface Batch<Row extends AnyRow, Shown> {
  /** The id of the operation for a single one. */
  operation: string;
  create: (row: Omit<Row, 'client_mutation_id'>) => Promise<Shown>;
  /** What an `external_ref` is reserved as, and how the resource that has it is read. Absent where there is none. */
  known?: { as: string; get: (id: string) => Promise<Shown> };
}

/**
 * @throws what is no problem of the row itself, such as an outage, or another version of what all rows change: the same
 *   request can then be sent again
 */
const failed = (error: unknown): Outcome<never> => {
  if (!(error instanceof ApiError) || error.status === 429 || error.status >= 500) throw error;
  if (error.code === errors.versionMismatch.code) throw error;
  return { status: error.status === 409 ? 'conflict' : 'invalid', detail: error.detail };
};

/** Creates a resource, unless one has its `external_ref` already. */
const createOnce = async <Row extends AnyRow, Shown>(
  caller: KeyCaller,
  row: Omit<Row, 'client_mutation_id'> & AnyRow,
  { create, known }: Batch<Row, Shown>,
): Promise<Outcome<Shown>> => {
  try {
    return { status: 'created', response: await following(row, create) };
  } catch (error) {
    const isInUse = error instanceof ApiError && error.code === errors.valueInUse.code;
    if (!isInUse || !known || !row.external_ref) throw error;
    const id = await findReserved(caller, known.as, row.external_ref);
    if (id) return { status: 'unchanged', response: await known.get(id) };
    throw error;
  }
};

/**
 * Carries a row out in a scope of its own: the reply for its `client_mutation_id` is stored with its change, as that of a
 * request with an idempotency key is.
 */
const carryOut = async <Row extends AnyRow, Shown>(
  caller: KeyCaller,
  { client_mutation_id: mutation, ...row }: Row,
  batch: Batch<Row, Shown>,
): Promise<Outcome<Shown>> => {
  const outer = currentRequest()!;
  const { idempotency: _, ...others } = outer;
  const scope: RequestScope = others;
  try {
    return await inRequest(async () => {
      if (mutation === undefined) return createOnce(caller, row, batch);
      const claimed = await claimKey(caller, `${batch.operation} row`, mutation, sha256(JSON.stringify(row)));
      if (claimed.outcome === 'completed')
        return { status: 'unchanged', response: JSON.parse(claimed.body) as Shown };
      if (claimed.outcome === 'running') throw errors.idempotentRequestRunning();
      if (claimed.outcome === 'other_body') throw errors.mutationReused();
      const { claim } = claimed;
      const held = { claim, status: 201, completed: false, textOf: JSON.stringify };
      scope.idempotency = held;
      try {
        const outcome = await createOnce(caller, row, batch);
        if (!held.completed) await completeKey(caller, outcome.response);
        return outcome;
      } catch (error) {
        if (!held.completed) await releaseKey(caller, claim);
        throw error;
      }
    }, scope);
  } finally {
    outer.tableCalls = scope.tableCalls;
  }
};

/** Creates the resources of a batch one after the other. Calls: for each row those of its operation, and two for a mutation. */
export const createAll = async <Row extends AnyRow, Shown>(
  caller: KeyCaller,
  rows: readonly (Row | MalformedRow)[],
  batch: Batch<Row, Shown>,
): Promise<{ results: RowResult<Shown>[] }> => {
  const results: RowResult<Shown>[] = [];
  for (const [index, row] of rows.entries()) {
    const outcome =
      row instanceof MalformedRow
        ? failed(errors.validationFailed(row.problems))
        : await carryOut(caller, row, batch).catch(failed);
    results.push({ index, ...outcome });
  }
  return { results };
};
